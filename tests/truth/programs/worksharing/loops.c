/* SPDX-License-Identifier: Apache-2.0
 * Loops of each schedule, form and type of iteration: gcc has an entry of its own for nearly each.
 * Each of two threads has one iteration. */
#include "../truth.h"

static meeting each_has_one;
static volatile int first = 0, last = 2; /* gcc has a simpler form for known unsigned bounds */

/* They come to the loop's end one after the other. */
static void iteration(int is_late) {
    say("WORK");
    gather(&each_has_one, 2);
    stay(is_late ? 1.2 : 0.2);
    say(AT_IMPLICIT_BARRIER);
}

/* The thread that has the second iteration waits for its turn. */
static void before_turn(int is_second) {
    gather(&each_has_one, 2);
    say(is_second ? "ODWT BEGIN_ODWT END_ODWT BEGIN_ORDERED"
                  : "any BEGIN_ODWT END_ODWT BEGIN_ORDERED");
}
static void in_turn(int is_second) {
    say("WORK");
    stay(is_second ? 0.2 : 1.2);
    say("any END_ORDERED BEGIN_IBAR END_IBAR");
}

#define PRAGMA(text) _Pragma(#text)
#define LOOP(name, type, clauses)                                                                  \
    static void name(void) {                                                                       \
        PRAGMA(omp for clauses)                                                                    \
        for (type i = (type)first; i < (type)last; ++i) {                                          \
            iteration(i == 1);                                                                     \
        }                                                                                          \
    }
#define ORDERED_LOOP(name, type, clauses)                                                          \
    static void name(void) {                                                                       \
        PRAGMA(omp for ordered clauses)                                                            \
        for (type i = (type)first; i < (type)last; ++i) {                                          \
            before_turn(i == 1);                                                                   \
            PRAGMA(omp ordered)                                                                    \
            in_turn(i == 1);                                                                       \
        }                                                                                          \
    }
typedef unsigned long long ull;
LOOP(runtime, int, schedule(runtime))
LOOP(nonmonotonic_runtime, int, schedule(nonmonotonic : runtime))
LOOP(monotonic_dynamic, int, schedule(monotonic : dynamic))
LOOP(monotonic_guided, int, schedule(monotonic : guided))
LOOP(monotonic_runtime, int, schedule(monotonic : runtime))
LOOP(ull_dynamic, ull, schedule(dynamic))
LOOP(ull_guided, ull, schedule(guided))
LOOP(ull_runtime, ull, schedule(runtime))
LOOP(ull_nonmonotonic_runtime, ull, schedule(nonmonotonic : runtime))
LOOP(ull_monotonic_dynamic, ull, schedule(monotonic : dynamic))
LOOP(ull_monotonic_guided, ull, schedule(monotonic : guided))
LOOP(ull_monotonic_runtime, ull, schedule(monotonic : runtime))
ORDERED_LOOP(ordered_guided, int, schedule(guided))
ORDERED_LOOP(ordered_runtime, int, schedule(runtime))
ORDERED_LOOP(ull_ordered_static, ull, schedule(static, 1))
ORDERED_LOOP(ull_ordered_dynamic, ull, schedule(dynamic))
ORDERED_LOOP(ull_ordered_guided, ull, schedule(guided))
ORDERED_LOOP(ull_ordered_runtime, ull, schedule(runtime))

enum { kMost = 4 };
static const struct {
    const char *kind;
    void (*loops[kMost])(void);
} kKinds[] = {
    {"runtime", {runtime, nonmonotonic_runtime}},
    {"monotonic", {monotonic_dynamic, monotonic_guided, monotonic_runtime}},
    {"ull", {ull_dynamic, ull_guided}},
    {"ull_runtime", {ull_runtime, ull_nonmonotonic_runtime}},
    {"ull_monotonic", {ull_monotonic_dynamic, ull_monotonic_guided, ull_monotonic_runtime}},
    {"ordered", {ordered_guided, ordered_runtime}},
    {"ull_ordered",
     {ull_ordered_static, ull_ordered_dynamic, ull_ordered_guided, ull_ordered_runtime}},
};

static void (*const *loops_of(const char *kind))(void) {
    for (unsigned i = 0; i < sizeof kKinds / sizeof *kKinds; ++i) {
        if (strcmp(kKinds[i].kind, kind) == 0) {
            return kKinds[i].loops;
        }
    }
    abort();
}

int main(int argc, char **argv) {
    void (*const *const loops)(void) = loops_of(argc > 1 ? argv[1] : "");
    use_openmp_once();
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        for (int i = 0; i < kMost && loops[i]; ++i) {
            loops[i]();
            say("WORK");
        }
        gather(&each_has_one, 2);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
