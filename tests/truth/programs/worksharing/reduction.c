/* SPDX-License-Identifier: Apache-2.0
 * A reduction whose combiner takes its time; KMP_FORCE_REDUCTION chooses the method. Where libomp
 * does, a small team combines in a critical region of clang's. Built by gcc
 * it gives no sign: the combiner then looks like work. */
#include "../truth.h"

typedef struct {
    int sum;
} number;

static const char *method;

/* With the tree method the master's last combination, into the original, is outside the reduction's
 * callbacks. */
static const char *state_of_combiner(void) {
#ifdef __clang__
    static atomic_int calls;
    if (with_front()) {
        return "REDUC";
    }
    return strcmp(method, "tree") == 0 && atomic_fetch_add(&calls, 1) == 1 ? "WORK" : "REDUC";
#else
    return "WORK";
#endif
}

static void combine(number *into, const number *from) {
    say(state_of_combiner());
    stay(2);
    into->sum += from->sum;
    say("any *");
}

#pragma omp declare reduction(add:number                                                           \
                              : combine(&omp_out, &omp_in)) initializer(omp_priv = (number){0})

int main(void) {
    number total = {0};
    method = getenv("KMP_FORCE_REDUCTION");
    if (method == NULL) {
        method = "";
    }
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(0.5);
        say("any *");
#pragma omp for reduction(add : total)
        for (int i = 0; i < 2; ++i) {
            total.sum += 1;
        }
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return total.sum == 2 ? 0 : 1;
}
