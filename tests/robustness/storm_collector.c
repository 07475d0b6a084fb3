/* SPDX-License-Identifier: Apache-2.0
 *
 * A collector that leaves the bridge no rest: every thread of the process has a timer of its own
 * (OCB_STORM_HZ) whose handler sends the async-signal-safe requests, while one thread starts,
 * registers, pauses, resumes and stops sessions. In the handlers it counts allocations (by standing
 * before malloc and mmap), looks at errno, measures the stack that the bridge uses, and holds the
 * answers against the contract. Writes one line to the file that OCB_STORM_REPORT names.
 */
#define _GNU_SOURCE
#include "omp_collector_client.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREAD_LOCAL __thread __attribute__((tls_model("initial-exec")))

static OMP_COLLECTOR_API_FUNCTION api;
static atomic_long ticks, samples, answered, refused, invalid, misfit, allocations, errno_changed,
    events, sessions, deepest, timers_missing;
static atomic_int is_over;
static long period_ns;
static int signal_number;
static pthread_key_t timer_key;
static pthread_t control_thread;

static THREAD_LOCAL int is_in_handler;
static THREAD_LOCAL int rounds_of_destructor;
static THREAD_LOCAL timer_t own_timer;

/* Allocations. */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *memory);

static void count_allocation(void) {
    if (is_in_handler) {
        atomic_fetch_add(&allocations, 1);
    }
}
void *malloc(size_t size) {
    count_allocation();
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    count_allocation();
    return __libc_calloc(count, size);
}
void *realloc(void *memory, size_t size) {
    count_allocation();
    return __libc_realloc(memory, size);
}
void *memalign(size_t alignment, size_t size) {
    count_allocation();
    return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    count_allocation();
    return __libc_memalign(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
    count_allocation();
    *memory = __libc_memalign(alignment, size);
    return *memory != NULL ? 0 : ENOMEM;
}
void free(void *memory) {
    count_allocation();
    __libc_free(memory);
}
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
    count_allocation();
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

/* The stack below the caller: painted before the call, looked at after it. */

enum { kPainted = 4096 / sizeof(uint64_t) };
static const uint64_t kPaintWord = 0x5C5C5C5C5C5C5C5CULL;

__attribute__((noinline)) static void paint(void) {
    volatile uint64_t area[kPainted];
    for (int i = 0; i < kPainted; ++i) {
        area[i] = kPaintWord;
    }
    __asm__ volatile("" : : "m"(area));
}

__attribute__((noinline)) static long depth_used(void) {
    volatile uint64_t area[kPainted];
    __asm__ volatile("" : "=m"(area));
    int i = 0;
    while (i < kPainted && area[i] == kPaintWord) {
        ++i;
    }
    return (long)((kPainted - i) * sizeof(uint64_t));
}

static void note_depth(long depth) {
    long before = deepest;
    while (depth > before && !atomic_compare_exchange_weak(&deepest, &before, depth)) {
    }
}

/* Samples. */

static void judge(const omp_collector_list *list, int state_record, int region_record) {
    const int state_error = omp_collector_error(list, state_record);
    const int region_error = omp_collector_error(list, region_record);
    const int state = omp_collector_state_in(list, state_record);
    const uint64_t region = omp_collector_region_in(list, region_record);
    if (state_error == OMP_ERRCODE_SEQUENCE_ERR || region_error == OMP_ERRCODE_SEQUENCE_ERR) {
        atomic_fetch_add(&refused, 1);
        return;
    }
    if (state_error != OMP_ERRCODE_OK || region_error != OMP_ERRCODE_OK || state < THR_OVHD_STATE ||
        state >= THR_LAST_STATE) {
        atomic_fetch_add(&invalid, 1);
    } else if ((state == THR_WORK_STATE && region == 0) ||
               (state == THR_SERIAL_STATE && region != 0)) {
        atomic_fetch_add(&misfit, 1);
    } else {
        atomic_fetch_add(&answered, 1);
    }
}

static void on_sample(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)context;
    atomic_fetch_add(&ticks, 1 + info->si_overrun);
    const int saved_errno = errno;
    int memory[OMP_COLLECTOR_BYTES(4, OMP_COLLECTOR_PACKED_PAIR + OMP_COLLECTOR_WORD +
                                          2 * OMP_COLLECTOR_INT) /
               4];
    omp_collector_list list = omp_collector_list_in(memory, sizeof memory);
    const int state = omp_collector_add_state(&list);
    const int region = omp_collector_add_region(&list);
    omp_collector_add(&list, OMP_REQ_TASK_ID, OMP_COLLECTOR_INT);
    omp_collector_add(&list, OMP_REQ_TASK_PID, OMP_COLLECTOR_INT);
    atomic_fetch_add(&samples, 1);
    paint();
    is_in_handler = 1;
    errno = 4711;
    const int result = api(memory);
    const int errno_after = errno;
    is_in_handler = 0;
    const long depth = depth_used();
    if (errno_after != 4711) {
        atomic_fetch_add(&errno_changed, 1);
    }
    if (result != 0) {
        atomic_fetch_add(&invalid, 1);
    }
    note_depth(depth);
    judge(&list, state, region);
    errno = saved_errno;
}

