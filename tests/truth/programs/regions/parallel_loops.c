/* SPDX-License-Identifier: Apache-2.0
 * A region that is a loop or sections and nothing else: gcc has an entry for each schedule, which
 * forks the region and hands out its chunks. It is forked twice, as a process's first use of OpenMP
 * differs from the others. */
#include "../truth.h"

static meeting each_has_one;

/* Both threads have one iteration each; the worker comes to the end first. */
static void iteration(void) {
    say("WORK");
    gather(&each_has_one, 2);
    say("WORK");
    stay(omp_get_thread_num() == 0 ? 2 : 1);
    say_region_ends();
}

static void run(const char *kind) {
    if (strcmp(kind, "dynamic") == 0) {
#pragma omp parallel for num_threads(2) schedule(dynamic)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "guided") == 0) {
#pragma omp parallel for num_threads(2) schedule(guided)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "runtime") == 0) {
#pragma omp parallel for num_threads(2) schedule(runtime)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "monotonic_dynamic") == 0) {
#pragma omp parallel for num_threads(2) schedule(monotonic : dynamic)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "monotonic_guided") == 0) {
#pragma omp parallel for num_threads(2) schedule(monotonic : guided)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "monotonic_runtime") == 0) {
#pragma omp parallel for num_threads(2) schedule(monotonic : runtime)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "nonmonotonic_runtime") == 0) {
#pragma omp parallel for num_threads(2) schedule(nonmonotonic : runtime)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "static") == 0) {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < 2; ++i) {
            iteration();
        }
    } else if (strcmp(kind, "sections") == 0) {
#pragma omp parallel sections num_threads(2)
        {
#pragma omp section
            iteration();
#pragma omp section
            iteration();
        }
    } else {
        abort();
    }
}

int main(int argc, char **argv) {
    for (int round = 0; round < 2; ++round) {
        say(FORKS);
        run(argc > 1 ? argv[1] : "");
        say("SERIAL");
        stay(0.5);
    }
    say_program_ends();
    return 0;
}
