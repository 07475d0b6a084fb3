/* SPDX-License-Identifier: Apache-2.0
 * A thread with regions of its own waits shortly, ROUNDS times by each call that no signal handler
 * lets the kernel begin again, while other threads compute. Prints how many of these calls ended
 * with EINTR. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <time.h>

static long rounds, calls, interrupted;
static int has_ended;
static volatile int sink;

static void note(int result) {
    ++calls;
    interrupted += result < 0 && errno == EINTR;
}

static void region(int length) {
#pragma omp parallel num_threads(2)
    for (int i = 0; i < length; ++i) {
        sink = i;
    }
}

static void *wait_shortly(void *unused) {
    const int queue = epoll_create1(0);
    const int semaphores = semget(IPC_PRIVATE, 1, 0600);
    const struct timespec moment = {0, 1000};
    for (long i = 0; i < rounds; ++i) {
        struct timeval time = {0, 1};
        struct epoll_event event;
        struct sembuf down = {0, -1, 0};
        if (i % 8 == 0) {
            region(200);
        }
        note(poll(NULL, 0, i % 16 == 0));
        note(ppoll(NULL, 0, &moment, NULL));
        note(nanosleep(&moment, NULL));
        note(select(0, NULL, NULL, NULL, &time));
        note(epoll_wait(queue, &event, 1, i % 16 == 0));
        note(semtimedop(semaphores, &down, 1, &moment));
    }
    semctl(semaphores, 0, IPC_RMID);
    __atomic_store_n(&has_ended, 1, __ATOMIC_RELEASE);
    return unused;
}

int main(int argc, char **argv) {
    rounds = argc > 1 ? atol(argv[1]) : 1;
    pthread_t waiting;
    if (pthread_create(&waiting, NULL, wait_shortly, NULL) != 0) {
        return 1;
    }
    while (!__atomic_load_n(&has_ended, __ATOMIC_ACQUIRE)) {
        region(20000);
    }
    pthread_join(waiting, NULL);
    printf("%ld of %ld calls were interrupted\n", interrupted, calls);
    return 0;
}
