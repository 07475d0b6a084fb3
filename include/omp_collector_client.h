/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_collector_client.h - for people who write collectors: builds and reads the packed request
 * lists of omp_collector_api.h, sends the usual requests in one call each, and gives names to
 * requests, events, states and errors. compat/examples/ has a whole collector that uses it.
 *
 * C89 to C23 and C++98 to C++23, header-only, any producer of the Collector API. Nothing here
 * allocates, locks or keeps data: all memory is the caller's. Every function may be called from any
 * thread and, but for omp_collector_find, from a signal handler, as far as the requests themselves
 * may.
 *
 * An error is one of OMP_COLLECTORAPI_EC, or OMP_COLLECTOR_NO_CALL where the call itself failed:
 * there is no producer, or it took the list for malformed.
 */
#ifndef OMP_COLLECTOR_CLIENT_H
#define OMP_COLLECTOR_CLIENT_H

#include "omp_collector_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C89 has no word for it; gcc and clang do. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L)
#define OMP_COLLECTOR_INLINE static inline
#else
#define OMP_COLLECTOR_INLINE static __inline__
#endif

#define OMP_COLLECTOR_NO_CALL (-1)

/* Sizes of mem. An int and 8 bytes are packed, as the known collectors send them, or lie as in a C
 * struct; see omp_collector_api.h. */
#define OMP_COLLECTOR_PACKED_PAIR  12
#define OMP_COLLECTOR_NATURAL_PAIR 16
#define OMP_COLLECTOR_WORD         8
#define OMP_COLLECTOR_INT          4

/* Bytes that a list needs for records of these sizes of mem, with its end:
 *     int memory[OMP_COLLECTOR_BYTES(2, 12 + 8) / sizeof(int)];                                */
#define OMP_COLLECTOR_BYTES(records, all_mem)                                                      \
    ((records)*OMP_COLLECTOR_HEADER_SIZE + (all_mem) + (int)sizeof(int))

/* ---- The producer ---------------------------------------------------------------------------- */

/* The producer of this process, or NULL. Not in a signal handler. */
OMP_COLLECTOR_INLINE OMP_COLLECTOR_API_FUNCTION omp_collector_find(void) {
    OMP_COLLECTOR_API_FUNCTION api = NULL;
    /* NULL is RTLD_DEFAULT, which <dlfcn.h> shows with _GNU_SOURCE only. */
    void *const address = dlsym(NULL, OMP_COLLECTOR_API);
    memcpy(&api, &address, sizeof api);
    return api;
}

/* ---- A list of requests ---------------------------------------------------------------------- */

/* A record is named by its offset in the list; OMP_COLLECTOR_NO_RECORD is none. What is asked of no
 * record is 0, its error is MEM_TOO_SMALL: a list without room needs no check of its own. */
#define OMP_COLLECTOR_NO_RECORD (-1)

typedef struct {
    char *memory; /* the caller's, on a 4-byte boundary */
    int capacity; /* bytes */
    int used;     /* bytes of the records; the final 0 lies behind them */
} omp_collector_list;

OMP_COLLECTOR_INLINE int omp_collector_load_int(const char *place) {
    int value;
    memcpy(&value, place, sizeof value);
    return value;
}

OMP_COLLECTOR_INLINE void omp_collector_store_int(char *place, int value) {
    memcpy(place, &value, sizeof value);
}

/* An empty list in `capacity` bytes, at least 4, of the caller's. */
OMP_COLLECTOR_INLINE omp_collector_list omp_collector_list_in(void *memory, size_t capacity) {
    omp_collector_list list;
    list.memory = (char *)memory;
    list.capacity = (int)capacity;
    list.used = 0;
    omp_collector_store_int(list.memory, 0);
    return list;
}

/* Adds a request with `mem_size` zero bytes behind its header. Its error begins as OK: some
 * producers leave it unwritten on success. OMP_COLLECTOR_NO_RECORD where there is no room. */
