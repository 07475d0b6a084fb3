/* SPDX-License-Identifier: Apache-2.0
 *
 * events.c - see checklist.h: what holds in every callback, whatever the program does.
 */
#include "checklist.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

enum { kDeep = 16, kRegions = 1000, kBarriers = 8 };

static int seen[kEvents];
static unsigned session; /* number of the session of events */
static const void *user_lock;
static char forked[kRegions];
static pthread_t worker;

/* The ids of the barriers of one region, by its master and by its worker. */
static uint64_t barriers[2][kBarriers];
static int barrier_count[2];
static int is_behind_barriers;

/* What this thread has open, in the session that it was opened in. */
static __thread unsigned of_session;
static __thread int open_events[kEvents];
static __thread uint64_t forks[kDeep];
static __thread int fork_count;
static __thread uint64_t entered;
static __thread uint64_t wait_begun[kEvents];
static __thread int is_inside;

static int state_of(int event) {
    switch ((event - 1) / 2) {
    case 0:
        return THR_OVHD_STATE;
    case (OMP_EVENT_THR_BEGIN_IDLE - 1) / 2:
        return THR_IDLE_STATE;
    case (OMP_EVENT_THR_BEGIN_IBAR - 1) / 2:
        return THR_IBAR_STATE;
    case (OMP_EVENT_THR_BEGIN_EBAR - 1) / 2:
        return THR_EBAR_STATE;
    case (OMP_EVENT_THR_BEGIN_LKWT - 1) / 2:
        return THR_LKWT_STATE;
    case (OMP_EVENT_THR_BEGIN_CTWT - 1) / 2:
        return THR_CTWT_STATE;
    case (OMP_EVENT_THR_BEGIN_ODWT - 1) / 2:
        return THR_ODWT_STATE;
    case (OMP_EVENT_THR_BEGIN_ATWT - 1) / 2:
        return THR_ATWT_STATE;
    default:
        return 0;
    }
}

static void note_barrier(uint64_t id) {
    const int who = fork_count > 0 ? 0 : 1;
    if (!is_behind_barriers && barrier_count[who] < kBarriers) {
        barriers[who][barrier_count[who]++] = id;
    }
}

void check_barriers(void) {
    is_behind_barriers = 1;
    const int common = barrier_count[0] < barrier_count[1] ? barrier_count[0] : barrier_count[1];
    check("a barrier has one id on all threads", common >= 3, common);
    for (int i = 0; i < common; ++i) {
        check("a barrier has one id on all threads", barriers[0][i] == barriers[1][i], i);
        check("two barriers have two ids", i == 0 || barriers[0][i] != barriers[0][i - 1], i);
    }
}

static const char *const kCheckOfState[] = {"",
                                            "FORK and JOIN show OVHD",
                                            "",
                                            "implicit barrier: IBAR",
                                            "explicit barrier: EBAR",
                                            "BEGIN_IDLE and END_IDLE show IDLE",
                                            "",
                                            "",
                                            "lock: LKWT",
                                            "critical: CTWT",
                                            "ordered: ODWT",
                                            "atomic: ATWT"};

static void check_state(int event) {
    const int state = state_of(event);
    if (state == 0) {
        return;
    }
    const struct thread_state told = ask_state();
    check(kCheckOfState[state], told.state == state, told.state);
    if (!is_wait_state(state)) {
        return;
    }
    check("a wait has an id", told.wait != 0, event);
    if (event % 2 != 0) {
        wait_begun[event] = told.wait;
        if (state == THR_IBAR_STATE || state == THR_EBAR_STATE) {
            note_barrier(told.wait);
        }
        return;
    }
    check("BEGIN and END of a wait have one id", told.wait == wait_begun[event - 1], event);
    if (state == THR_LKWT_STATE) {
        check("the id of a lock is its address", told.wait == (uint64_t)(uintptr_t)user_lock, 0);
    }
}

