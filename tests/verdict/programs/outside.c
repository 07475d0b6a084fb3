/* SPDX-License-Identifier: Apache-2.0
 *
 * Time outside regions. Half of it is lost with two threads.
 */
#include "planted.h"

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

static __attribute__((noinline)) void parallel_work(double milliseconds) {
#pragma omp parallel num_threads(kThreads)
    work(milliseconds);
}

/* The work itself is done in a function that everybody calls. */
static __attribute__((noinline)) void prepare_input(double milliseconds) {
    work(milliseconds);
    __asm__ volatile("" ::: "memory");
}

PLANTED serial_before(void) {
    truth("serial-part", "prepare_input", 0, 25);
    prepare_input(400);
    parallel_work(400);
}

PLANTED serial_between(void) {
    truth("serial-part", "prepare_input", 0, 33.3);
    parallel_work(100);
    for (int i = 0; i < 10; ++i) {
        prepare_input(60);
        parallel_work(20);
    }
}

/* Two callers of the same leaf: the larger is the place. */
static __attribute__((noinline)) void check_output(double milliseconds) {
    work(milliseconds);
    __asm__ volatile("# checked" ::: "memory");
}

PLANTED serial_two_callers(void) {
    truth("serial-part", "check_output", 0, 30);
    parallel_work(100);
    for (int i = 0; i < 10; ++i) {
        prepare_input(15);
        check_output(45);
        parallel_work(30);
    }
}

static __attribute__((noinline)) void wait_for_disk(double milliseconds) {
    rest(milliseconds);
    __asm__ volatile("# read" ::: "memory");
}

PLANTED serial_asleep(void) {
    truth("serial-asleep", "wait_for_disk", 0, 50);
    parallel_work(100);
    for (int i = 0; i < 8; ++i) {
        wait_for_disk(60);
        parallel_work(47.5);
    }
}

const struct Planted kOutside[] = {
    {"serial-before", serial_before},
    {"serial-between", serial_between},
    {"serial-two-callers", serial_two_callers},
    {"serial-asleep", serial_asleep},
    {NULL, NULL},
};
