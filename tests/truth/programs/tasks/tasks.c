/* SPDX-License-Identifier: Apache-2.0
 * taskwait, taskgroup and dependences, waited for while another thread runs the task; tasks run
 * inside a barrier and at the region's end. */
#include "../truth.h"

static meeting met;
static atomic_int task_is_taken;

static void task_body(void) {
    atomic_store(&task_is_taken, 1);
    say("WORK");
    stay(3);
}

/* Thread 1 comes to the region's end first and runs there what thread 0 has created. When it counts
 * as idle around that is each runtime's own matter; while it runs the task it works. */
static void run_task_at_end(int thread) {
    if (thread == 1) {
        say("any *");
        return;
    }
    stay(1);
#pragma omp task
    {
        task_body();
        say("any *");
    }
    wait_until_run(&task_is_taken);
    say("WORK");
    stay(4);
    say("any *");
}

/* Thread 0 waits for a task of which only the dependence says so. */
static void wait_for_dependence(int is_taskwait) {
    int value = 0;
#pragma omp task depend(out : value) shared(value)
    {
        task_body();
        value = 1;
        say("any BEGIN_" EBAR " END_" EBAR);
    }
    wait_until_run(&task_is_taken);
    say("OVHD");
    if (is_taskwait) {
#pragma omp taskwait depend(in : value)
    } else {
#pragma omp task if (0) depend(in : value) shared(value)
        {
            say("WORK");
            stay(1);
        }
    }
    if (value != 1) {
        abort();
    }
}

static void run_in_barrier(int thread) {
    if (thread == 0) {
#pragma omp task
        {
            task_body();
            say(EBAR " BEGIN_" EBAR " END_" EBAR);
        }
        wait_until_run(&task_is_taken);
        stay(5);
    }
    say(thread == 0 ? AT_EXPLICIT_BARRIER : "any BEGIN_" EBAR " END_" EBAR);
#pragma omp barrier
}

static void wait_for_task(const char *kind) {
    if (strcmp(kind, "taskwait") == 0) {
#pragma omp task
        {
            task_body();
            say("any BEGIN_" EBAR " END_" EBAR);
        }
        wait_until_run(&task_is_taken);
        say("OVHD");
#pragma omp taskwait
    } else if (strncmp(kind, "depend", 6) == 0) {
        wait_for_dependence(strcmp(kind, "depend_taskwait") == 0);
    } else {
#pragma omp taskgroup
        {
#pragma omp task
            {
                task_body();
                say("any BEGIN_" EBAR " END_" EBAR);
            }
            wait_until_run(&task_is_taken);
            say("OVHD");
        }
    }
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "last") == 0) {
        say(FORKS);
#pragma omp parallel num_threads(2)
        {
            say("WORK");
            gather(&met, 2);
            run_task_at_end(omp_get_thread_num());
        }
        say("SERIAL");
        stay(0.5);
        say_program_ends();
        return 0;
    }
    say(FORKS);
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        say("WORK");
        gather(&met, 2);
        if (strcmp(kind, "barrier") == 0) {
            /* Thread 1 waits in the barrier and runs the task there, thread 0 comes late. */
            run_in_barrier(thread);
        } else if (thread == 1) {
            /* Takes the task at a barrier, so that thread 0 has nothing to do but wait. */
            say("any BEGIN_" EBAR " END_" EBAR);
#pragma omp barrier
        } else {
            wait_for_task(kind);
            say("WORK");
            stay(1);
            say("any BEGIN_" EBAR " END_" EBAR);
#pragma omp barrier
        }
        say("WORK");
        stay(1);
        say_region_ends();
    }
    say("SERIAL");
    stay(0.5);
    say_program_ends();
    return 0;
}
