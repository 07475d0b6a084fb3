/* SPDX-License-Identifier: Apache-2.0
 *
 * witness.c - a collector that compares STATE with what the processor was doing: each sample of
 * processor time (a timer per thread) asks for the state and looks where the thread was
 * interrupted: in the program or its runtime, or, in other code (libc, vdso), on behalf of which of
 * them. At the program's end the counts go to stdout, a line for each pair:
 *
 *     witness STATE program|runtime|front COUNT
 *
 * Counted between witness_on() and witness_off(), which the program finds by dlsym.
 */
#define _GNU_SOURCE
#include "omp_collector_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

enum { kStates = 24, kMostRanges = 8 };
enum { kInProgram, kInRuntime, kInFront, kElsewhere, kPlaces };

static OMP_COLLECTOR_API_FUNCTION api;
static atomic_long counts[kStates][kPlaces];
static atomic_int is_on;

/* Executable parts of the program, the runtime and the front. */
static struct range {
    uintptr_t begin, end;
    int where;
} ranges[kMostRanges];
static int range_count;

static int keep_ranges(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    (void)data;
    const char *name = strrchr(info->dlpi_name, '/');
    name = name ? name + 1 : info->dlpi_name;
    int of = kElsewhere;
    if (info->dlpi_name[0] == '\0') {
        of = kInProgram;
    } else if (strncmp(name, "libomp-collector-front", 22) == 0) {
        of = kInFront;
    } else if (strncmp(name, "libomp", 6) == 0 ||
               strncmp(name, "libgomp", 7) == 0) { /* the bridge too */
        of = kInRuntime;
    }
    for (int i = 0; of != kElsewhere && i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || range_count == kMostRanges) {
            continue;
        }
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        ranges[range_count++] = (struct range){begin, begin + part->p_memsz, of};
    }
    return 0;
}

static int where(uintptr_t address) {
    for (int i = 0; i < range_count; ++i) {
        if (address >= ranges[i].begin && address < ranges[i].end) {
            return ranges[i].where;
        }
    }
    return kElsewhere;
}

struct walk {
    uintptr_t interrupted;
    int is_below; /* the handler's own frames have been passed */
    int where;
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *data) {
    struct walk *walk = data;
    const uintptr_t address = _Unwind_GetIP(context);
    walk->is_below = walk->is_below || address == walk->interrupted;
    if (walk->is_below) {
        walk->where = where(address);
    }
    return walk->where == kElsewhere ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static int state(void) {
    struct {
        int size, request, error, return_size, state;
        int wait_id[2];
        int terminator;
    } request = {28, OMP_REQ_STATE, 0, 0, 0, {0, 0}, 0};
    return api(&request) == 0 && request.error == 0 ? request.state : kStates - 1;
}

static void on_sample(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    if (!is_on) {
        return;
    }
    const int saved_errno = errno;
    const uintptr_t address = (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    struct walk walk = {address, 0, where(address)};
    const int now = state();
    if (walk.where == kElsewhere) {
        _Unwind_Backtrace(step, &walk);
    }
    ++counts[now >= 0 && now < kStates ? now : kStates - 1][walk.where];
    errno = saved_errno;
}

static void sample_this_thread(void) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGPROF;
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    timer_t timer = NULL;
    /* Not in step with what the programs repeat. */
    const struct itimerspec often = {{0, 97000}, {0, 97000}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        timer_settime(timer, 0, &often, NULL);
    }
}

struct start {
    void *(*function)(void *);
    void *argument;
};

static void *begin_thread(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    sample_this_thread();
    return start.function(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) {
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = malloc(sizeof *start);
    *start = (struct start){function, argument};
    return real(thread, attributes, begin_thread, start);
}

void witness_on(void);
void witness_off(void);
void witness_on(void) {
    is_on = 1;
}
void witness_off(void) {
    is_on = 0;
}

__attribute__((constructor)) static void begin(void) {
    *(void **)&api = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    int start[5] = {16, OMP_REQ_START, 0, 0, 0};
    if (!api || api(start) != 0 || start[2] != 0) {
        fprintf(stderr, "witness: no session; preload the bridge\n");
        exit(1);
    }
    state(); /* so that it is observed from here on */
    dl_iterate_phdr(keep_ranges, NULL);
    struct walk walk = {0, 0, kElsewhere};
    _Unwind_Backtrace(step, &walk); /* loads what it needs */
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_sample;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    sample_this_thread();
}

__attribute__((destructor)) static void end(void) {
    is_on = 0;
    static const char *const kWhere[] = {"program", "runtime", "front", "elsewhere"};
    for (int i = 0; i < kStates; ++i) {
        for (int j = 0; j < kPlaces; ++j) {
            if (counts[i][j] != 0) {
                printf("witness %d %s %ld\n", i, kWhere[j], counts[i][j]);
            }
        }
    }
}
