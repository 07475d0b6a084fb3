/* SPDX-License-Identifier: Apache-2.0
 *
 * manners WHAT: a program that notices whether somebody disturbs it. What it prints must not depend
 * on who watches.
 *   sleeps    each call that sleeps, in OpenMP threads and in a thread that is none
 *   urgent    its own handling of SIGURG: handlers, masks, questions, sigwait
 *   bystander a thread of its own that works, and says for how many milliseconds on stderr
 *   grow N    N fork locations (each a call path of its own), 3 regions each
 *   threads N N threads one after the other, each with a region
 *   busy MS   a region of so many milliseconds of each thread's processor time
 *   looks MS  works and then sleeps for so long, in a region of one thread that has a processor for
 *             itself where real-time priorities are permitted; on stderr: the share
 *             of the first part on a processor, and how often the collector's thread slept in each
 *   become P  becomes P after a region
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMilliseconds = 15, kText = 4096, kThreads = 3 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double own_cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void work(double milliseconds) {
    const double end = own_cpu() + milliseconds * 1e-3;
    while (own_cpu() < end) {
    }
}

static const struct timespec kTime = {0, kMilliseconds * 1000000L};
static int semaphores, queue;

static int do_nanosleep(void) {
    return nanosleep(&kTime, NULL);
}
static int do_clock_nanosleep(void) {
    return clock_nanosleep(CLOCK_MONOTONIC, 0, &kTime, NULL);
}
static int do_usleep(void) {
    return usleep(kMilliseconds * 1000);
}
static int do_poll(void) {
    return poll(NULL, 0, kMilliseconds);
}
static int do_ppoll(void) {
    return ppoll(NULL, 0, &kTime, NULL);
}
static int do_select(void) {
    struct timeval time = {0, kMilliseconds * 1000};
    return select(0, NULL, NULL, NULL, &time);
}
static int do_pselect(void) {
    return pselect(0, NULL, NULL, NULL, &kTime, NULL);
}
static int do_epoll_wait(void) {
    struct epoll_event event;
    const int set = epoll_create1(0);
    const int result = epoll_wait(set, &event, 1, kMilliseconds);
    const int error = errno;
    close(set);
    errno = error;
    return result;
}
static int do_sigtimedwait(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    return sigtimedwait(&set, NULL, &kTime);
}
static int do_semtimedop(void) {
    struct sembuf down = {kThreads, -1, 0}; /* nobody's */
    return semtimedop(semaphores, &down, 1, &kTime);
}
static struct timespec wall_time_after(const struct timespec *time) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += time->tv_nsec;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return until;
}
static int do_sem_timedwait(void) {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    const struct timespec until = wall_time_after(&kTime);
    return sem_timedwait(&semaphore, &until);
}
static int do_pthread_cond_timedwait(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const struct timespec until = wall_time_after(&kTime);
    pthread_mutex_lock(&mutex);
    const int result = pthread_cond_timedwait(&condition, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    return result;
}
/* SO_RCVTIMEO: a call that the kernel never restarts. */
static int do_recv(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return -2;
    }
    const struct timeval time = {0, kMilliseconds * 1000};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    char byte;
    const int result = (int)recv(ends[0], &byte, 1, 0);
    const int error = errno;
    close(ends[0]);
    close(ends[1]);
    errno = error;
    return result;
}

/* Calls without a time: another thread ends them. It has the number of the one that waits. */
struct Message {
    long type;
    char text[8];
};
static __thread int own_number;

static void *end_semop(void *number) {
    nanosleep(&kTime, NULL);
    struct sembuf up = {(unsigned short)(intptr_t)number, 1, 0};
    semop(semaphores, &up, 1);
    return NULL;
}
static void *end_msgrcv(void *number) {
    nanosleep(&kTime, NULL);
    const struct Message message = {(intptr_t)number + 1, "seven"};
    msgsnd(queue, &message, sizeof message.text, 0);
    return NULL;
}
static int wait_for(void *(*end)(void *), int (*wait)(void)) {
    pthread_t other;
    if (pthread_create(&other, NULL, end, (void *)(intptr_t)own_number) != 0) {
        return -2;
    }
    const int result = wait();
    const int error = errno;
    pthread_join(other, NULL);
    errno = error;
    return result;
}
static int wait_semop(void) {
    struct sembuf down = {(unsigned short)own_number, -1, 0};
    return semop(semaphores, &down, 1);
}
static int wait_msgrcv(void) {
    struct Message message = {0, ""};
    const int length = (int)msgrcv(queue, &message, sizeof message.text, own_number + 1, 0);
    return strcmp(message.text, "seven") == 0 ? length : -3;
}
static int do_semop(void) {
    return wait_for(end_semop, wait_semop);
}
static int do_msgrcv(void) {
    return wait_for(end_msgrcv, wait_msgrcv);
}
static int do_sleep(void) {
    return (int)sleep(1);
}

