/* SPDX-License-Identifier: Apache-2.0
 * ordered: thread 1 waits for its turn, thread 0 is long; doacross, where the runtime is silent. */
#include "../truth.h"

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        if (strcmp(kind, "static") == 0) {
#pragma omp for ordered schedule(static, 1)
            for (int i = 0; i < 2; ++i) {
                say(i == 0 ? "any BEGIN_ODWT END_ODWT BEGIN_ORDERED"
                           : "ODWT BEGIN_ODWT END_ODWT BEGIN_ORDERED");
#pragma omp ordered
                {
                    say("WORK");
                    stay(i == 0 ? 3 : 1);
                    say("any END_ORDERED BEGIN_IBAR END_IBAR");
                }
            }
        } else if (strcmp(kind, "dynamic") == 0) {
            static meeting each_has_one;
#pragma omp for ordered schedule(dynamic)
            for (int i = 0; i < 2; ++i) {
                gather(&each_has_one, 2);
                say(i == 0 ? "any BEGIN_ODWT END_ODWT BEGIN_ORDERED"
                           : "ODWT BEGIN_ODWT END_ODWT BEGIN_ORDERED");
#pragma omp ordered
                {
                    say("WORK");
                    stay(i == 0 ? 3 : 1);
                    say("any END_ORDERED BEGIN_IBAR END_IBAR");
                }
            }
        } else if (strcmp(kind, "doacross") == 0) {
#pragma omp for ordered(1) schedule(static, 1)
            for (int i = 0; i < 2; ++i) {
                say(with_front() && i == 1 ? "ODWT" : "WORK");
#pragma omp ordered depend(sink : i - 1)
                say("WORK");
                stay(2);
#pragma omp ordered depend(source)
                say("any BEGIN_IBAR END_IBAR");
            }
        }
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
