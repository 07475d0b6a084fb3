/* SPDX-License-Identifier: Apache-2.0
 * A host league whose initial threads run regions of their own: the league is no region. */
#include "truth.h"

static void body(int *total) {
    say("WORK");
    stay(2);
    *total += 1;
    say("any *");
}

int main(int argc, char **argv) {
    const int two_teams = argc > 1 && strcmp(argv[1], "two") == 0;
    say("SERIAL");
    stay(0.5);
    int total = 0;
    say("any *");
    if (two_teams) {
#pragma omp teams num_teams(2) thread_limit(2) reduction(+ : total)
        {
            say("SERIAL");
            stay(1);
            say("any *");
#pragma omp distribute parallel for num_threads(2) reduction(+ : total)
            for (int i = 0; i < 4; ++i)
                body(&total);
        }
    } else {
#pragma omp teams num_teams(1) thread_limit(2) reduction(+ : total)
#pragma omp distribute parallel for num_threads(2) reduction(+ : total)
        for (int i = 0; i < 4; ++i)
            body(&total);
    }
    say("SERIAL");
    stay(1);
    say("any");
    return total == 4 ? 0 : 1;
}
