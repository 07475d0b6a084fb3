/* SPDX-License-Identifier: Apache-2.0
 * A host league whose initial threads run regions of their own: the league is no region. */
#include "truth.h"

int main(void) {
    say("SERIAL");
    stay(0.5);
    int total = 0;
    say("any *");
#pragma omp teams num_teams(1) thread_limit(2) reduction(+ : total)
    {
#pragma omp distribute parallel for num_threads(2) reduction(+ : total)
        for (int i = 0; i < 2; ++i) {
            say("WORK");
            stay(2);
            total += 1;
            say("any *");
        }
    }
    say("SERIAL");
    stay(1);
    return total == 2 ? 0 : 1;
}
