/* SPDX-License-Identifier: Apache-2.0
 *
 * calls: the second thread of a region sleeps in one system call after the other, each in a
 * function of its own, below nested(). Each function has what makes it hard to find who called it:
 * arrays, of any length, on the stack, where an earlier call has left its frames; calls that are
 * jumps. The first thread works a little and waits at the region's end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <omp.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define NOT_INLINED __attribute__((noinline))
#else
#define NOT_INLINED __attribute__((noipa))
#endif

enum { kMilliseconds = 100 };
static const struct timespec kTime = {0, kMilliseconds * 1000000L};
static volatile int sink;

static struct timespec end_of(clockid_t clock) {
    struct timespec end;
    clock_gettime(clock, &end);
    end.tv_nsec += kTime.tv_nsec;
    if (end.tv_nsec >= 1000000000L) {
        end.tv_nsec -= 1000000000L;
        ++end.tv_sec;
    }
    return end;
}

/* The other end is written to by a child of this process, after the time. */
static int late_pipe(void) {
    int ends[2];
    if (pipe(ends) != 0) {
        abort();
    }
    if (vfork() == 0) {
        execl("/bin/sh", "sh", "-c", "sleep 0.1", (char *)NULL);
        _exit(1);
    }
    close(ends[1]);
    return ends[0];
}

NOT_INLINED void in_poll(void) {
    poll(NULL, 0, kMilliseconds);
    sink = 1;
}
NOT_INLINED void in_nanosleep(void) {
    nanosleep(&kTime, NULL);
    sink = 1;
}
NOT_INLINED void in_clock_nanosleep(void) {
    clock_nanosleep(CLOCK_MONOTONIC, 0, &kTime, NULL);
    sink = 1;
}
NOT_INLINED void in_usleep(void) {
    usleep(kMilliseconds * 1000);
    sink = 1;
}
NOT_INLINED void in_select(void) {
    struct timeval time = {0, kMilliseconds * 1000L};
    select(0, NULL, NULL, NULL, &time);
    sink = 1;
}
NOT_INLINED void in_read(void) {
    char bytes[3000];
    const int end = late_pipe();
    sink = (int)read(end, bytes, sizeof bytes);
    close(end);
}
NOT_INLINED void in_wait(void) {
    const pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "sleep 0.1", (char *)NULL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    sink = 1;
}
NOT_INLINED void in_epoll(void) {
    struct epoll_event event;
    const int events = epoll_create1(0);
    sink = epoll_wait(events, &event, 1, kMilliseconds);
    close(events);
}
NOT_INLINED void in_recv(void) {
    const struct timeval time = {0, kMilliseconds * 1000L};
    char bytes[64];
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
        sink = (int)recv(ends[0], bytes, sizeof bytes, 0);
    }
}
NOT_INLINED void in_condition(void) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    const struct timespec end = end_of(CLOCK_REALTIME);
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&condition, &mutex, &end) == 0) {
    }
    pthread_mutex_unlock(&mutex);
}
NOT_INLINED void in_semaphore(void) {
    sem_t semaphore;
    const struct timespec end = end_of(CLOCK_REALTIME);
    sem_init(&semaphore, 0, 0);
    sink = sem_timedwait(&semaphore, &end);
}
NOT_INLINED void in_sigtimedwait(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sink = sigtimedwait(&set, NULL, &kTime);
}
/* Seven arguments: the last is on the stack. */
NOT_INLINED void in_futex(void) {
    int word = 0;
    const struct timespec end = end_of(CLOCK_MONOTONIC);
    sink = (int)syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &end, NULL, ~0);
}
/* What the caller gives away in front. */
NOT_INLINED void in_tail(void) {
    in_nanosleep();
}

/* Leaves return addresses of calls of functions like these behind. */
static int compared(const void *first, const void *second) {
    char room[500];
    memset(room, *(const char *)first, sizeof room);
    sink = room[(unsigned char)*(const char *)second % sizeof room];
    return *(const int *)first - *(const int *)second;
}
NOT_INLINED void leave_frames(void) {
    int numbers[200];
    for (int i = 0; i < 200; ++i) {
        numbers[i] = i * 7919 % 200;
    }
    qsort(numbers, 200, sizeof numbers[0], compared);
    sink = numbers[0];
}
NOT_INLINED void in_large_frame(void) {
    char room[2500];
    __asm__ volatile("" : : "r"(room) : "memory");
    poll(NULL, 0, kMilliseconds);
    __asm__ volatile("" : : "r"(room) : "memory");
}
NOT_INLINED void in_any_length(int length) {
    char room[length];
    __asm__ volatile("" : : "r"(room) : "memory");
    poll(NULL, 0, kMilliseconds);
    __asm__ volatile("" : : "r"(room) : "memory");
}

typedef void (*Call)(void);
static Call volatile large_frame = in_large_frame;

NOT_INLINED void nested(void) {
    in_poll();
    in_nanosleep();
    in_clock_nanosleep();
    in_usleep();
    in_select();
    in_read();
    in_wait();
    in_epoll();
    in_recv();
    in_condition();
    in_semaphore();
    in_sigtimedwait();
    in_futex();
    in_tail();
    leave_frames();
    large_frame();
    leave_frames();
    in_any_length(2000);
    sink = 1;
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            nested();
            poll(NULL, 0, kMilliseconds); /* by the outlined function itself */
        }
    }
    poll(NULL, 0, kMilliseconds);
    return 0;
}
