/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds_of_regions [KIND]... - regions, what one thread of a team does, questions (kinds.h).
 */
#include "kinds.h"

static int parallel_team(void) {
    int members = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp atomic
    ++members;
    return members == kThreads;
}
static int parallel_if_false(void) {
    int members = 0, level = -1;
#pragma omp parallel if (members != 0) num_threads(kThreads)
    {
        members += omp_get_num_threads();
        level = omp_get_level();
    }
    return members == 1 && level == 1;
}
static int parallel_private(void) {
    int value = 7, seen = 0;
#pragma omp parallel firstprivate(value) reduction(+ : seen) num_threads(kThreads)
    {
        value += omp_get_thread_num();
        seen += value;
    }
    return value == 7 && seen == kThreads * 7 + kThreads * (kThreads - 1) / 2;
}
static int own_value;
#pragma omp threadprivate(own_value)
static int parallel_copyin(void) {
    int right = 1;
    own_value = 5;
#pragma omp parallel copyin(own_value) reduction(&& : right) num_threads(kThreads)
    {
        right = own_value == 5;
        own_value = omp_get_thread_num();
    }
#pragma omp parallel reduction(&& : right) num_threads(kThreads)
    right = own_value == omp_get_thread_num();
    return right;
}
static int parallel_nested(void) {
    int members = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        members += omp_get_ancestor_thread_num(1) + 1;
    }
    omp_set_max_active_levels(1);
    return members == 2 + 4;
}
static int parallel_nested_three(void) {
    int members = 0;
    omp_set_max_active_levels(3);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp atomic
    members += omp_get_level();
    omp_set_max_active_levels(1);
    return members == 8 * 3;
}
static int parallel_serialized_inside(void) {
    int right = 1;
    omp_set_max_active_levels(1);
#pragma omp parallel num_threads(2) reduction(&& : right)
    {
        int members = 0;
#pragma omp parallel num_threads(2) reduction(+ : members)
        members += 1;
        right = members == 1;
    }
    return right;
}
static int parallel_proc_bind(void) {
    int members = 0;
#pragma omp parallel num_threads(2) proc_bind(close) reduction(+ : members)
    ++members;
    return members == 2;
}
static long recurse(int depth) {
    long sum = 1;
#pragma omp parallel num_threads(1) reduction(+ : sum)
    sum += depth > 0 ? recurse(depth - 1) : 0;
    return sum;
}
static int parallel_recursive(void) {
    return recurse(9) == 10;
}
static int parallel_many(void) {
    long sum = 0;
    for (int i = 0; i < 200; ++i) {
#pragma omp parallel num_threads(1 + i % kThreads) reduction(+ : sum)
        sum += 1;
    }
    long expected = 0;
    for (int i = 0; i < 200; ++i) {
        expected += 1 + i % kThreads;
    }
    return sum == expected;
}

static int sections_three(void) {
    int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp sections reduction(+ : done)
    {
        done += 1;
#pragma omp section
        done += 2;
#pragma omp section
        done += 4;
    }
    return done == 7;
}
static int sections_combined(void) {
    int one = 0, two = 0;
#pragma omp parallel sections num_threads(2)
    {
        one = 1;
#pragma omp section
        two = 2;
    }
    return one + two == 3;
}
static int sections_lastprivate(void) {
    int last = 0;
#pragma omp parallel sections lastprivate(last) num_threads(2)
    {
        last = 1;
#pragma omp section
        last = 2;
    }
    return last == 2;
}
static int single_once(void) {
    int times = 0;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 20; ++i) {
#pragma omp single
        ++times;
    }
    return times == 20;
}
static int single_nowait(void) {
    int times = 0;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 20; ++i) {
#pragma omp single nowait
#pragma omp atomic
        ++times;
    }
    return times == 20;
}
static int single_copyprivate(void) {
    int right = 1;
#pragma omp parallel num_threads(kThreads) reduction(&& : right)
    for (int i = 0; i < 20; ++i) {
        int value = -1;
#pragma omp single copyprivate(value)
        value = i;
        right = right && value == i;
    }
    return right;
}
static int master_alone(void) {
    int times = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp master
    ++times;
    return times == 1;
}
static int masked_filter(void) {
    int who = -1;
#pragma omp parallel num_threads(kThreads)
#pragma omp masked filter(1)
    who = omp_get_thread_num();
    return who == 1;
}
static int scope_reduction(void) {
    int members = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp scope reduction(+ : members)
    members += 1;
    return members == kThreads;
}

static int asks_levels(void) {
    int right = omp_get_level() == 0 && !omp_in_parallel() && omp_get_num_threads() == 1;
#pragma omp parallel num_threads(2) reduction(&& : right)
    right = omp_in_parallel() && omp_get_level() == 1 && omp_get_team_size(1) == 2 &&
            omp_get_active_level() == 1;
    return right;
}
static int asks_settings(void) {
    omp_sched_t kind;
    int chunk = 0;
    omp_set_schedule(omp_sched_guided, 3);
    omp_get_schedule(&kind, &chunk);
    const int right = kind == omp_sched_guided && chunk == 3;
    omp_set_schedule(omp_sched_dynamic, 1);
    omp_set_dynamic(0);
    omp_set_num_threads(2);
    return right && omp_get_max_threads() == 2 && !omp_get_dynamic();
}
static int asks_time(void) {
    const double begin = omp_get_wtime();
    return omp_get_wtime() >= begin && omp_get_wtick() > 0;
}
static int asks_in_final(void) {
    int right = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp task final(1) shared(right)
    right = omp_in_final();
    return right;
}

static const struct kind kKinds[] = {
    KIND(parallel_team),
    KIND(parallel_if_false),
    KIND(parallel_private),
    KIND(parallel_copyin),
    KIND(parallel_nested),
    KIND(parallel_nested_three),
    KIND(parallel_serialized_inside),
    KIND(parallel_proc_bind),
    KIND(parallel_recursive),
    KIND(parallel_many),
    KIND(sections_three),
    KIND(sections_combined),
    KIND(sections_lastprivate),
    KIND(single_once),
    KIND(single_nowait),
    KIND(single_copyprivate),
    KIND(master_alone),
    KIND(masked_filter),
    KIND(scope_reduction),
    KIND(asks_levels),
    KIND(asks_settings),
    KIND(asks_time),
    KIND(asks_in_final),
};
RUN_KINDS(kKinds)
