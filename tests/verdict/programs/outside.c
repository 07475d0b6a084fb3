/* SPDX-License-Identifier: Apache-2.0
 *
 * Time outside regions. Half of it is lost with two threads.
 */
#include "planted.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
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
    double serial = 0;
    CLOCKED(serial, prepare_input(400));
    parallel_work(400);
    truth("serial-part", "prepare_input", 0, share_of(serial / kThreads));
}

PLANTED serial_before_repaired(void) {
    puts("truth healthy");
#pragma omp parallel num_threads(kThreads)
    prepare_input(400.0 / kThreads);
    parallel_work(400);
}

PLANTED serial_between(void) {
    double serial = 0;
    parallel_work(100);
    for (int i = 0; i < 10; ++i) {
        CLOCKED(serial, prepare_input(60));
        parallel_work(20);
    }
    truth("serial-part", "prepare_input", 0, share_of(serial / kThreads));
}

/* Two callers of the same leaf: the larger is the place. */
static __attribute__((noinline)) void check_output(double milliseconds) {
    work(milliseconds);
    __asm__ volatile("# checked" ::: "memory");
}

PLANTED serial_two_callers(void) {
    double serial = 0;
    parallel_work(100);
    for (int i = 0; i < 10; ++i) {
        CLOCKED(serial, prepare_input(15));
        CLOCKED(serial, check_output(45));
        parallel_work(30);
    }
    truth("serial-part", "check_output", 0, share_of(serial / kThreads));
}

static __attribute__((noinline)) void wait_for_disk(double milliseconds) {
    rest(milliseconds);
    __asm__ volatile("# read" ::: "memory");
}

PLANTED serial_asleep(void) {
    double asleep = 0;
    parallel_work(100);
    for (int i = 0; i < 8; ++i) {
        CLOCKED(asleep, wait_for_disk(60));
        parallel_work(47.5);
    }
    truth("serial-asleep", "wait_for_disk", 0, share_of(asleep));
}

const struct Planted kOutside[] = {
    {"serial-before", serial_before},   {"serial-before-repaired", serial_before_repaired},
    {"serial-between", serial_between}, {"serial-two-callers", serial_two_callers},
    {"serial-asleep", serial_asleep},   {NULL, NULL},
};