static const struct {
    const char *name;
    int (*call)(void);
    double milliseconds; /* it must take at least that */
} kCalls[] = {
    {"nanosleep", do_nanosleep, kMilliseconds},
    {"clock_nanosleep", do_clock_nanosleep, kMilliseconds},
    {"usleep", do_usleep, kMilliseconds},
    {"poll", do_poll, kMilliseconds},
    {"ppoll", do_ppoll, kMilliseconds},
    {"select", do_select, kMilliseconds},
    {"pselect", do_pselect, kMilliseconds},
    {"epoll_wait", do_epoll_wait, kMilliseconds},
    {"sigtimedwait", do_sigtimedwait, kMilliseconds},
    {"semtimedop", do_semtimedop, kMilliseconds},
    {"sem_timedwait", do_sem_timedwait, kMilliseconds},
    {"pthread_cond_timedwait", do_pthread_cond_timedwait, kMilliseconds},
    {"recv", do_recv, kMilliseconds},
    {"semop", do_semop, kMilliseconds},
    {"msgrcv", do_msgrcv, kMilliseconds},
    {"sleep", do_sleep, 1000},
};

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...) {
    const size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, kText - used, format, list);
    va_end(list);
}

/* Three rounds of the short ones, one of the long; work before each, so that a timer is under
 * way. */
static void sleep_in_all_ways(char *text) {
    for (int round = 0; round < 3; ++round) {
        for (size_t i = 0; i < sizeof kCalls / sizeof kCalls[0]; ++i) {
            if (kCalls[i].call == do_sleep && round > 0) {
                continue;
            }
            work(3);
            const double begin = now();
            errno = 0;
            const int result = kCalls[i].call();
            const int error = errno;
            const int early = (now() - begin) * 1e3 < kCalls[i].milliseconds - 0.1;
            add(text, "%s %d %s%s\n", kCalls[i].name, result, strerror(error),
                early ? " too early" : "");
        }
    }
}

static void *sleep_in_thread(void *text) {
    own_number = kThreads - 1;
    sleep_in_all_ways(text);
    return NULL;
}

static void sleeps(void) {
    static char texts[kThreads][kText];
    semaphores = semget(IPC_PRIVATE, kThreads + 1, 0600);
    queue = msgget(IPC_PRIVATE, 0600);
    pthread_t bystander;
    pthread_create(&bystander, NULL, sleep_in_thread, texts[2]);
#pragma omp parallel num_threads(2)
    {
        own_number = omp_get_thread_num();
        sleep_in_all_ways(texts[own_number]);
    }
    pthread_join(bystander, NULL);
    semctl(semaphores, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    for (int i = 0; i < kThreads; ++i) {
        printf("%d\n%s", i, texts[i]);
    }
}

static volatile sig_atomic_t handled, masked;

static void on_urgent(int signal) {
    ++handled;
    sigset_t set;
    pthread_sigmask(SIG_BLOCK, NULL, &set);
    masked += sigismember(&set, SIGUSR1) * 10 + sigismember(&set, signal);
}

static void on_urgent_info(int signal, siginfo_t *info, void *context) {
    (void)context;
    handled += 100 + (info->si_signo == signal) + (info->si_pid == getpid());
}

static void region(double milliseconds) {
#pragma omp parallel num_threads(2)
    work(milliseconds);
}

static void say_action(const char *when) {
    struct sigaction now_set;
    sigaction(SIGURG, NULL, &now_set);
    printf("%s: %s, flags %#x, handled %d, masked %d\n", when,
           now_set.sa_handler == SIG_DFL                            ? "default"
           : now_set.sa_handler == SIG_IGN                          ? "ignored"
           : now_set.sa_handler == on_urgent                        ? "handler"
           : (void *)now_set.sa_sigaction == (void *)on_urgent_info ? "handler with info"
                                                                    : "somebody else's",
           (unsigned)now_set.sa_flags & ~0x04000000U, (int)handled, (int)masked);
    handled = 0;
    masked = 0;
}

/* A thread that begins with the signal blocked. */
static void *begin_blocked(void *unused) {
    sigset_t pending;
    region(30);
    work(60);
    sigpending(&pending);
    printf("inherited: %d\n", sigismember(&pending, SIGURG));
    return unused;
}

static void urgent(void) {
    say_action("before");
    region(30);
    say_action("sampled");
    raise(SIGURG);
    struct sigaction action = {0};
    action.sa_handler = on_urgent;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGURG, &action, NULL);
    region(30);
    raise(SIGURG);
    raise(SIGURG);
    say_action("handler");
    action.sa_flags = SA_NODEFER | (int)SA_RESETHAND;
    sigaction(SIGURG, &action, NULL);
    raise(SIGURG);
    raise(SIGURG);
    say_action("once");
    action.sa_sigaction = on_urgent_info;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGURG, &action, NULL);
    region(30);
    raise(SIGURG);
    say_action("info");
    printf("signal: %d\n", (void *)signal(SIGURG, on_urgent) == (void *)on_urgent_info);
    raise(SIGURG);
    say_action("signal");
    signal(SIGURG, SIG_IGN);
    raise(SIGURG);
    say_action("ignored");

    sigset_t set;
    sigset_t pending;
    sigemptyset(&set);
    sigaddset(&set, SIGURG);
    signal(SIGURG, on_urgent);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    region(30);
    work(60);
    sigpending(&pending);
    printf("pending: %d\n", sigismember(&pending, SIGURG));
    pthread_t thread;
    pthread_create(&thread, NULL, begin_blocked, NULL);
    pthread_join(thread, NULL);
    raise(SIGURG);
    int got = 0;
    siginfo_t info = {0};
    got = sigwaitinfo(&set, &info);
    printf("sigwait: %d from %d\n", got == SIGURG, info.si_code == SI_TKILL);
    const int descriptor = signalfd(-1, &set, SFD_NONBLOCK);
    region(30);
    raise(SIGURG);
    struct signalfd_siginfo read_info;
    int reads = 0;
    while (read(descriptor, &read_info, sizeof read_info) == sizeof read_info) {
        ++reads;
    }
    printf("signalfd: %d\n", reads);
    close(descriptor);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    region(30);
    say_action("unblocked");
    /* A handler that is to interrupt. */
    action.sa_handler = on_urgent;
    action.sa_flags = 0;
    sigaction(SIGURG, &action, NULL);
    struct sigevent event = {0};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGURG;
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    /* Again and again: the first may come before the call. */
    const struct itimerspec soon = {{0, 20000000L}, {0, 20000000L}};
    timer_settime(timer, 0, &soon, NULL);
    char byte;
    int ends[2];
    if (pipe(ends) == 0) {
        const long result = read(ends[0], &byte, 1);
        printf("read: %ld %s\n", result, strerror(errno));
    }
    timer_delete(timer);
    printf("handled: %d\n", handled > 0);
}

