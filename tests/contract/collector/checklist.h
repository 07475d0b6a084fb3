/* SPDX-License-Identifier: Apache-2.0
 *
 * checklist.h - the parts of one collector that is written from omp_collector_api.h alone. It asks
 * the dynamic linker for the API and for nothing else of the process. What it finds it says at the
 * program's end, a line for each check: "check: NAME holds", or "check: NAME fails: DETAIL".
 */
#ifndef CHECKLIST_H
#define CHECKLIST_H

#include <omp_collector_api.h>
#include <pthread.h>
#include <stdint.h>

enum { kRoom = 64, kEvents = OMP_EVENT_THR_END_FINISH_TASK + 1 };

/* Notes what a check found, on any thread and in callbacks too. Once failed stays failed. */
void check(const char *name, int holds, long long seen);

/* One record in a list of its own. `room` is the size of mem; it holds 0x5a but for the input. */
struct answer {
    int result, ec, rsz;
    unsigned char mem[kRoom];
};
struct answer issue(int request, const void *input, int size, int room);
int request(int number); /* with no mem: the error code */
int call(void *list);
int has_api(void);

/* Every other one packed. */
int register_event(int event, OMP_COLLECTORAPI_CALLBACK callback);
int unregister_event(int event);

struct thread_state {
    int ec, state, rsz;
    uint64_t wait;
};
struct thread_state ask_state(void);
uint64_t ask_region(void);
int ask_task(int number);
int is_wait_state(int state);
int is_kept(const struct answer *answer, int from, int to); /* nobody wrote there */

/* Requests by themselves: before START, and in a session outside of any region. */
int has_numbers_of_contract(void);
void check_before_start(void);
void check_lists(void);
void check_events_by_number(void);
void check_sessions(void);
void check_serial_thread(void);
void check_foreign_thread(void);

/* Events. */
void on_event(OMP_COLLECTORAPI_EVENT event);
void register_all(void);
void begin_session_of_events(void); /* what the last one left open is no pair any more */
int times_seen(int event);
uint64_t region_entered(void); /* as END_IDLE told this thread, 0 if it did not */
uint64_t region_forked(void);  /* the innermost FORK of this thread without its JOIN, 0 if none */
void forget_forks(void);       /* of this thread: others had their JOINs */
void user_lock_is(const void *lock);
pthread_t last_worker(void); /* that entered a team */
void check_barriers(void);   /* of the program's first region, behind it */

#endif /* CHECKLIST_H */
