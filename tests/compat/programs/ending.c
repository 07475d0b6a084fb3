/* SPDX-License-Identifier: Apache-2.0
 *
 * ending HOW [ARGUMENT]: runs one parallel region and ends in the way asked for.
 *   exit N        exits with code N
 *   _exit N       the same without destructors
 *   quick_exit N  the same by quick_exit, with a handler of its own that prints a line
 *   signal N      dies of signal N
 *   fork          a child runs a region as well; both exit with 0
 *   await FILE    makes FILE, waits for SIGTERM, then exits with 42
 *   preload       prints LD_PRELOAD and exits with 0
 *   exec PROGRAM  becomes another program
 *   beside N      exits with code N while another thread forks regions
 */
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double processor_time(void) {
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* Its name is looked for in the report. It lasts a tenth of a second at least, and each thread gets
 * some processor time, however busy the machine is. */
static __attribute__((noinline)) void region(void) {
    const double end = omp_get_wtime() + 0.1;
#pragma omp parallel num_threads(2)
    {
        const double enough = processor_time() + 0.05;
        while (processor_time() < enough) {
        }
        while (omp_get_wtime() < end) {
            usleep(1000);
        }
    }
}

static sigset_t terminate_set(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    return set;
}

static void await_signal(const char *file) {
    const sigset_t set = terminate_set();
    fclose(fopen(file, "w"));
    int signal = 0;
    sigwait(&set, &signal);
}

static void *fork_regions(void *unused) {
    for (;;) {
#pragma omp parallel num_threads(2)
        usleep(100);
    }
    return unused;
}

static void say_quick(void) {
    puts("quick");
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "exit";
    const int number = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(how, "fork") == 0) {
        const pid_t child = fork();
        region();
        int status = 0;
        if (child > 0) {
            waitpid(child, &status, 0);
        }
        return status;
    }
    if (strcmp(how, "await") == 0) { /* before there are threads, so that all have it blocked */
        const sigset_t set = terminate_set();
        sigprocmask(SIG_BLOCK, &set, NULL);
    }
    region();
    if (strcmp(how, "_exit") == 0) {
        _exit(number);
    }
    if (strcmp(how, "quick_exit") == 0) {
        at_quick_exit(say_quick);
        quick_exit(number);
    }
    if (strcmp(how, "beside") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, fork_regions, NULL);
        usleep(50000);
    }
    if (strcmp(how, "signal") == 0) {
        raise(number);
    }
    if (strcmp(how, "await") == 0) {
        await_signal(argv[2]);
        return 42;
    }
    if (strcmp(how, "exec") == 0) {
        execl(argv[2], argv[2], (char *)NULL);
    }
    if (strcmp(how, "preload") == 0) {
        const char *preload = getenv("LD_PRELOAD");
        puts(preload ? preload : "");
    }
    return number;
}
