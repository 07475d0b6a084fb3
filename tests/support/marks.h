/* SPDX-License-Identifier: Apache-2.0
 *
 * marks.h - what a test program may say to the fake collector that watches it. Every function is
 * weak: without the collector in the process the helpers below do nothing, and the program behaves
 * as it would for anybody else. C and C++. The strings given stay the caller's, they are copied.
 */
#ifndef OCB_TEST_MARKS_H
#define OCB_TEST_MARKS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Puts a labelled record, with the answers to STATE, CURRENT_PRID and PARENT_PRID, into the log of
 * the calling thread. */
void ocb_test_mark(const char *label) __attribute__((weak));

/* Issues START, STOP, PAUSE or RESUME (a number of omp_collector_api.h). Returns the error code. */
int ocb_test_request(int request) __attribute__((weak));

/* START and, where it was answered with OK, REGISTER of the events the environment asks for. */
int ocb_test_start(void) __attribute__((weak));

/* REGISTER (with the collector's callback) and UNREGISTER of one event. Return the error code. */
int ocb_test_register(int event) __attribute__((weak));
int ocb_test_unregister(int event) __attribute__((weak));

/* Waits until `event` has been delivered `count` times in this process, on whatever threads.
 * Returns 1, or 0 after five minutes. */
int ocb_test_await(int event, int count) __attribute__((weak));

#ifdef __cplusplus
}
#endif

static inline void mark(const char *label) {
    if (ocb_test_mark) {
        ocb_test_mark(label);
    }
}

static inline void request(int number) {
    if (ocb_test_request) {
        ocb_test_request(number);
    }
}

static inline void start_session(void) {
    if (ocb_test_start) {
        ocb_test_start();
    }
}

/* Holds something until another thread is known to wait for it. Unwatched, a moment is all. */
static inline void await_event(int event, int count) {
    if (ocb_test_await) {
        ocb_test_await(event, count);
    } else {
        usleep(1000);
    }
}

/* A meeting in user code, which no runtime sees: `arrived` counts, nobody leaves before `count`. */
static inline void meet(int *arrived, int count) {
    __atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < count) {
        usleep(50);
    }
}

/* Whether a thread of this process rests, and the nanoseconds that it has run. -1: it has ended. */
static inline int look_at_thread(const char *id, long long *ran) {
    char path[64];
    char text[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", id);
    FILE *file = fopen(path, "r");
    const int has_time = file != NULL && fscanf(file, "%lld", ran) == 1;
    if (file != NULL) {
        fclose(file);
    }
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", id);
    file = fopen(path, "r");
    const int has_state = file != NULL && fgets(text, sizeof text, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    const char *behind_name = has_state ? strrchr(text, ')') : NULL;
    return !has_time || behind_name == NULL ? -1 : behind_name[2] != 'R';
}

/* For the end of a program: a runtime may let its workers leave their last region behind the
 * master. Returns when each other thread rests or has run for two milliseconds more, at most 512
 * threads, or after 20 s: on a machine with other work that takes as long as it takes. */
static inline void let_workers_leave(void) {
    enum { MOST = 512 };
    long id[MOST];
    long long ran_at_first[MOST];
    int count = 0;
    usleep(20000);
    for (int tries = 0, waits = 1; waits && tries < 4000; ++tries) {
        DIR *folder = opendir("/proc/self/task");
        waits = 0;
        for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
            long long ran = 0;
            const long thread = atol(entry->d_name);
            if (thread == 0 || thread == (long)syscall(SYS_gettid) ||
                look_at_thread(entry->d_name, &ran) != 0) {
                continue;
            }
            int i = 0;
            while (i < count && id[i] != thread) {
                ++i;
            }
            if (i == count && count < MOST) {
                id[i] = thread;
                ran_at_first[i] = ran;
                ++count;
            }
            waits |= i < count && ran < ran_at_first[i] + 2000000;
        }
        if (folder != NULL) {
            closedir(folder);
        }
        if (waits) {
            usleep(5000);
        }
    }
}

#endif /* OCB_TEST_MARKS_H */
