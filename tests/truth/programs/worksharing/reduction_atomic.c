/* SPDX-License-Identifier: Apache-2.0
 * A reduction of a number by the atomic method (KMP_FORCE_REDUCTION=atomic): it takes no time that
 * a sample could find, and gives no sign; the barriers around it do.
 */
#include "../truth.h"

int main(void) {
    int total = 0;
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        say("WORK");
        stay(0.5);
#pragma omp for reduction(+ : total)
        for (int i = 0; i < 2; ++i) {
            say("WORK");
            stay(thread == 0 ? 3 : 1);
            total += 1;
            say(thread == 0 ? "any BEGIN_IBAR END_IBAR *" : "IBAR BEGIN_IBAR END_IBAR *");
        }
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return total == 2 ? 0 : 1;
}
