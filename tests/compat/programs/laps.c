/* SPDX-License-Identifier: Apache-2.0
 *
 * laps MORE LESS COUNT [inside | pairs | regions | timers]: two threads come to so many barriers.
 * Between two of them one works for MORE and the other for LESS milliseconds of its processor time,
 * by turns. pairs: each turn is two barriers long. regions: each lap is a region of its own.
 * inside: the first thread enters a region of two threads there. timers: at the end it prints how
 * many perf events its threads have.
 */
#include <glob.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double used(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static int perf_events(void) {
    glob_t files;
    int found = 0;
    if (glob("/proc/self/task/*/fd/*", 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; ++i) {
            char to[64] = "";
            found += readlink(files.gl_pathv[i], to, sizeof to - 1) > 0 &&
                     strcmp(to, "anon_inode:[perf_event]") == 0;
        }
        globfree(&files);
    }
    return found;
}

static void work_for(double milliseconds) {
    const double end = used() + milliseconds;
    while (used() < end) {
    }
}

int main(int count, char **arguments) {
    if (count < 4) {
        return 2;
    }
    const double more = atof(arguments[1]);
    const double less = atof(arguments[2]);
    const int laps = atoi(arguments[3]);
    const char *const how = count > 4 ? arguments[4] : "";
    const int turn = strcmp(how, "pairs") == 0 ? 2 : 1;
    omp_set_max_active_levels(2);
    if (strcmp(how, "regions") == 0) {
        for (int i = 0; i < laps; ++i) {
#pragma omp parallel num_threads(2)
            work_for(i % 2 == omp_get_thread_num() ? more : less);
        }
        return 0;
    }
#pragma omp parallel num_threads(2)
    for (int i = 0; i < laps; ++i) {
        work_for(i / turn % 2 == omp_get_thread_num() ? more : less);
        if (strcmp(how, "inside") == 0 && omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
            used();
        }
#pragma omp barrier
    }
    if (strcmp(how, "timers") == 0) {
        printf("perf events %d\n", perf_events());
    }
    return 0;
}
