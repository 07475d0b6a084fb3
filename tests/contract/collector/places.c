/* SPDX-License-Identifier: Apache-2.0
 *
 * places.c - see checklist.h: what is checked at each place that the program tells, and the list.
 */
#define _GNU_SOURCE
#include "checklist.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kChecks = 128, kHere = -1 };

static struct {
    const char *name;
    int is_failed;
    long long seen;
} list[kChecks];
static int lock_of_list;

void check(const char *name, int holds, long long value) {
    while (__atomic_test_and_set(&lock_of_list, __ATOMIC_ACQUIRE)) {
    }
    for (int i = 0; i < kChecks; ++i) {
        if (list[i].name == NULL || strcmp(list[i].name, name) == 0) {
            list[i].name = name;
            if (!holds && !list[i].is_failed) {
                list[i].is_failed = 1;
                list[i].seen = value;
            }
            break;
        }
    }
    __atomic_clear(&lock_of_list, __ATOMIC_RELEASE);
}

/* What the events did between two places. */
static int before[kEvents];
static int is_heard = 1; /* all events are registered and flow */
static int is_stopped;
static int others_called;
static int is_slow, has_slept, is_in_lock;

static int new_events(int event) {
    int sum = 0;
    for (int each = OMP_EVENT_FORK; each < kEvents; ++each) {
        sum += event == kHere || event == each ? times_seen(each) - before[each] : 0;
    }
    return sum;
}

static void count_from_here(void) {
    for (int event = OMP_EVENT_FORK; event < kEvents; ++event) {
        before[event] = times_seen(event);
    }
}

static void in_place_of_on_event(OMP_COLLECTORAPI_EVENT event) {
    others_called += event == OMP_EVENT_JOIN ? 1 : kEvents;
}

static void sleeps(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    __atomic_store_n(&is_slow, 1, __ATOMIC_RELEASE);
    usleep(20000);
    __atomic_store_n(&has_slept, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&is_slow, 0, __ATOMIC_RELEASE);
}

static void asks_everything(OMP_COLLECTORAPI_EVENT event) {
    ++others_called;
    check("a callback may issue any request",
          unregister_event(event) == OMP_ERRCODE_OK && request(OMP_REQ_PAUSE) == OMP_ERRCODE_OK &&
              request(OMP_REQ_RESUME) == OMP_ERRCODE_OK &&
              register_event(OMP_EVENT_THR_BEGIN_ATWT, on_event) == OMP_ERRCODE_OK,
          event);
}

static void (*set_lock)(void *), (*unset_lock)(void *);
static void *lock[4];
static __thread int is_in_callback;

static void locks(OMP_COLLECTORAPI_EVENT event) {
    check("callbacks may use OpenMP locks", !is_in_callback, event);
    is_in_callback = 1;
    set_lock(lock);
    ++is_in_lock;
    unset_lock(lock);
    is_in_callback = 0;
}

/* A worker, asked from outside by a signal. */
static struct thread_state asked;
static uint64_t asked_region;
static int is_answered;

static void on_signal(int number) {
    (void)number;
    asked = ask_state();         // NOLINT(bugprone-signal-handler)
    asked_region = ask_region(); // NOLINT(bugprone-signal-handler)
    __atomic_store_n(&is_answered, 1, __ATOMIC_RELEASE);
}

static int ask_worker(void) {
    __atomic_store_n(&is_answered, 0, __ATOMIC_RELEASE);
    pthread_kill(last_worker(), SIGUSR1);
    for (int i = 0; i < 60000 && !__atomic_load_n(&is_answered, __ATOMIC_ACQUIRE); ++i) {
        usleep(1000);
    }
    check("STATE and CURRENT_PRID in a signal handler", is_answered && asked.ec == OMP_ERRCODE_OK,
          0);
    return is_answered;
}

static void at_barrier(void) {
    const int barriers = OMP_EVENT_THR_BEGIN_EBAR;
    for (int i = 0; i < 60000 && times_seen(barriers) + times_seen(OMP_EVENT_THR_BEGIN_IBAR) == 0;
         ++i) {
        usleep(1000);
    }
    if (ask_worker()) {
        check("explicit barrier: EBAR", asked.state == THR_EBAR_STATE, asked.state);
        check("a thread that waits in a barrier shows it",
              asked.state == THR_EBAR_STATE || asked.state == THR_IBAR_STATE, asked.state);
        check("CURRENT_PRID: one id in the whole team", asked_region == ask_region(),
              (long long)asked_region);
    }
}

