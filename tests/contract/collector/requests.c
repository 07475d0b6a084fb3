/* SPDX-License-Identifier: Apache-2.0
 *
 * requests.c - see checklist.h: lists of requests, and what each request answers in serial code.
 */
#include "checklist.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

enum { kUntouched = 0x5a, kHeaderInts = 4 };

static OMP_COLLECTOR_API_FUNCTION api;

int has_numbers_of_contract(void) {
    return OMP_REQ_START == 0 && OMP_REQ_REGISTER == 1 && OMP_REQ_UNREGISTER == 2 &&
           OMP_REQ_STATE == 3 && OMP_REQ_CURRENT_PRID == 4 && OMP_REQ_PARENT_PRID == 5 &&
           OMP_REQ_STOP == 6 && OMP_REQ_PAUSE == 7 && OMP_REQ_RESUME == 8 &&
           OMP_ERRCODE_SEQUENCE_ERR == 4 && OMP_ERRCODE_THREAD_ERR == 6 &&
           OMP_ERRCODE_MEM_TOO_SMALL == 7 && OMP_EVENT_FORK == 1 && OMP_EVENT_THR_BEGIN_EBAR == 7 &&
           OMP_EVENT_THR_BEGIN_MASTER == 15 && OMP_EVENT_THR_END_ATWT == 22 &&
           OMP_EVENT_THR_RESERVED_IMPL == 4096 && THR_OVHD_STATE == 1 && THR_SERIAL_STATE == 6 &&
           THR_ATWT_STATE == 11;
}

int has_api(void) {
    void *address = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    memcpy(&api, &address, sizeof api);
    check("rendezvous", api != NULL, 0);
    return api != NULL;
}

int call(void *list) {
    errno = 4711;
    const int result = api(list);
    check("keeps errno", errno == 4711, errno);
    return result;
}

struct answer issue(int number, const void *input, int size, int room) {
    int list[kHeaderInts + kRoom / 4 + 1];
    memset(list, kUntouched, sizeof list);
    list[0] = OMP_COLLECTOR_HEADER_SIZE + room;
    list[1] = number;
    if (size > 0) {
        memcpy(list + kHeaderInts, input, (size_t)size);
    }
    list[kHeaderInts + room / 4] = 0;
    struct answer answer;
    answer.result = call(list);
    answer.ec = list[2];
    answer.rsz = list[3];
    memcpy(answer.mem, list + kHeaderInts, sizeof answer.mem);
    check("end of the list stays", list[kHeaderInts + room / 4] == 0, number);
    check("sizes and numbers stay",
          list[0] == OMP_COLLECTOR_HEADER_SIZE + room && list[1] == number, number);
    check("a whole list returns 0", answer.result == 0, answer.result);
    check("an error code is written always", answer.ec >= 0 && answer.ec < OMP_ERRCODE_LAST,
          answer.ec);
    check("no other error has a size",
          answer.ec == OMP_ERRCODE_OK || answer.ec == OMP_ERRCODE_MEM_TOO_SMALL || answer.rsz == 0,
          answer.rsz);
    return answer;
}

int request(int number) {
    const struct answer answer = issue(number, NULL, 0, 0);
    check("a request without an answer has size 0", answer.ec != OMP_ERRCODE_OK || answer.rsz == 0,
          answer.rsz);
    return answer.ec;
}

int is_kept(const struct answer *answer, int from, int to) {
    for (int i = from; i < to; ++i) {
        if (answer->mem[i] != kUntouched) {
            return 0;
        }
    }
    return 1;
}

static int register_natural(int event, const void *callback) {
    struct {
        int event;
        const void *callback;
    } natural;
    memset(&natural, 0, sizeof natural);
    natural.event = event;
    natural.callback = callback;
    return issue(OMP_REQ_REGISTER, &natural, sizeof natural, sizeof natural).ec;
}

