/* SPDX-License-Identifier: Apache-2.0
 * A target task that need not be waited for: libomp has threads of its own for it. Built by clang;
 * gcc calls a function for it that libomp does not have. */
#include "../truth.h"

int main(void) {
    int value = 0;
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        if (omp_get_thread_num() == 0) {
#ifdef __clang__
#pragma omp target nowait map(tofrom : value)
#endif
            {
                mark("target body");
                stay(3);
                value += 1;
            }
            stay(1);
#pragma omp taskwait
        }
        say_region_ends();
    }
    say("SERIAL");
    stay(1);
    say_program_ends();
    return value == 1 ? 0 : 1;
}
