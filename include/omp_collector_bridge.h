/* SPDX-License-Identifier: Apache-2.0
 *
 * omp_collector_bridge.h - what the OpenMP Collector Bridge offers beyond the Collector API: who
 * serves the symbol, what can be asked of the runtime at hand, and which options there are. A
 * collector that wants to run on any implementation finds these by dlsym and does without them
 * where they are missing.
 *
 * All functions: any thread, at any time, also before START; not async-signal-safe unless it is
 * said. Strings and rows that they return are data of the library, never freed.
 */
#ifndef OMP_COLLECTOR_BRIDGE_H
#define OMP_COLLECTOR_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OMP_COLLECTOR_BRIDGE_VERSION_MAJOR 0
#define OMP_COLLECTOR_BRIDGE_VERSION_MINOR 1
#define OMP_COLLECTOR_BRIDGE_VERSION_PATCH 0

/* The name of the library at run time, for dlopen and LD_PRELOAD. It changes with the ABI
 * (docs/INSTALL.md). */
#define OMP_COLLECTOR_BRIDGE_SONAME "libomp-collector-bridge.so.0"

/* The version of the loaded library, "MAJOR.MINOR.PATCH". */
const char *omp_collector_bridge_version(void);
typedef const char *(*omp_collector_bridge_version_t)(void);

/* How well an answer or event can be given. */
typedef enum {
    OMP_COLLECTOR_BRIDGE_EXACT = 0,         /* the runtime reports it */
    OMP_COLLECTOR_BRIDGE_SYNTHESISED = 1,   /* derived from what the runtime reports */
    OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE = 2 /* the runtime gives no sign of it */
} omp_collector_bridge_status;

typedef enum {
    OMP_COLLECTOR_BRIDGE_REQUEST = 0, /* number: OMP_COLLECTORAPI_REQUEST */
    OMP_COLLECTOR_BRIDGE_EVENT = 1,   /* number: OMP_COLLECTORAPI_EVENT */
    OMP_COLLECTOR_BRIDGE_STATE = 2    /* number: OMP_COLLECTOR_API_THR_STATE */
} omp_collector_bridge_kind;

typedef struct {
    omp_collector_bridge_kind kind;
    int number;       /* as in omp_collector_api.h */
    const char *name; /* as in omp_collector_api.h, e.g. "THR_IDLE_STATE" */
    omp_collector_bridge_status status;
    const char *reason; /* one sentence: where the answer comes from, or why there is none */
} omp_collector_bridge_capability;

/* All requests, events and states, in the order of kind and number. *count receives the length. */
const omp_collector_bridge_capability *omp_collector_bridge_capabilities(size_t *count);
typedef const omp_collector_bridge_capability *(*omp_collector_bridge_capabilities_t)(size_t *);

/* The same row (0, 1, ...) for the runtime at hand: where it refuses a callback that the answer
 * needs, or cannot be attached to, the status is NOT_OBSERVABLE and the reason says so. What nobody
 * has asked for yet is not known to be refused. Returns 1, or 0 behind the last row. */
int omp_collector_bridge_capability_here(size_t index, omp_collector_bridge_capability *row);
typedef int (*omp_collector_bridge_capability_here_t)(size_t, omp_collector_bridge_capability *);

typedef enum {
    OMP_COLLECTOR_BRIDGE_NO_RUNTIME = 0,   /* none in the process */
    OMP_COLLECTOR_BRIDGE_ATTACHED = 1,     /* it serves us */
    OMP_COLLECTOR_BRIDGE_NOT_ATTACHED = 2, /* it could serve us, and does not, or not yet */
    OMP_COLLECTOR_BRIDGE_WITHOUT_OMPT = 3  /* it has no tools interface */
} omp_collector_bridge_runtime_status;

typedef struct {
    omp_collector_bridge_runtime_status status;
    const char *file;     /* the runtime's library, "" for none */
    const char *version;  /* what it said of itself when it asked for a tool, else "" */
    unsigned omp_version; /* the same as the value of _OPENMP, else 0 */
    const char
        *generation; /* the OMPT that it has: "OpenMP 5", "TR6", "TR2", "TR2 draft", "TR2 2014";
                        "" if it does not serve us */
} omp_collector_bridge_runtime_info;

