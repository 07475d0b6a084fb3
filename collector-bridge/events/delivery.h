// SPDX-License-Identifier: Apache-2.0
// The collector's callback of each event, and its call. One mask decides what is delivered; it is 0
// unless a session runs unpaused and the process is not ending. Delivery takes no lock. The session
// (session.h) writes what is here; a wait makes sure that afterwards no callback is in flight.
#pragma once

#include "omp_collector_api.h"
#include "records/thread_record.h"

#include <atomic>
#include <cstdint>

namespace ocb::events {

extern constinit std::atomic<std::uint64_t> event_mask;     // bit n: event n is to be delivered
extern constinit std::atomic<std::uint32_t> session_number; // counts STARTs

inline bool wants(int event) {
    return (event_mask.load(std::memory_order_relaxed) & (1ULL << event)) != 0;
}

// Calls the callback of `event` on the calling thread, with the answers that stand in the record.
// The event must be wanted, the thread in no callback; a STOP or UNREGISTER that came since is
// respected.
void call_callback(ThreadRecord &record, int event);

// The same with these answers; not delivered inside a callback.
inline void deliver(ThreadRecord &record, int event, const EventAnswers &answers) {
    if (record.is_in_callback())
        return;
    record.answers = answers;
    call_callback(record, event);
}

// For the session, under its lock.
void set_callback(int event, OMP_COLLECTORAPI_CALLBACK callback);
void forget_callbacks();

// Waits, for a second at most, until no other thread is in a callback of `event` (0: of any).
// Called without a lock: a callback in flight may issue requests itself.
void wait_for_deliveries(int event);

// Spares deliverers a fence where the system has one for all threads at once.
void use_membarrier();
void reset_delivery_after_fork();

} // namespace ocb::events