static void *bystand(void *milliseconds) {
    work(*(double *)milliseconds);
    return NULL;
}

static void bystander(void) {
    double milliseconds = 300;
    pthread_t thread;
    pthread_create(&thread, NULL, bystand, &milliseconds);
    region(100);
    pthread_join(thread, NULL);
    region(1);
}

/* The bits of `path` say which of two places forks at each level: many paths from few places. */
static void nest(long path);

static __attribute__((noinline)) void nest_odd(long path) {
#pragma omp parallel num_threads(1)
    nest(path >> 1);
}

static __attribute__((noinline)) void nest_even(long path) {
#pragma omp parallel num_threads(1)
    nest(path >> 1);
}

static __attribute__((noinline)) void nest(long path) {
    if (path & 1) {
        nest_odd(path);
    } else if (path != 0) {
        nest_even(path);
    }
}

/* Forks from 64 places of one function, which have their stack pointer in common. */
#define FORK_HERE() _Pragma("omp parallel num_threads(1)") work(0);
#define FORK_4()    FORK_HERE() FORK_HERE() FORK_HERE() FORK_HERE()
#define FORK_16()   FORK_4() FORK_4() FORK_4() FORK_4()
static __attribute__((noinline)) void fork_from_64_places(void) {
    FORK_16()
    FORK_16()
    FORK_16()
    FORK_16()
}

/* The same from below a frame that is aligned: where its caller is stands in the frame. */
static __attribute__((noinline)) void fork_from_below(long a, long b, long c, long d, long e,
                                                      long f, long g, long h) {
    __attribute__((aligned(64))) volatile long space[8] = {a, b, c, d, e, f, g, h};
    volatile char *more = __builtin_alloca((size_t)space[7]); /* gcc keeps no frame pointer else */
    fork_from_64_places();
    more[0] = 0;
}

static void *one_region(void *unused) {
#pragma omp parallel num_threads(1)
    work(0);
    return unused;
}

/* Many samples without much work: they are taken of each thread that sleeps. */
static __attribute__((noinline)) void sleepers(long milliseconds) {
#pragma omp parallel num_threads(32)
    usleep((useconds_t)milliseconds * 1000);
}

static __attribute__((noinline)) void inner_region(void) {
#pragma omp parallel num_threads(1)
    work(20);
    errno = 0;
}

