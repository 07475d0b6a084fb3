/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds_of_loops [KIND]... - loops and reductions (kinds.h).
 */
#include "kinds.h"

#define LOOP(name, clauses)                                                                        \
    static int name(void) {                                                                        \
        long sum = 0;                                                                              \
        _Pragma("omp parallel num_threads(kThreads)") {                                            \
            _Pragma(clauses) for (int i = 0; i < kCount; ++i) sum += i;                            \
        }                                                                                          \
        return sum == kSum;                                                                        \
    }
LOOP(for_static, "omp for reduction(+ : sum)")
LOOP(for_static_chunk, "omp for schedule(static, 3) reduction(+ : sum)")
LOOP(for_dynamic, "omp for schedule(dynamic) reduction(+ : sum)")
LOOP(for_dynamic_chunk, "omp for schedule(dynamic, 7) reduction(+ : sum)")
LOOP(for_dynamic_monotonic, "omp for schedule(monotonic : dynamic) reduction(+ : sum)")
LOOP(for_guided, "omp for schedule(guided) reduction(+ : sum)")
LOOP(for_guided_monotonic, "omp for schedule(monotonic : guided, 2) reduction(+ : sum)")
LOOP(for_auto, "omp for schedule(auto) reduction(+ : sum)")
LOOP(for_runtime, "omp for schedule(runtime) reduction(+ : sum)")
LOOP(for_runtime_monotonic, "omp for schedule(monotonic : runtime) reduction(+ : sum)")
LOOP(for_nowait, "omp for reduction(+ : sum)")
#define COMBINED(name, clauses)                                                                    \
    static int name(void) {                                                                        \
        long sum = 0;                                                                              \
        _Pragma(clauses) for (int i = 0; i < kCount; ++i) sum += i;                                \
        return sum == kSum;                                                                        \
    }
COMBINED(parallel_for_static, "omp parallel for reduction(+ : sum) num_threads(kThreads)")
COMBINED(parallel_for_dynamic,
         "omp parallel for schedule(dynamic) reduction(+ : sum) num_threads(2)")
COMBINED(parallel_for_guided, "omp parallel for schedule(guided) reduction(+ : sum) num_threads(2)")
COMBINED(parallel_for_runtime,
         "omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)")
COMBINED(parallel_for_simd, "omp parallel for simd reduction(+ : sum) num_threads(2)")
COMBINED(parallel_loop, "omp parallel loop reduction(+ : sum) num_threads(2)")
COMBINED(parallel_for_static_chunk,
         "omp parallel for schedule(static, 1) reduction(+ : sum) num_threads(2)")
COMBINED(simd_alone, "omp simd reduction(+ : sum)")

static int for_unsigned_long(void) {
    unsigned long long sum = 0;
#pragma omp parallel for schedule(dynamic, 5) reduction(+ : sum) num_threads(kThreads)
    for (unsigned long long i = ~0ULL - kCount; i < ~0ULL; ++i) {
        sum += ~0ULL - i;
    }
    return sum == (unsigned long long)kSum + kCount;
}
static int for_downwards(void) {
    long sum = 0;
#pragma omp parallel for schedule(guided, 3) reduction(+ : sum) num_threads(kThreads)
    for (int i = kCount - 1; i >= 0; i -= 1) {
        sum += i;
    }
    return sum == kSum;
}
static int for_steps(void) {
    long sum = 0;
#pragma omp parallel for schedule(dynamic, 2) reduction(+ : sum) num_threads(kThreads)
    for (int i = 0; i < kCount; i += 7) {
        ++sum;
    }
    return sum == (kCount + 6) / 7;
}
static int for_empty(void) {
    int times = 0;
    volatile int none = 0;
#pragma omp parallel for schedule(dynamic) num_threads(kThreads)
    for (int i = 0; i < none; ++i) {
        ++times;
    }
    return times == 0;
}
static int for_collapse(void) {
    long sum = 0;
#pragma omp parallel for collapse(2) schedule(dynamic, 4) reduction(+ : sum) num_threads(kThreads)
    for (int i = 0; i < kRows; ++i) {
        for (int k = 0; k < kColumns; ++k) {
            sum += i * kColumns + k;
        }
    }
    return sum == kRows * kColumns * (kRows * kColumns - 1) / 2;
}
static int for_triangle(void) {
    long sum = 0;
#pragma omp parallel for collapse(2) reduction(+ : sum) num_threads(kThreads)
    for (int i = 0; i < kRows; ++i) {
        for (int k = 0; k < i; ++k) {
            ++sum;
        }
    }
    return sum == kRows * (kRows - 1) / 2;
}
static int for_lastprivate(void) {
    int last = -1;
#pragma omp parallel for lastprivate(last) schedule(dynamic) num_threads(kThreads)
    for (int i = 0; i < kCount; ++i) {
        last = i;
    }
    return last == kCount - 1;
}
static int for_lastprivate_conditional(void) {
    int last = -1;
#pragma omp parallel for lastprivate(conditional : last) num_threads(kThreads)
    for (int i = 0; i < kCount; ++i) {
        if (i % 10 == 3) {
            last = i;
        }
    }
    return last == kCount - 7;
}
static int for_linear(void) {
    int place = 3;
#pragma omp parallel for linear(place : 2) num_threads(kThreads)
    for (int i = 0; i < kCount; ++i) {
        place += 2;
    }
    return place == 3 + 2 * kCount;
}
#define ORDERED(name, clauses)                                                                     \
    static int name(void) {                                                                        \
        int next = 0, right = 1;                                                                   \
        _Pragma(clauses) for (int i = 0; i < 60; ++i) {                                            \
            _Pragma("omp ordered") {                                                               \
                right = right && next == i;                                                        \
                next = i + 1;                                                                      \
            }                                                                                      \
        }                                                                                          \
        return right && next == 60;                                                                \
    }
