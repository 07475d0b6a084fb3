/* SPDX-License-Identifier: Apache-2.0
 *
 * processes MODE - what can happen to a process while a collector is on. Where the mode leaves the
 * process alive it says "result 0"; the way it ends is part of the mode.
 *   forks N      children of the initial thread run regions; children of another thread, which
 *                forks in the middle of regions and control requests, send requests; all must
 *                end well
 *   forks_paused N  the same, the parent's team being ended before each fork
 *   exec         becomes another program (echo), from serial code
 *   exec_region  the same from inside a region
 *   vfork        children that are /bin/true
 *   exit_region  exit(7) inside a region
 *   exit_callback  exit(7) inside a callback; without the bridge: inside a region
 *   abort        abort() inside a region
 *   cancel       threads that have run regions are cancelled where they wait
 *   pause_soft   omp_pause_resource, soft, and regions again
 *   pause_hard   hard, and no region afterwards
 *   pause_hard_use  hard, and regions again (libomp's own defect)
 *   foreign_tasks S  S seconds of threads that run tasks and nested regions, and end (libomp's own)
 */
#include "session.h"

#include <omp.h>
#include <pthread.h>
#include <sys/wait.h>

static long run_regions(int count) {
    long members = 0;
    for (int i = 0; i < count; ++i) {
#pragma omp parallel num_threads(2) reduction(+ : members)
        {
            members += 1;
#pragma omp critical
            members += 0;
#pragma omp barrier
        }
    }
    return 2L * count - members;
}

static atomic_int is_over;
static atomic_long failed_children;

static void await_child(pid_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0) {
        fprintf(stderr, "child %d status %x\n", (int)child, (unsigned)status);
        atomic_fetch_add(&failed_children, 1);
    }
}

static void *fork_in_the_middle(void *unused) {
    while (!is_over) {
        const pid_t child = fork();
        if (child == 0) {
            ask();
            send_request(OMP_REQ_STOP);
            ask();
            const int is_refused = api != NULL && send_request(OMP_REQ_START) != OMP_ERRCODE_OK;
            send_register(OMP_EVENT_FORK, on_any_event);
            ask();
            _exit(is_refused || answers_wrong != 0);
        }
        await_child(child);
    }
    return unused;
}

static void *send_control(void *unused) {
    while (!is_over) {
        send_unregister(OMP_EVENT_THR_BEGIN_IBAR);
        send_register(OMP_EVENT_THR_BEGIN_IBAR, on_any_event);
        usleep(100);
    }
    return unused;
}

/* libgomp's child waits for ever for the threads of the parent's team, if there is one. */
static long run_forks(int count, int ends_team) {
    long errors = run_regions(3);
    for (int i = 0; i < count; ++i) {
        if (ends_team) {
            errors += omp_pause_resource_all(omp_pause_hard);
        }
        const pid_t child = fork();
        if (child == 0) {
            begin_sampling(); /* interval timers do not reach the child */
            atomic_store(&events_seen, 0);
            const long wrong = run_regions(20);
            exit(wrong != 0 || (api != NULL && events_seen == 0) || answers_wrong != 0);
        }
        errors += run_regions(5);
        await_child(child);
    }
    pthread_t forker, sender;
    pthread_create(&forker, NULL, fork_in_the_middle, NULL);
    pthread_create(&sender, NULL, send_control, NULL);
    errors += run_regions(count * 200);
    atomic_store(&is_over, 1);
    pthread_join(forker, NULL);
    pthread_join(sender, NULL);
    return errors + failed_children;
}

static long run_vforks(void) {
    for (int i = 0; i < 50; ++i) {
        run_regions(2);
        const pid_t child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(127);
        }
        await_child(child);
    }
    return failed_children;
}

static void exec_echo(void) {
    /* An interval timer lives on in the new program, where nobody handles its signal. */
    signal(SIGPROF, SIG_IGN);
    unsetenv("LD_PRELOAD");
    execl("/bin/echo", "echo", "result 0", (char *)NULL);
    _exit(127);
}

static void exit_at_end_of_barrier(OMP_COLLECTORAPI_EVENT event) {
    if (event == OMP_EVENT_FORK) {
        exit(7);
    }
}

static atomic_int waiting;

static void *run_and_wait(void *unused) {
    run_regions(3);
    atomic_fetch_add(&waiting, 1);
    for (;;) {
        pause();
    }
    return unused;
}

static long run_cancelled(void) {
    enum { COUNT = 8 };
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; ++i) {
        pthread_create(&threads[i], NULL, run_and_wait, NULL);
    }
    while (waiting < COUNT) {
        run_regions(1);
    }
    long errors = 0;
    for (int i = 0; i < COUNT; ++i) {
        void *result = NULL;
        pthread_cancel(threads[i]);
        pthread_join(threads[i], &result);
        errors += result != PTHREAD_CANCELED;
    }
    return errors + run_regions(10);
}

static void *run_tasks_and_nested(void *unused) {
#pragma omp parallel num_threads(2)
    {
        for (int i = 0; i < 4; ++i) {
#pragma omp task
            ask();
        }
#pragma omp parallel num_threads(2)
        ask();
    }
    return unused;
}

static void run_foreign_tasks(double seconds) {
    omp_set_max_active_levels(2);
    for (const double end = omp_get_wtime() + seconds; omp_get_wtime() < end;) {
        pthread_t threads[4];
        for (int i = 0; i < 4; ++i) {
            pthread_create(&threads[i], NULL, run_tasks_and_nested, NULL);
        }
        for (int i = 0; i < 4; ++i) {
            pthread_join(threads[i], NULL);
        }
    }
}

int main(int count, char **arguments) {
    const char *mode = count > 1 ? arguments[1] : "";
    const int number = count > 2 ? atoi(arguments[2]) : 1;
    begin_session();
    long errors = run_regions(10);
    if (strcmp(mode, "forks") == 0) {
        errors += run_forks(number, 0);
    } else if (strcmp(mode, "forks_paused") == 0) {
        errors += run_forks(number, 1);
    } else if (strcmp(mode, "exec") == 0) {
        exec_echo();
    } else if (strcmp(mode, "exec_region") == 0) {
#pragma omp parallel num_threads(2)
#pragma omp single
        exec_echo();
    } else if (strcmp(mode, "vfork") == 0) {
        errors += run_vforks();
    } else if (strcmp(mode, "exit_region") == 0) {
#pragma omp parallel num_threads(2)
#pragma omp single
        exit(7);
    } else if (strcmp(mode, "exit_callback") == 0) {
        register_all(exit_at_end_of_barrier);
#pragma omp parallel num_threads(2)
#pragma omp master
        exit(7);
    } else if (strcmp(mode, "abort") == 0) {
#pragma omp parallel num_threads(2)
#pragma omp single
        abort();
    } else if (strcmp(mode, "cancel") == 0) {
        errors += run_cancelled();
    } else if (strcmp(mode, "pause_soft") == 0) {
        errors += omp_pause_resource_all(omp_pause_soft) + run_regions(10);
    } else if (strcmp(mode, "pause_hard") == 0) {
        errors += omp_pause_resource_all(omp_pause_hard);
    } else if (strcmp(mode, "pause_hard_use") == 0) {
        errors += omp_pause_resource_all(omp_pause_hard) + run_regions(10);
    } else if (strcmp(mode, "foreign_tasks") == 0) {
        run_foreign_tasks(number);
    } else {
        return 2;
    }
    return finish(errors);
}
