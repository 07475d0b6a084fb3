/* SPDX-License-Identifier: Apache-2.0
 *
 * sleeps: each call that sleeps, in OpenMP threads and in a thread that is none. What it prints
 * must not depend on who watches.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "work.h"

#include <errno.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kMilliseconds = 15, kText = 4096, kThreads = 3 };

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

static void sleep_in_all_threads(void) {
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

int main(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sleep_in_all_threads();
    return 0;
}
