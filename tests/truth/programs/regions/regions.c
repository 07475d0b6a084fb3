/* SPDX-License-Identifier: Apache-2.0
 * Serial code before, between and after regions; the join barrier waited for by the master and by a
 * worker; an idle worker in a long serial gap. */
#include "../truth.h"

static void region(double master_phases, double worker_phases) {
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(omp_get_thread_num() == 0 ? master_phases : worker_phases);
        say_region_ends();
    }
    say("SERIAL");
    stay(2);
}

int main(void) {
    say("SERIAL");
    stay(1);
    region(1, 1);
    region(1, 3);
    region(3, 1);
    say_program_ends();
    return 0;
}
