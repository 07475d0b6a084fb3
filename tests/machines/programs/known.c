/* SPDX-License-Identifier: Apache-2.0
 *
 * known: serial code, and a region behind two calls whose threads are in two functions for three
 * parts and one part of its time. Prints the shares of the initial thread's time, by the clock: of
 * serial code, of heavy() and of light(), in percent.
 */
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Adds the time that it took, as another program may have had the processor at its end. */
static void pass(double seconds, double *sum) {
    const double begin = now();
    double end = begin;
    while (end < begin + seconds) {
        end = now();
    }
    *sum += end - begin;
}

static double in_serial, in_heavy, in_light;
static _Thread_local double of_others;

__attribute__((noinline)) static void heavy(double *sum) {
    pass(0.03, sum);
    __asm__ volatile("");
}

__attribute__((noinline)) static void light(double *sum) {
    pass(0.01, sum);
    __asm__ volatile("");
}

__attribute__((noinline)) static void inner(void) {
#pragma omp parallel num_threads(2)
    {
        int is_master = 0;
#pragma omp master
        is_master = 1;
        heavy(is_master ? &in_heavy : &of_others);
        light(is_master ? &in_light : &of_others);
    }
    __asm__ volatile("");
}

__attribute__((noinline)) static void outer(void) {
    inner();
    __asm__ volatile("");
}

int main(void) {
    const double begin = now();
    for (int round = 0; round < 60; ++round) {
        pass(0.02, &in_serial);
        outer();
    }
    const double all = (now() - begin) / 100;
    printf("serial %.1f heavy %.1f light %.1f\n", in_serial / all, in_heavy / all, in_light / all);
    return 0;
}
