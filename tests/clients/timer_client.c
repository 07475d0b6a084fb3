/* SPDX-License-Identifier: Apache-2.0
 *
 * A stand-in for TAU, as a preloaded collector: it keeps a stack of timers for each thread, which
 * the events start and stop. A timer's name is made anew from Tau_get_gomp_proxy_address() at its
 * start and at its stop. Stopping another timer than the innermost one is a complaint; TAU ends the
 * program there. Timers of tasks are stopped without a name, as TAU does.
 *
 * It asks CURRENT_PRID in every callback, and in FORK takes an OpenMP lock between two questions.
 * With OCB_TIMER_LOCK=held it keeps that lock until its next event there, and every BEGIN_IDLE
 * takes it: workers wait in their first one while the runtime is still making others. The session
 * begins in its constructor, or by the program with OCB_TEST_START=program. At the end of the
 * process one line goes to the file that OCB_TIMER_REPORT names.
 */
#include "omp_collector_client.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* The runtime's; a program without one has no events. */
extern void omp_init_lock(void **lock) __attribute__((weak));
extern void omp_set_lock(void **lock) __attribute__((weak));
extern void omp_unset_lock(void **lock) __attribute__((weak));

EXPORTED int ocb_test_start(void);
EXPORTED int ocb_test_request(int request);

enum { kMostTimers = 64, kMostEvents = OMP_EVENT_THR_END_FINISH_TASK + 1 };

/* What a timer is of: its BEGIN, or the number of the first event of its kind. */
enum { kRegion = OMP_EVENT_FORK };

struct timer {
    int kind;
    const void *name;
};

struct timers {
    struct timer stack[kMostTimers];
    int depth;
    unsigned session; /* that these are of */
    int regions, is_busy, tasks;
    int is_ordered, waits_for_order;
};

static __thread struct timers own __attribute__((tls_model("initial-exec")));

static OMP_COLLECTOR_API_FUNCTION api;
static void *(*proxy_address)(void);
static atomic_uint session;
static atomic_long started, named, complaints;
static char first_complaint[256];
static void *lock_word[4];
static pthread_once_t lock_once = PTHREAD_ONCE_INIT;
static int lock_is_kept; /* OCB_TIMER_LOCK=held */
static __thread int holds_lock __attribute__((tls_model("initial-exec")));

static void make_lock(void) {
    if (omp_init_lock) {
        omp_init_lock(lock_word);
    }
}

static void take_lock(void) {
    pthread_once(&lock_once, make_lock);
    if (omp_set_lock) {
        omp_set_lock(lock_word);
        holds_lock = 1;
    }
}
static void release_lock(void) {
    if (holds_lock) {
        holds_lock = 0;
        omp_unset_lock(lock_word);
    }
}

static void complain(int event, struct timer found, struct timer stopped) {
    if (atomic_fetch_add(&complaints, 1) == 0) {
        snprintf(first_complaint, sizeof first_complaint,
                 "event %d: found %d of %p on the stack, but stop called on %d of %p", event,
                 found.kind, found.name, stopped.kind, stopped.name);
    }
}

static struct timer timer_of(int kind) {
    return (struct timer){.kind = kind, .name = proxy_address ? proxy_address() : NULL};
}

static void start_timer(struct timer timer) {
    atomic_fetch_add(&started, 1);
    if (timer.name) {
        atomic_fetch_add(&named, 1);
    }
    if (own.depth < kMostTimers) {
        own.stack[own.depth] = timer;
    }
    ++own.depth;
}
static void start(int kind) {
    start_timer(timer_of(kind));
}
static void start_unnamed(int kind) {
    start_timer((struct timer){.kind = kind});
}

static struct timer stop_innermost(void) {
    static const struct timer kNone;
    if (own.depth == 0) {
        return kNone;
    }
    --own.depth;
    return own.depth < kMostTimers ? own.stack[own.depth] : kNone;
}
static void stop(int kind, int event) {
    const struct timer stopped = timer_of(kind);
    const struct timer found = stop_innermost();
    if (found.kind != stopped.kind || found.name != stopped.name) {
        complain(event, found, stopped);
    }
}
static void stop_unnamed(int kind, int event) {
    const struct timer found = stop_innermost();
    if (found.kind != kind) {
        complain(event, found, (struct timer){.kind = kind});
    }
}

/* Once, though BEGIN may come twice; so does TAU for what it knows to be doubled. */
static void start_once(int kind, int *is_started) {
    if (!*is_started) {
        *is_started = 1;
        start(kind);
    }
}
static void stop_once(int kind, int *is_started, int event) {
    if (*is_started) {
        *is_started = 0;
        stop(kind, event);
    }
}