int register_event(int event, OMP_COLLECTORAPI_CALLBACK callback) {
    const void *code = NULL;
    memcpy(&code, &callback, sizeof code);
    if (event % 2 == 0) {
        return register_natural(event, code);
    }
    unsigned char packed[12];
    memcpy(packed, &event, 4);
    memcpy(packed + 4, &code, sizeof code);
    return issue(OMP_REQ_REGISTER, packed, sizeof packed, sizeof packed).ec;
}

int unregister_event(int event) {
    return issue(OMP_REQ_UNREGISTER, &event, sizeof event, sizeof event).ec;
}

int is_wait_state(int state) {
    return state == THR_IBAR_STATE || state == THR_EBAR_STATE ||
           (state >= THR_LKWT_STATE && state <= THR_ATWT_STATE);
}

/* Each size and layout that the contract knows tells the same. */
struct thread_state ask_state(void) {
    const struct answer packed = issue(OMP_REQ_STATE, NULL, 0, 12);
    const struct answer natural = issue(OMP_REQ_STATE, NULL, 0, 24);
    const struct answer alone = issue(OMP_REQ_STATE, NULL, 0, 4);
    struct thread_state told = {packed.ec, 0, packed.rsz, 0};
    memcpy(&told.state, packed.mem, 4);
    const int waits = is_wait_state(told.state);
    if (waits) {
        memcpy(&told.wait, packed.mem + 4, 8);
    }
    int state = 0;
    memcpy(&state, natural.mem, 4);
    check("STATE: both layouts",
          state != told.state || !waits || memcmp(packed.mem + 4, natural.mem + 8, 8) == 0, state);
    check("STATE: the wait id counts in wait states alone", told.rsz == (waits ? 12 : 4), told.rsz);
    check("STATE: the natural size", natural.rsz == (is_wait_state(state) ? 16 : 4), natural.rsz);
    check("surplus of mem stays", is_kept(&natural, 16, 24), 0);
    memcpy(&state, alone.mem, 4);
    check("STATE: room for the state alone",
          alone.ec == (is_wait_state(state) ? OMP_ERRCODE_MEM_TOO_SMALL : OMP_ERRCODE_OK) &&
              state > 0 && state < THR_LAST_STATE,
          state);
    return told;
}

uint64_t ask_region(void) {
    const struct answer answer = issue(OMP_REQ_CURRENT_PRID, NULL, 0, 16);
    uint64_t id = 0;
    memcpy(&id, answer.mem, sizeof id);
    check("CURRENT_PRID: any thread, 8 bytes", answer.ec == OMP_ERRCODE_OK && answer.rsz == 8,
          answer.ec);
    check("surplus of mem stays", is_kept(&answer, 8, 16), 0);
    check("ids are small", id < 1000, (long long)id);
    return id;
}

int ask_task(int number) {
    const struct answer answer = issue(number, NULL, 0, 4);
    int id = 0;
    memcpy(&id, answer.mem, sizeof id);
    check("TASK_ID, TASK_PID: any thread, 4 bytes", answer.ec == OMP_ERRCODE_OK && answer.rsz == 4,
          answer.ec);
    return id;
}

void check_before_start(void) {
    for (int number = OMP_REQ_REGISTER; number < OMP_REQ_LAST; ++number) {
        const int ec = issue(number, NULL, 0, 16).ec;
        check("before START all is refused", ec == OMP_ERRCODE_SEQUENCE_ERR, number);
    }
    check("no request: UNKNOWN at any time", request(4711) == OMP_ERRCODE_UNKNOWN, 0);
    check("START before the runtime", request(OMP_REQ_START) == OMP_ERRCODE_OK, 0);
    check("a second START is refused", request(OMP_REQ_START) == OMP_ERRCODE_SEQUENCE_ERR, 0);
    check("no request: UNKNOWN at any time", request(-1) == OMP_ERRCODE_UNKNOWN, 0);
}

/* A good record, one of a size that is none, and one more. */
static void check_bad_size(int size) {
    int list[16];
    memset(list, kUntouched, sizeof list);
    list[0] = 16;
    list[1] = OMP_REQ_RESUME;
    list[4] = size;
    list[5] = OMP_REQ_RESUME;
    list[8] = 16;
    list[9] = OMP_REQ_RESUME;
    list[12] = 0;
    int before[16];
    memcpy(before, list, sizeof list);
    check("a bad size returns -1", call(list) == -1, size);
    check("records before a bad size are done", list[2] == OMP_ERRCODE_OK && list[3] == 0, size);
    check("a bad size and what follows stay untouched",
          memcmp(list + 4, before + 4, sizeof list - 16) == 0, size);
}

