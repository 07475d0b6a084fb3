/* SPDX-License-Identifier: Apache-2.0
 *
 * rates MS [filtered]: threads of a region work for so much of their processor time each. Filtered:
 * behind a filter of system calls that permits all of them, in a program that it begins anew.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static double used(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static int begin_filtered(char *program, char *milliseconds) {
    struct sock_filter permit = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = {1, &permit};
    char *const arguments[] = {program, milliseconds, NULL};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
        perror("filter");
        return 1;
    }
    execv(program, arguments);
    return 1;
}

int main(int count, char **arguments) {
    if (count > 2) {
        return begin_filtered(arguments[0], arguments[1]);
    }
    const double end = count > 1 ? atof(arguments[1]) : 0;
    double all = 0;
#pragma omp parallel num_threads(3) reduction(+ : all)
    {
        const double begin = used();
        volatile double sum = 0;
        while (used() - begin < end) {
            for (int i = 0; i < 100000; ++i) {
                sum = sum + i;
            }
        }
        all += used() - begin;
    }
    fprintf(stderr, "used %.3f\n", all);
    return 0;
}
