/* SPDX-License-Identifier: Apache-2.0
 * steady SECONDS - executes every kind of construct for so long, in rounds whose results are known,
 * and threads that begin and end beside them. Prints "right" and the counts, or what was wrong.
 * What a profiler of 10,000 samples a second must leave right, and must not need ever more memory
 * for. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kLength = 4000, kNumber = 16, kFibonacci = 987, kThreads = 2 };

static omp_lock_t lock;
static long rounds, wrong, short_threads;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void expect(const char *what, long is, long shall_be) {
    if (is != shall_be) {
        printf("%s: %ld, not %ld, in round %ld\n", what, is, shall_be, rounds);
        ++wrong;
    }
}

static long fibonacci(int n) {
    long a = 0;
    long b = 0;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a)
    a = fibonacci(n - 1);
#pragma omp task shared(b) if (n % 2 == 0)
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void loops(void) {
    long sum = 0;
    long squares = 0;
#pragma omp parallel num_threads(kThreads)
    {
#pragma omp for schedule(dynamic, 7) reduction(+ : sum)
        for (int i = 0; i < kLength; ++i) {
            sum += i;
        }
#pragma omp for schedule(static) reduction(+ : squares)
        for (int i = 0; i < kLength; ++i) {
            squares += (long)i * i;
        }
    }
    expect("dynamic", sum, (long)kLength * (kLength - 1) / 2);
    expect("static", squares, (long)kLength * (kLength - 1) * (2 * kLength - 1) / 6);
}

static void tasks(void) {
    long result = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    result = fibonacci(kNumber);
    expect("tasks", result, kFibonacci);
}

static void mutexes(void) {
    long locked = 0;
    long critical = 0;
    long ordered = 0;
    long singles = 0;
    long atomics = 0;
#pragma omp parallel num_threads(kThreads)
    for (int i = 0; i < 200; ++i) {
        omp_set_lock(&lock);
        ++locked;
        omp_unset_lock(&lock);
#pragma omp critical
        ++critical;
#pragma omp atomic
        ++atomics;
#pragma omp single
        ++singles;
    }
#pragma omp parallel for ordered schedule(static, 1) num_threads(kThreads)
    for (long i = 0; i < 100; ++i) {
#pragma omp ordered
        ordered = ordered * 3 % 1009 + i;
    }
    long serial = 0;
    for (long i = 0; i < 100; ++i) {
        serial = serial * 3 % 1009 + i;
    }
    expect("lock", locked, 200L * kThreads);
    expect("critical", critical, 200L * kThreads);
    expect("atomic", atomics, 200L * kThreads);
    expect("single", singles, 200);
    expect("ordered", ordered, serial);
}

static void nested(void) {
    long count = 0;
#pragma omp parallel num_threads(kThreads) reduction(+ : count)
#pragma omp parallel num_threads(kThreads) reduction(+ : count)
    count += 1;
    expect("nested", count, (long)kThreads * kThreads);
}

static void *live(void *result) {
    long sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
    for (int i = 0; i < kLength; ++i) {
        sum += i;
    }
    *(long *)result = sum;
    return NULL;
}

static void threads(void) {
    long result = 0;
    pthread_t thread;
    if (pthread_create(&thread, NULL, live, &result) != 0) {
        return;
    }
    pthread_join(thread, NULL);
    expect("a thread's", result, (long)kLength * (kLength - 1) / 2);
    ++short_threads;
}

int main(int argc, char **argv) {
    const double end = now() + (argc > 1 ? atof(argv[1]) : 1);
    omp_init_lock(&lock);
    omp_set_max_active_levels(2);
    do {
        loops();
        tasks();
        mutexes();
        nested();
        threads();
        ++rounds;
    } while (now() < end && wrong == 0);
    if (wrong == 0) {
        printf("right: %ld rounds, %ld threads\n", rounds, short_threads);
    }
    return wrong != 0;
}