OMP_COLLECTOR_INLINE int omp_collector_add(omp_collector_list *list, int request, int mem_size) {
    const int size = OMP_COLLECTOR_HEADER_SIZE + mem_size;
    const int record = list->used;
    if (mem_size < 0 || mem_size % 4 != 0 || size > list->capacity - record - (int)sizeof(int))
        return OMP_COLLECTOR_NO_RECORD;
    memset(list->memory + record, 0, (size_t)size + sizeof(int));
    omp_collector_store_int(list->memory + record, size);
    omp_collector_store_int(list->memory + record + 4, request);
    list->used += size;
    return record;
}

/* Calls the producer with the list. 0, or OMP_COLLECTOR_NO_CALL. A list may be sent again. */
OMP_COLLECTOR_INLINE int omp_collector_send(const omp_collector_list *list,
                                            OMP_COLLECTOR_API_FUNCTION api) {
    return api != NULL && api(list->memory) == 0 ? 0 : OMP_COLLECTOR_NO_CALL;
}

/* ---- What is in a record --------------------------------------------------------------------- */

OMP_COLLECTOR_INLINE int omp_collector_size(const omp_collector_list *list, int record) {
    return record < 0 ? 0 : omp_collector_load_int(list->memory + record);
}
OMP_COLLECTOR_INLINE int omp_collector_request_of(const omp_collector_list *list, int record) {
    return record < 0 ? -1 : omp_collector_load_int(list->memory + record + 4);
}
OMP_COLLECTOR_INLINE int omp_collector_error(const omp_collector_list *list, int record) {
    return record < 0 ? (int)OMP_ERRCODE_MEM_TOO_SMALL
                      : omp_collector_load_int(list->memory + record + 8);
}
/* Bytes of the answer, or that mem needs. */
OMP_COLLECTOR_INLINE int omp_collector_answer_size(const omp_collector_list *list, int record) {
    return record < 0 ? 0 : omp_collector_load_int(list->memory + record + 12);
}
/* mem at `offset` if it holds `size` bytes there, else NULL. In general not aligned. */
OMP_COLLECTOR_INLINE char *omp_collector_mem(const omp_collector_list *list, int record, int offset,
                                             int size) {
    if (record < 0 || offset < 0 ||
        offset + size > omp_collector_size(list, record) - OMP_COLLECTOR_HEADER_SIZE)
        return NULL;
    return list->memory + record + OMP_COLLECTOR_HEADER_SIZE + offset;
}
OMP_COLLECTOR_INLINE int omp_collector_int_at(const omp_collector_list *list, int record,
                                              int offset) {
    const char *const place = omp_collector_mem(list, record, offset, OMP_COLLECTOR_INT);
    return place == NULL ? 0 : omp_collector_load_int(place);
}
OMP_COLLECTOR_INLINE uint64_t omp_collector_word_at(const omp_collector_list *list, int record,
                                                    int offset) {
    const char *const place = omp_collector_mem(list, record, offset, OMP_COLLECTOR_WORD);
    uint64_t value = 0;
    if (place != NULL)
        memcpy(&value, place, sizeof value);
    return value;
}
OMP_COLLECTOR_INLINE void omp_collector_put_int(omp_collector_list *list, int record, int offset,
                                                int value) {
    char *const place = omp_collector_mem(list, record, offset, OMP_COLLECTOR_INT);
    if (place != NULL)
        omp_collector_store_int(place, value);
}
OMP_COLLECTOR_INLINE void omp_collector_put_word(omp_collector_list *list, int record, int offset,
                                                 uint64_t value) {
    char *const place = omp_collector_mem(list, record, offset, OMP_COLLECTOR_WORD);
    if (place != NULL)
        memcpy(place, &value, sizeof value);
}
/* Where the 8 bytes of a record with an int and 8 bytes lie. */
OMP_COLLECTOR_INLINE int omp_collector_word_offset(const omp_collector_list *list, int record) {
    const int mem = omp_collector_size(list, record) - OMP_COLLECTOR_HEADER_SIZE;
    return mem >= OMP_COLLECTOR_NATURAL_PAIR ? OMP_COLLECTOR_WORD : OMP_COLLECTOR_INT;
}

