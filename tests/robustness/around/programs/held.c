/* SPDX-License-Identifier: Apache-2.0
 *
 * held ACT: a second thread acts, is held by the tracer where it has taken a lock, and meanwhile
 * the first one forks. The child does what programs do in a child. Says how both end.
 */
#define _GNU_SOURCE
#include "../../programs/session.h"
#include "hold_mark.h"
#include "omp_collector_bridge.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

static volatile int caught, is_to_act, has_acted;
static const char *act;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void region(int threads, double seconds) {
#pragma omp parallel num_threads(threads)
    for (const double end = now() + seconds; now() < end;) {
    }
}

static void nest(int depth) {
#pragma omp parallel num_threads(1)
    if (depth > 0) {
        nest(depth - 1);
    }
}

static void tasks(void) {
#pragma omp parallel num_threads(1)
    for (int i = 0; i < 10; ++i) {
#pragma omp task
        sched_yield();
    }
}

static void hidden_task(void) {
    int number = 0;
#pragma omp target nowait map(tofrom : number)
    ++number;
#pragma omp taskwait
}

static void wait_for_lock_event(void) {
    omp_lock_t lock;
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
}

static void signals(void) {
    struct sigaction action;
    sigaction(SIGURG, NULL, &action);
    sigaction(SIGURG, &action, NULL);
}

static void on_task(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
}

static void control(void) {
    find_api();
    send_request(OMP_REQ_START); /* refused where a session runs */
    send_request(OMP_REQ_PAUSE);
    send_request(OMP_REQ_RESUME);
    send_register(OMP_EVENT_THR_BEGIN_CREATE_TASK, on_task);
    const omp_collector_bridge_runtime_t ask =
        (omp_collector_bridge_runtime_t)dlsym(RTLD_DEFAULT, "omp_collector_bridge_runtime");
    omp_collector_bridge_runtime_info info = {0};
    if (ask != NULL) {
        ask(&info);
    }
}

#ifdef __clang__
static void detached_task(void) {}
#else
/* In a team of one the task would wait for its event at once. */
static void detached_task(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event)
        sched_yield();
        omp_fulfill_event(event);
#pragma omp taskwait
    }
}
#endif

static void do_act(void) {
    if (strcmp(act, "signals") == 0) {
        signals();
    } else if (strcmp(act, "control") == 0) {
        control();
    } else if (strcmp(act, "samples") == 0) {
        region(1, 2);
    } else if (strcmp(act, "tasks") == 0) {
        tasks();
    } else if (strcmp(act, "hidden") == 0) {
        hidden_task();
    } else if (strcmp(act, "detach") == 0) {
        detached_task();
    } else if (strcmp(act, "load") == 0) {
        omp_get_max_threads();
    } else if (strcmp(act, "open") == 0) {
        dlopen("libanl.so.1", RTLD_NOW);
        region(1, 0.001);
    } else {
        region(1, 0.001);
    }
}

static void *run(void *unused) {
    while (!is_to_act) {
        sched_yield();
    }
    do_act();
    has_acted = 1;
    return unused;
}

/* Whoever is held while the runtime is being initialised holds the runtime's own locks. */
static void live_on(void) {
    signals();
    signal(SIGURG, SIG_DFL);
    dlclose(dlopen("libm.so.6", RTLD_NOW));
    if (strcmp(act, "first") !=
        0) { /* before the runtime asks for a tool START would be the program's */
        control();
    }
    if (strcmp(act, "load") == 0) {
        return;
    }
    region(1, 0.001);
    nest(3);
    tasks();
    detached_task();
    wait_for_lock_event();
}

static const char *end_of(pid_t child) {
    static char text[32];
    int status = 0;
    for (const double end = now() + 60; waitpid(child, &status, WNOHANG) == 0;) {
        if (now() > end) {
            kill(child, SIGKILL);
            waitpid(child, NULL, 0);
            return "hung";
        }
        usleep(1000);
    }
    snprintf(text, sizeof text, WIFSIGNALED(status) ? "signal %d" : "code %d",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return text;
}

int main(int argc, char **argv) {
    act = argc > 1 ? argv[1] : "";
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    if (strcmp(act, "begin") == 0) {
        omp_get_max_threads();
    } else if (strcmp(act, "load") != 0 && strcmp(act, "first") != 0) {
        region(1, 0.001);
    }
    if (!hold_first_other_thread(&caught)) {
        return 2;
    }
    is_to_act = 1;
    while (!caught && !has_acted) {
        sched_yield();
    }
    printf("held %d\n", caught);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        live_on();
        if (strcmp(act, "hidden") == 0) {
            _exit(0); /* libomp waits for its helpers of before the fork at exit, with and without
                         us */
        }
        exit(0);
    }
    printf("child %s\n", end_of(child));
    pthread_join(thread, NULL);
    region(1, 0.001);
    printf("parent ends\n");
    return 0;
}
