/* SPDX-License-Identifier: Apache-2.0
 *
 * forked - a region, then a forked child that has regions of its own and checks what it is told.
 */
#include "marks.h"

#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>

#include "omp_collector_api.h"

extern int __omp_collector_api(void *) __attribute__((weak));

/* STATE, or -1. */
static int state(void) {
    struct {
        int size, request, error, room;
        char answer[16];
        int end;
    } list = {32, OMP_REQ_STATE, 0, 0, {0}, 0};
    if (!__omp_collector_api || __omp_collector_api(&list) != 0 || list.error != OMP_ERRCODE_OK)
        return -1;
    int value;
    __builtin_memcpy(&value, list.answer, sizeof value);
    return value;
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
    if (child == 0)
        _exit(region() + region());
    int status = -1;
    waitpid(child, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    printf("after %d\n", region());
    return 0;
}
