/* SPDX-License-Identifier: Apache-2.0
 * Tasks with every clause: what a program prints must not depend on who watches. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int fib(int n) {
    int a, b;
    if (n < 2) {
        return n;
    }
#pragma omp task shared(a) if (n > 5) final(n < 8) mergeable
    a = fib(n - 1);
#pragma omp task shared(b) untied priority(n)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}
struct big {
    char c[320];
};

static void recursive(void) {
    int r = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    r = fib(16);
    printf("fib %d\n", r);
}

/* firstprivate of 320 bytes with odd alignment. */
static void copies(void) {
    long sum = 0;
    struct big b;
    memset(&b, 7, sizeof b);
    _Alignas(64) struct al { double d[8]; } al;
    for (int i = 0; i < 8; i++) {
        al.d[i] = i;
    }
    struct al __attribute__((aligned(64))) al2 = al;
    int bad = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task firstprivate(b, al2, i) shared(sum, bad)
        {
            long s = 0;
            for (int k = 0; k < 320; k++) {
                s += b.c[k];
            }
            for (int k = 0; k < 8; k++) {
                s += (long)al2.d[k];
            }
            if (((unsigned long)&al2) % 64) {
#pragma omp atomic
                bad++;
            }
            b.c[0] = i;
#pragma omp atomic
            sum += s + i;
        }
    }
    printf("sum %ld bad %d\n", sum, bad);
}

static void taskloops(void) {
    struct big b;
    memset(&b, 7, sizeof b);
    long t = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskloop reduction(+ : t) grainsize(7) firstprivate(b)
        for (int i = 0; i < 1000; i++) {
            t += i + b.c[5];
        }
#pragma omp taskloop nogroup num_tasks(5) shared(t)
        for (unsigned long long i = 0; i < 100; i++) {
#pragma omp atomic
            t += i;
        }
#pragma omp taskwait
#pragma omp taskloop if (0)
        for (int i = 10; i > 0; i -= 3) {
            t += i;
        }
#pragma omp taskloop
        for (int i = 0; i < 0; i++) {
            t += 1000000;
        }
    }
    printf("taskloop %ld\n", t);
}

static void reductions(void) {
    long tr = 0;
#pragma omp parallel num_threads(4) reduction(task, + : tr)
    {
        for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : tr)
            tr += i;
        }
    }
    printf("task reduction %ld\n", tr);
    tr = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for reduction(task, + : tr)
        for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : tr) firstprivate(i)
            tr += i;
        }
#pragma omp sections reduction(task, + : tr)
        {
#pragma omp section
            {
#pragma omp task in_reduction(+ : tr)
                tr += 1;
            }
#pragma omp section
            tr += 3;
        }
#pragma omp scope reduction(task, + : tr)
        {
#pragma omp task in_reduction(+ : tr)
            tr += 1;
        }
    }
    printf("ws task reduction %ld\n", tr);
    tr = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : tr)
        {
            for (int i = 0; i < 30; i++) {
#pragma omp task in_reduction(+ : tr) firstprivate(i)
                tr += i;
            }
        }
    }
    printf("taskgroup reduction %ld\n", tr);
}

static void dependences(void) {
    int x = 0, y = 0, order[6], n = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        omp_depend_t d;
#pragma omp depobj(d) depend(inout : x)
#pragma omp task depend(out : x) shared(x)
        x = 1;
#pragma omp task depend(in : x) depend(out : y) shared(x, y)
        y = x + 1;
#pragma omp task depend(depobj : d) shared(x)
        x = 10;
#pragma omp task depend(mutexinoutset : y) shared(y)
        y += 5;
#pragma omp task depend(mutexinoutset : y) shared(y)
        y += 7;
#pragma omp taskwait depend(in : x)
        order[n++] = x;
#pragma omp task depend(inout : x, y) if (0) shared(x, y)
        x += y;
#pragma omp depobj(d) destroy
    }
    printf("depend %d %d %d\n", x, y, order[0]);
}

static void detached(void) {
    int x = 0;
    omp_event_handle_t ev;
    int done = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 20; i++) {
#pragma omp task detach(ev) depend(out : x) shared(done) firstprivate(i)
            {
                omp_event_handle_t *h = malloc(sizeof *h);
                *h = ev;
#pragma omp task firstprivate(h) shared(done)
                {
#pragma omp atomic
                    done++;
                    omp_fulfill_event(*h);
                    free(h);
                }
            }
#pragma omp task depend(in : x) shared(done)
            {
                int v;
#pragma omp atomic read
                v = done;
                if (v < i + 1) {
                    abort();
                }
            }
        }
#pragma omp task detach(ev) if (0)
        omp_fulfill_event(ev);
    }
    printf("detach %d\n", done);
}

static void serial(void) {
    int q = 0;
#pragma omp task shared(q)
    {
        q = 1;
#pragma omp task shared(q)
        q += 2;
#pragma omp taskwait
    }
#pragma omp taskloop shared(q)
    for (int i = 0; i < 5; i++) {
        q += i;
    }
    printf("serial %d\n", q);
#pragma omp parallel num_threads(1)
    {
#pragma omp task
        q++;
#pragma omp taskyield
    }
    printf("one %d\n", q);
}

int main(void) {
    recursive();
    copies();
    taskloops();
    reductions();
    dependences();
    detached();
    serial();
    return 0;
}
