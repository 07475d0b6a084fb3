/* SPDX-License-Identifier: Apache-2.0
 * Cancellation of loops, of sections, of a region in several ways, and of a taskgroup
 * (OMP_CANCELLATION=true). */
#include "../truth.h"

#include <sched.h>

static meeting met;
static atomic_int is_cancelled;

/* Thread 1 takes a task at a barrier; the others of its group have not begun when it is cancelled,
 * and both threads come to throw them away. */
static void cancel_tasks(void) {
    say("WORK");
    gather(&met, 2);
    if (omp_get_thread_num() == 0) {
        atomic_store(&is_cancelled, 0);
#pragma omp taskgroup
        {
            for (int i = 0; i < 6; ++i) {
#pragma omp task
                {
                    say("WORK");
                    stay(1);
                    say("any BEGIN_" EBAR "? END_" EBAR "?");
                    atomic_store(&is_cancelled, 1);
#pragma omp cancel taskgroup
                }
            }
            wait_until_run(&is_cancelled);
            say("any");
        }
        say("WORK");
        stay(1);
        say("any BEGIN_" EBAR " END_" EBAR);
    } else {
        say("any BEGIN_" EBAR " END_" EBAR);
    }
#pragma omp barrier
    say("WORK");
    stay(1);
    say_region_ends();
}

/* Tasks that nobody has begun when their region is cancelled: libomp throws them away, libgomp runs
 * them at the region's end. */
static void make_tasks(void) {
    for (int i = 0; i < 4; ++i) {
#pragma omp task
        {
            say("WORK");
            stay(0.1);
            say("any *");
        }
    }
}

static void cancel_sections(void) {
#pragma omp sections
    {
#pragma omp section
        {
            gather(&met, 2);
            stay(1);
            say("any BEGIN_IBAR END_IBAR");
#pragma omp cancel sections
            abort();
        }
#pragma omp section
        {
            gather(&met, 2);
            stay(1);
            say("any BEGIN_IBAR END_IBAR");
#pragma omp cancel sections
            abort();
        }
    }
}

static void team_cancels_tasks(int round) {
    (void)round;
#pragma omp parallel num_threads(2)
    cancel_tasks();
}

static void team_cancels_sections(int round) {
    (void)round;
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        cancel_sections();
        say("WORK");
        stay(1);
        say_region_ends();
    }
}

static void cancel_region_in_barrier(int round) {
#pragma omp parallel num_threads(2)
    {
        const int cancels = omp_get_thread_num() == round;
        say("WORK");
        gather(&met, 2);
        if (cancels) {
            stay(1.5);
            say(round == 0 ? "any BEGIN_IBAR END_IBAR JOIN *" : "any *");
#pragma omp cancel parallel
            abort();
        }
        /* It waits for the one that does not come. */
        say(AT_EXPLICIT_BARRIER " *");
#pragma omp barrier
    }
}

static void cancel_region_at_point(int round) {
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        gather(&met, 2);
        if (omp_get_thread_num() == round) {
            say(round == 0 ? MASTER_ENDS " *" : WORKER_ENDS " *");
#pragma omp cancel parallel
            abort();
        }
        stay(2);
        say(round == 0 ? WORKER_ENDS " *" : MASTER_ENDS " *");
        for (;;) { /* the other thread may lose its processor before it cancels */
#pragma omp cancellation point parallel
            sched_yield();
        }
    }
}

static void cancel_region_with_tasks(int round) {
#pragma omp parallel num_threads(2)
    {
        const int cancels = omp_get_thread_num() == round;
        say("WORK");
        gather(&met, 2);
        if (cancels) {
            make_tasks();
            say(ON_LIBGOMP ? "any *" : round == 0 ? MASTER_ENDS " *" : WORKER_ENDS " *");
#pragma omp cancel parallel
            abort();
        }
        /* The other waits for this one. */
        stay(2);
        say("any *");
#pragma omp barrier
    }
}

static void cancel_region(int round) {
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        /* Master and worker wait for each other in turn. */
        stay(omp_get_thread_num() == round ? 2 : 1);
        /* The runtime runs barriers of its own to bring the team together. */
        say(omp_get_thread_num() == 0 ? MASTER_ENDS " *" : WORKER_ENDS " *");
#pragma omp cancel parallel
        abort();
    }
}

static void cancel_loop(int round) {
    (void)round;
#pragma omp parallel num_threads(2)
    {
        say("WORK");
#pragma omp for
        for (int i = 0; i < 100; ++i) {
            stay(1);
            say("any BEGIN_IBAR END_IBAR");
#pragma omp cancel for
            abort();
        }
        say("WORK");
        stay(1);
        say_region_ends();
    }
}

static const struct {
    const char *name;
    void (*run)(int round);
} kKinds[] = {
    {"tasks", team_cancels_tasks},
    {"sections", team_cancels_sections},
    {"region_in_barrier", cancel_region_in_barrier},
    {"region_at_point", cancel_region_at_point},
    {"region_tasks", cancel_region_with_tasks},
    {"region", cancel_region},
};

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    void (*run)(int round) = cancel_loop;
    for (size_t i = 0; i < sizeof kKinds / sizeof kKinds[0]; ++i) {
        if (strcmp(kind, kKinds[i].name) == 0) {
            run = kKinds[i].run;
        }
    }
    if (!omp_get_cancellation()) {
        abort();
    }
    say("SERIAL");
    stay(0.5);
    /* Behind cancelled sections libomp runs no more sections of gcc's. */
    const int rounds = strcmp(kind, "sections") == 0 ? 1 : 2;
    for (int round = 0; round < rounds; ++round) {
        say(FORKS);
        run(round);
        say("SERIAL");
        stay(1);
    }
    say_program_ends();
    return 0;
}
