/* SPDX-License-Identifier: Apache-2.0
 * taskloop, and reductions with the task modifier: entries of gcc's with many arguments. */
#include "../truth.h"

static meeting met;
static atomic_int taken;

/* Thread 0 makes two tasks; each thread has one, thread 1 in the barrier. */
static void run_iteration(void) {
    say("WORK");
    atomic_fetch_add(&taken, 1);
    while (atomic_load(&taken) % 2 != 0) {
        stay(0.01);
    }
    stay(1);
    say("any *");
}

static void loop_of_tasks(int is_ull) {
    volatile int first = 0, last = 2;
    say("WORK");
    gather(&met, 2);
    if (omp_get_thread_num() == 1) {
        say("any *");
    } else if (is_ull) {
        say("any *");
#pragma omp taskloop num_tasks(2)
        for (unsigned long long i = (unsigned long long)first; i < (unsigned long long)last; ++i) {
            run_iteration();
        }
    } else {
        say("any *");
#pragma omp taskloop num_tasks(2)
        for (int i = first; i < last; ++i) {
            run_iteration();
        }
    }
#pragma omp barrier
    say("WORK");
    stay(1);
    say_region_ends();
}

/* The tasks of a loop take part in its reduction. */
static void reduce(int *sum) {
#pragma omp parallel num_threads(2) reduction(task, + : sum [0:1])
    {
        say("WORK");
        gather(&met, 2);
        stay(1);
        sum[0] += 1;
        say(omp_get_thread_num() == 0 ? "any BEGIN_IBAR END_IBAR JOIN *" : "any *");
    }
    say("SERIAL");
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        say("any");
#pragma omp for reduction(task, + : sum [0:1]) schedule(dynamic)
        for (int i = 0; i < 2; ++i) {
            gather(&met, 2);
            say("WORK");
            stay(1);
#pragma omp task in_reduction(+ : sum [0:1]) if (0)
            {
                say("WORK");
                stay(0.5);
                sum[0] += 1;
            }
            say("any *");
        }
        say("WORK");
        gather(&met, 2);
        stay(0.5);
        say(omp_get_thread_num() == 0 ? MASTER_ENDS : WORKER_ENDS);
    }
    if (sum[0] != 4) {
        abort();
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    use_openmp_once();
    say(FORKS);
    if (strcmp(kind, "reduction") == 0) {
        int sum[1] = {0};
        reduce(sum);
    } else {
        const int is_ull = strcmp(kind, "ull") == 0;
#pragma omp parallel num_threads(2)
        loop_of_tasks(is_ull);
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
