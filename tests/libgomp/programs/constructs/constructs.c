/* SPDX-License-Identifier: Apache-2.0
 * Loops of every schedule, ordered, doacross, sections, single, mutexes, nested regions, teams, a
 * pause, forks: what a program prints must not depend on who watches. */
#include <errno.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int tp;
#pragma omp threadprivate(tp)

static long loops_of_a_team(void) {
    long s = 0;
#pragma omp parallel num_threads(4) reduction(+ : s)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 50; i++) {
            s += i;
        }
#pragma omp for schedule(dynamic, 2)
        for (long long i = 100; i > 0; i -= 7) {
            s += i;
        }
#pragma omp for schedule(guided)
        for (unsigned long long i = 0; i < 77; i += 3) {
            s += i;
        }
#pragma omp for schedule(runtime) collapse(2)
        for (int i = 0; i < 7; i++) {
            for (int j = 0; j < 9; j++) {
                s += i * j;
            }
        }
#pragma omp for schedule(nonmonotonic : dynamic)
        for (int i = 0; i < 30; i++) {
            s += 1;
        }
#pragma omp for schedule(monotonic : dynamic) nowait
        for (int i = 0; i < 30; i++) {
            s += 1;
        }
    }
    return s;
}

static void loops(void) {
    long s = 0;
    double ld = 0;
    long double q = 0;
    int mx = 0;
    for (int sched = 0; sched < 5; sched++) {
        omp_set_schedule(sched == 0   ? omp_sched_static
                         : sched == 1 ? omp_sched_dynamic
                         : sched == 2 ? omp_sched_guided
                                      : omp_sched_auto,
                         3);
#pragma omp parallel for schedule(runtime) reduction(+ : s) num_threads(4)
        for (int i = 0; i < 100; i++) {
            s += i;
        }
        s += loops_of_a_team();
#pragma omp parallel for schedule(dynamic, 4) reduction(max : mx) num_threads(3)
        for (int i = 0; i < 100; i++) {
            if ((i * 37) % 101 > mx) {
                mx = (i * 37) % 101;
            }
        }
#pragma omp parallel for schedule(guided, 4) reduction(+ : q) num_threads(3)
        for (int i = 0; i < 100; i++) {
            q += i;
        }
#pragma omp parallel for schedule(nonmonotonic : guided, 4) reduction(+ : ld) num_threads(3)
        for (int i = 0; i < 100; i++) {
            ld += i;
        }
    }
    printf("loops %ld %d %.0Lf %.0f\n", s, mx, q, ld);
}

static void ordered(void) {
    int ord[40], n = 0;
#pragma omp parallel for ordered schedule(dynamic) num_threads(4)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered
        ord[n++] = i;
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp for ordered schedule(static, 2)
        for (int i = 0; i < 20; i++) {
#pragma omp ordered
            ord[n++] = i;
        }
    }
    for (int i = 0; i < 40; i++) {
        if (ord[i] != i % 20) {
            abort();
        }
    }
}

static void doacross(void) {
    int a[50][10];
    for (int i = 0; i < 50; i++) {
        for (int j = 0; j < 10; j++) {
            a[i][j] = 1;
        }
    }
#pragma omp parallel for ordered(2) num_threads(4) schedule(dynamic)
    for (int i = 1; i < 50; i++) {
        for (int j = 1; j < 10; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            a[i][j] = (a[i - 1][j] + a[i][j - 1]) % 1000;
#pragma omp ordered depend(source)
        }
    }
#pragma omp parallel for ordered(1) num_threads(4)
    for (unsigned long long i = 1; i < 50; i++) {
#pragma omp ordered depend(sink : i - 1)
        a[i][0] = a[i - 1][0] + 1;
#pragma omp ordered depend(source)
    }
    printf("doacross %d %d\n", a[49][9], a[49][0]);
}

static void sections(void) {
    int sec[4] = {0}, n = 0;
#pragma omp parallel sections num_threads(3)
    {
#pragma omp section
        sec[0] = 1;
#pragma omp section
        sec[1] = 2;
#pragma omp section
        sec[2] = 3;
    }
#pragma omp parallel num_threads(3)
    {
#pragma omp sections nowait
        {
#pragma omp section
            sec[3] += 1;
        }
#pragma omp sections lastprivate(n)
        {
#pragma omp section
            n = 1;
#pragma omp section
            n = 5;
        }
    }
    printf("sections %d %d\n", sec[0] + sec[1] + sec[2] + sec[3], n);
}

