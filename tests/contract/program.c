/* SPDX-License-Identifier: Apache-2.0
 *
 * A program with each construct that the Collector API knows, in teams of two. It tells whoever
 * watches where it is, and holds what another thread waits for until that wait was seen.
 */
#include <omp.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

/* Weak: without a watcher nothing is told. */
void contract_at(const char *place) __attribute__((weak));
int contract_seen(int event) __attribute__((weak));
void contract_lock(const void *lock) __attribute__((weak));

enum { kLockWait = 9, kCriticalWait = 11, kOrderedWait = 13, kAtomicWait = 21 };

static void at(const char *place) {
    if (contract_at) {
        contract_at(place);
    }
}

static int seen(int event) {
    return contract_seen ? contract_seen(event) : 0;
}

/* Until it was seen once more than `before` times, or for a minute and more. */
static void hold_until(int event, int before) {
    for (int i = 0; i < 60000 && seen(event) == before; ++i) {
        usleep(1000);
    }
}

static void meet(int *arrived, int count) {
    __atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < count) {
        usleep(50);
    }
}

static void *foreign(void *unused) {
    at("foreign thread");
    return unused;
}

static void region(void) {
#pragma omp parallel num_threads(2)
    at("region");
}

static void barriers(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            at("before the barrier that others wait in");
        }
#pragma omp barrier
        at("region");
#pragma omp for
        for (int i = 0; i < 4; ++i) {
            at("region");
        }
#pragma omp barrier
    }
}

static omp_lock_t lock;

static void locks(void) {
    int arrived = 0;
    omp_init_lock(&lock);
    at("before locks that are free");
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
#pragma omp critical
    at("behind locks that were free");
    if (contract_lock) {
        contract_lock(&lock);
    }
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            const int before = seen(kLockWait);
            omp_set_lock(&lock);
            meet(&arrived, 2);
            hold_until(kLockWait, before);
        } else {
            meet(&arrived, 2);
            omp_set_lock(&lock);
        }
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

static void criticals(void) {
    int arrived = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() != 0) {
            meet(&arrived, 2);
        }
#pragma omp critical
        if (omp_get_thread_num() == 0) {
            meet(&arrived, 2);
            hold_until(kCriticalWait, 0);
        }
    }
}

/* What compilers call for an atomic that hardware has not. */
extern void GOMP_atomic_start(void);
extern void GOMP_atomic_end(void);

static void atomics(void) {
    int arrived = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() != 0) {
            meet(&arrived, 2);
        }
        GOMP_atomic_start();
        if (omp_get_thread_num() == 0) {
            meet(&arrived, 2);
            hold_until(kAtomicWait, 0);
        }
        GOMP_atomic_end();
    }
}

static void ordered(void) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) {
        if (i == 0) {
            hold_until(kOrderedWait, 0);
        }
#pragma omp ordered
        at("ordered");
    }
}

typedef struct {
    double first, second, third;
} Sum;

static void combine(Sum *into, const Sum *from) {
    at("combine");
    into->first += from->first;
}
#pragma omp declare reduction(sums:Sum                                                             \
                              : combine(&omp_out, &omp_in)) initializer(omp_priv = {0, 0, 0})

static void reduction(void) {
    Sum sum = {0, 0, 0};
#pragma omp parallel num_threads(2) reduction(sums : sum)
    sum.first += 1;
}

static void single_and_master(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        at("single");
#pragma omp master
        at("master");
    }
}

static void nested(void) {
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        at("region");
#pragma omp parallel num_threads(2)
        at("inner region");
        at("behind the inner region");
    }
    omp_set_max_active_levels(1);
}

static void tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            at("task");
#pragma omp task
            at("inner task");
#pragma omp taskwait
        }
#pragma omp taskwait
#pragma omp task if (0)
        at("task");
    }
}

/* The second thread waits in the barrier meanwhile. */
static void between_requests(const char *place) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            at(place);
        }
#pragma omp barrier
    }
}

int main(void) {
    pthread_t thread;
    at("serial code");
    pthread_create(&thread, NULL, foreign, NULL);
    pthread_join(thread, NULL);
    barriers();
    at("between regions");
    locks();
    criticals();
    atomics();
    at("before ordered");
    ordered();
    at("behind ordered");
    reduction();
    single_and_master();
    nested();
    tasks();
    at("behind tasks");
    const char *const requests[] = {"pause",
                                    "resume",
                                    "register while paused",
                                    "replace",
                                    "replaced",
                                    "unregister",
                                    "unregistered",
                                    "stop",
                                    "stopped",
                                    "pause, stop, start",
                                    "unpaused"};
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; ++i) {
        at(requests[i]);
        region();
    }
    at("stop for good");
    between_requests("start inside");
    at("started inside");
    between_requests("unregister what runs");
    at("unregister in its callback");
    region();
    at("locks in callbacks");
    region();
    at("end");
    between_requests("start for JOIN alone");
    at("JOIN alone came");
    between_requests("resume for JOIN alone");
    at("JOIN alone came again");
    return 0;
}