static void at_region(int is_inner) {
    if (is_stopped) {
        return;
    }
    const struct thread_state told = ask_state();
    const uint64_t region = ask_region();
    const struct answer answer = issue(OMP_REQ_PARENT_PRID, NULL, 0, 8);
    const uint64_t forked = region_forked();
    uint64_t parent = 0;
    memcpy(&parent, answer.mem, sizeof parent);
    check("user code in a region is WORK", told.state == THR_WORK_STATE, told.state);
    check("a region has an id", region != 0, 0);
    if (!is_heard) {
        return;
    }
    const uint64_t told_by_event =
        forked != 0 ? forked : region_entered(); /* 0: its END had no BEGIN */
    check("CURRENT_PRID: the id of FORK and of END_IDLE",
          told_by_event == 0 || region == told_by_event, (long long)region);
    if (forked == 0) {
        check("PARENT_PRID: THREAD_ERR on a worker", answer.ec == OMP_ERRCODE_THREAD_ERR,
              answer.ec);
    } else {
        check("PARENT_PRID on a master", answer.ec == OMP_ERRCODE_OK && (parent != 0) == is_inner,
              (long long)parent);
    }
}

static void at_body(const char *name, int begin) {
    const int open = times_seen(begin) - times_seen(begin + 1);
    check(name, open == 1, open);
    check("no state of their own in single, master, ordered", ask_state().state == THR_WORK_STATE,
          begin);
}

static void at_task(int is_inner) {
    const int id = ask_task(OMP_REQ_TASK_ID), creator = ask_task(OMP_REQ_TASK_PID);
    check("TASK_ID and TASK_PID in a task",
          id > 0 && (is_inner ? creator > 0 && creator < id : creator == -1), id);
}

static void behind_tasks(void) {
    const int created = times_seen(OMP_EVENT_THR_BEGIN_CREATE_TASK);
    check("each task: created, executed, finished",
          created == 3 && times_seen(OMP_EVENT_THR_END_CREATE_TASK_IMM) == 1 &&
              times_seen(OMP_EVENT_THR_END_CREATE_TASK_DEL) == 2 &&
              times_seen(OMP_EVENT_THR_BEGIN_FINISH_TASK) == 3 &&
              times_seen(OMP_EVENT_THR_END_FINISH_TASK) == 3,
          created);
    check("a task that waits is suspended, and goes on",
          times_seen(OMP_EVENT_THR_BEGIN_SUSPEND_TASK) ==
              times_seen(OMP_EVENT_THR_END_SUSPEND_TASK),
          times_seen(OMP_EVENT_THR_BEGIN_SUSPEND_TASK));
}

static void start_with_all(void) {
    request(OMP_REQ_START);
    begin_session_of_events();
    register_all();
}

/* The places between which the program has a region. 0: no such place. */
static int at_pause(const char *place) {
    if (strcmp(place, "pause") == 0) {
        is_heard = 0;
        request(OMP_REQ_PAUSE);
    } else if (strcmp(place, "resume") == 0) {
        check("PAUSE: no event, and none is remembered", new_events(kHere) == 0, new_events(kHere));
        is_heard = 1;
        request(OMP_REQ_RESUME);
    } else if (strcmp(place, "register while paused") == 0) {
        check("RESUME: events again",
              new_events(OMP_EVENT_FORK) == 1 && new_events(OMP_EVENT_JOIN) == 1, 0);
        request(OMP_REQ_PAUSE);
        check("REGISTER while paused: OK",
              unregister_event(OMP_EVENT_FORK) == OMP_ERRCODE_OK &&
                  register_event(OMP_EVENT_FORK, on_event) == OMP_ERRCODE_OK,
              0);
        request(OMP_REQ_RESUME);
    } else if (strcmp(place, "replace") == 0) {
        check("REGISTER while paused: OK", new_events(OMP_EVENT_FORK) == 1, 0);
        register_event(OMP_EVENT_JOIN, in_place_of_on_event);
    } else if (strcmp(place, "replaced") == 0) {
        check("a second registration replaces the first",
              new_events(OMP_EVENT_JOIN) == 0 && others_called == 1, others_called);
        forget_forks();
        register_event(OMP_EVENT_JOIN, on_event);
    } else if (strcmp(place, "unregister") == 0) {
        is_heard = 0;
        unregister_event(OMP_EVENT_FORK);
        unregister_event(OMP_EVENT_JOIN);
    } else {
        return 0;
    }
    return 1;
}