/* What am I running on? Any thread; the texts stay as they are for the life of the process. */
void omp_collector_bridge_runtime(omp_collector_bridge_runtime_info *info);
typedef void (*omp_collector_bridge_runtime_t)(omp_collector_bridge_runtime_info *);

typedef struct {
    int number;              /* of the callback in OMPT */
    const char *name;        /* e.g. "parallel_begin" */
    int result;              /* what ompt_set_callback answered; -1: not asked for yet */
    const char *result_name; /* "error", "never", "impossible", "sometimes", "sometimes_paired",
                                "always"; "not asked" */
} omp_collector_bridge_callback;

/* Writes the first `capacity` rows of the OMPT callbacks that the bridge uses and returns how many
 * there are. They are asked for when a request needs them, not before. */
size_t omp_collector_bridge_callbacks(omp_collector_bridge_callback *rows, size_t capacity);
typedef size_t (*omp_collector_bridge_callbacks_t)(omp_collector_bridge_callback *, size_t);

/* The region that the calling thread is forking (in a FORK callback), or else the innermost one
 * that it executes: the address of the code behind the fork call, as the runtime gives it, and the
 * outlined function. NULL where there is no region or it is not known. The function is known only
 * where the fork was noted. The answers are the same in both events of a pair; BEGIN_IDLE has those
 * of the END_IDLE before, though CURRENT_PRID is 0, and a thread's first one those of the END_IDLE
 * behind it. Async-signal-safe. */
const void *omp_collector_bridge_region_address(void);
const void *omp_collector_bridge_region_function(void);
typedef const void *(*omp_collector_bridge_region_code_t)(void);

/* The answers to CURRENT_PRID and PARENT_PRID and the address above in one call. Any thread,
 * async-signal-safe. */
typedef struct {
    uint64_t id;        /* 0: none */
    uint64_t parent_id; /* 0: none, or has_parent is 0 */
    int has_parent;     /* PARENT_PRID has an answer */
    const void *address;
} omp_collector_bridge_region;
void omp_collector_bridge_caller_region(omp_collector_bridge_region *region);
typedef void (*omp_collector_bridge_caller_region_t)(omp_collector_bridge_region *);

/* The same for the callbacks of FORK and JOIN, which come millions of times, without a call. There
 * the members have the answers, until the callback uses OpenMP itself. Elsewhere they mean nothing,
 * and `region` may be NULL.
 *
 * own_fork: where the calling thread has them; NULL for a thread that the runtime does not know.
 * Any thread, async-signal-safe. It holds as long as the thread's handle (own_thread), which is
 * `thread`. Ask again in FORK; its JOIN has the same. */
typedef struct {
    uint64_t parent_id;  /* 0: none */
    const void *address; /* NULL: not known */
} omp_collector_bridge_forked_region;
typedef struct {
    const void *thread;
    uint64_t id;
    const omp_collector_bridge_forked_region *region;
    const uintptr_t *call; /* of FORK: where a front marks the call (omp_collector_bridge_front); or
                              NULL. call[1] is the address, call[-1] the program's frame pointer,
                              and call + 2 its stack pointer behind the call. */
} omp_collector_bridge_fork;
const omp_collector_bridge_fork *omp_collector_bridge_own_fork(void);
typedef const omp_collector_bridge_fork *(*omp_collector_bridge_own_fork_t)(void);

/* For whoever stands in front of a runtime's fork calls (libomp-collector-front.so of this project
 * does): the calling thread is about to fork a region of this outlined function, from the
 * call that returns to return_address. Believed only if the runtime then reports a fork from there.
 * Both null: what objects of the process call has changed (OMP_COLLECTOR_FRONT_CONNECT).
 * Async-signal-safe. */
void omp_collector_bridge_note_fork(const void *function, const void *return_address);

