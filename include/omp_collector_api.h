/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_collector_api.h - the contract between an OpenMP runtime (the "producer") and a performance
 * tool (the "collector"), as defined by Sun Microsystems and Oracle for the OpenMP runtimes of Sun
 * Studio and spoken by OpenUH, TAU and others. Names and numbers are those of the contract; the
 * wording is ours. Where a paragraph comes from is said in brackets: [H: section] is the header of
 * the contract, [C] what existing clients send and rely on, [B] a decision of this bridge.
 *
 * Rendezvous [H: Rendezvous strategy]. A collector asks the dynamic linker for OMP_COLLECTOR_API
 * and calls the address it gets. Nothing else is needed from the runtime: no library to link, no
 * initialisation call.
 *
 * Words [H: Threads]. The initial thread is the one the process began with. Threads that the
 * OpenMP runtime creates are OpenMP threads (workers). Threads created by other means are
 * non-OpenMP threads. The thread that meets a parallel construct is the master of the team it
 * forks; the other threads of the team are called slaves in the contract, workers here.
 *
 * C and C++; needs nothing but itself.
 */
#ifndef OMP_COLLECTOR_API_H
#define OMP_COLLECTOR_API_H

#ifdef __cplusplus
extern "C" {
#endif

/* The name to give to dlsym. */
#define OMP_COLLECTOR_API "__omp_collector_api"

/*
 * The request list [H: interface function, picture].
 *
 * The argument is a list of records in the collector's memory. The producer reads the requests and
 * writes the answers into the same memory. Each record is
 *
 *     offset  0  int  sz     size of the record in bytes, this header of 16 bytes included
 *             4  int  r#     request, one of OMP_COLLECTORAPI_REQUEST
 *             8  int  ec     written: one of OMP_COLLECTORAPI_EC, also on success
 *            12  int  rsz    written: see below
 *            16  char mem[]  input parameters, or room for the answer
 *
 * and the next record begins sz bytes further on. An int 0 in the place of sz ends the list.
 *
 * sz must be a multiple of 4 and at least 16, and the list must lie on a 4-byte boundary. A record
 * that breaks this ends the processing: it and everything behind it stays untouched and the call
 * returns -1. [B] So does a record that claims more than OMP_COLLECTOR_MAX_RECORD bytes: no
 * request needs a hundredth of that, it is what a list without its final 0 looks like.
 *
 * mem may be larger than a request needs; the surplus is not touched. Where it is too small, ec is
 * OMP_ERRCODE_MEM_TOO_SMALL and rsz is the size that mem needs. On success rsz is the number of
 * bytes of the answer (0 where a request has none). On every other error rsz is 0.
 *
 * 8-byte members (a callback, a wait id) have two accepted places [C]. With mem of exactly 12 bytes
 * the layout is packed: the member lies at mem+4, in general unaligned. With 16 bytes or more it is
 * the layout of the C struct: the member lies at mem+8.
 *
 * Requests of a list are carried out in order, exactly as if each had come in a call of its own
 * [H: Request codes].
 */
#define OMP_COLLECTOR_HEADER_SIZE 16
#define OMP_COLLECTOR_MAX_RECORD  65536

/*
 * Requests [H: Specific requests]. For each: input, answer, thread rule, whether a signal handler
 * may issue it (signal-safe), errors besides the general ones. General: before START (and after
 * STOP) every request but START is refused with SEQUENCE_ERR; a number that is no request gets
 * UNKNOWN, at any time.
 *
 * OMP_REQ_START         Begins a session. Input: none. Answer: none. Any thread. Signal-safe: no.
 *                       May come before the runtime exists or has been initialised. Errors:
 *                       SEQUENCE_ERR if a session is running or if it came too late for the runtime
 *                       to serve it; UNSUPPORTED [B] if no runtime in the process ever can. May be
 *                       issued again after STOP, as often as wanted. A session begins unpaused [B].
 *
 * OMP_REQ_REGISTER      Asks for an event. Input: {event, callback}, 12 bytes packed or 16 natural.
 *                       Answer: none. Any thread. Signal-safe: no. The callback has the type
 *                       OMP_COLLECTORAPI_CALLBACK and is called by the thread in which the event
 *                       occurs, possibly before this request has returned. One callback per event:
 *                       a second registration replaces the first. A null callback means none [B].
 *                       Errors: UNKNOWN for a number that is no event; UNSUPPORTED for an event
 *                       that can never be delivered (26, 27, 30, 31, 32); ERROR [B] for a callback
 *                       that is no address of code. An event that only the runtime at hand cannot
 *                       report is accepted and never comes [B]; the bridge's capability rows tell
 *                       which (omp_collector_bridge_capability_here).
 *
 * OMP_REQ_UNREGISTER    Cancels a registration. Input: event, 4 bytes. Answer: none. Any thread.
 *                       Signal-safe: no. Not registered: OK. Errors: UNKNOWN as above. When the
 *                       request has returned no new call of the callback begins, and a call that
 *                       was running on another thread has ended (waited for up to a bound) [B].
 *
 * OMP_REQ_STATE         What is the calling thread doing? Input: none. Answer: {state, wait id},
 *                       12 bytes packed or 16 natural; the wait id is written in the states whose
 *                       name says so below, and rsz counts it only there. With room for the state
 *                       alone (mem 4 or 8) the state is written in every case, and ec is
 *                       MEM_TOO_SMALL in a state that has a wait id [C]. Any thread.
 *                       Signal-safe: yes.
 *
 * OMP_REQ_CURRENT_PRID  The id of the parallel region that the calling thread executes, 0 in serial
 *                       code and in an idle thread. Input: none. Answer: uint64_t, 8 bytes.
 *                       Any thread. Signal-safe: yes. Ids are unique in the process, count from
 *                       1 and stay small, as old collectors keep 31 bits of them [C].
 *
 * OMP_REQ_PARENT_PRID   The id of the region that encloses the current one, 0 if none does. Input:
 *                       none. Answer: uint64_t, 8 bytes. Meant for the FORK callback.
 *                       Signal-safe: no. Errors: THREAD_ERR unless the caller is the master of
 *                       its team; the initial thread in serial code counts as such and gets 0.
 *
 * OMP_REQ_STOP          Ends the session: cancels all callbacks. Input, answer: none. Any thread.
 *                       Signal-safe: no. Callbacks in flight: as for UNREGISTER.
 *
 * OMP_REQ_PAUSE         No events until RESUME; what happens meanwhile is not remembered. State and
 *                       region queries go on. Already paused: OK. Any thread. Signal-safe: no.
 *
 * OMP_REQ_RESUME        Events again. Not paused: OK. Any thread. Signal-safe: no.
 *
 * Two requests of the extension for explicit tasks [C], see the end of the list of events:
 *
 * OMP_REQ_TASK_ID       The id of the explicit task that the calling thread executes, -1 if it
 *                       executes none. Input: none. Answer: int, 4 bytes. Any thread.
 *                       Signal-safe: yes.
 *
 * OMP_REQ_TASK_PID      The id of the explicit task that created the current one, -1 if an implicit
 *                       task did or if the thread executes none. The rest: the same.
 */
typedef enum {
    OMP_REQ_START = 0,
    OMP_REQ_REGISTER = 1,
    OMP_REQ_UNREGISTER = 2,
    OMP_REQ_STATE = 3,
    OMP_REQ_CURRENT_PRID = 4,
    OMP_REQ_PARENT_PRID = 5,
    OMP_REQ_STOP = 6,
    OMP_REQ_PAUSE = 7,
    OMP_REQ_RESUME = 8,
    OMP_REQ_TASK_ID = 9,
    OMP_REQ_TASK_PID = 10,
    OMP_REQ_LAST
} OMP_COLLECTORAPI_REQUEST;

/* Error codes, in the field ec [H: Return codes]. */
typedef enum {
    OMP_ERRCODE_OK = 0,            /* done */
    OMP_ERRCODE_ERROR = 1,         /* a size or an input parameter is not right */
    OMP_ERRCODE_UNKNOWN = 2,       /* no such request or event */
    OMP_ERRCODE_UNSUPPORTED = 3,   /* known, not supported here */
    OMP_ERRCODE_SEQUENCE_ERR = 4,  /* at the wrong time */
    OMP_ERRCODE_OBSOLETE = 5,      /* no longer supported */
    OMP_ERRCODE_THREAD_ERR = 6,    /* from the wrong thread */
    OMP_ERRCODE_MEM_TOO_SMALL = 7, /* mem cannot hold the answer or the input; rsz says what can */
    OMP_ERRCODE_LAST
} OMP_COLLECTORAPI_EC;

/*
 * Events [H: Events subject to notification]. Each is delivered synchronously by the thread in
 * which it occurs. In a callback STATE, CURRENT_PRID and PARENT_PRID answer for the event:
 * BEGIN_x and END_x both show state x, FORK and JOIN show OVHD; FORK and JOIN show the id of the
 * region that begins or ends; BEGIN_IDLE shows id 0, END_IDLE the id of the region being entered.
 * On every thread BEGIN_x and END_x, FORK and JOIN are pairs: an END whose BEGIN could not be
 * delivered (it came before START, before both were registered, or during PAUSE) is not delivered
 * [B]. Where FORK is not registered every JOIN comes, also of a region that began before START or
 * during PAUSE [B]. END_IDLE comes where a worker enters a team, so the last BEGIN_IDLE of a thread
 * that ends has none [B]. The first BEGIN_IDLE of a new worker comes there too, just before
 * END_IDLE: until then the runtime is making the thread, and a callback that waits for a lock would
 * be in its way [B].
 *
 * A wait event (LKWT, CTWT, ATWT) comes only where the thread enters the wait state, that is, where
 * the mutex is held by another thread [H: Thread states].
 *
 * Events raised by a thread that is inside a callback are not delivered [B]: callbacks may use
 * OpenMP locks themselves.
 *
 * Explicit tasks [C]: the events from 23 on, the states from 12 on and the requests from 9 on are
 * an extension of OpenUH's that TAU speaks too; other producers know them not at all, or use the
 * numbers of the states otherwise. The states show inside the events of their name only, so nobody
 * sees them who has not registered one of those. In the life of a task, on the thread concerned:
 *
 *   BEGIN_CREATE_TASK     a task is created; TASK_ID is the creating task still.
 *   END_CREATE_TASK_IMM   it will be executed at once, the creator waits for it; TASK_ID and
 *                         TASK_PID are the new task's [B].
 *   END_CREATE_TASK_DEL   it may be executed later; ids as above.
 *   BEGIN_EXEC_TASK       the thread begins to execute it, or goes on with one that another thread
 *                         has suspended.
 *   BEGIN_SUSPEND_TASK    the thread leaves it for another task.
 *   END_SUSPEND_TASK      the thread goes on with it, or has left it for good to other threads.
 *   BEGIN_FINISH_TASK     it is completed or cancelled, ...
 *   END_FINISH_TASK       ... and left.
 *
 * In the last five TASK_ID is the task's own. Ids count from 1, are unique until a thousand million
 * tasks have been created, and are given from the first registration of such an event, or the
 * first TASK_ID or TASK_PID, on: a task that was created before has none, and no events [B].
 * Where a thread has 32 tasks suspended, those it suspends on top of them give no event [B].
 */
typedef enum {
    OMP_EVENT_FORK = 1, /* a master is about to fork a team */
    OMP_EVENT_JOIN = 2, /* the team has ended, the master goes on in the enclosing code */
    OMP_EVENT_THR_BEGIN_IDLE = 3,
    OMP_EVENT_THR_END_IDLE = 4,
    OMP_EVENT_THR_BEGIN_IBAR = 5,
    OMP_EVENT_THR_END_IBAR = 6,
    OMP_EVENT_THR_BEGIN_EBAR = 7,
    OMP_EVENT_THR_END_EBAR = 8,
    OMP_EVENT_THR_BEGIN_LKWT = 9,
    OMP_EVENT_THR_END_LKWT = 10,
    OMP_EVENT_THR_BEGIN_CTWT = 11,
    OMP_EVENT_THR_END_CTWT = 12,
    OMP_EVENT_THR_BEGIN_ODWT = 13,
    OMP_EVENT_THR_END_ODWT = 14,
    OMP_EVENT_THR_BEGIN_MASTER = 15, /* enters the body of a master construct */
    OMP_EVENT_THR_END_MASTER = 16,
    OMP_EVENT_THR_BEGIN_SINGLE = 17, /* executes the body of a single construct */
    OMP_EVENT_THR_END_SINGLE = 18,
    OMP_EVENT_THR_BEGIN_ORDERED = 19, /* executes the body of an ordered construct */
    OMP_EVENT_THR_END_ORDERED = 20,
    OMP_EVENT_THR_BEGIN_ATWT = 21,
    OMP_EVENT_THR_END_ATWT = 22,
    OMP_EVENT_THR_BEGIN_CREATE_TASK = 23,
    OMP_EVENT_THR_END_CREATE_TASK_IMM = 24,
    OMP_EVENT_THR_END_CREATE_TASK_DEL = 25,
    OMP_EVENT_THR_BEGIN_SCHD_TASK = 26, /* looks for a task to execute */
    OMP_EVENT_THR_END_SCHD_TASK = 27,
    OMP_EVENT_THR_BEGIN_SUSPEND_TASK = 28,
    OMP_EVENT_THR_END_SUSPEND_TASK = 29,
    OMP_EVENT_THR_BEGIN_STEAL_TASK = 30, /* takes a task from another thread's queue */
    OMP_EVENT_THR_END_STEAL_TASK = 31,
    OMP_EVENT_THR_FETCHED_TASK = 32, /* has found a task */
    OMP_EVENT_THR_BEGIN_EXEC_TASK = 33,
    OMP_EVENT_THR_BEGIN_FINISH_TASK = 34,
    OMP_EVENT_THR_END_FINISH_TASK = 35,
    OMP_EVENT_THR_RESERVED_IMPL = 4096, /* implementation-specific events begin here */
    OMP_EVENT_LAST
} OMP_COLLECTORAPI_EVENT;

/* A registered callback. Ownership: the collector's; it must stay mapped until UNREGISTER or STOP
 * has returned. It may issue any request. */
typedef void (*OMP_COLLECTORAPI_CALLBACK)(OMP_COLLECTORAPI_EVENT event);

/*
 * States [H: Thread states]. The wait id identifies what the thread waits for: for LKWT, CTWT and
 * ATWT the lock (LKWT: the address of the user's lock), for ODWT the ordered region, for IBAR and
 * EBAR the barrier: equal on all threads of a team in one barrier, different between two barriers.
 */
typedef enum {
    THR_OVHD_STATE = 1,   /* in the runtime: forking, joining, scheduling */
    THR_WORK_STATE = 2,   /* user code inside a parallel region */
    THR_IBAR_STATE = 3,   /* waits in an implicit barrier (region, worksharing, single); wait id */
    THR_EBAR_STATE = 4,   /* waits in an explicit barrier; wait id */
    THR_IDLE_STATE = 5,   /* a worker between two regions */
    THR_SERIAL_STATE = 6, /* a user thread outside any parallel region */
    THR_REDUC_STATE = 7,  /* combines the results of a reduction */
    THR_LKWT_STATE = 8,   /* waits for a lock; wait id */
    THR_CTWT_STATE = 9,   /* waits to enter a critical region; wait id */
    THR_ODWT_STATE = 10,  /* waits to execute an ordered region; wait id */
    THR_ATWT_STATE = 11,  /* waits to enter an atomic region; wait id */
    /* The extension for explicit tasks, inside its events only. */
    THR_TASK_CREATE_STATE = 12,
    THR_TASK_SCHEDULE_STATE = 13,
    THR_TASK_SUSPEND_STATE = 14,
    THR_TASK_STEAL_STATE = 15,
    THR_TASK_FINISH_STATE = 16,
    THR_LAST_STATE
} OMP_COLLECTOR_API_THR_STATE;

/*
 * int __omp_collector_api(void *arg)
 *
 * arg: a request list as above, owned by the caller.
 * Returns 0 if the whole list was processed, whatever the error codes inside say; -1 if arg is null
 * or misaligned or the list is malformed (records before the bad one have been carried out).
 * Any thread. Async-signal-safe if every request of the list is; keeps errno.
 */
int __omp_collector_api(void *arg);

/* The same as a type, for dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API). */
typedef int (*OMP_COLLECTOR_API_FUNCTION)(void *arg);

#ifdef __cplusplus
}
#endif

#endif /* OMP_COLLECTOR_API_H */