static void on_region(int event) {
    switch (event) {
    case OMP_EVENT_FORK:
        (void)timer_of(kRegion);
        take_lock();
        if (!lock_is_kept) {
            release_lock();
        }
        start(kRegion);
        ++own.regions;
        return;
    case OMP_EVENT_JOIN:
        if (own.regions > 0) {
            --own.regions;
            stop(kRegion, event);
        }
        return;
    case OMP_EVENT_THR_END_IDLE:
        start_once(kRegion, &own.is_busy);
        return;
    default: /* OMP_EVENT_THR_BEGIN_IDLE */
        if (lock_is_kept) {
            take_lock();
            release_lock();
        }
        stop_once(kRegion, &own.is_busy, event);
    }
}

static void on_task(int event) {
    switch (event) {
    case OMP_EVENT_THR_BEGIN_CREATE_TASK:
        start(event);
        return;
    case OMP_EVENT_THR_END_CREATE_TASK_IMM:
    case OMP_EVENT_THR_END_CREATE_TASK_DEL:
        stop_unnamed(OMP_EVENT_THR_BEGIN_CREATE_TASK, event);
        return;
    case OMP_EVENT_THR_BEGIN_EXEC_TASK:
        start(event);
        ++own.tasks;
        return;
    case OMP_EVENT_THR_BEGIN_FINISH_TASK:
        if (own.tasks > 0) {
            --own.tasks;
            stop_unnamed(OMP_EVENT_THR_BEGIN_EXEC_TASK, event);
        }
        start_unnamed(event);
        return;
    case OMP_EVENT_THR_END_FINISH_TASK:
        stop_unnamed(OMP_EVENT_THR_BEGIN_FINISH_TASK, event);
        return;
    case OMP_EVENT_THR_BEGIN_SUSPEND_TASK:
    case OMP_EVENT_THR_BEGIN_SCHD_TASK:
    case OMP_EVENT_THR_BEGIN_STEAL_TASK:
        start_unnamed(event);
        return;
    case OMP_EVENT_THR_FETCHED_TASK:
        return;
    default:
        stop_unnamed(event - 1, event);
    }
}

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    if (own.session != atomic_load(&session)) {
        memset(&own, 0, sizeof own);
        own.session = atomic_load(&session);
    }
    (void)omp_collector_ask_thread(api);
    release_lock();
    if (event <= OMP_EVENT_THR_END_IDLE) {
        on_region(event);
    } else if (event == OMP_EVENT_THR_BEGIN_ORDERED) {
        start_once(event, &own.is_ordered);
    } else if (event == OMP_EVENT_THR_END_ORDERED) {
        stop_once(event - 1, &own.is_ordered, event);
    } else if (event == OMP_EVENT_THR_BEGIN_ODWT) {
        start_once(event, &own.waits_for_order);
    } else if (event == OMP_EVENT_THR_END_ODWT) {
        stop_once(event - 1, &own.waits_for_order, event);
    } else if (event >= OMP_EVENT_THR_BEGIN_CREATE_TASK) {
        on_task(event);
    } else if (event % 2 == 1) {
        start(event);
    } else {
        stop(event - 1, event);
    }
}

int ocb_test_start(void) {
    atomic_fetch_add(&session, 1);
    const int error = omp_collector_request(api, OMP_REQ_START);
    if (error == OMP_ERRCODE_OK) {
        omp_collector_register_range(api, OMP_EVENT_FORK, kMostEvents - 1, on_event);
    }
    return error;
}

int ocb_test_request(int request) {
    return omp_collector_request(api, (OMP_COLLECTORAPI_REQUEST)request);
}

__attribute__((constructor)) static void begin(void) {
    api = omp_collector_find();
    void *const address = dlsym(NULL, "Tau_get_gomp_proxy_address");
    memcpy(&proxy_address, &address, sizeof proxy_address);
    const char *lock = getenv("OCB_TIMER_LOCK");
    lock_is_kept = lock && strcmp(lock, "held") == 0;
    const char *by = getenv("OCB_TEST_START");
    if (!by || strcmp(by, "program") != 0) {
        ocb_test_start();
    }
}

__attribute__((destructor)) static void end(void) {
    const char *name = getenv("OCB_TIMER_REPORT");
    FILE *report = name ? fopen(name, "w") : NULL;
    if (report) {
        fprintf(report, "started %ld named %ld complaints %ld %s\n", started, named, complaints,
                first_complaint);
        fclose(report);
    }
}
