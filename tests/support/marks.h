/* SPDX-License-Identifier: Apache-2.0
 *
 * marks.h - what a test program may say to the fake collector that watches it. Every function is
 * weak: without the collector in the process the helpers below do nothing, and the program behaves
 * as it would for anybody else. C and C++. The strings given stay the caller's, they are copied.
 */
#ifndef OCB_TEST_MARKS_H
#define OCB_TEST_MARKS_H

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

#endif /* OCB_TEST_MARKS_H */
