/* SPDX-License-Identifier: Apache-2.0
 * Target constructs that the host executes. gcc calls functions for them that libomp does not have.
 */
#include "../truth.h"

static meeting met;
static atomic_int is_done;
static int value;

/* At once, on the thread that meets the construct: its own code, in which it forks a region. */
static void target_at_once(void) {
    say("SERIAL");
    stay(1);
#pragma omp target map(tofrom : value)
    {
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
        value = 1;
    }
    say("SERIAL");
    stay(1);
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("WORK");
        if (omp_get_thread_num() == 0) {
#pragma omp target map(tofrom : value)
            {
                say("WORK");
                stay(1);
                value += 1;
            }
        }
        say("WORK");
        gather(&met, 2);
        say_region_ends();
    }
    say("SERIAL");
}

/* A league of one, and its region. */
static void target_with_league(void) {
    int total = 0;
    say(FORKS);
#pragma omp target teams distribute parallel for num_teams(1) thread_limit(2) num_threads(2)       \
    map(tofrom : total) reduction(+ : total)
    for (int i = 0; i < 2; ++i) {
        say("WORK");
        stay(1);
        total += 1;
        say("any *");
    }
    value = total;
    say("SERIAL");
    stay(1);
}

static void body(void) {
    stay(2);
    value += 1;
    atomic_store(&is_done, 1);
    say("any *");
}

/* A task: libomp has threads of its own for it, libgomp runs it in the wait for tasks. */
static void target_task_in_serial_code(void) {
#pragma omp target nowait map(tofrom : value)
    {
        say("SERIAL");
        body();
    }
    say("SERIAL");
    stay(0.5);
    say(ON_LIBGOMP ? "any" : "OVHD");
#pragma omp taskwait
    say("SERIAL");
    stay(1);
}

static void target_task_in_region(void) {
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            /* The runtime makes its threads: with the front, overhead. */
            say("any");
#pragma omp target nowait map(tofrom : value)
            {
                say("WORK @");
                body();
            }
            say("WORK");
            stay(0.5);
            say(ON_LIBGOMP ? "any" : "OVHD");
#pragma omp taskwait
        } else {
            say("WORK");
            while (!atomic_load(&is_done)) {
                stay(0.01);
            }
        }
        say("WORK");
        gather(&met, 2);
        say(omp_get_thread_num() == 0 ? MASTER_ENDS : "any *");
    }
    say("SERIAL");
    stay(1);
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    use_openmp_once();
    if (strcmp(kind, "at_once") == 0) {
        target_at_once();
    } else if (strcmp(kind, "league") == 0) {
        target_with_league();
    } else if (strcmp(kind, "serial_task") == 0) {
        target_task_in_serial_code();
    } else {
        target_task_in_region();
    }
    say_program_ends();
    return value == 0 ? 1 : 0;
}
