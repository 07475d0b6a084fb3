/* SPDX-License-Identifier: Apache-2.0
 *
 * See fake_provider.h.
 */
#include "fake_provider.h"

#include "omp_collector_api.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { kEvents = OMP_EVENT_THR_END_ATWT + 1 };

static atomic_int started;
static atomic_ulong state_requests;
static _Atomic(OMP_COLLECTORAPI_CALLBACK) callbacks[kEvents];

static _Thread_local volatile int thread_state = THR_SERIAL_STATE;
static _Thread_local volatile uint64_t thread_wait_id;
static _Thread_local volatile uint64_t thread_region;
static _Thread_local void (*at_next_region_request)(void);
static _Thread_local volatile int is_in_callback;

/* Read at START: answers are given in signal handlers. */
static int natural_layout;
static int no_fork;

typedef struct {
    int size;
    int request;
    int code;
    int answer_size;
} Record;

static int start(void) {
    const char *code = getenv("FAKE_START_CODE");
    if (code && atoi(code) != OMP_ERRCODE_OK) {
        return atoi(code);
    }
    natural_layout = getenv("FAKE_NATURAL") != NULL;
    no_fork = getenv("FAKE_NO_FORK") != NULL;
    return atomic_exchange(&started, 1) ? OMP_ERRCODE_SEQUENCE_ERR : OMP_ERRCODE_OK;
}

static int register_event(const char *mem) {
    int event = 0;
    OMP_COLLECTORAPI_CALLBACK callback = NULL;
    memcpy(&event, mem, sizeof event);
    memcpy(&callback, mem + sizeof event, sizeof callback);
    if (event < 1 || event >= kEvents) {
        return OMP_ERRCODE_UNKNOWN;
    }
    if (event >= OMP_EVENT_THR_BEGIN_ATWT || (no_fork && event <= OMP_EVENT_JOIN)) {
        return OMP_ERRCODE_UNSUPPORTED;
    }
    atomic_store(&callbacks[event], callback);
    return OMP_ERRCODE_OK;
}

static int has_wait_id(int state) {
    return state == THR_IBAR_STATE || state == THR_EBAR_STATE || state >= THR_LKWT_STATE;
}

static int answer_state(char *mem, int room) {
    atomic_fetch_add(&state_requests, 1);
    const int state = thread_state;
    const uint64_t wait_id = thread_wait_id;
    if (room < 4) {
        return OMP_ERRCODE_MEM_TOO_SMALL;
    }
    memcpy(mem, &state, sizeof state);
    if (!has_wait_id(state)) {
        return OMP_ERRCODE_OK;
    }
    if (room < (natural_layout ? 16 : 12)) {
        return OMP_ERRCODE_MEM_TOO_SMALL;
    }
    memcpy(mem + (natural_layout ? 8 : 4), &wait_id, sizeof wait_id);
    return OMP_ERRCODE_OK;
}

/* On success the code stays as it was. */
static void answer_region(Record *record, char *mem, int room) {
    void (*const what)(void) = at_next_region_request;
    if (what && is_in_callback) {
        at_next_region_request = NULL;
        what();
    }
    const uint64_t region = thread_region;
    if (room < 8) {
        record->code = OMP_ERRCODE_MEM_TOO_SMALL;
        return;
    }
    memcpy(mem, &region, sizeof region);
}

static void carry_out(Record *record, char *mem, int room) {
    if (record->request == OMP_REQ_START) {
        record->code = start();
        return;
    }
    if (!atomic_load(&started)) {
        record->code = OMP_ERRCODE_SEQUENCE_ERR;
        return;
    }
    switch (record->request) {
    case OMP_REQ_REGISTER:
        record->code = register_event(mem);
        return;
    case OMP_REQ_STATE:
        record->code = answer_state(mem, room);
        return;
    case OMP_REQ_CURRENT_PRID:
    case OMP_REQ_PARENT_PRID:
        answer_region(record, mem, room);
        return;
    case OMP_REQ_STOP:
        atomic_store(&started, 0);
        for (int event = 0; event < kEvents; ++event) {
            atomic_store(&callbacks[event], NULL);
        }
        record->code = OMP_ERRCODE_OK;
        return;
    default:
        record->code = OMP_ERRCODE_UNKNOWN;
        return;
    }
}

int __omp_collector_api(void *arg) {
    if (!arg) {
        return -1;
    }
    for (char *at = arg;;) {
        Record record;
        memcpy(&record.size, at, sizeof record.size);
        if (record.size == 0) {
            return 0;
        }
        memcpy(&record, at, sizeof record);
        carry_out(&record, at + sizeof record, record.size - (int)sizeof record);
        memcpy(at, &record, sizeof record);
        at += record.size;
    }
}

/* By this name a collector sees that there is an OpenMP runtime. */
int omp_get_max_threads(void);
int omp_get_max_threads(void) {
    return 2;
}

void fake_set_state(int state, uint64_t wait_id) {
    thread_wait_id = wait_id;
    thread_state = state;
}

void fake_set_region(uint64_t id) {
    thread_region = id;
}

void fake_at_next_region_request(void (*what)(void)) {
    at_next_region_request = what;
}

void fake_raise(int event) {
    OMP_COLLECTORAPI_CALLBACK callback = atomic_load(&callbacks[event]);
    if (callback) {
        is_in_callback = 1;
        callback((OMP_COLLECTORAPI_EVENT)event);
        is_in_callback = 0;
    }
}

unsigned long fake_state_requests(void) {
    return atomic_load(&state_requests);
}

int fake_is_started(void) {
    return atomic_load(&started);
}
