// SPDX-License-Identifier: Apache-2.0
// The collector's callback of each event, and its call. One mask decides what is delivered; it is 0
// unless a session runs unpaused and the process is not ending. Delivery takes no lock. The session
// (session.h) writes what is here; a wait makes sure that afterwards no callback is in flight.
#pragma once

#include "omp_collector_api.h"
#include "records/event.h"
#include "records/thread_record.h"

#include <atomic>
#include <cstdint>

namespace ocb::events {

// What every event and request reads and only control requests write: on a cache line of its own,
// so that nothing that is written on event paths takes it away (check.cache-lines).
struct alignas(64) DeliveryState {
    std::atomic<std::uint64_t> event_mask{0};     // bit n: event n is to be delivered
    std::atomic<std::uint32_t> session_number{0}; // counts STARTs
    std::atomic<bool> session_runs{false};        // between START and STOP
    // Whether a deliverer must order its own store and load (false: the stopper does it for all
    // threads, by membarrier).
    std::atomic<bool> deliverer_orders{true};
};
static_assert(sizeof(DeliveryState) == 64);
extern constinit DeliveryState delivery_state;

inline bool wants(Event event) {
    return (delivery_state.event_mask.load(std::memory_order_relaxed) & bit_of(event)) != 0;
}

inline std::uint32_t session_number() {
    return delivery_state.session_number.load(std::memory_order_relaxed);
}

// Calls the callback of `event` on the calling thread, with the answers that stand in the record.
// The event must be wanted, the thread in no callback; a STOP or UNREGISTER that came since is
// respected.
void call_callback(ThreadRecord &record, Event event);

// The same with these answers; not delivered inside a callback.
inline void deliver(ThreadRecord &record, Event event, const EventAnswers &answers) {
    if (record.is_in_callback()) {
        return;
    }
    record.answers = answers;
    call_callback(record, event);
}

// For the session, under its lock.
void set_callback(Event event, OMP_COLLECTORAPI_CALLBACK callback);
void forget_callbacks();

// Waits, for a second at most, until no other thread is in a callback of `event` (kNone: of any).
// Called without a lock: a callback in flight may issue requests itself.
void wait_for_deliveries(Event event);

// Spares deliverers a fence where the system has one for all threads at once.
void use_membarrier();
void reset_delivery_after_fork();

} // namespace ocb::events
