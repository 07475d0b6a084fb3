/* SPDX-License-Identifier: Apache-2.0
 *
 * constructs - spends its time in spin() below one OpenMP construct after the other, and prints the
 * call path of each, one a line. Names are C++'s; some calls are inlined. Nothing throws, so that
 * no C++ library is needed.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The last call of a function must not become a jump. */
#define KEEP_FRAME asm volatile("" ::: "memory")
#define CONSTRUCT  __attribute__((noinline)) void

namespace constructs {

static double share; /* seconds of one spin() */
static volatile double sink;

static double now() noexcept {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

__attribute__((noinline)) void spin() noexcept {
    for (const double end = now() + share; now() < end;) {
        for (int i = 0; i < 5000; ++i) {
            sink = sink + i;
        }
    }
}

/* A function that is in the source and not in the code. */
template <class Number> __attribute__((always_inline)) inline void inlined(Number) noexcept {
    spin();
    KEEP_FRAME;
}

CONSTRUCT region() noexcept {
#pragma omp parallel num_threads(2)
    spin();
    KEEP_FRAME;
}

CONSTRUCT inlined_in_region() noexcept {
#pragma omp parallel num_threads(2)
    inlined(1);
    KEEP_FRAME;
}

CONSTRUCT one_thread() noexcept {
#pragma omp parallel num_threads(1)
    spin();
    KEEP_FRAME;
}

CONSTRUCT serialized() noexcept {
#pragma omp parallel if (0)
    spin();
    KEEP_FRAME;
}

CONSTRUCT for_static() noexcept {
#pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT for_dynamic() noexcept {
#pragma omp parallel for schedule(dynamic, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT for_guided() noexcept {
#pragma omp parallel for schedule(guided) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT for_nowait() noexcept {
#pragma omp parallel num_threads(2)
    {
#pragma omp for nowait
        for (int i = 0; i < 2; ++i) {
            spin();
        }
    }
    KEEP_FRAME;
}

CONSTRUCT two_sections() noexcept {
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        spin();
#pragma omp section
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT one_single() noexcept {
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT single_copyprivate() noexcept {
    int given = 0;
#pragma omp parallel num_threads(2) firstprivate(given)
    {
#pragma omp single copyprivate(given)
        {
            given = 1;
            spin();
        }
        sink = given;
    }
    KEEP_FRAME;
}

CONSTRUCT by_master() noexcept {
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT in_critical() noexcept {
#pragma omp parallel num_threads(2)
    {
#pragma omp critical(of_constructs)
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT with_lock() noexcept {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&lock);
        spin();
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

CONSTRUCT with_nest_lock() noexcept {
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(2)
    {
        omp_set_nest_lock(&lock);
        omp_set_nest_lock(&lock);
        spin();
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
}

CONSTRUCT in_order() noexcept {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) {
#pragma omp ordered
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT doacross() noexcept {
#pragma omp parallel for ordered(1) schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) {
#pragma omp ordered depend(sink : i - 1)
        spin();
#pragma omp ordered depend(source)
    }
    KEEP_FRAME;
}

CONSTRUCT reduction() noexcept {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        spin();
        sum += i;
    }
    sink = sum;
}

CONSTRUCT around_barrier() noexcept {
#pragma omp parallel num_threads(2)
    {
        spin();
#pragma omp barrier
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT in_tasks() noexcept {
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT in_taskwait() noexcept {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 4; ++i) {
#pragma omp task untied
            spin();
        }
#pragma omp taskwait
    }
    KEEP_FRAME;
}

CONSTRUCT in_taskgroup() noexcept {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 4; ++i) {
#pragma omp task
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT in_taskloop() noexcept {
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 4; ++i) {
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT task_at_once() noexcept {
#pragma omp parallel num_threads(2)
    {
#pragma omp task if (0)
        spin();
    }
    KEEP_FRAME;
}

CONSTRUCT task_in_task() noexcept {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            spin();
#pragma omp taskwait
        }
    }
    KEEP_FRAME;
}

CONSTRUCT with_dependence() noexcept {
    int first = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : first)
        spin();
#pragma omp task depend(in : first)
        spin();
    }
    sink = first;
}

CONSTRUCT cancelled() noexcept {
#pragma omp parallel num_threads(2)
    {
#pragma omp for
        for (int i = 0; i < 2; ++i) {
            spin();
#pragma omp cancel for
        }
    }
    KEEP_FRAME;
}

CONSTRUCT inner_region() noexcept {
#pragma omp parallel num_threads(2)
    spin();
    KEEP_FRAME;
}

CONSTRUCT nested() noexcept {
#pragma omp parallel num_threads(2)
    {
        inner_region();
        KEEP_FRAME;
    }
    KEEP_FRAME;
}

struct Construct {
    const char *name;
    void (*function)() noexcept;
    const char *below; /* the region */
};

#define OWN(name)                                                                                  \
    { "constructs::" #name "()", name, "" }
#define BELOW(name, below)                                                                         \
    { "constructs::" #name "()", name, below ";" }
#define INNER "constructs::inner_region()"

static const Construct all[] = {
    OWN(region),
    BELOW(inlined_in_region, "void constructs::inlined<int>(int)"),
    OWN(one_thread),
    OWN(serialized),
    OWN(for_static),
    OWN(for_dynamic),
    OWN(for_guided),
    OWN(for_nowait),
    OWN(two_sections),
    OWN(one_single),
    OWN(single_copyprivate),
    OWN(by_master),
    OWN(in_critical),
    OWN(with_lock),
    OWN(with_nest_lock),
    OWN(in_order),
    OWN(doacross),
    OWN(reduction),
    OWN(around_barrier),
    OWN(in_tasks),
    OWN(in_taskwait),
    OWN(in_taskgroup),
    OWN(in_taskloop),
    OWN(task_at_once),
    OWN(task_in_task),
    OWN(with_dependence),
    OWN(cancelled),
    BELOW(nested, INNER ";" INNER " [region]"),
};

} // namespace constructs

int main(int argc, char **argv) {
    using namespace constructs;
    share = argc > 1 ? atof(argv[1]) : 0.03;
    omp_set_max_active_levels(2);
    for (const Construct &each : all) {
        each.function();
        printf("1 main;%s;%s [region];%sconstructs::spin()\n", each.name, each.name, each.below);
    }
    return 0;
}