/* STATE and CURRENT_PRID of a thread, asked by another one: for a collector that samples threads
 * which sleep without waking them.
 *
 * own_thread: the calling thread's handle, NULL for a thread that the runtime does not know. Any
 * thread, async-signal-safe. It holds until the thread ends; a thread that leaves OpenMP and comes
 * back may get another one, so ask again in a callback.
 *
 * ask_thread: what the thread with this handle does now. Returns 1, or 0 where that cannot be said
 * from outside: the thread's own signal handler must ask then. So it is before the thread's first
 * event, and on runtimes with an OMPT of before OpenMP 5.0. Returns 2 where the thread waits at a
 * barrier, or is in a call of the runtime, and may execute an explicit task there that nobody has
 * reported. In a task its innermost code, the C library's left out, is the program's, and the state
 * is WORK. Else it is the runtime's, and the answer holds. A thread that asks about itself gets the
 * state that holds: 2 and WORK in such a task. A collector that cannot read stacks asks for
 * TASK_ID once: then tasks are reported, and 2 does not come. Any thread, async-signal-safe. A
 * handle of a thread that has ended is safe to ask; the answer is then about nobody or another
 * thread. */
typedef struct {
    int state;          /* OMP_COLLECTOR_API_THR_STATE */
    uint64_t wait_id;   /* in wait states, else 0 */
    uint64_t region_id; /* 0: none */
} omp_collector_bridge_thread_answer;
const void *omp_collector_bridge_own_thread(void);
typedef const void *(*omp_collector_bridge_own_thread_t)(void);
int omp_collector_bridge_ask_thread(const void *thread, omp_collector_bridge_thread_answer *answer);
typedef int (*omp_collector_bridge_ask_thread_t)(const void *,
                                                 omp_collector_bridge_thread_answer *);

/* Who keeps others waiting for a lock, a critical region or an atomic update.
 *
 * MUTEX_RELEASED is an event beside those of the contract, and is registered like them. It comes to
 * a thread that has released a mutex, and only where that was asked for by watch_mutex while the
 * thread held it. In the callback, STATE shows what others wait in (LKWT, CTWT, ATWT), with the
 * mutex's wait id; regions are the thread's own. Another producer answers REGISTER with an error.
 *
 * watch_mutex: asks for the next release of the mutex that has this wait id, by the thread that
 * holds it now. Returns 1, or 0 where nobody is known to hold it. Any thread, async-signal-safe. A
 * collector asks for it where it finds a thread waiting, and looks in the callback at who has kept
 * it waiting. */
enum { OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED = 4096 };
int omp_collector_bridge_watch_mutex(uint64_t wait_id);
typedef int (*omp_collector_bridge_watch_mutex_t)(uint64_t);

/* Events that come millions of times, where all that their callback would do is to count them.
 *
 * count_events: from now on the events that begin something and have a bit in this mask (bit n:
 * event n, from THR_BEGIN_IDLE to THR_BEGIN_ATWT) are counted on each thread that has counts. They
 * must be registered, and their callback does not come there. START and STOP set the mask to 0. Any
 * thread, async-signal-safe. Other threads may deliver what they are about to deliver.
 *
 * own_counts: the calling thread adds 1 to counts[n] for each such event n. The array reaches to
 * the highest event of the mask. The thread alone writes it, each element at once. It must stay
 * until this is called with NULL on that thread, or the thread has ended. A new session, and the
 * child after fork(), begin without. So does a thread that leaves OpenMP and comes back: call it in
 * a callback. Async-signal-safe. */
void omp_collector_bridge_count_events(uint64_t events);
typedef void (*omp_collector_bridge_count_events_t)(uint64_t);
void omp_collector_bridge_own_counts(uint64_t *counts);
typedef void (*omp_collector_bridge_own_counts_t)(uint64_t *);

/* For whoever stands in front of a runtime's other entries (libomp-collector-front.so of this
 * project does): where the calling thread writes that it is inside of one, so that STATE can tell
 * the runtime's time from the program's. What the bridge reports through OMPT names the program's
 * code all the same.
 *
 * Around a call from the program, `innermost` is the address of 16 aligned bytes on the stack, plus
 * what the call is (below): the value of `innermost` before the call, and the address that the
 * call returns to in the program. The call to the runtime pushes its return address directly below
 * them, or below copied arguments. Behind the call `innermost` gets the value from before. So does
 * `covered` behind a call that forks, if it is that call's mark. The runtime's calls of itself are
 * no calls from the program.
 */
