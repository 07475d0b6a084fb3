/* SPDX-License-Identifier: Apache-2.0
 * The barriers that end worksharing constructs, and the explicit one: thread 0 is late. */
#include "../truth.h"

static void body(int thread) {
    say("WORK");
    stay(thread == 0 ? 3 : 1);
    say(AT_IMPLICIT_BARRIER);
}

static void work_in(const char *kind, int thread) {
    if (strcmp(kind, "static") == 0) {
#pragma omp for schedule(static)
        for (int i = 0; i < 2; ++i) {
            body(thread);
        }
    } else if (strcmp(kind, "dynamic") == 0) {
        static meeting each_has_one;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 2; ++i) {
            gather(&each_has_one, 2);
            body(thread);
        }
    } else if (strcmp(kind, "guided") == 0) {
        static meeting each_has_one;
#pragma omp for schedule(guided)
        for (int i = 0; i < 2; ++i) {
            gather(&each_has_one, 2);
            body(thread);
        }
    } else if (strcmp(kind, "sections") == 0) {
        static meeting each_has_one;
#pragma omp sections
        {
#pragma omp section
            {
                gather(&each_has_one, 2);
                body(thread);
            }
#pragma omp section
            {
                gather(&each_has_one, 2);
                body(thread);
            }
        }
    } else if (strcmp(kind, "explicit") == 0) {
        say("WORK");
        stay(thread == 0 ? 3 : 1);
        say(AT_EXPLICIT_BARRIER);
#pragma omp barrier
    } else if (strcmp(kind, "nowait") == 0) {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 2; ++i) {
            stay(thread == 0 ? 1 : 0.5);
        }
        say("WORK");
        stay(1);
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        say("WORK");
        stay(0.2);
        work_in(kind, thread);
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