/* ---- Somebody else's list -------------------------------------------------------------------- */

/* The record behind `record`, or the first one behind OMP_COLLECTOR_NO_RECORD; at the end of the
 * list, and where a size breaks the rules, OMP_COLLECTOR_NO_RECORD. Nothing behind `capacity` is
 * read. A producer reads its argument so; `used` is not looked at. */
OMP_COLLECTOR_INLINE int omp_collector_next(const omp_collector_list *list, int record) {
    const int next = record < 0 ? 0 : record + omp_collector_size(list, record);
    int size;
    if (next > list->capacity - (int)sizeof(int))
        return OMP_COLLECTOR_NO_RECORD;
    size = omp_collector_load_int(list->memory + next);
    if (size < OMP_COLLECTOR_HEADER_SIZE || size % 4 != 0 || size > OMP_COLLECTOR_MAX_RECORD ||
        size > list->capacity - next)
        return OMP_COLLECTOR_NO_RECORD;
    return next;
}

/* ---- Records of the usual requests ----------------------------------------------------------- */

/* `mem_size`: OMP_COLLECTOR_PACKED_PAIR or OMP_COLLECTOR_NATURAL_PAIR. */
OMP_COLLECTOR_INLINE int omp_collector_add_register(omp_collector_list *list, int event,
                                                    OMP_COLLECTORAPI_CALLBACK callback,
                                                    int mem_size) {
    const int record = omp_collector_add(list, OMP_REQ_REGISTER, mem_size);
    uint64_t address = 0;
    memcpy(&address, &callback, sizeof callback);
    omp_collector_put_int(list, record, 0, event);
    omp_collector_put_word(list, record, omp_collector_word_offset(list, record), address);
    return record;
}
OMP_COLLECTOR_INLINE int omp_collector_add_unregister(omp_collector_list *list, int event) {
    const int record = omp_collector_add(list, OMP_REQ_UNREGISTER, OMP_COLLECTOR_INT);
    omp_collector_put_int(list, record, 0, event);
    return record;
}
OMP_COLLECTOR_INLINE int omp_collector_add_state(omp_collector_list *list) {
    return omp_collector_add(list, OMP_REQ_STATE, OMP_COLLECTOR_PACKED_PAIR);
}
OMP_COLLECTOR_INLINE int omp_collector_add_region(omp_collector_list *list) {
    return omp_collector_add(list, OMP_REQ_CURRENT_PRID, OMP_COLLECTOR_WORD);
}
OMP_COLLECTOR_INLINE int omp_collector_add_parent(omp_collector_list *list) {
    return omp_collector_add(list, OMP_REQ_PARENT_PRID, OMP_COLLECTOR_WORD);
}

/* Has the answer to STATE a wait id in this state? */
OMP_COLLECTOR_INLINE int omp_collector_state_has_wait_id(int state) {
    return state == THR_IBAR_STATE || state == THR_EBAR_STATE || state == THR_LKWT_STATE ||
           state == THR_CTWT_STATE || state == THR_ODWT_STATE || state == THR_ATWT_STATE;
}
/* The answer's parts; the wait id is 0 in a state that has none. */
OMP_COLLECTOR_INLINE int omp_collector_state_in(const omp_collector_list *list, int record) {
    return omp_collector_int_at(list, record, 0);
}
OMP_COLLECTOR_INLINE uint64_t omp_collector_wait_id_in(const omp_collector_list *list, int record) {
    return omp_collector_state_has_wait_id(omp_collector_state_in(list, record))
               ? omp_collector_word_at(list, record, omp_collector_word_offset(list, record))
               : 0;
}
/* The id in an answer to CURRENT_PRID or PARENT_PRID. */
OMP_COLLECTOR_INLINE uint64_t omp_collector_region_in(const omp_collector_list *list, int record) {
    return omp_collector_word_at(list, record, 0);
}

/* ---- A request in a call of its own; each returns the error -----------------------------------
 */

