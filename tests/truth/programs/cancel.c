/* SPDX-License-Identifier: Apache-2.0
 * Cancellation of a loop and of a region (OMP_CANCELLATION=true). */
#include "truth.h"

int main(int argc, char **argv) {
    const int cancels_region = argc > 1 && strcmp(argv[1], "region") == 0;
    if (!omp_get_cancellation())
        abort();
    say("SERIAL");
    stay(0.5);
    for (int round = 0; round < 2; ++round) {
        say(FORKS);
        if (cancels_region) {
#pragma omp parallel num_threads(2)
            {
                say("WORK");
                stay(1);
                /* The runtime runs barriers of its own to bring the team together. */
                say(omp_get_thread_num() == 0 ? MASTER_ENDS " *" : WORKER_ENDS " *");
#pragma omp cancel parallel
                abort();
            }
        } else {
#pragma omp parallel num_threads(2)
            {
                say("WORK");
#pragma omp for
                for (int i = 0; i < 100; ++i) {
                    stay(1);
                    say("any BEGIN_IBAR END_IBAR");
#pragma omp cancel for
                    abort();
                }
                say("WORK");
                stay(1);
                say_region_ends();
            }
        }
        say("SERIAL");
        stay(1);
    }
    say("any");
    return 0;
}
