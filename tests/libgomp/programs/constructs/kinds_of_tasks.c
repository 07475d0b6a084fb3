/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds_of_tasks [KIND]... - tasks (kinds.h).
 */
#include "kinds.h"

static long fib(int n) {
    long one = 0, two = 0;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(one) if (n > 3)
    one = fib(n - 1);
#pragma omp task shared(two) final(n < 4) mergeable
    two = fib(n - 2);
#pragma omp taskwait
    return one + two;
}
static int task_fib(void) {
    long value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    value = fib(12);
    return value == 144;
}
static int task_serial(void) {
    return fib(10) == 55;
}
#define TASKS(name, clauses)                                                                       \
    static int name(void) {                                                                        \
        long sum = 0;                                                                              \
        _Pragma("omp parallel num_threads(2)")                                                     \
            _Pragma("omp single") for (int i = 0; i < 60; ++i) {                                   \
            _Pragma(clauses) {                                                                     \
                _Pragma("omp atomic") sum += i;                                                    \
            }                                                                                      \
        }                                                                                          \
        return sum == 1770;                                                                        \
    }
TASKS(task_plain, "omp task firstprivate(i) shared(sum)")
TASKS(task_if_false, "omp task firstprivate(i) shared(sum) if (0)")
TASKS(task_final, "omp task firstprivate(i) shared(sum) final(i % 2)")
TASKS(task_untied, "omp task firstprivate(i) shared(sum) untied")
TASKS(task_priority, "omp task firstprivate(i) shared(sum) priority(i)")
TASKS(task_mergeable, "omp task firstprivate(i) shared(sum) mergeable")
static int task_large_data(void) {
    struct {
        long values[200];
    } data;
    long sum = 0;
    for (int i = 0; i < 200; ++i) {
        data.values[i] = i;
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int k = 0; k < 10; ++k) {
#pragma omp task firstprivate(data) shared(sum)
        {
            long own = 0;
            for (int i = 0; i < 200; ++i) {
                own += data.values[i];
            }
#pragma omp atomic
            sum += own;
        }
    }
    return sum == 10 * 19900;
}
static int task_of_task(void) {
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 8; ++i) {
#pragma omp task shared(sum)
            for (int k = 0; k < 8; ++k) {
#pragma omp task shared(sum)
#pragma omp atomic
                sum += 1;
            }
        }
    }
    return sum == 64;
}
static int task_group(void) {
    int done = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task shared(done)
            {
#pragma omp task shared(done)
#pragma omp atomic
                ++done;
#pragma omp atomic
                ++done;
            }
        }
        seen = done;
    }
    return seen == 2;
}
static int task_yield(void) {
    int done = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 20; ++i) {
#pragma omp task shared(done)
        {
#pragma omp taskyield
#pragma omp atomic
            ++done;
        }
    }
    return done == 20;
}
static int task_depend(void) {
    int value = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : value) shared(value)
        value += 1;
#pragma omp task depend(inout : value) shared(value)
        value *= 10;
#pragma omp task depend(in : value) shared(value)
#pragma omp atomic
        value += 0;
#pragma omp task depend(inout : value) shared(value)
        value += 3;
    }
    return value == 23;
}
static int task_depend_if_false(void) {
    int value = 1;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : value) shared(value)
        value = 5;
#pragma omp task depend(in : value) shared(value) if (0)
        value += 2;
    }
    return value == 7;
}
static int task_depend_iterator(void) {
    int values[8] = {0}, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        for (int i = 0; i < 8; ++i) {
#pragma omp task depend(out : values[i]) shared(values) firstprivate(i)
            values[i] = i;
        }
#pragma omp task depend(iterator(k = 0 : 8), in : values[k]) shared(values, sum)
        for (int i = 0; i < 8; ++i) {
            sum += values[i];
        }
    }
    return sum == 28;
}
static int task_depend_mutexinoutset(void) {
    int value = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 30; ++i) {
#pragma omp task depend(mutexinoutset : value) shared(value)
        value += 1;
    }
    return value == 30;
}
static int task_depend_object(void) {
    int value = 1;
    omp_depend_t after;
#pragma omp depobj(after) depend(inout : value)
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(depobj : after) shared(value)
        value += 1;
#pragma omp task depend(depobj : after) shared(value)
        value *= 4;
    }
#pragma omp depobj(after) destroy
    return value == 8;
}
#define TASKLOOP(name, clauses)                                                                    \
    static int name(void) {                                                                        \
        long sum = 0;                                                                              \
        _Pragma("omp parallel num_threads(2)") _Pragma("omp single")                               \
            _Pragma(clauses) for (int i = 0; i < kCount; ++i) {                                    \
            _Pragma("omp atomic") sum += i;                                                        \
        }                                                                                          \
        return sum == kSum;                                                                        \
    }
TASKLOOP(taskloop_plain, "omp taskloop")
TASKLOOP(taskloop_grainsize, "omp taskloop grainsize(70)")
TASKLOOP(taskloop_grainsize_strict, "omp taskloop grainsize(strict : 70)")
TASKLOOP(taskloop_num_tasks, "omp taskloop num_tasks(9)")
TASKLOOP(taskloop_nogroup, "omp taskloop nogroup num_tasks(9)")
TASKLOOP(taskloop_if_false, "omp taskloop if (0) num_tasks(9)")
TASKLOOP(taskloop_untied, "omp taskloop untied priority(3)")
static int taskloop_reduction(void) {
    long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) num_tasks(7)
    for (int i = 0; i < kCount; ++i) {
        sum += i;
    }
    return sum == kSum;
}
static int taskloop_lastprivate(void) {
    int last = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop lastprivate(last) num_tasks(7)
    for (int i = 0; i < kCount; ++i) {
        last = i;
    }
    return last == kCount - 1;
}
static int taskloop_unsigned(void) {
    unsigned long long sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) collapse(2)
    for (unsigned long long i = 0; i < kRows; ++i) {
        for (unsigned long long k = 0; k < kColumns; ++k) {
            sum += i * kColumns + k;
        }
    }
    return sum == kRows * kColumns * (kRows * kColumns - 1) / 2;
}

static const struct kind kKinds[] = {
    KIND(task_fib),
    KIND(task_serial),
    KIND(task_plain),
    KIND(task_if_false),
    KIND(task_final),
    KIND(task_untied),
    KIND(task_priority),
    KIND(task_mergeable),
    KIND(task_large_data),
    KIND(task_of_task),
    KIND(task_group),
    KIND(task_yield),
    KIND(task_depend),
    KIND(task_depend_if_false),
    KIND(task_depend_iterator),
    KIND(task_depend_mutexinoutset),
    KIND(task_depend_object),
    KIND(taskloop_plain),
    KIND(taskloop_grainsize),
    KIND(taskloop_grainsize_strict),
    KIND(taskloop_num_tasks),
    KIND(taskloop_nogroup),
    KIND(taskloop_if_false),
    KIND(taskloop_untied),
    KIND(taskloop_reduction),
    KIND(taskloop_lastprivate),
    KIND(taskloop_unsigned),
};
RUN_KINDS(kKinds)