static void check_large_record(void) {
    static int large[OMP_COLLECTOR_MAX_RECORD / 4 + 2];
    large[0] = OMP_COLLECTOR_MAX_RECORD;
    large[1] = OMP_REQ_RESUME;
    check("the largest record is done", call(large) == 0 && large[2] == OMP_ERRCODE_OK, 0);
    large[0] += 4;
    check("a record of any size is done", call(large) == 0, 0);
}

void check_lists(void) {
    check_large_record();
    const int bad_sizes[] = {1, 4, 12, 15, 17, 18, -16, OMP_COLLECTOR_MAX_RECORD + 4};
    for (unsigned i = 0; i < sizeof bad_sizes / sizeof bad_sizes[0]; ++i) {
        check_bad_size(bad_sizes[i]);
    }
    check("a null list returns -1", call(NULL) == -1, 0);
    int words[8] = {0};
    check("an empty list returns 0", call(words) == 0, 0);
    const int record[] = {16, OMP_REQ_RESUME, 77, 77, 0};
    memcpy((char *)words + 2, record, sizeof record);
    check("a list that is not aligned returns -1", call((char *)words + 2) == -1, 0);
    check("a list that is not aligned is not carried out",
          memcmp((char *)words + 2, record, sizeof record) == 0, 0);
    int order[] = {16, OMP_REQ_STOP,  -1, -1, 16, OMP_REQ_PAUSE, -1, -1, 16, OMP_REQ_START, -1, -1,
                   16, OMP_REQ_START, -1, -1, 0};
    check("an error inside returns 0 all the same", call(order) == 0, 0);
    check("a list is carried out in order",
          order[2] == OMP_ERRCODE_OK && order[6] == OMP_ERRCODE_SEQUENCE_ERR &&
              order[10] == OMP_ERRCODE_OK && order[14] == OMP_ERRCODE_SEQUENCE_ERR,
          order[6]);
    const struct answer small = issue(OMP_REQ_CURRENT_PRID, NULL, 0, 4);
    check("mem too small: the size that is needed",
          small.ec == OMP_ERRCODE_MEM_TOO_SMALL && small.rsz == 8, small.rsz);
    check("mem too small: nothing is written behind it", is_kept(&small, 8, kRoom), 0);
    const struct answer input = issue(OMP_REQ_REGISTER, NULL, 0, 4);
    check("input too small", input.ec == OMP_ERRCODE_MEM_TOO_SMALL && input.rsz == 12, input.rsz);
    const struct answer event = issue(OMP_REQ_UNREGISTER, NULL, 0, 0);
    check("input too small", event.ec == OMP_ERRCODE_MEM_TOO_SMALL && event.rsz == 4, event.rsz);
}

