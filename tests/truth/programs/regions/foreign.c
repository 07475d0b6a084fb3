/* SPDX-License-Identifier: Apache-2.0
 * A pthread that the program made, with a region of its own and without OpenMP. */
#include "../truth.h"

#include <pthread.h>

static void *with_openmp(void *unused) {
    (void)unused;
    say("SERIAL");
    stay(1);
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(1);
    return NULL;
}

static void *without_openmp(void *unused) {
    (void)unused;
    say("SERIAL");
    stay(2);
    return NULL;
}

int main(int argc, char **argv) {
    const int uses_openmp = argc > 1 && strcmp(argv[1], "openmp") == 0;
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        stay(0.5);
        say_region_ends();
    }
    say("SERIAL");
    pthread_t thread;
    if (pthread_create(&thread, NULL, uses_openmp ? with_openmp : without_openmp, NULL) != 0) {
        abort();
    }
    stay(1);
    pthread_join(thread, NULL);
    say("SERIAL");
    say_program_ends();
    return 0;
}
