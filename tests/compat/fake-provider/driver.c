/* SPDX-License-Identifier: Apache-2.0
 *
 * A program on the fake provider: driver SCENARIO. Each scenario makes a profile that is known in
 * advance; the tests say what must come out. Threads wait awake, so both clocks see them.
 */
#include "fake_provider.h"

#include "omp_collector_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

int a_lock; /* its address is a wait id */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Returns the seconds that it took: on a busy machine more than it was told. */
static double spend(int state, uint64_t wait_id, double seconds) {
    fake_set_state(state, wait_id);
    const double begin = now();
    double end = begin;
    while (end < begin + seconds) {
        end = now();
    }
    return end - begin;
}

/* The frame that forks is the caller's, whatever the optimisation. */
static inline __attribute__((always_inline)) void enter(uint64_t id) {
    fake_set_state(THR_OVHD_STATE, 0);
    fake_set_region(id);
    fake_raise(OMP_EVENT_FORK);
}

static void leave(uint64_t enclosing) {
    fake_set_state(THR_OVHD_STATE, 0);
    fake_raise(OMP_EVENT_JOIN);
    fake_set_region(enclosing);
    fake_set_state(enclosing ? THR_WORK_STATE : THR_SERIAL_STATE, 0);
}

NOINLINE void fork_outer(uint64_t id) {
    enter(id);
    __asm__ volatile("");
}

NOINLINE void fork_inner(uint64_t id) {
    enter(id);
    __asm__ volatile("");
}

/* Worker of region 1 for 0.2 s, then idle for 0.4 s. A worker is idle when it begins. */
static void *worker(void *unused) {
    (void)unused;
    fake_set_state(THR_IDLE_STATE, 0);
    fake_raise(OMP_EVENT_THR_BEGIN_IDLE);
    fake_set_region(1);
    spend(THR_WORK_STATE, 0, 0.2);
    fake_set_region(0);
    spend(THR_IDLE_STATE, 0, 0.4);
    return NULL;
}

/* 0.2 s serial, a region of 0.4 s with a nested one of 0.2 s in it, 0.2 s serial. The worker works
 * for half of the outer region, is idle for its second half and for the serial rest. Prints the
 * seconds that all this took beyond its 0.8: on a busy machine the phases are not in step. */
static int regions(void) {
    const double begin = now();
    spend(THR_SERIAL_STATE, 0, 0.2);
    pthread_t thread = 0;
    fork_outer(1);
    pthread_create(&thread, NULL, worker, NULL);
    spend(THR_WORK_STATE, 0, 0.2);
    fork_inner(2);
    spend(THR_IBAR_STATE, 77, 0.2);
    leave(1);
    leave(0);
    spend(THR_SERIAL_STATE, 0, 0.2);
    pthread_join(thread, NULL);
    printf("late %.6f\n", now() - begin - 0.8);
    return 0;
}

/* Waits three times for a lock, 0.1 s each. */
static int locks(void) {
    fork_outer(1);
    for (int i = 0; i < 3; ++i) {
        fake_set_state(THR_CTWT_STATE, (uintptr_t)&a_lock);
        fake_raise(OMP_EVENT_THR_BEGIN_CTWT);
        spend(THR_CTWT_STATE, (uintptr_t)&a_lock, 0.1);
    }
    leave(0);
    return 0;
}

/* Meets 20,000 of them, once each. */
static int many_locks(void) {
    enum { kManyLocks = 20000 };
    fork_outer(1);
    for (uintptr_t lock = 1; lock <= kManyLocks; ++lock) {
        fake_set_state(THR_CTWT_STATE, lock);
        fake_raise(OMP_EVENT_THR_BEGIN_CTWT);
    }
    spend(THR_CTWT_STATE, kManyLocks, 0.2); /* for the samples */
    leave(0);
    return 0;
}

/* Twenty regions inside each other. Their ids differ by so much that they compete for eight places
 * of the collector's first table of ids, and there is no memory for a larger one. */
static int many_regions(void) {
    enum { kRegions = 20, kApart = 1 << 10, kOuter = 33 };
    fork_outer(kOuter);
    fork_inner(kOuter + 1); /* what is allocated once, is */
    leave(kOuter);
    struct rlimit before;
    getrlimit(RLIMIT_AS, &before);
    const struct rlimit none = {1, before.rlim_max};
    setrlimit(RLIMIT_AS, &none);
    for (uint64_t i = 1; i <= kRegions; ++i) {
        fork_inner(i * kApart);
    }
    setrlimit(RLIMIT_AS, &before);
    for (uint64_t i = kRegions; i > 0; --i) {
        leave(i > 1 ? (i - 1) * kApart : kOuter);
    }
    leave(0);
    return 0;
}

enum { kManyThreads = 1500, kManyAtOnce = 50 };

static void *raise_one(void *unused) {
    (void)unused;
    fake_raise(OMP_EVENT_THR_BEGIN_MASTER);
    return NULL;
}

static int many_threads(void) {
    pthread_t threads[kManyAtOnce];
    fork_outer(1);
    for (int round = 0; round < kManyThreads / kManyAtOnce; ++round) {
        for (int i = 0; i < kManyAtOnce; ++i) {
            pthread_create(&threads[i], NULL, raise_one, NULL);
        }
        for (int i = 0; i < kManyAtOnce; ++i) {
            pthread_join(threads[i], NULL);
        }
    }
    leave(0);
    return 0;
}

