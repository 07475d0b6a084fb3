/* SPDX-License-Identifier: Apache-2.0
 * Serial code after an orphaned barrier, loop or single: no region has begun. */
#include "../truth.h"

static void orphaned_loop(void) {
#pragma omp for
    for (int i = 0; i < 2; ++i) {
        stay(0.1);
    }
}

int main(int argc, char **argv) {
    const char *construct = argc > 1 ? argv[1] : "";
    say("SERIAL");
    stay(0.5);
    if (strcmp(construct, "barrier") == 0) {
        say("any BEGIN_" EBAR " END_" EBAR);
#pragma omp barrier
    } else if (strcmp(construct, "loop") == 0) {
        say("any BEGIN_IBAR END_IBAR");
        orphaned_loop();
    } else if (strcmp(construct, "single") == 0) {
        say("any BEGIN_SINGLE END_SINGLE BEGIN_IBAR END_IBAR");
#pragma omp single
        stay(0.1);
    }
    say("SERIAL");
    stay(2);
    say_program_ends();
    return 0;
}