void check_events_by_number(void) {
    static const int kData = 1; /* no code */
    const int none[] = {0, -1, OMP_EVENT_THR_END_FINISH_TASK + 1, 4095, 1000000};
    for (unsigned i = 0; i < sizeof none / sizeof none[0]; ++i) {
        check("no event: UNKNOWN", register_event(none[i], on_event) == OMP_ERRCODE_UNKNOWN,
              none[i]);
        check("UNREGISTER of no event: UNKNOWN", unregister_event(none[i]) == OMP_ERRCODE_UNKNOWN,
              none[i]);
    }
    for (int event = OMP_EVENT_FORK; event < kEvents; ++event) {
        const int never =
            event == OMP_EVENT_THR_BEGIN_SCHD_TASK || event == OMP_EVENT_THR_END_SCHD_TASK ||
            (event >= OMP_EVENT_THR_BEGIN_STEAL_TASK && event <= OMP_EVENT_THR_FETCHED_TASK);
        const int ec = register_event(event, on_event);
        check(never ? "events that never come: UNSUPPORTED" : "all other events are accepted",
              ec == (never ? OMP_ERRCODE_UNSUPPORTED : OMP_ERRCODE_OK), event);
        check("UNREGISTER: OK, registered or not", unregister_event(event) == OMP_ERRCODE_OK,
              event);
        check("UNREGISTER: OK, registered or not", unregister_event(event) == OMP_ERRCODE_OK,
              event);
    }
    check("events behind 22: UNKNOWN",
          register_event(OMP_EVENT_THR_BEGIN_CREATE_TASK, NULL) == OMP_ERRCODE_UNKNOWN, 0);
    check("a callback at mem+4, not aligned: ERROR",
          register_event(OMP_EVENT_FORK, NULL) == OMP_ERRCODE_ERROR, 0);
    check("a null callback is none", register_event(OMP_EVENT_FORK, NULL) == OMP_ERRCODE_OK, 0);
    check("a callback that is no code: ERROR",
          register_natural(OMP_EVENT_FORK, &kData) == OMP_ERRCODE_ERROR, 0);
}

void check_sessions(void) {
    check("PAUSE and RESUME repeated: OK",
          request(OMP_REQ_RESUME) == OMP_ERRCODE_OK && request(OMP_REQ_PAUSE) == OMP_ERRCODE_OK &&
              request(OMP_REQ_PAUSE) == OMP_ERRCODE_OK && request(OMP_REQ_RESUME) == OMP_ERRCODE_OK,
          0);
    for (int i = 0; i < 5; ++i) {
        check("STOP ends the session", request(OMP_REQ_STOP) == OMP_ERRCODE_OK, i);
        for (int number = OMP_REQ_REGISTER; number < OMP_REQ_LAST; ++number) {
            check("after STOP all is refused",
                  issue(number, NULL, 0, 16).ec == OMP_ERRCODE_SEQUENCE_ERR, number);
        }
        check("START again, as often as wanted", request(OMP_REQ_START) == OMP_ERRCODE_OK, i);
    }
}

static int parent_of_caller(uint64_t *id) {
    const struct answer answer = issue(OMP_REQ_PARENT_PRID, NULL, 0, 8);
    memcpy(id, answer.mem, sizeof *id);
    return answer.ec;
}

void check_serial_thread(void) {
    const struct thread_state told = ask_state();
    uint64_t parent = 1;
    check("serial code is SERIAL", told.ec == OMP_ERRCODE_OK && told.state == THR_SERIAL_STATE,
          told.state);
    check("no region in serial code", ask_region() == 0, 0);
    check("PARENT_PRID: 0 in serial code of the initial thread",
          parent_of_caller(&parent) == OMP_ERRCODE_OK && parent == 0, (long long)parent);
    check("no task outside of one",
          ask_task(OMP_REQ_TASK_ID) == -1 && ask_task(OMP_REQ_TASK_PID) == -1, 0);
}

void check_foreign_thread(void) {
    const struct thread_state told = ask_state();
    uint64_t parent = 1;
    check("a non-OpenMP thread is SERIAL",
          told.ec == OMP_ERRCODE_OK && told.state == THR_SERIAL_STATE, told.state);
    check("no region in serial code", ask_region() == 0, 0);
    check("PARENT_PRID: THREAD_ERR on a non-OpenMP thread",
          parent_of_caller(&parent) == OMP_ERRCODE_THREAD_ERR, 0);
    check("requests come from any thread",
          request(OMP_REQ_STOP) == OMP_ERRCODE_OK && request(OMP_REQ_START) == OMP_ERRCODE_OK &&
              request(OMP_REQ_PAUSE) == OMP_ERRCODE_OK && request(OMP_REQ_RESUME) == OMP_ERRCODE_OK,
          0);
    begin_session_of_events();
    register_all();
    check("requests come from any thread",
          unregister_event(OMP_EVENT_FORK) == OMP_ERRCODE_OK &&
              register_event(OMP_EVENT_FORK, on_event) == OMP_ERRCODE_OK,
          0);
}
