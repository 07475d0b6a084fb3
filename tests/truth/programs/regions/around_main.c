/* SPDX-License-Identifier: Apache-2.0
 * Regions before main begins and behind its end: in a constructor, in an exit handler and in a
 * destructor of the program. Nothing is delivered in the last one: the session has ended by then.
 */
#include "../truth.h"

static const char *kind = "";

static void region(void) {
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(omp_get_thread_num() == 0 ? 1.5 : 0.5);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
}

__attribute__((constructor)) static void construct(int argc, char **argv) {
    kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "constructor") == 0) {
        region();
    }
}

static void at_exit(void) {
    region();
}

__attribute__((destructor)) static void destruct(void) {
    int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
    members += 1;
    if (members != 2) {
        _exit(1);
    }
}

int main(void) {
    if (strcmp(kind, "exit_handler") == 0) {
        use_openmp_once();
        atexit(at_exit);
    }
    region();
    return 0;
}