ORDERED(ordered_static, "omp parallel for ordered num_threads(kThreads)")
ORDERED(ordered_static_chunk, "omp parallel for ordered schedule(static, 2) num_threads(kThreads)")
ORDERED(ordered_dynamic, "omp parallel for ordered schedule(dynamic, 3) num_threads(kThreads)")
ORDERED(ordered_guided, "omp parallel for ordered schedule(guided) num_threads(kThreads)")
ORDERED(ordered_runtime, "omp parallel for ordered schedule(runtime) num_threads(kThreads)")

#define DOACROSS(name, schedule)                                                                   \
    static int name(void) {                                                                        \
        long chain[61] = {0};                                                                      \
        _Pragma(schedule) for (int i = 1; i < 61; ++i) {                                           \
            _Pragma("omp ordered depend(sink : i - 1)") chain[i] = chain[i - 1] + i;               \
            _Pragma("omp ordered depend(source)")                                                  \
        }                                                                                          \
        return chain[60] == 60 * 61 / 2;                                                           \
    }
DOACROSS(doacross_static, "omp parallel for ordered(1) num_threads(kThreads)")
DOACROSS(doacross_dynamic, "omp parallel for ordered(1) schedule(dynamic) num_threads(kThreads)")
DOACROSS(doacross_guided, "omp parallel for ordered(1) schedule(guided) num_threads(kThreads)")
DOACROSS(doacross_runtime, "omp parallel for ordered(1) schedule(runtime) num_threads(kThreads)")
static int doacross_two(void) {
    static int grid[kRows + 1][kColumns + 1];
    memset(grid, 0, sizeof grid);
#pragma omp parallel for collapse(2) ordered(2) num_threads(kThreads)
    for (int i = 1; i <= kRows; ++i) {
        for (int k = 1; k <= kColumns; ++k) {
#pragma omp ordered depend(sink : i - 1, k) depend(sink : i, k - 1)
            grid[i][k] = 1 + (grid[i - 1][k] > grid[i][k - 1] ? grid[i - 1][k] : grid[i][k - 1]);
#pragma omp ordered depend(source)
        }
    }
    return grid[kRows][kColumns] == kRows + kColumns - 1;
}

static int reduction_operators(void) {
    int all = ~0, any = 0, odd = 0, least = kCount, most = -1;
    double product = 1;
#pragma omp parallel for num_threads(kThreads) reduction(& : all) reduction(| : any)                \
    reduction(^ : odd) reduction(min : least) reduction(max : most) reduction(* : product)
    for (int i = 1; i < 16; ++i) {
        all &= i | 16;
        any |= i;
        odd ^= i;
        least = i < least ? i : least;
        most = i > most ? i : most;
        product *= i == 5 ? 2 : 1;
    }
    return all == 16 && any == 15 && odd == 0 && least == 1 && most == 15 && product == 2;
}
static int reduction_array(void) {
    int sums[4] = {0};
#pragma omp parallel for reduction(+ : sums[:4]) num_threads(kThreads)
    for (int i = 0; i < kCount; ++i) {
        sums[i % 4] += 1;
    }
    return sums[0] == 250 && sums[1] == 250 && sums[2] == 250 && sums[3] == 250;
}
struct pair {
    long sum, count;
};
#pragma omp declare reduction(join                                                                 \
                              : struct pair                                                        \
                              : omp_out.sum += omp_in.sum, omp_out.count += omp_in.count)          \
    initializer(omp_priv = {0, 0})
static int reduction_declared(void) {
    struct pair all = {0, 0};
#pragma omp parallel for reduction(join : all) num_threads(kThreads)
    for (int i = 0; i < kCount; ++i) {
        all.sum += i;
        ++all.count;
    }
    return all.sum == kSum && all.count == kCount;
}
static int reduction_of_tasks(void) {
    long sum = 0;
#pragma omp parallel reduction(task, + : sum) num_threads(2)
    {
#pragma omp master
        for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
        }
    }
    return sum == 780;
}
static int reduction_of_taskgroup(void) {
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp master
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : sum)
        sum += i;
    }
    return sum == 780;
}

static const struct kind kKinds[] = {
    KIND(for_static),
    KIND(for_static_chunk),
    KIND(for_dynamic),
    KIND(for_dynamic_chunk),
    KIND(for_dynamic_monotonic),
    KIND(for_guided),
    KIND(for_guided_monotonic),
    KIND(for_auto),
    KIND(for_runtime),
    KIND(for_runtime_monotonic),
    KIND(for_nowait),
    KIND(parallel_for_static),
    KIND(parallel_for_dynamic),
    KIND(parallel_for_guided),
    KIND(parallel_for_runtime),
    KIND(parallel_for_static_chunk),
    KIND(parallel_for_simd),
    KIND(parallel_loop),
    KIND(simd_alone),
    KIND(for_unsigned_long),
    KIND(for_downwards),
    KIND(for_steps),
    KIND(for_empty),
    KIND(for_collapse),
    KIND(for_triangle),
    KIND(for_lastprivate),
    KIND(for_lastprivate_conditional),
    KIND(for_linear),
    KIND(ordered_static),
    KIND(ordered_static_chunk),
    KIND(ordered_dynamic),
    KIND(ordered_guided),
    KIND(ordered_runtime),
    KIND(doacross_static),
    KIND(doacross_dynamic),
    KIND(doacross_guided),
    KIND(doacross_runtime),
    KIND(doacross_two),
    KIND(reduction_operators),
    KIND(reduction_array),
    KIND(reduction_declared),
    KIND(reduction_of_tasks),
    KIND(reduction_of_taskgroup),
};
RUN_KINDS(kKinds)