static void check_fork(uint64_t region) {
    uint64_t parent = 0;
    const struct answer answer = issue(OMP_REQ_PARENT_PRID, NULL, 0, 8);
    memcpy(&parent, answer.mem, sizeof parent);
    const uint64_t outer = fork_count > 0 ? forks[fork_count - 1] : entered;
    check("PARENT_PRID in FORK: the enclosing region",
          answer.ec == OMP_ERRCODE_OK && parent == outer, (long long)parent);
    check("FORK shows a new id",
          region > 0 && region < kRegions &&
              !__atomic_test_and_set(&forked[region % kRegions], __ATOMIC_RELAXED),
          (long long)region);
    if (fork_count < kDeep) {
        forks[fork_count++] = region;
    }
}

static void check_region(int event) {
    const uint64_t region = ask_region();
    if (event == OMP_EVENT_FORK) {
        check_fork(region);
    } else if (event == OMP_EVENT_JOIN) {
        check("JOIN shows the id of its FORK", fork_count > 0 && forks[fork_count - 1] == region,
              (long long)region);
        fork_count -= fork_count > 0 ? 1 : 0;
    } else if (event == OMP_EVENT_THR_BEGIN_IDLE) {
        check("BEGIN_IDLE shows id 0", region == 0, (long long)region);
        entered = 0;
    } else if (event == OMP_EVENT_THR_END_IDLE) {
        check("IDLE shows no region, in END_IDLE too", region == 0, (long long)region);
        check("END_IDLE shows the region being entered", region != 0, 0);
        entered = region;
        worker = pthread_self();
    }
}

static void check_pair(int event) {
    const int begin = event - 1;
    if (event % 2 != 0) {
        ++open_events[event];
        return;
    }
    check("events are pairs on every thread", open_events[begin] > 0, event);
    open_events[begin] -= open_events[begin] > 0 ? 1 : 0;
}

static void check_task(int event) {
    const int task = ask_task(OMP_REQ_TASK_ID);
    const int creator = ask_task(OMP_REQ_TASK_PID);
    if (event == OMP_EVENT_THR_BEGIN_CREATE_TASK) {
        check("BEGIN_CREATE_TASK: the creating task", task == -1 || task > 0, task);
    } else {
        check("task events: the task's own id", task > 0 && creator < task, task);
    }
    const int state = ask_state().state;
    check("task events: states of their names",
          event < OMP_EVENT_THR_BEGIN_SUSPEND_TASK   ? state == THR_TASK_CREATE_STATE
          : event <= OMP_EVENT_THR_END_SUSPEND_TASK  ? state == THR_TASK_SUSPEND_STATE
          : event >= OMP_EVENT_THR_BEGIN_FINISH_TASK ? state == THR_TASK_FINISH_STATE
                                                     : state > 0,
          state);
}

void on_event(OMP_COLLECTORAPI_EVENT event) {
    check("no event of a thread inside a callback", !is_inside, event);
    is_inside = 1;
    if (of_session != __atomic_load_n(&session, __ATOMIC_ACQUIRE)) {
        memset(open_events, 0, sizeof open_events);
        fork_count = 0;
        of_session = session;
    }
    if (event < OMP_EVENT_THR_BEGIN_CREATE_TASK) {
        check_pair(event);
        check_state(event);
        check_region(event);
    } else {
        check_task(event);
    }
    __atomic_add_fetch(&seen[event], 1, __ATOMIC_RELEASE);
    is_inside = 0;
}

void register_all(void) {
    for (int event = OMP_EVENT_FORK; event < kEvents; ++event) {
        register_event(event, on_event); /* some are UNSUPPORTED */
    }
}

void forget_forks(void) {
    fork_count = 0;
    open_events[OMP_EVENT_FORK] = 0;
}

void begin_session_of_events(void) {
    __atomic_add_fetch(&session, 1, __ATOMIC_RELEASE);
}

int times_seen(int event) {
    return __atomic_load_n(&seen[event], __ATOMIC_ACQUIRE);
}

uint64_t region_entered(void) {
    return entered;
}

uint64_t region_forked(void) {
    return fork_count > 0 ? forks[fork_count - 1] : 0;
}

void user_lock_is(const void *lock) {
    user_lock = lock;
}

pthread_t last_worker(void) {
    return worker;
}
