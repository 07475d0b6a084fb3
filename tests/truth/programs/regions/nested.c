/* SPDX-License-Identifier: Apache-2.0
 * Regions within regions, two and three deep, with nesting on (OMP_MAX_ACTIVE_LEVELS) and off;
 * if(0) inside if(0); num_threads(1). "again": not the process's first use
 * of OpenMP. */
#include "../truth.h"

static void serialized(int levels) {
    say(FORKS);
#pragma omp parallel if (0)
    {
        say("WORK");
        stay(1);
        if (levels > 1) {
            serialized(levels - 1);
        }
        say("WORK");
        stay(1);
        say(SERIALIZED_ENDS);
    }
}

static void one_thread(int levels) {
    say(FORKS);
#pragma omp parallel num_threads(1)
    {
        say("WORK");
        stay(1);
        if (levels > 1) {
            one_thread(levels - 1);
            say("WORK");
            stay(1);
        }
        say(SERIALIZED_ENDS);
    }
}

static void nested(int levels, int is_on) {
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(1);
        if (levels > 1) {
            nested(levels - 1, is_on);
        }
        say("WORK");
        stay(omp_get_thread_num() == 0 ? 1 : 2);
        if (is_on || omp_get_num_threads() > 1) {
            say_region_ends();
        } else {
            say(SERIALIZED_ENDS);
        }
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    say("SERIAL");
    if (strcmp(kind, "if0_again") == 0) {
        use_openmp_once();
        serialized(3);
    } else if (strcmp(kind, "one_again") == 0) {
        use_openmp_once();
        one_thread(3);
    } else if (strcmp(kind, "if0") == 0) {
        serialized(1);
    } else if (strcmp(kind, "if0_if0") == 0) {
        serialized(2);
    } else if (strcmp(kind, "one") == 0) {
        one_thread(1);
    } else if (strcmp(kind, "two") == 0) {
        nested(2, 1);
    } else if (strcmp(kind, "three") == 0) {
        nested(3, 1);
    } else if (strcmp(kind, "off") == 0) {
        nested(2, 0);
    }
    say("SERIAL");
    stay(1);
    say_program_ends();
    return 0;
}
