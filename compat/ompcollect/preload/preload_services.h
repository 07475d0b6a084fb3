/* SPDX-License-Identifier: Apache-2.0
 *
 * preload_services.h - between the preloaded part, which is in every process, and the collector,
 * which is loaded when an OpenMP runtime asks for a tool. The collector finds this one function by
 * dlsym and does without where it is missing. Plain C types; both come from one installation.
 */
#pragma once

#include <signal.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*ompcollect_handler)(int, siginfo_t *, void *);

/* What the collector wants to hear of. Each may be called on any thread. */
typedef struct {
    /* The calling thread is about to block the sampling signal, or has unblocked it. */
    void (*signal_is_blocked)(void);
    void (*signal_is_unblocked)(void);
    /* The process is about to leave without exit handlers, or to become another program; or that
     * has failed. Async-signal-safe. */
    void (*quits)(int code);
    void (*becomes_another)(void);
    void (*stays)(void);
    /* A runtime has just taken the bridge: the session may begin. Once, in a collector that was
     * loaded before. 0: START was refused. */
    int (*runtime_asks)(void);
    /* The process is to have no thread of ours for a moment, which the second one ends. 0: it had
     * none, and the second one is not called. */
    int (*leaves_alone)(void);
    void (*comes_back)(void);
} ompcollect_listener;

typedef struct {
    uint64_t begin_ns; /* monotonic clock, when the process began */
    /* 0: the collector is loaded at the process's begin, before the runtime is initialised. */
    int runtime_has_asked;
    /* How many libraries the program has closed. */
    const unsigned *closed_libraries;
    /* The signal is the collector's from here on; the program's own handling of it goes on behind
     * the handler. 0 or an errno. */
    int (*take_signal)(int signal, ompcollect_handler handler);
    /* A signal that is none of ours, in the handler: does what the program wants done. */
    void (*pass_on)(int signal, siginfo_t *info, void *context);
    void (*listen)(const ompcollect_listener *listener);
    /* The file that was descriptor 2 when the process began, as ocb::FileIdentity; 0: none. */
    uint64_t stderr_device, stderr_number;
} ompcollect_preload_services;

const ompcollect_preload_services *ompcollect_preload(void);
typedef const ompcollect_preload_services *(*ompcollect_preload_t)(void);

#ifdef __cplusplus
}
#endif
