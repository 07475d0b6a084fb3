/* SPDX-License-Identifier: Apache-2.0
 *
 * kinds_of_mutexes [KIND]... - mutual exclusion, barriers, cancellation (kinds.h).
 */
#include "kinds.h"

static int critical_unnamed(void) {
    int count = 0;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp critical
        ++count;
    }
    return count == 100 * kThreads;
}
static int critical_named(void) {
    int one = 0, two = 0;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp critical(one)
        ++one;
#pragma omp critical(two)
        ++two;
    }
    return one == 100 * kThreads && two == one;
}
static int critical_nested(void) {
    int count = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp critical(outer)
#pragma omp critical(inner)
    ++count;
    return count == kThreads;
}
static int atomic_update(void) {
    long count = 0;
    double real = 0;
    int right = 1;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
        long before;
#pragma omp atomic capture
        before = count++;
#pragma omp atomic
        real += 0.5;
        if (before < 0) {
#pragma omp atomic write
            right = 0;
        }
    }
    return right && count == 100 * kThreads && real == 50.0 * kThreads;
}
static int atomic_wide(void) {
    struct {
        char space;
        long double value;
    } wide = {0, 0};
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
        wide.value += 1;
    }
    return wide.value == 100 * kThreads;
}
static int atomic_compare(void) {
    int most = 0;
#pragma omp parallel for num_threads(kThreads)
    for (int i = 0; i < kCount; ++i) {
#pragma omp atomic compare
        most = i > most ? i : most;
    }
    return most == kCount - 1;
}
static int lock_plain(void) {
    int count = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 100; ++i) {
        omp_set_lock(&lock);
        ++count;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return count == 100 * kThreads;
}
static int lock_test(void) {
    int count = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 50; ++i) {
        while (!omp_test_lock(&lock)) {
#pragma omp taskyield
        }
        ++count;
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
    return count == 50 * kThreads;
}
static int lock_nest(void) {
    int count = 0, right = 1;
    omp_nest_lock_t lock;
    omp_init_nest_lock(&lock);
#pragma omp parallel num_threads(kThreads) reduction(&& : right)
    for (int i = 0; i < 50; ++i) {
        omp_set_nest_lock(&lock);
        right = right && omp_test_nest_lock(&lock) == 2;
        ++count;
        omp_unset_nest_lock(&lock);
        omp_unset_nest_lock(&lock);
    }
    omp_destroy_nest_lock(&lock);
    return right && count == 50 * kThreads;
}
static int barrier_phases(void) {
    int phase[kThreads] = {0}, right = 1;
#pragma omp parallel num_threads(kThreads) reduction(&& : right)
    for (int i = 1; i <= 20; ++i) {
        phase[omp_get_thread_num()] = i;
#pragma omp barrier
        for (int k = 0; k < omp_get_num_threads(); ++k) {
            right = right && phase[k] == i;
        }
#pragma omp barrier
    }
    return right;
}
static int barrier_orphaned(void) {
    int times = 0;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 10; ++i) {
        ++times;
    }
#pragma omp single
    ++times;
#pragma omp taskwait
    return times == 11;
}
static int flush_flag(void) {
    int flag = 0, value = 0, seen = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            value = 5;
#pragma omp flush
#pragma omp atomic write
            flag = 1;
        } else if (omp_get_num_threads() == 2) {
            int told = 0;
            while (!told) {
#pragma omp atomic read
                told = flag;
            }
#pragma omp flush
            seen = value;
        }
    }
    return seen == 5;
}

static int cancel_parallel(void) {
    int behind = 0;
#pragma omp parallel num_threads(2) reduction(+ : behind)
    {
#pragma omp cancel parallel
        behind = 1;
    }
    return behind == (omp_get_cancellation() ? 0 : 2);
}
static int cancel_for(void) {
    int times = 0;
#pragma omp parallel num_threads(1)
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kCount; ++i) {
        if (i == 10) {
#pragma omp cancel for
        }
        ++times;
#pragma omp cancellation point for
    }
    return times == (omp_get_cancellation() ? 10 : kCount);
}
static int cancel_sections(void) {
    int behind = 0;
#pragma omp parallel num_threads(1)
#pragma omp sections
    {
#pragma omp section
        {
#pragma omp cancel sections
            behind = 1;
        }
    }
    return behind == !omp_get_cancellation();
}
static int cancel_taskgroup(void) {
    int done = 0;
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 10; ++i) {
#pragma omp task shared(done)
        {
#pragma omp cancel taskgroup
            ++done;
        }
    }
    return done == (omp_get_cancellation() ? 0 : 10);
}

static const struct kind kKinds[] = {
    KIND(critical_unnamed), KIND(critical_named), KIND(critical_nested),  KIND(atomic_update),
    KIND(atomic_wide),      KIND(atomic_compare), KIND(lock_plain),       KIND(lock_test),
    KIND(lock_nest),        KIND(barrier_phases), KIND(barrier_orphaned), KIND(flush_flag),
    KIND(cancel_parallel),  KIND(cancel_for),     KIND(cancel_sections),  KIND(cancel_taskgroup),
};
RUN_KINDS(kKinds)
