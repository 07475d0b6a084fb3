/* SPDX-License-Identifier: Apache-2.0
 * A lock whose memory is freed, or that is destroyed, while it is held, and a new one at the same
 * address: nobody holds that one. Then a wait for it is one. */
#include "../truth.h"

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;
static meeting met;
static atomic_int is_held;

static void make(int is_nest) {
    is_nest ? omp_init_nest_lock(&nest_lock) : omp_init_lock(&lock);
}
static void set(int is_nest) {
    is_nest ? omp_set_nest_lock(&nest_lock) : omp_set_lock(&lock);
}
static void unset(int is_nest) {
    is_nest ? omp_unset_nest_lock(&nest_lock) : omp_unset_lock(&lock);
}

/* Two locks come and go while the calling thread holds them, and a third is left. */
static void make_anew(int is_nest) {
    make(is_nest);
    set(is_nest);
    memset(&lock, 0, sizeof lock);
    memset(&nest_lock, 0, sizeof nest_lock);
    make(is_nest);
    set(is_nest);
    is_nest ? omp_destroy_nest_lock(&nest_lock) : omp_destroy_lock(&lock);
    make(is_nest);
}

int main(int argc, char **argv) {
    const int is_nest = argc > 1 && strcmp(argv[1], "nest") == 0;
    use_openmp_once();
    make_anew(is_nest);
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        if (omp_get_thread_num() == 1) {
            set(is_nest);
            atomic_store(&is_held, 1);
            say("WORK");
            stay(2);
            unset(is_nest);
        } else {
            while (!atomic_load(&is_held)) {
                stay(0.01);
            }
            say(WAITS("LKWT"));
            set(is_nest);
            say("WORK");
            stay(0.5);
            unset(is_nest);
        }
        gather(&met, 2);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
