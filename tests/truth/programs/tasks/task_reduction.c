/* SPDX-License-Identifier: Apache-2.0
 * The reduction of a taskgroup: its end waits for the tasks, then combines what each thread has;
 * the combiner takes its time. Only with the front is that known, and only of clang's programs. */
#include "../truth.h"

typedef struct {
    int sum;
} number;

static void combine(number *into, const number *from) {
    say(with_front() ? "REDUC" : "WORK");
    stay(2);
    into->sum += from->sum;
    say("any *");
}

#pragma omp declare reduction(add:number                                                           \
                              : combine(&omp_out, &omp_in)) initializer(omp_priv = (number){0})

int main(void) {
    number total = {0};
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(0.5);
        say("any *");
#pragma omp master
        {
#pragma omp taskgroup task_reduction(add : total)
            {
#pragma omp task in_reduction(add : total)
                {
                    say("WORK *");
                    stay(2);
                    total.sum += 1;
                    say("any *");
                }
            }
            say("WORK *");
            stay(2);
        }
        say("any *");
#pragma omp barrier
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return total.sum == 1 ? 0 : 1;
}