static void single(void) {
    int cp = 0, err = 0;
    int arr[3];
#pragma omp parallel num_threads(4) private(cp, arr) reduction(+ : err)
    for (int k = 0; k < 200; k++) {
#pragma omp single copyprivate(cp, arr)
        {
            cp = k * 3;
            arr[1] = k;
        }
        if (cp != k * 3 || arr[1] != k) {
            err++;
        }
#pragma omp single nowait
        tp = k;
#pragma omp single
        cp = 1;
#pragma omp masked
        cp = 2;
    }
#pragma omp single copyprivate(cp)
    cp = 9;
    printf("single %d %d\n", err, cp);
}

static void mutexes(void) {
    long c = 0;
    struct {
        long x[4];
    } w = {{0}};
    long double at = 0;
    omp_lock_t l;
    omp_nest_lock_t nl;
    omp_init_lock(&l);
    omp_init_nest_lock(&nl);
    int tn = 0, tl = 0;
#pragma omp parallel num_threads(4) reduction(+ : tn, tl)
    for (int i = 0; i < 100; i++) {
#pragma omp critical
        c++;
#pragma omp critical(named)
        w.x[0]++;
#pragma omp atomic
        at += 1;
        omp_set_lock(&l);
        if (omp_test_lock(&l)) {
            abort();
        }
        w.x[3]++;
        omp_unset_lock(&l);
        omp_set_nest_lock(&nl);
        if (omp_test_nest_lock(&nl) != 2) {
            abort();
        }
        omp_set_nest_lock(&nl);
        omp_unset_nest_lock(&nl);
        omp_unset_nest_lock(&nl);
        w.x[1]++;
        omp_unset_nest_lock(&nl);
        if (omp_test_lock(&l)) {
            tl++;
            w.x[2]++;
            omp_unset_lock(&l);
        }
    }
    omp_destroy_lock(&l);
    omp_destroy_nest_lock(&nl);
    printf("mutexes %ld %ld %ld %.0Lf %d\n", c + w.x[3], w.x[0], w.x[1], at, tl == w.x[2]);
}

static void nested(void) {
    omp_set_max_active_levels(3);
    long nn = 0;
#pragma omp parallel num_threads(2) reduction(+ : nn)
    {
#pragma omp parallel num_threads(3) reduction(+ : nn)
        {
            nn += omp_get_level() * 100 + omp_get_team_size(2) + omp_get_ancestor_thread_num(1);
#pragma omp parallel if (0) reduction(+ : nn)
            nn += omp_get_num_threads();
        }
    }
    printf("nested %ld\n", nn);
}

static void leagues(void) {
    int tm = 0;
#pragma omp teams num_teams(3) thread_limit(4) reduction(+ : tm)
    {
#pragma omp parallel num_threads(2) reduction(+ : tm)
        tm += omp_get_team_num() + 1;
    }
#pragma omp teams distribute parallel for reduction(+ : tm)
    for (int i = 0; i < 40; i++) {
        tm += i;
    }
    printf("teams %d\n", tm);
}

static void pauses_and_forks(void) {
    int e = 0;
    printf("pause %d\n", omp_pause_resource_all(omp_pause_soft));
#pragma omp parallel num_threads(4) reduction(+ : e)
    e += 1;
    printf("after %d\n", e);
    fflush(stdout);
    omp_pause_resource_all(omp_pause_hard);
    for (int k = 0; k < 5; k++) {
        pid_t p = fork();
        if (p == 0) {
            int z = 0;
#pragma omp parallel num_threads(3) reduction(+ : z)
            z++;
            _exit(z == 3 ? 0 : 1);
        }
        int st;
        waitpid(p, &st, 0);
        if (st) {
            printf("fork %d\n", st);
        }
    }
#pragma omp parallel num_threads(4) reduction(+ : e)
    e += 1;
    printf("end %d\n", e);
}

static void errno_and_copyin(void) {
    errno = 5;
    tp = 3;
    int e = 0;
#pragma omp parallel num_threads(4) copyin(tp) reduction(+ : e)
    e += tp;
#pragma omp barrier
    printf("errno %d copyin %d\n", errno, e);
}

int main(void) {
    loops();
    ordered();
    doacross();
    sections();
    single();
    mutexes();
    nested();
    leagues();
    pauses_and_forks();
    errno_and_copyin();
    return 0;
}