/* Two entries in the parent, then a child with one. Each says how many milliseconds it worked. */
static int forked(void) {
    double seconds = 0;
    for (int i = 0; i < 2; ++i) {
        fork_outer(1);
        seconds += spend(THR_WORK_STATE, 0, 0.1);
        leave(0);
    }
    printf("%.0f\n", seconds * 1e3);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        fork_outer(3);
        seconds = spend(THR_WORK_STATE, 0, 0.3);
        leave(0);
        printf("%.0f\n", seconds * 1e3);
        exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

/* A region runs on the initial thread while another one forks a child. Its region there is the only
 * one, so that a worker is idle in that. */
static void *idle_worker(void *unused) {
    fake_set_state(THR_IDLE_STATE, 0);
    fake_raise(OMP_EVENT_THR_BEGIN_IDLE);
    spend(THR_IDLE_STATE, 0, 0.3);
    return unused;
}

static void *fork_beside(void *unused) {
    fake_raise(OMP_EVENT_THR_BEGIN_MASTER);
    const pid_t child = fork();
    if (child == 0) {
        pthread_t worker_thread = 0;
        fork_inner(2);
        pthread_create(&worker_thread, NULL, idle_worker, NULL);
        pthread_join(worker_thread, NULL);
        leave(0);
        exit(0);
    }
    waitpid(child, NULL, 0);
    return unused;
}

static int forked_beside_a_master(void) {
    pthread_t thread = 0;
    fork_outer(1);
    pthread_create(&thread, NULL, fork_beside, NULL);
    pthread_join(thread, NULL);
    leave(0);
    return 0;
}

static jmp_buf before_fork;

static void leave_callback(void) {
    longjmp(before_fork, 1);
}

/* The callback of the first FORK is left by longjmp, as a signal's handler may. Two regions follow;
 * says how many milliseconds they worked. */
static int leaves_callback(void) {
    fake_at_next_region_request(leave_callback);
    if (setjmp(before_fork) == 0) {
        fork_outer(1);
        return 1;
    }
    double seconds = 0;
    for (uint64_t id = 2; id < 4; ++id) {
        fork_inner(id);
        seconds += spend(THR_WORK_STATE, 0, 0.1);
        leave(0);
    }
    printf("%.0f\n", seconds * 1e3);
    return 0;
}

static void fork_inside(void) {
    fork_inner(2);
    leave(1);
}

/* In each callback of a FORK another region comes and goes. */
static int forks_in_callback(void) {
    for (int i = 0; i < 3; ++i) {
        fake_at_next_region_request(fork_inside);
        fork_outer(1);
        leave(0);
    }
    return 0;
}

/* The handler must not be seen: errno stays, and a program may be inside malloc. */
static void *allocate(void *wrong) {
    const double end = now() + 0.5;
    while (now() < end) {
        errno = 1234;
        void *block = malloc(1000);
        memset(block, 1, 1000);
        free(block);
        if (errno != 1234) {
            *(int *)wrong = 1;
        }
    }
    return NULL;
}

static int busy(void) {
    fork_outer(1);
    fake_set_state(THR_CTWT_STATE, (uintptr_t)&a_lock);
    pthread_t thread = 0;
    int wrong_there = 0;
    int wrong_here = 0;
    pthread_create(&thread, NULL, allocate, &wrong_there);
    allocate(&wrong_here);
    pthread_join(thread, NULL);
    leave(0);
    return wrong_here + wrong_there;
}

static volatile sig_atomic_t own_signals;

static void on_own_signal(int signal) {
    (void)signal;
    ++own_signals;
}

/* The program takes the sampling signal for itself, and gets what is its own. */
static int takes_signal(void) {
    fork_outer(1);
    signal(SIGURG, on_own_signal);
    raise(SIGURG);
    spend(THR_WORK_STATE, 0, 0.1);
    leave(0);
    return own_signals == 0;
}

/* The collector comes late, and not by preload. */
static int late_collector(void) {
    if (!dlopen(getenv("DRIVER_COLLECTOR"), RTLD_NOW)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return regions();
}

/* Above the forking function stands one whose unwind information is wrong: who walks on to it reads
 * far outside of the stack. */
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl call_from_nowhere\n"
        ".type call_from_nowhere, @function\n"
        "call_from_nowhere:\n"
        "    .cfi_startproc\n"
        "    pushq %rbx\n"
        "    .cfi_def_cfa %rsp, 0x7ffffff0\n"
        "    call *%rsi\n"
        "    popq %rbx\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size call_from_nowhere, . - call_from_nowhere\n");
void call_from_nowhere(uint64_t id, void (*function)(uint64_t id));
#else
static void call_from_nowhere(uint64_t id, void (*function)(uint64_t id)) {
    function(id);
}
#endif

static int wrong_unwinding(void) {
    call_from_nowhere(1, fork_outer);
    spend(THR_WORK_STATE, 0, 0.1);
    leave(0);
    return 0;
}

static int without_openmp(void) {
    spend(THR_SERIAL_STATE, 0, 0.1);
    printf("started %d\n", fake_is_started());
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} kScenarios[] = {
    {"regions", regions},
    {"locks", locks},
    {"many_locks", many_locks},
    {"many_regions", many_regions},
    {"many_threads", many_threads},
    {"forked", forked},
    {"forked_beside_a_master", forked_beside_a_master},
    {"leaves_callback", leaves_callback},
    {"forks_in_callback", forks_in_callback},
    {"busy", busy},
    {"takes_signal", takes_signal},
    {"late_collector", late_collector},
    {"without_openmp", without_openmp},
    {"wrong_unwinding", wrong_unwinding},
};

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof kScenarios / sizeof kScenarios[0]; ++i) {
        if (argc >= 2 && strcmp(argv[1], kScenarios[i].name) == 0) {
            return kScenarios[i].run();
        }
    }
    fprintf(stderr, "usage: driver SCENARIO\n");
    return 2;
}
