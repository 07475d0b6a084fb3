/* SPDX-License-Identifier: Apache-2.0
 * Mutexes: thread 1 finds the mutex held by thread 0; then each takes it uncontended. */
#include "truth.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static meeting met;
static atomic_int is_held;

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

static void keep(void) {
    atomic_store(&is_held, 1);
    say_own_code();
    stay(3);
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
            while (!atomic_load(&is_held))
                stay(0.01);
            say(waits);
            hold(kind, pass);
        }
        say("WORK");
        gather(&met, 2);
        /* One after the other: nobody waits. */
        if (omp_get_thread_num() == 0)
            hold(kind, pass);
        gather(&met, 2);
        if (omp_get_thread_num() == 1)
            hold(kind, pass);
        say("WORK");
        gather(&met, 2);
        say_region_ends();
    }
    say("SERIAL");
    /* And in serial code. */
    hold(kind, keep);
    say("SERIAL");
    say("any");
    return 0;
}
