/* SPDX-License-Identifier: Apache-2.0
 * test_lock, won and lost: an attempt never waits, whatever holds the lock. */
#include "../truth.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static meeting met;

static int attempt(int is_nest) {
    return is_nest ? omp_test_nest_lock(&nest_lock) : omp_test_lock(&lock);
}
static void give_back(int is_nest) {
    if (is_nest) {
        omp_unset_nest_lock(&nest_lock);
    } else {
        omp_unset_lock(&lock);
    }
}

int main(int argc, char **argv) {
    const int is_nest = argc > 1 && strcmp(argv[1], "nest") == 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        if (omp_get_thread_num() == 0) {
            if (!attempt(is_nest)) {
                abort();
            }
            gather(&met, 2);
            gather(&met, 2);
            give_back(is_nest);
            gather(&met, 2);
        } else {
            gather(&met, 2);
            /* Lost: the thread goes on with its own work while the lock is held. */
            if (attempt(is_nest)) {
                abort();
            }
            stay(3);
            gather(&met, 2);
            gather(&met, 2);
            if (!attempt(is_nest)) {
                abort();
            }
            give_back(is_nest);
        }
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