static int at_session(const char *place) {
    if (strcmp(place, "unregistered") == 0) {
        check("UNREGISTER: no call any more",
              new_events(OMP_EVENT_FORK) == 0 && new_events(OMP_EVENT_JOIN) == 0, 0);
    } else if (strcmp(place, "stop") == 0 || strcmp(place, "stop for good") == 0) {
        request(OMP_REQ_STOP);
        is_heard = 0;
        is_stopped = 1;
        count_from_here();
    } else if (strcmp(place, "stopped") == 0) {
        check("STOP: no call any more", new_events(kHere) == 0, new_events(kHere));
        request(OMP_REQ_START);
        is_stopped = 0;
    } else if (strcmp(place, "pause, stop, start") == 0) {
        check("STOP cancels registrations for good", new_events(kHere) == 0, new_events(kHere));
        request(OMP_REQ_PAUSE);
        request(OMP_REQ_STOP);
        start_with_all();
        is_heard = 1;
    } else if (strcmp(place, "unpaused") == 0) {
        check("a session begins unpaused", new_events(OMP_EVENT_FORK) == 1,
              new_events(OMP_EVENT_FORK));
    } else if (strcmp(place, "start inside") == 0) {
        start_with_all();
        is_stopped = 0;
        check("a region has an id", ask_region() != 0, 0);
    } else {
        return 0;
    }
    return 1;
}

static int at_callback(const char *place) {
    if (strcmp(place, "started inside") == 0) {
        check("an END without its BEGIN does not come", new_events(OMP_EVENT_JOIN) == 0,
              new_events(OMP_EVENT_JOIN));
        unregister_event(OMP_EVENT_THR_END_EBAR);
        unregister_event(OMP_EVENT_THR_END_IBAR);
        register_event(OMP_EVENT_THR_BEGIN_EBAR, sleeps);
        register_event(OMP_EVENT_THR_BEGIN_IBAR, sleeps);
    } else if (strcmp(place, "unregister what runs") == 0) {
        for (int i = 0; i < 60000 && !__atomic_load_n(&is_slow, __ATOMIC_ACQUIRE) && !has_slept;
             ++i) {
            usleep(1000);
        }
        unregister_event(OMP_EVENT_THR_BEGIN_EBAR);
        unregister_event(OMP_EVENT_THR_BEGIN_IBAR);
        check("UNREGISTER waits for calls that run", !is_slow && has_slept, is_slow);
    } else if (strcmp(place, "unregister in its callback") == 0) {
        others_called = 0;
        is_heard = 0;
        unregister_event(OMP_EVENT_JOIN);
        register_event(OMP_EVENT_FORK, asks_everything);
    } else if (strcmp(place, "locks in callbacks") == 0) {
        check("a callback may issue any request", others_called == 1, others_called);
        void *found[] = {dlsym(RTLD_DEFAULT, "omp_set_lock"), dlsym(RTLD_DEFAULT, "omp_unset_lock"),
                         dlsym(RTLD_DEFAULT, "omp_init_lock")};
        void (*init_lock)(void *) = NULL;
        memcpy(&set_lock, &found[0], sizeof found[0]);
        memcpy(&unset_lock, &found[1], sizeof found[1]);
        memcpy(&init_lock, &found[2], sizeof found[2]);
        init_lock(lock);
        for (int event = OMP_EVENT_FORK; event < OMP_EVENT_THR_BEGIN_CREATE_TASK; ++event) {
            register_event(event, locks);
        }
    } else if (strcmp(place, "end") == 0) {
        check("callbacks may use OpenMP locks", is_in_lock > 2, is_in_lock);
        request(OMP_REQ_STOP);
    } else {
        return 0;
    }
    return 1;
}

