/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds_without_libomp [KIND]... - what libomp 14 lacks for gcc's code: scans, leagues, devices,
 * detached tasks (kinds.h); and `taskwait depend`: with no tool about, one of about thirty runs of
 * libomp 13 to 15 ends there by an assertion or a signal.
 */
#include "kinds.h"

static int taskwait_depend(void) {
    int value = 1, right = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 50; ++i) {
#pragma omp task depend(out : value) shared(value)
        value = i;
#pragma omp taskwait depend(in : value)
        right = right && value == i;
    }
    return right;
}
/* By a thread that has executed tasks in the region before. */
static int taskwait_depend_of_worker(void) {
    int value = 0, right = 1;
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(2)
#pragma omp single
        for (int k = 0; k < 50; ++k) {
#pragma omp task shared(value)
#pragma omp atomic
            value += 1;
        }
#pragma omp parallel num_threads(2)
        if (omp_get_thread_num() == 1) {
#pragma omp task depend(out : value) shared(value)
            value += 1;
#pragma omp taskwait depend(in : value)
            right = right && value == 51 * (i + 1);
        }
    }
    return right;
}
static int for_scan(void) {
    long sum = 0;
    static long prefix[kCount];
#pragma omp parallel for reduction(inscan, + : sum) num_threads(kThreads)
    for (int i = 0; i < kCount; ++i) {
        sum += i;
#pragma omp scan inclusive(sum)
        prefix[i] = sum;
    }
    return prefix[kCount - 1] == kSum && prefix[10] == 55;
}

static int teams_host(void) {
    int members = 0;
#pragma omp teams num_teams(2) thread_limit(2) reduction(+ : members)
    members += 1;
    return members >= 1 && members <= 2;
}

static int teams_distribute(void) {
    long sum = 0;
#pragma omp teams distribute parallel for num_teams(2) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < kCount; ++i) {
        sum += i;
    }
    return sum == kSum;
}

static int target_map(void) {
    int value = 1;
#pragma omp target map(tofrom : value)
    value += 4;
    return value == 5;
}

static int target_nowait(void) {
    int value = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp target map(tofrom : value) nowait depend(out : value)
        value += 4;
#pragma omp task depend(in : value) shared(value)
        value *= 2;
    }
    return value == 10;
}

static int target_data(void) {
    int values[4] = {1, 2, 3, 4}, sum = 0;
#pragma omp target data map(to : values)
    {
#pragma omp target update to(values)
#pragma omp target map(tofrom : sum)
        for (int i = 0; i < 4; ++i) {
            sum += values[i];
        }
    }
    return sum == 10;
}

static int target_teams(void) {
    long sum = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(tofrom : sum)
    for (int i = 0; i < kCount; ++i) {
        sum += i;
    }
    return sum == kSum;
}

static int task_detach(void) {
    int done = 0, seen = 0;
    omp_event_handle_t event;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task detach(event) shared(done)
#pragma omp atomic
        ++done;
#pragma omp task shared(done)
        omp_fulfill_event(event);
#pragma omp taskwait
        seen = done;
    }
    return seen == 1;
}

static const struct kind kKinds[] = {
    KIND(taskwait_depend), KIND(taskwait_depend_of_worker),
    KIND(for_scan),        KIND(task_detach),
    KIND(teams_host),      KIND(teams_distribute),
    KIND(target_map),      KIND(target_nowait),
    KIND(target_data),     KIND(target_teams),
};
RUN_KINDS(kKinds)
