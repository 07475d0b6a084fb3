/* SPDX-License-Identifier: Apache-2.0
 * single, with and without copyprivate and nowait: the executor and the others; master. */
#include "../truth.h"

static meeting met;
static atomic_int single_is_taken;

/* The other thread comes when the executor is inside. */
static void be_second(int thread) {
    if (thread == 0) {
        return;
    }
    while (!atomic_load(&single_is_taken)) {
        stay(0.01);
    }
}

static void single(int thread) {
    be_second(thread);
    say(thread == 0 ? "WORK BEGIN_SINGLE" : AT_IMPLICIT_BARRIER);
#pragma omp single
    {
        atomic_store(&single_is_taken, 1);
        say("WORK");
        stay(3);
        say("any END_SINGLE BEGIN_IBAR END_IBAR");
    }
}

static void single_nowait(int thread) {
    be_second(thread);
    /* gcc's single reports no end: the next barrier closes it, here the region's. */
    say(thread == 0 ? "WORK BEGIN_SINGLE" : "WORK");
#pragma omp single nowait
    {
        atomic_store(&single_is_taken, 1);
        say("WORK");
        stay(3);
#ifdef __clang__
        say("any END_SINGLE");
#endif
    }
#ifndef __clang__
    say("WORK");
    stay(1);
    say(thread == 0 ? "IBAR END_SINGLE BEGIN_IBAR END_IBAR JOIN" : WORKER_ENDS);
#endif
}

static void single_copyprivate(int thread) {
    int value = 0;
    be_second(thread);
    if (SINGLE_IS_REPORTED) {
        say(thread == 0 ? "WORK BEGIN_SINGLE" : "IBAR BEGIN_IBAR END_IBAR BEGIN_IBAR END_IBAR");
    } else {
        say(thread == 0 ? "WORK" : "IBAR BEGIN_IBAR END_IBAR BEGIN_IBAR END_IBAR *");
    }
#pragma omp single copyprivate(value)
    {
        atomic_store(&single_is_taken, 1);
        value = 1;
        say("WORK");
        stay(3);
        if (SINGLE_IS_REPORTED) {
            say("any END_SINGLE BEGIN_IBAR END_IBAR BEGIN_IBAR END_IBAR");
        } else {
            say("any BEGIN_IBAR END_IBAR BEGIN_IBAR END_IBAR *");
        }
    }
    if (value != 1) {
        abort();
    }
}

static void masked(int thread) {
    (void)thread;
#ifdef __clang__
    say(thread == 0 ? "WORK BEGIN_MASTER" : "WORK");
#endif
#pragma omp masked
    {
        say("WORK");
        stay(2);
#ifdef __clang__
        say("WORK END_MASTER");
#endif
    }
}

static void master(int thread) {
    (void)thread;
#ifdef __clang__
    say(thread == 0 ? "WORK BEGIN_MASTER" : "WORK");
#endif
#pragma omp master
    {
        say("WORK");
        stay(2);
#ifdef __clang__
        say("WORK END_MASTER");
#endif
    }
}

static const struct {
    const char *name;
    void (*construct)(int thread);
} kKinds[] = {
    {"single", single}, {"nowait", single_nowait}, {"copyprivate", single_copyprivate},
    {"masked", masked}, {"master", master},
};

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        say("WORK");
        gather(&met, 2);
        for (size_t i = 0; i < sizeof kKinds / sizeof kKinds[0]; ++i) {
            if (strcmp(kind, kKinds[i].name) == 0) {
                kKinds[i].construct(thread);
            }
        }
#ifndef __clang__
        if (strcmp(kind, "nowait") != 0)
#endif
        {
            say("WORK");
            stay(1);
            say_region_ends();
        }
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