static int at_join_alone(const char *place) {
    if (strcmp(place, "start for JOIN alone") == 0) {
        request(OMP_REQ_START);
        others_called = 0;
        register_event(OMP_EVENT_JOIN, in_place_of_on_event);
    } else if (strcmp(place, "JOIN alone came") == 0) {
        check("JOIN alone: behind START in a region", others_called == 1, others_called);
        request(OMP_REQ_PAUSE);
    } else if (strcmp(place, "resume for JOIN alone") == 0) {
        others_called = 0;
        request(OMP_REQ_RESUME);
    } else if (strcmp(place, "JOIN alone came again") == 0) {
        check("JOIN alone: behind RESUME in a region", others_called == 1, others_called);
        request(OMP_REQ_STOP);
    } else {
        return 0;
    }
    return 1;
}

static int at_construct(const char *place) {
    if (strcmp(place, "region") == 0 || strcmp(place, "inner region") == 0) {
        at_region(place[0] == 'i');
    } else if (strcmp(place, "behind the inner region") == 0) {
        at_region(0);
    } else if (strcmp(place, "before the barrier that others wait in") == 0) {
        at_barrier();
    } else if (strcmp(place, "combine") == 0) {
        check("reduction: REDUC", ask_state().state == THR_REDUC_STATE, ask_state().state);
    } else if (strcmp(place, "single") == 0) {
        at_body("single: its events", OMP_EVENT_THR_BEGIN_SINGLE);
    } else if (strcmp(place, "master") == 0) {
        at_body("master: its events", OMP_EVENT_THR_BEGIN_MASTER);
    } else if (strcmp(place, "ordered") == 0) {
        at_body("ordered: its events", OMP_EVENT_THR_BEGIN_ORDERED);
    } else if (strcmp(place, "task") == 0 || strcmp(place, "inner task") == 0) {
        at_task(place[0] == 'i');
    } else {
        return 0;
    }
    return 1;
}

static void at_serial(const char *place) {
    if (strcmp(place, "serial code") == 0) {
        check_serial_thread();
        check_lists();
        check_events_by_number();
        check_sessions();
    } else if (strcmp(place, "foreign thread") == 0) {
        check_foreign_thread();
    } else if (strcmp(place, "between regions") == 0) {
        check_barriers();
        if (ask_worker()) {
            check("a worker between two regions is IDLE", asked.state == THR_IDLE_STATE,
                  asked.state);
            check("no region in an idle worker", asked_region == 0, (long long)asked_region);
        }
    } else if (strcmp(place, "behind locks that were free") == 0) {
        check("no wait event where nobody holds",
              new_events(OMP_EVENT_THR_BEGIN_LKWT) == 0 &&
                  new_events(OMP_EVENT_THR_BEGIN_CTWT) == 0,
              0);
    } else if (strcmp(place, "behind ordered") == 0) {
        check("ODWT comes where the thread waits, alone", new_events(OMP_EVENT_THR_BEGIN_ODWT) == 1,
              new_events(OMP_EVENT_THR_BEGIN_ODWT));
    } else if (strcmp(place, "behind tasks") == 0) {
        behind_tasks();
    }
}

__attribute__((visibility("default"))) void contract_at(const char *place) {
    if (!has_api() || at_construct(place)) {
        return;
    }
    if (!at_pause(place) && !at_session(place) && !at_callback(place) && !at_join_alone(place)) {
        at_serial(place);
    }
    count_from_here();
}

__attribute__((visibility("default"))) int contract_seen(int event) {
    return times_seen(event);
}

__attribute__((visibility("default"))) void contract_lock(const void *users) {
    user_lock_is(users);
}

__attribute__((constructor)) static void begin(void) {
    signal(SIGUSR1, on_signal);
    check("numbers are those of the contract", has_numbers_of_contract(), 0);
    if (has_api()) {
        check_before_start();
    }
}

__attribute__((destructor)) static void tell(void) {
    if (has_api()) { /* the runtime may have ended */
        check("START again, as often as wanted", request(OMP_REQ_START) == OMP_ERRCODE_OK, 0);
        check("STOP ends the session", request(OMP_REQ_STOP) == OMP_ERRCODE_OK, 0);
    }
    for (int i = 0; i < kChecks && list[i].name != NULL; ++i) {
        if (list[i].is_failed) {
            printf("check: %s fails: %lld\n", list[i].name, list[i].seen);
        } else {
            printf("check: %s holds\n", list[i].name);
        }
    }
    check("every check has a place in the list", list[kChecks - 1].name == NULL, kChecks);
}
