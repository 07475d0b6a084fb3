// SPDX-License-Identifier: Apache-2.0
// The collector's session: START, STOP, PAUSE, RESUME, the callback of each event, and delivery.
// Control requests take a lock; delivery takes none. What is delivered is decided by one mask,
// which is 0 unless a session runs unpaused and the process is not ending.
#pragma once

#include "omp_collector_api.h"
#include "thread_record.h"

#include <atomic>
#include <cstdint>

namespace ocb::session {

// Requests: any thread, not in a signal handler.
OMP_COLLECTORAPI_EC start();
OMP_COLLECTORAPI_EC stop();
OMP_COLLECTORAPI_EC pause();
OMP_COLLECTORAPI_EC resume();
OMP_COLLECTORAPI_EC register_callback(int event, OMP_COLLECTORAPI_CALLBACK callback);
OMP_COLLECTORAPI_EC unregister_callback(int event);

extern constinit std::atomic<bool> started;

// Async-signal-safe.
inline bool is_started() {
    return started.load(std::memory_order_acquire);
}

// Sees to it that delivery ends before the exit handlers of libraries run, the runtime's and the
// collector's among them: exit handlers run last in, first out, and the libraries' destructors
// count as registered when main begins. So this is to be called when the program runs, at its first
// fork.
void watch_exit();

// Sees to it that a forked child finds our locks free. From the first START on, or from a runtime
// on that must be observed before.
void watch_forks();

// For the event paths (tracker.cpp).
extern constinit std::atomic<std::uint64_t> event_mask; // bit n: event n is to be delivered
extern constinit std::atomic<std::uint32_t> number;     // of the session, counts STARTs

inline bool wants(int event) {
    return (event_mask.load(std::memory_order_relaxed) & (1ULL << event)) != 0;
}

// Calls the callback of `event` on the calling thread, with `answers` in force. The event must be
// wanted; a STOP or UNREGISTER that came since is respected. Not delivered inside a callback.
void deliver(ThreadRecord &record, int event, const EventAnswers &answers);
// The same with the answers that stand in the record already; not inside a callback.
void deliver_prepared(ThreadRecord &record, int event);

} // namespace ocb::session
