/* SPDX-License-Identifier: Apache-2.0
 *
 * around vfork restore|block: children of vfork() that change their signal mask
 * around small SIZE: the first use of OpenMP in a thread with so small a stack
 * around coroutines COUNT: so many regions in each of several coroutines
 * around children: children of all kinds, and what each does with the sampling signal
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static __attribute__((noinline)) void work(double milliseconds) {
    for (const double end = now() + milliseconds * 1e-3; now() < end;) {
    }
}

static void region(int threads, double milliseconds) {
#pragma omp parallel num_threads(threads)
    work(milliseconds);
}

/* POSIX timers of the process. */
static int timers(void) {
    FILE *file = fopen("/proc/self/timers", "r");
    char line[200];
    int count = 0;
    while (file && fgets(line, sizeof line, file)) {
        count += strncmp(line, "ID:", 3) == 0;
    }
    if (file) {
        fclose(file);
    }
    return count;
}

static void vforks(int blocks) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    region(2, 20);
    const int first = timers();
    for (int i = 0; i < 100; ++i) {
        if (!blocks) {
            pthread_sigmask(SIG_BLOCK, &all, &before);
        }
        const pid_t child = vfork();
        if (child == 0) {
            if (blocks) {
                pthread_sigmask(SIG_BLOCK, &all, NULL);
            } else {
                pthread_sigmask(SIG_SETMASK, &before, NULL);
            }
            _exit(0);
        }
        if (!blocks) {
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
        waitpid(child, NULL, 0);
    }
    region(2, 20);
    printf("%s\n", timers() == first ? "as many timers as before" : "other timers");
}

static void *use_openmp(void *unused) {
    omp_lock_t lock;
    for (int i = 0; i < 20; ++i) {
#pragma omp parallel num_threads(1)
        {
            work(1);
#pragma omp critical
            work(0.1);
#pragma omp task
            work(0.1);
#pragma omp taskwait
#pragma omp for schedule(dynamic, 1)
            for (int k = 0; k < 3; ++k) {
                work(0.01);
            }
            omp_init_lock(&lock);
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            omp_destroy_lock(&lock);
        }
    }
    return unused;
}

static void small_stack(size_t size) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, size) != 0 ||
        pthread_create(&thread, &attributes, use_openmp, NULL) != 0) {
        printf("no such stack\n");
        return;
    }
    pthread_join(thread, NULL);
    printf("done\n");
}

enum { kCoroutines = 4, kCoroutineStack = 256 * 1024 };
static ucontext_t scheduler, coroutines[kCoroutines];
static long counts[kCoroutines], rounds;

static __attribute__((noinline)) void fork_here(int number) {
    long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    ++sum;
    counts[number] += sum;
}

static void coroutine(int number) {
    for (long i = 0; i < rounds; ++i) {
        fork_here(number);
        swapcontext(&coroutines[number], &scheduler);
    }
}

static void run_coroutines(long count) {
    rounds = count;
    for (int i = 0; i < kCoroutines; ++i) {
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = malloc(kCoroutineStack);
        coroutines[i].uc_stack.ss_size = kCoroutineStack;
        coroutines[i].uc_link = &scheduler;
        makecontext(&coroutines[i], (void (*)(void))coroutine, 1, i);
    }
    long sum = 0;
    for (long i = 0; i < count; ++i) {
        for (int k = 0; k < kCoroutines; ++k) {
            swapcontext(&scheduler, &coroutines[k]);
        }
    }
    for (int i = 0; i < kCoroutines; ++i) {
        sum += counts[i];
    }
    printf("%ld\n", sum);
}

static volatile sig_atomic_t handled;
static void on_urgent(int signal) {
    (void)signal;
    ++handled;
}

static const char *name_of(void (*handler)(int)) {
    return handler == SIG_DFL     ? "default"
           : handler == SIG_IGN   ? "ignored"
           : handler == on_urgent ? "handler"
                                  : "another's";
}

/* What the child finds and what it changes; one digit or word for each. */
static char found[128];

static void use_signals(void) {
    struct sigaction action = {0};
    struct sigaction before;
    sigset_t set;
    handled = 0;
    raise(SIGURG);
    const int by_parents = handled;
    action.sa_handler = SIG_IGN;
    sigaction(SIGURG, &action, &before);
    raise(SIGURG);
    const char *first = name_of(before.sa_handler);
    const char *second = name_of(signal(SIGURG, on_urgent));
    raise(SIGURG);
    action.sa_handler = on_urgent;
    action.sa_flags = (int)SA_RESETHAND;
    sigaction(SIGURG, &action, NULL);
    raise(SIGURG);
    sigaction(SIGURG, NULL, &before);
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    snprintf(found, sizeof found, "%s %s %s, handled %d %d\n", first, second,
             name_of(before.sa_handler), by_parents, (int)handled);
    if (write(STDOUT_FILENO, found, strlen(found)) < 0) {
        _exit(1);
    }
}

static int use_signals_and_end(void *unused) {
    (void)unused;
    use_signals();
    _exit(0);
}

static void wait_for(const char *kind, pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    printf("%s: %d\n", kind, status);
    fflush(stdout);
}

/* libomp never ends in a process whose threads it takes for its own. */
static void end_by_exit(void) {
#ifdef __clang__
    _exit(0);
#endif
    exit(0);
}

static void children(void) {
    static char stack[64 * 1024] __attribute__((aligned(64)));
    struct sigaction action = {0};
    action.sa_handler = on_urgent;
    region(1, 20);
    sigaction(SIGURG, &action, NULL);
    const int first = timers();
    pid_t child = fork();
    if (child == 0) {
        use_signals_and_end(NULL);
    }
    wait_for("fork", child);
    child = vfork();
    if (child == 0) {
        use_signals_and_end(NULL);
    }
    wait_for("vfork", child);
    child = _Fork();
    if (child == 0) {
        use_signals();
        end_by_exit();
    }
    wait_for("_Fork", child);
    child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) {
        use_signals();
        end_by_exit();
    }
    wait_for("clone", child);
    child = clone(use_signals_and_end, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
    wait_for("clone with memory", child);
    handled = 0;
    raise(SIGURG);
    sigaction(SIGURG, NULL, &action);
    printf("parent: %s, handled %d\n", name_of(action.sa_handler), (int)handled);
    region(1, 20);
    printf("%s\n", timers() == first ? "as many timers as before" : "other timers");
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const long number = argc > 2 ? atol(argv[2]) : 0;
    if (strcmp(what, "vfork") == 0) {
        vforks(argc > 2 && strcmp(argv[2], "block") == 0);
    } else if (strcmp(what, "small") == 0) {
        small_stack((size_t)number);
    } else if (strcmp(what, "coroutines") == 0) {
        run_coroutines(number);
    } else if (strcmp(what, "children") == 0) {
        children();
    }
    return 0;
}