OMP_COLLECTOR_INLINE int omp_collector_send_one(const omp_collector_list *list, int record,
                                                OMP_COLLECTOR_API_FUNCTION api) {
    const int result = omp_collector_send(list, api);
    return result == 0 ? omp_collector_error(list, record) : result;
}

/* Without input or answer: START, STOP, PAUSE, RESUME. */
OMP_COLLECTOR_INLINE int omp_collector_request(OMP_COLLECTOR_API_FUNCTION api, int request) {
    int memory[OMP_COLLECTOR_BYTES(1, 0) / 4];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int record = omp_collector_add(&list, request, 0);
    return omp_collector_send_one(&list, record, api);
}
OMP_COLLECTOR_INLINE int omp_collector_register(OMP_COLLECTOR_API_FUNCTION api, int event,
                                                OMP_COLLECTORAPI_CALLBACK callback) {
    int memory[OMP_COLLECTOR_BYTES(1, OMP_COLLECTOR_PACKED_PAIR) / 4];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int record =
        omp_collector_add_register(&list, event, callback, OMP_COLLECTOR_PACKED_PAIR);
    return omp_collector_send_one(&list, record, api);
}
/* The events from `first` to `last`; how many of them were accepted. */
OMP_COLLECTOR_INLINE int omp_collector_register_range(OMP_COLLECTOR_API_FUNCTION api, int first,
                                                      int last,
                                                      OMP_COLLECTORAPI_CALLBACK callback) {
    int accepted = 0;
    int event;
    for (event = first; event <= last; ++event)
        accepted += omp_collector_register(api, event, callback) == OMP_ERRCODE_OK;
    return accepted;
}
OMP_COLLECTOR_INLINE int omp_collector_unregister(OMP_COLLECTOR_API_FUNCTION api, int event) {
    int memory[OMP_COLLECTOR_BYTES(1, OMP_COLLECTOR_INT) / 4];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int record = omp_collector_add_unregister(&list, event);
    return omp_collector_send_one(&list, record, api);
}

/* What the calling thread does, and where: STATE and CURRENT_PRID in one list. */
typedef struct {
    int state_error;
    int state; /* 0 without an answer */
    uint64_t wait_id;
    int region_error;
    uint64_t region;
} omp_collector_thread_answer;

OMP_COLLECTOR_INLINE omp_collector_thread_answer
omp_collector_ask_thread(OMP_COLLECTOR_API_FUNCTION api) {
    int memory[OMP_COLLECTOR_BYTES(2, OMP_COLLECTOR_PACKED_PAIR + OMP_COLLECTOR_WORD) / 4];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int state = omp_collector_add_state(&list);
    const int region = omp_collector_add_region(&list);
    const int result = omp_collector_send(&list, api);
    omp_collector_thread_answer answer;
    answer.state_error = result == 0 ? omp_collector_error(&list, state) : result;
    answer.state = omp_collector_state_in(&list, state);
    answer.wait_id = omp_collector_wait_id_in(&list, state);
    answer.region_error = result == 0 ? omp_collector_error(&list, region) : result;
    answer.region = omp_collector_region_in(&list, region);
    return answer;
}

