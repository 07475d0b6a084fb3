/* SPDX-License-Identifier: Apache-2.0
 * doacross loops: of two dimensions, of 25, of unsigned iterations and of other schedules. The
 * thread with the second iteration waits for the first, where the runtime is silent. */
#include "../truth.h"

static meeting each_has_one;
static volatile int first = 1, last = 3; /* gcc has a simpler form for known unsigned bounds */

static void before(int is_second) {
    gather(&each_has_one, 2);
    say(with_front() && is_second ? "ODWT" : "WORK");
}
static void behind(int is_second) {
    say("WORK");
    stay(is_second ? 0.2 : 1.5);
    say("any BEGIN_IBAR END_IBAR");
}

#define PRAGMA(text) _Pragma(#text)
#define ONE_DIMENSION(name, type, schedule)                                                        \
    static void name(void) {                                                                       \
        PRAGMA(omp for ordered(1) schedule)                                                        \
        for (type i = (type)first; i < (type)last; ++i) {                                          \
            before(i == 2);                                                                        \
            PRAGMA(omp ordered depend(sink : i - 1))                                               \
            behind(i == 2);                                                                        \
            PRAGMA(omp ordered depend(source))                                                     \
        }                                                                                          \
    }
ONE_DIMENSION(of_dynamic, int, schedule(dynamic))
ONE_DIMENSION(of_guided, int, schedule(guided))
ONE_DIMENSION(of_runtime, int, schedule(runtime))
ONE_DIMENSION(of_ull_static, unsigned long long, schedule(static, 1))
ONE_DIMENSION(of_ull_dynamic, unsigned long long, schedule(dynamic))

static void of_two_dimensions(void) {
#pragma omp for ordered(2) schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 1; ++j) {
            before(i == 1);
#pragma omp ordered depend(sink : i - 1, j)
            behind(i == 1);
#pragma omp ordered depend(source)
        }
    }
}

/* More arguments of a wait than any other entry has. */
#define INNER(name) for (int name = 0; name < 1; ++name)
static void of_many_dimensions(void) {
#pragma omp for ordered(25) schedule(static, 1)
    for (int i = 0; i < 2; ++i) {
        /* clang-format off */
        INNER(a) INNER(b) INNER(c) INNER(d) INNER(e) INNER(f) INNER(g) INNER(h) INNER(j)
        INNER(k) INNER(l) INNER(m) INNER(n) INNER(o) INNER(p) INNER(q) INNER(r) INNER(s)
        INNER(t) INNER(u) INNER(v) INNER(w) INNER(x) INNER(y) {
            /* clang-format on */
            before(i == 1);
#pragma omp ordered depend(sink                                                                    \
                           : i - 1, a, b, c, d, e, f, g, h, j, k, l, m, n, o, p, q, r, s, t, u, v, \
                             w, x, y)
            behind(i == 1);
#pragma omp ordered depend(source)
        }
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    use_openmp_once();
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("any"); /* the runtime prepares the loop */
        if (strcmp(kind, "two") == 0) {
            of_two_dimensions();
        } else if (strcmp(kind, "many") == 0) {
            of_many_dimensions();
        } else if (strcmp(kind, "schedules") == 0) {
            of_dynamic();
            of_guided();
            of_runtime();
        } else if (strcmp(kind, "ull_static") == 0) {
            of_ull_static(); /* libomp cannot do two of gcc's in one region */
        } else if (strcmp(kind, "ull_dynamic") == 0) {
            of_ull_dynamic();
        } else {
            abort();
        }
        say("WORK");
        gather(&each_has_one, 2);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
