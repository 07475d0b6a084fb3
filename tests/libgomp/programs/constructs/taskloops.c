/* SPDX-License-Identifier: Apache-2.0
 * taskloops - in serial code, in a team of one and of three: few and very many tasks, each clause,
 * no iteration, cancelled. Prints what each has computed. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { kMany = 100000, kFew = 20 };

static long sum, first, last;

static void add(long i) {
#pragma omp atomic
    sum += i;
}

static void tell(const char *what) {
    printf("%s %ld\n", what, sum);
    sum = 0;
}

static void all_clauses(void) {
    long reduced = 0, private_one = 7;
    int big[200];
    memset(big, 1, sizeof big);
#pragma omp taskloop grainsize(1)
    for (long i = 0; i < kMany; ++i) {
        add(i);
    }
    tell("grainsize 1");
#pragma omp taskloop num_tasks(kMany) if (0)
    for (long i = 0; i < kMany; ++i) {
        add(i);
    }
    tell("if(0)");
#pragma omp taskloop firstprivate(private_one, big) lastprivate(last) collapse(2)
    for (long i = 0; i < kFew; ++i) {
        for (long j = 0; j < kFew; ++j) {
            add(i * j + private_one + big[i]);
            private_one = 7;
            big[i] = 0x01010101;
            last = i + j;
        }
    }
    add(last);
    tell("firstprivate");
#pragma omp taskloop reduction(+ : reduced) num_tasks(5)
    for (long i = 0; i < kFew; ++i) {
        reduced += i;
    }
    add(reduced);
    tell("reduction");
#pragma omp taskloop reduction(+ : reduced)
    for (long i = kFew; i < first; ++i) {
        reduced += i;
    }
    add(reduced);
    tell("no iteration");
#pragma omp taskgroup task_reduction(+ : reduced)
    {
#pragma omp taskloop in_reduction(+ : reduced) grainsize(3) nogroup
        for (unsigned long long i = kFew; i > 0; --i) {
            reduced += (long)i;
        }
    }
    add(reduced);
    tell("downward");
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup untied mergeable priority(1) grainsize(strict : 6)
        for (long i = 0; i < kFew; i += 2) {
            add(i);
        }
#pragma omp taskloop nogroup final(1) num_tasks(4)
        for (long i = 0; i < kFew; ++i) {
#pragma omp task
            add(i);
        }
    }
    tell("nogroup");
}

/* In a team of one, a queue's first task cancels those behind it. Nothing else runs. */
static void cancelled(void) {
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
    for (int i = 0; i < kFew; ++i) {
#pragma omp task
        {
            add(1);
#pragma omp cancel taskgroup
            add(100);
        }
    }
    tell("tasks behind a cancel");
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
    {
#pragma omp taskloop nogroup grainsize(1)
        for (long i = 0; i < kFew; ++i) {
            add(1);
#pragma omp cancel taskgroup
            add(100);
        }
    }
    tell("of a taskloop");
#pragma omp parallel num_threads(1)
#pragma omp taskgroup
    {
#pragma omp task if (0)
        {
#pragma omp cancel taskgroup
        }
        for (int i = 0; i < kMany; ++i) {
#pragma omp task
            add(1);
        }
    }
    tell("tasks that are never made");
}

int main(void) {
    all_clauses();
#pragma omp parallel num_threads(1)
    all_clauses();
    cancelled(); /* before there are workers: libgomp 12 may give one of an ended team a task */
#pragma omp parallel num_threads(3)
#pragma omp single
    all_clauses();
}