/* Both processes go on with the region. */
static __attribute__((noinline)) void forks_inside(void) {
#pragma omp parallel num_threads(1)
    {
        const pid_t child = fork();
        inner_region();
        work(20);
        if (child > 0) {
            waitpid(child, NULL, 0);
        }
    }
    errno = 0;
}

/* Of the thread with the collector's name; -1 without one. */
static long sleeps_of_collector(void) {
    long sleeps = -1;
    char path[300];
    char line[200];
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; sleeps < 0 && (task = readdir(tasks)) != NULL;) {
        snprintf(path, sizeof path, "/proc/self/task/%s/status", task->d_name);
        FILE *status = fopen(path, "r");
        int is_it = 0;
        while (status && fgets(line, sizeof line, status)) {
            is_it = is_it || strcmp(line, "Name:\tompcollect\n") == 0;
            if (is_it && sscanf(line, "voluntary_ctxt_switches: %ld", &sleeps) == 1) {
                break;
            }
        }
        if (status) {
            fclose(status);
        }
    }
    closedir(tasks);
    return sleeps;
}

/* Before the others on the machine, where that is permitted; the collector's thread too, as it
 * begins later. */
static void take_a_processor(void) {
    const struct sched_param lowest = {sched_get_priority_min(SCHED_FIFO)};
    sched_setscheduler(0, SCHED_FIFO, &lowest);
}

static void looks(long milliseconds) {
    take_a_processor();
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
#pragma omp parallel num_threads(1)
    {
        work((double)milliseconds / 4); /* at first the collector meets the thread */
        const double begin = now(), cpu = own_cpu();
        const long first = sleeps_of_collector();
        work((double)milliseconds);
        const long second = sleeps_of_collector();
        const double share = (own_cpu() - cpu) / (now() - begin);
        nanosleep(&time, NULL);
        fprintf(stderr, "looks %.3f %ld %ld\n", share, second - first,
                sleeps_of_collector() - second);
    }
}

/* Each thread naps as often as its number says, and prints what the system has counted of it. */
static void naps(void) {
    const struct timespec nap = {0, 100000};
#pragma omp parallel num_threads(kThreads)
    {
        for (int i = 0; i < 300 * omp_get_thread_num(); ++i) {
            nanosleep(&nap, NULL);
        }
#pragma omp barrier
        struct rusage used;
        getrusage(RUSAGE_THREAD, &used);
#pragma omp critical
        printf("%d %ld %ld\n", (int)gettid(), used.ru_nvcsw, used.ru_nivcsw);
    }
}

/* The same in a thread that ends, with a region of its own. */
static void *naps_and_ends(void *times) {
    const struct timespec nap = {0, 100000};
#pragma omp parallel num_threads(1)
    for (long i = 0; i < *(long *)times; ++i) {
        nanosleep(&nap, NULL);
    }
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    printf("%d %ld %ld\n", (int)gettid(), used.ru_nvcsw, used.ru_nivcsw);
    return NULL;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const long number = argc > 2 ? atol(argv[2]) : 0;
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    if (strcmp(what, "sleeps") == 0) {
        sleeps();
    } else if (strcmp(what, "urgent") == 0) {
        urgent();
    } else if (strcmp(what, "bystander") == 0) {
        bystander();
    } else if (strcmp(what, "grow") == 0) {
        omp_set_max_active_levels(1);
        for (int round = 0; round < 3; ++round) {
            for (long path = number; path < 2 * number; ++path) {
                nest(path);
            }
        }
    } else if (strcmp(what, "places") == 0) {
        for (long i = 0; i < number; ++i) {
            fork_from_below(1, 2, 3, 4, 5, 6, 7, 8);
        }
    } else if (strcmp(what, "threads") == 0) {
        for (long i = 0; i < number; ++i) {
            pthread_t thread;
            pthread_create(&thread, NULL, one_region, NULL);
            pthread_join(thread, NULL);
        }
    } else if (strcmp(what, "forks_inside") == 0) {
        omp_set_max_active_levels(2);
        forks_inside();
    } else if (strcmp(what, "sleepers") == 0) {
        sleepers(number);
        if (argc > 3) {
            raise(atoi(argv[3]));
        }
    } else if (strcmp(what, "busy") == 0) {
        region((double)number);
    } else if (strcmp(what, "naps") == 0) {
        long times = 200;
        pthread_t thread;
        omp_get_max_threads(); /* so the thread that ends is not the first one */
        pthread_create(&thread, NULL, naps_and_ends, &times);
        pthread_join(thread, NULL);
        naps();
    } else if (strcmp(what, "looks") == 0) {
        looks(number);
    } else if (strcmp(what, "become") == 0) {
        region(50);
        execl(argv[2], argv[2], (char *)NULL);
    }
    return 0;
}
