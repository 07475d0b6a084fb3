/* SPDX-License-Identifier: Apache-2.0
 * Mutexes: thread 1 finds the mutex held by thread 0; then each takes it uncontended. */
#define _GNU_SOURCE
#include "../truth.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static meeting met;
static atomic_int is_held;
static pthread_t waiter;
static double waiter_came_ms; /* of its processor time */
static atomic_int waiter_comes;

extern void GOMP_atomic_start(void);
extern void GOMP_atomic_end(void);

static void hold(const char *kind, void (*inside)(void)) {
    if (strcmp(kind, "lock") == 0) {
        omp_set_lock(&lock);
        inside();
        omp_unset_lock(&lock);
    } else if (strcmp(kind, "nest") == 0) {
        omp_set_nest_lock(&nest_lock);
        omp_set_nest_lock(&nest_lock);
        inside();
        omp_unset_nest_lock(&nest_lock);
        omp_unset_nest_lock(&nest_lock);
    } else if (strcmp(kind, "critical") == 0) {
#pragma omp critical
        inside();
    } else if (strcmp(kind, "named") == 0) {
#pragma omp critical(some_name)
        inside();
    } else if (strcmp(kind, "hint") == 0) {
#pragma omp critical(some_other_name) hint(2)
        inside();
    } else if (strcmp(kind, "hint_uncontended") == 0) {
#pragma omp critical(third_name) hint(1)
        inside();
    } else if (strcmp(kind, "atomic") == 0) {
        GOMP_atomic_start();
        inside();
        GOMP_atomic_end();
    }
}

static void say_own_code(void) {
    say(omp_in_parallel() ? "WORK" : "SERIAL");
}

static double waiter_processor_ms(void) {
    clockid_t clock;
    struct timespec used = {0, 0};
    if (pthread_getcpuclockid(waiter, &clock) == 0) {
        clock_gettime(clock, &used);
    }
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

static int waiter_sleeps(void) {
    char path[64];
    char state = '?';
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&waiter_comes));
    FILE *stat = fopen(path, "r");
    if (stat) {
        if (fscanf(stat, "%*d %*s %c", &state) != 1) {
            state = '?';
        }
        fclose(stat);
    }
    return state == 'S';
}

/* On a busy machine it takes long until the other thread has tried: it then waits busily or sleeps.
 */
static void until_waiter_waits(void) {
    const double latest = now_ms() + 5000;
    while (now_ms() < latest) {
        if (atomic_load(&waiter_comes) &&
            (waiter_processor_ms() > waiter_came_ms + 0.3 || waiter_sleeps())) {
            return;
        }
        stay(0.01);
    }
}

static void keep(void) {
    atomic_store(&is_held, 1);
    say_own_code();
    stay(1);
    if (omp_in_parallel()) {
        until_waiter_waits();
    }
    stay(2);
}
static void pass(void) {
    say_own_code();
    stay(0.5);
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    const char *waits = strcmp(kind, "lock") == 0 || strcmp(kind, "nest") == 0 ? WAITS("LKWT")
                        : strcmp(kind, "atomic") == 0                          ? WAITS("ATWT")
                                                                               : WAITS("CTWT");
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        if (omp_get_thread_num() == 0) {
            hold(kind, keep);
        } else {
            while (!atomic_load(&is_held)) {
                stay(0.01);
            }
            say(waits);
            waiter = pthread_self();
            waiter_came_ms = waiter_processor_ms();
            atomic_store(&waiter_comes, (int)syscall(SYS_gettid));
            hold(kind, pass);
        }
        say("WORK");
        gather(&met, 2);
        /* One after the other: nobody waits. */
        if (omp_get_thread_num() == 0) {
            hold(kind, pass);
        }
        gather(&met, 2);
        if (omp_get_thread_num() == 1) {
            hold(kind, pass);
        }
        say("WORK");
        gather(&met, 2);
        say_region_ends();
    }
    say("SERIAL");
    /* And in serial code. */
    hold(kind, keep);
    say("SERIAL");
    say_program_ends();
    return 0;
}