/* The requests with an answer of 8 bytes: CURRENT_PRID, PARENT_PRID. */
OMP_COLLECTOR_INLINE int omp_collector_ask_word(OMP_COLLECTOR_API_FUNCTION api, int request,
                                                uint64_t *answer) {
    int memory[OMP_COLLECTOR_BYTES(1, OMP_COLLECTOR_WORD) / 4];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int record = omp_collector_add(&list, request, OMP_COLLECTOR_WORD);
    const int error = omp_collector_send_one(&list, record, api);
    *answer = omp_collector_word_at(&list, record, 0);
    return error;
}
/* Those with an answer of 4 bytes: TASK_ID, TASK_PID. */
OMP_COLLECTOR_INLINE int omp_collector_ask_int(OMP_COLLECTOR_API_FUNCTION api, int request,
                                               int *answer) {
    int memory[OMP_COLLECTOR_BYTES(1, OMP_COLLECTOR_INT) / 4];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int record = omp_collector_add(&list, request, OMP_COLLECTOR_INT);
    const int error = omp_collector_send_one(&list, record, api);
    *answer = omp_collector_int_at(&list, record, 0);
    return error;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Short ones, as in "START", "BEGIN_IBAR", "WORK", "SEQUENCE_ERR"; "?" for any other number. Data
 * of the program, never freed. */
OMP_COLLECTOR_INLINE const char *omp_collector_name_in(const char *const *names, size_t count,
                                                       int number) {
    const char *const name = number >= 0 && (size_t)number < count ? names[number] : NULL;
    return name != NULL ? name : "?";
}

OMP_COLLECTOR_INLINE const char *omp_collector_request_name(int request) {
    static const char *const names[OMP_REQ_LAST] = {
        "START", "REGISTER", "UNREGISTER", "STATE",   "CURRENT_PRID", "PARENT_PRID",
        "STOP",  "PAUSE",    "RESUME",     "TASK_ID", "TASK_PID"};
    return omp_collector_name_in(names, OMP_REQ_LAST, request);
}

OMP_COLLECTOR_INLINE const char *omp_collector_event_name(int event) {
    static const char *const names[OMP_EVENT_THR_END_FINISH_TASK + 1] = {NULL,
                                                                         "FORK",
                                                                         "JOIN",
                                                                         "BEGIN_IDLE",
                                                                         "END_IDLE",
                                                                         "BEGIN_IBAR",
                                                                         "END_IBAR",
                                                                         "BEGIN_EBAR",
                                                                         "END_EBAR",
                                                                         "BEGIN_LKWT",
                                                                         "END_LKWT",
                                                                         "BEGIN_CTWT",
                                                                         "END_CTWT",
                                                                         "BEGIN_ODWT",
                                                                         "END_ODWT",
                                                                         "BEGIN_MASTER",
                                                                         "END_MASTER",
                                                                         "BEGIN_SINGLE",
                                                                         "END_SINGLE",
                                                                         "BEGIN_ORDERED",
                                                                         "END_ORDERED",
                                                                         "BEGIN_ATWT",
                                                                         "END_ATWT",
                                                                         "BEGIN_CREATE_TASK",
                                                                         "END_CREATE_TASK_IMM",
                                                                         "END_CREATE_TASK_DEL",
                                                                         "BEGIN_SCHD_TASK",
                                                                         "END_SCHD_TASK",
                                                                         "BEGIN_SUSPEND_TASK",
                                                                         "END_SUSPEND_TASK",
                                                                         "BEGIN_STEAL_TASK",
                                                                         "END_STEAL_TASK",
                                                                         "FETCHED_TASK",
                                                                         "BEGIN_EXEC_TASK",
                                                                         "BEGIN_FINISH_TASK",
                                                                         "END_FINISH_TASK"};
    return omp_collector_name_in(names, OMP_EVENT_THR_END_FINISH_TASK + 1, event);
}

OMP_COLLECTOR_INLINE const char *omp_collector_state_name(int state) {
    static const char *const names[THR_LAST_STATE] = {
        NULL,          "OVHD",          "WORK",         "IBAR",       "EBAR",       "IDLE",
        "SERIAL",      "REDUC",         "LKWT",         "CTWT",       "ODWT",       "ATWT",
        "TASK_CREATE", "TASK_SCHEDULE", "TASK_SUSPEND", "TASK_STEAL", "TASK_FINISH"};
    return omp_collector_name_in(names, THR_LAST_STATE, state);
}

OMP_COLLECTOR_INLINE const char *omp_collector_error_name(int error) {
    static const char *const names[OMP_ERRCODE_LAST] = {"OK",          "ERROR",        "UNKNOWN",
                                                        "UNSUPPORTED", "SEQUENCE_ERR", "OBSOLETE",
                                                        "THREAD_ERR",  "MEM_TOO_SMALL"};
    return error == OMP_COLLECTOR_NO_CALL ? "no call"
                                          : omp_collector_name_in(names, OMP_ERRCODE_LAST, error);
}

#ifdef __cplusplus
}
#endif

#endif /* OMP_COLLECTOR_CLIENT_H */
