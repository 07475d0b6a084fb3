/* SPDX-License-Identifier: Apache-2.0
 *
 * A rank of an MPI job, without MPI: serial code that mostly sleeps, as in a message's wait, and
 * parallel regions by turns. A thread that never uses OpenMP runs beside it. Prints the seconds
 * that the master was outside of regions and inside, by the clock, behind the number of its rank.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* How long the process has been there: on a busy machine it takes a while to get to main(). */
static double age(void) {
    char text[1024];
    FILE *stat = fopen("/proc/self/stat", "r");
    const size_t length = stat ? fread(text, 1, sizeof text - 1, stat) : 0;
    if (stat) {
        fclose(stat);
    }
    text[length] = 0;
    const char *at = strrchr(text, ')'); /* behind it comes the third field */
    for (int field = 2; at && field < 22; ++field) {
        at = strchr(at + 1, ' ');
    }
    struct timespec since_boot;
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    const double ticks = at ? atof(at) : 0;
    return (double)since_boot.tv_sec + (double)since_boot.tv_nsec * 1e-9 -
           ticks / (double)sysconf(_SC_CLK_TCK);
}

static void compute(double seconds) {
    const double end = now() + seconds;
    while (now() < end) {
    }
}

/* Mostly asleep: how long a thread waits for a busy processor is nobody's to foresee. */
static void pass(long milliseconds) {
    const struct timespec wait = {0, milliseconds * 1000 * 1000};
    compute(0.003);
    nanosleep(&wait, NULL);
}

static void *progress(void *unused) {
    for (;;) {
        pass(10);
    }
    return unused;
}

static __attribute__((noinline)) void region(void) {
#pragma omp parallel num_threads(2)
    pass(150);
}

int main(void) {
    double begin = now() - age();
    double serial = 0;
    double parallel = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, progress, NULL);
    for (int i = 0; i < 10; ++i) {
        pass(100);
        const double fork = now();
        region();
        const double join = now();
        serial += fork - begin;
        parallel += join - fork;
        begin = join;
    }
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    printf("%s %.3f %.3f\n", rank ? rank : "0", serial, parallel);
    return 0;
}