typedef struct {
    uintptr_t innermost;
    uintptr_t covered;   /* the value of `innermost` inside which the program's code runs again */
    uint64_t taskgroups; /* a bit for each open one, the innermost lowest: does it reduce? */
    uint64_t combines_until; /* 0: not; else the program combines a reduction, until this time of
                                CLOCK_MONOTONIC in ns, or, with ~0, until it says so */
} omp_collector_bridge_front;

enum {
    OMP_COLLECTOR_BRIDGE_IN_RUNTIME = 0,     /* OVHD */
    OMP_COLLECTOR_BRIDGE_IN_REDUCTION = 1,   /* REDUC */
    OMP_COLLECTOR_BRIDGE_IN_DOACROSS = 2,    /* ODWT */
    OMP_COLLECTOR_BRIDGE_ENDS_TASKGROUP = 3, /* OVHD, then REDUC if the taskgroup reduces */
    OMP_COLLECTOR_BRIDGE_FRONT_KINDS = 3,    /* mask */
    OMP_COLLECTOR_BRIDGE_6_ARGUMENTS = 4,    /* copied below: so many words */
    OMP_COLLECTOR_BRIDGE_16_ARGUMENTS = 8,
    OMP_COLLECTOR_BRIDGE_FORKS = 12 /* OVHD but inside of the region; below: the frame pointer,
                                       the outlined function, the number of arguments, and these;
                                       right above: the stack as it is behind the call */
};

/* NULL where nobody asks for marks; once it is not, it stays so on its thread. An initial-exec
 * thread-local of the library. */
extern __thread omp_collector_bridge_front *omp_collector_bridge_own_front
    __attribute__((tls_model("initial-exec")));

/* What the objects of a process call, by the slots that a front finds in them. */
enum {
    OMP_COLLECTOR_FRONT_TASKS = 1,     /* what creates tasks */
    OMP_COLLECTOR_FRONT_NO_SINGLES = 2 /* nothing that begins a single construct */
};

/* A front exports this function. It finds a bridge that is in the process before it; a bridge calls
 * this when a runtime initialises it, in the first front of the order of search. From then on marks
 * go to the calling thread's *own_front, and forks to note_fork; those of a second bridge are not
 * taken. The result is null where no calls are marked there. Else it is the address of a number of
 * the bits above. An object that is opened later may set the first one and clear the second one:
 * before its code runs, and note_fork(NULL, NULL) comes behind that. */
#define OMP_COLLECTOR_FRONT_CONNECT "omp_collector_front_connect"
typedef const unsigned *(*omp_collector_front_connect_t)(omp_collector_bridge_front **own_front,
                                                         void (*note_fork)(const void *,
                                                                           const void *));

/* Is in tool_data of what the bridge's ompt_start_tool returns, where no other tool is behind it.
 * Then nobody needs what the bridge does not: the number of the initial device (GNU libgomp opens
 * all of its devices when it is asked for that), and, of a thread that marks its calls, the frames
 * by which it enters the runtime, and its waits for tasks. */
#define OMP_COLLECTOR_BRIDGE_IS_ALONE UINT64_C(0x62726964676531)

typedef struct {
    const char *name;          /* the environment variable, e.g. "OCB_INIT" */
    const char *values;        /* what it may be set to, e.g. "auto|force|lazy" */
    const char *default_value; /* what holds where it is not set */
    const char *sentence;      /* what it does */
} omp_collector_bridge_option;

/* All options that the library reads from the environment. *count receives the length. */
const omp_collector_bridge_option *omp_collector_bridge_options(size_t *count);
typedef const omp_collector_bridge_option *(*omp_collector_bridge_options_t)(size_t *);

#ifdef __cplusplus
}
#endif

#endif /* OMP_COLLECTOR_BRIDGE_H */