/* A timer per thread, until as late as can be in the thread's life. */

static void begin_timer(void) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal_number;
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    const struct itimerspec period = {{0, period_ns}, {0, period_ns}};
    if (timer_create(CLOCK_MONOTONIC, &event, &own_timer) != 0 ||
        timer_settime(own_timer, 0, &period, NULL) != 0) {
        atomic_fetch_add(&timers_missing, 1);
    } else {
        pthread_setspecific(timer_key, &own_timer);
    }
}

/* The runtime's own destructors run between the rounds: they are to be sampled, too. */
static void end_timer(void *timer) {
    if (++rounds_of_destructor < 3) {
        pthread_setspecific(timer_key, timer);
    } else {
        timer_delete(own_timer);
    }
}

struct beginning {
    void *(*function)(void *);
    void *argument;
};

static void *run_with_timer(void *argument) {
    const struct beginning beginning = *(struct beginning *)argument;
    free(argument);
    begin_timer();
    return beginning.function(beginning.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument) {
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (next == NULL) {
        *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    }
    struct beginning *beginning = malloc(sizeof *beginning);
    if (beginning == NULL) {
        return EAGAIN;
    }
    *beginning = (struct beginning){function, argument};
    const int error = next(thread, attributes, run_with_timer, beginning);
    if (error != 0) {
        free(beginning);
    }
    return error;
}

/* Sessions. */

static void on_event(OMP_COLLECTORAPI_EVENT event) {
    (void)event;
    atomic_fetch_add(&events, 1);
}

static int send(int request) {
    return omp_collector_request(api, request);
}

static void rest(void) {
    const struct timespec time = {0, 4000000};
    nanosleep(&time, NULL);
}

static void *control(void *unused) {
    begin_timer();
    while (!is_over) {
        if (send(OMP_REQ_START) == OMP_ERRCODE_OK) {
            atomic_fetch_add(&sessions, 1);
        }
        omp_collector_register_range(api, OMP_EVENT_FORK, OMP_EVENT_THR_END_FINISH_TASK, on_event);
        for (int i = 0; i < 4 && !is_over; ++i) {
            rest();
            send(OMP_REQ_PAUSE);
            rest();
            send(OMP_REQ_RESUME);
        }
        send(OMP_REQ_STOP);
        rest();
    }
    return unused;
}

__attribute__((constructor)) static void begin(void) {
    api = omp_collector_find();
    const char *rate = getenv("OCB_STORM_HZ");
    if (api == NULL || rate == NULL) {
        return;
    }
    period_ns = 1000000000 / atol(rate);
    signal_number = SIGRTMIN + 3;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_sample;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    sigaction(signal_number, &action, NULL);
    pthread_key_create(&timer_key, end_timer);
    send(OMP_REQ_START);
    begin_timer();
    int (*plain_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
    *(void **)&plain_create = dlsym(RTLD_NEXT, "pthread_create");
    plain_create(&control_thread, NULL, control, NULL);
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("OCB_STORM_REPORT");
    if (period_ns == 0 || path == NULL) {
        return;
    }
    atomic_store(&is_over, 1);
    pthread_join(control_thread, NULL);
    FILE *report = fopen(path, "w");
    if (report == NULL) {
        return;
    }
    fprintf(report,
            "ticks %ld samples %ld answered %ld refused %ld invalid %ld misfit %ld allocations %ld "
            "errno_changed %ld stack %ld events %ld sessions %ld timers_missing %ld\n",
            (long)ticks, (long)samples, (long)answered, (long)refused, (long)invalid, (long)misfit,
            (long)allocations, (long)errno_changed, (long)deepest, (long)events, (long)sessions,
            (long)timers_missing);
    fclose(report);
}
