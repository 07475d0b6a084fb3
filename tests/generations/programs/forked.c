/* SPDX-License-Identifier: Apache-2.0
 *
 * forked - a region, then a forked child that has regions of its own and checks what it is told.
 */
#include "marks.h"

#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>

#include "omp_collector_client.h"

extern int __omp_collector_api(void *) __attribute__((weak));

/* STATE, or -1. */
static int state(void) {
    const omp_collector_thread_answer answer = omp_collector_ask_thread(__omp_collector_api);
    return answer.state_error == OMP_ERRCODE_OK ? answer.state : -1;
}

/* In a region of two all are at work, before and after it is serial code. */
static int region(void) {
    int wrong = state() != THR_SERIAL_STATE;
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : wrong, threads)
    {
        threads += 1;
        wrong += state() != THR_WORK_STATE;
    }
    return wrong + (state() != THR_SERIAL_STATE) + (threads != 2);
}

int main(void) {
    printf("before %d\n", region());
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        _exit(region() + region());
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    printf("after %d\n", region());
    return 0;
}
