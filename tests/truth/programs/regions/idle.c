/* SPDX-License-Identifier: Apache-2.0
 * Idle workers: a serial gap after a region that created tasks, and a worker outside a smaller
 * team. */
#include "../truth.h"

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "tasks_of_worker") == 0) {
        /* Not all that the worker has created is done when the others come to the end. */
#pragma omp parallel num_threads(3)
        {
            if (omp_get_thread_num() == 1) {
                for (int task = 0; task < 4; ++task) {
#pragma omp task
                    stay(0.2);
                }
            }
        }
        stay(3);
        mark("gap ends");
#pragma omp parallel num_threads(3)
        stay(0.1);
        return 0;
    }
    if (strcmp(kind, "tasks") == 0) {
        say(FORKS);
#pragma omp parallel num_threads(2)
        {
            say("WORK");
            if (omp_get_thread_num() == 0) {
#pragma omp task
                stay(0.5);
#pragma omp taskwait
            }
            stay(1);
            say_region_ends();
        }
        say("SERIAL");
        stay(4);
        say_program_ends();
        return 0;
    }
    say(FORKS);
#pragma omp parallel num_threads(3)
    {
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(4);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
