// SPDX-License-Identifier: Apache-2.0
// The collector's callback of each event, and its call. One mask decides what is delivered; it is 0
// unless a session runs unpaused and the process is not ending. Delivery takes no lock. The session
// (session.h) writes what is here; a wait makes sure that afterwards no callback is in flight.
#pragma once

#include "base/compiler.h"
#include "events/inside_callback.h"
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
    // From the first STATE of a session on: the callbacks that STATE needs are wanted.
    std::atomic<bool> answers_states{false};
    // Bit n: event n is counted in the place of its callback, on threads that have counts.
    std::atomic<std::uint64_t> counted_events{0};
    // The state word of a record whose events may take the fast path (pairs.h), in the program's
    // code. Without membarrier the stopper cannot order all threads. Each deliverer must order its
    // own store and load then, and no record has this value.
    std::atomic<std::uint64_t> fast_path{StateWord::word_of(kNoSession)};
    std::atomic<bool> deliverer_orders{true};
    // The collector's callbacks, by event. A removed one is replaced by an empty function, never by
    // null: a deliverer that has seen its bit in the mask may still call it.
    alignas(64) std::atomic<OMP_COLLECTORAPI_CALLBACK> callbacks[kEventsEnd] = {};
};
extern constinit DeliveryState delivery_state OCB_INTERNAL;

inline bool wants(Event event) {
    return (load_in_place(delivery_state.event_mask) & bit_of(event)) != 0;
}

inline std::uint32_t session_number() {
    return delivery_state.session_number.load(std::memory_order_relaxed);
}

// A collector may have events counted that begin something: odd numbers, up to BEGIN_ATWT.
constexpr bool is_countable(Event event) {
    return event >= Event::kBeginIdle && event <= Event::kBeginAtomicWait &&
           static_cast<std::uint32_t>(event) % 2 != 0;
}

OCB_ALWAYS_INLINE void add_one(std::uint64_t *counts, Event event) {
    std::uint64_t &of_event = counts[static_cast<std::uint32_t>(event)];
    __atomic_store_n(&of_event, of_event + 1, __ATOMIC_RELAXED);
}

// The event is counted, as its collector wants it: true. Else it is to be delivered.
OCB_ALWAYS_INLINE bool count(const ThreadRecord &record, Event event) {
    std::uint64_t *const counts = record.counts;
    if (!is_countable(event) || counts == nullptr ||
        (load_in_place(delivery_state.counted_events) & bit_of(event)) == 0) {
        return false;
    }
    add_one(counts, event);
    return true;
}

// Calls the callback of `event` on the calling thread, or counts the event. The event must be
// wanted, and the thread in no callback. A STOP or UNREGISTER that came since is respected. The
// callback may change errno and use OpenMP. If it is left by longjmp, the thread's next report
// finds that out by the mark. call_uncounted is for an event that is not counted.
enum class Order : std::uint8_t {
    kAsNeeded,
    kByStopper, // the fast path
};
// `half` is the lower half of the state word before and after the call, where the caller knows it.
// It is stored as one: the next event compares the whole word, and a processor waits where single
// bytes of it are still to be stored.
constexpr std::uint32_t kUnknownHalf = ~0U;
template <Order kOrder = Order::kAsNeeded>
__attribute__((no_sanitize("address"))) OCB_ALWAYS_INLINE void
call_uncounted(ThreadRecord &record, Event event, std::uint32_t half = kUnknownHalf) {
    const volatile void *volatile mark = &mark;
    record.callback = &mark;
    order_for_handler();
    // Either this thread orders its announcement before its load of the callback, or the stopper
    // does that for all threads.
    if (kOrder == Order::kAsNeeded &&
        delivery_state.deliverer_orders.load(std::memory_order_relaxed)) {
        record.delivering.store(static_cast<std::uint8_t>(event), std::memory_order_seq_cst);
    } else {
        record.delivering.store(static_cast<std::uint8_t>(event), std::memory_order_relaxed);
    }
    order_for_handler();
    // Behind the load of the mask (wants): a thread that sees the bit sees the callback that was
    // stored before it. The first callback of an event replaces a null.
    std::atomic_thread_fence(std::memory_order_acquire);
    const int saved_errno = *record.own_errno;
    const auto &callback = delivery_state.callbacks[static_cast<std::uint32_t>(event)];
    const auto number = static_cast<OMP_COLLECTORAPI_EVENT>(contract_number(event));
    if (kOrder == Order::kByStopper) {
        load_acquire_in_place(callback)(number); // with the collector's data
    } else {
        callback.load(std::memory_order_seq_cst)(number);
    }
    *record.own_errno = saved_errno;
    if (record.is_disturbed) [[unlikely]] {
        return end_callback(record);
    }
    if (half != kUnknownHalf) {
        order_for_handler();
        return record.set_first_word(record.word_in_code | half);
    }
    record.delivering.store(0, std::memory_order_release);
}
template <Order kOrder = Order::kAsNeeded>
OCB_ALWAYS_INLINE void call_callback(ThreadRecord &record, Event event,
                                     std::uint32_t half = kUnknownHalf) {
    if (!count(record, event)) {
        call_uncounted<kOrder>(record, event, half);
    }
}

// True if the event is not delivered: inside a callback, or where it is counted instead.
OCB_ALWAYS_INLINE bool is_done_without(const ThreadRecord &record, Event event) {
    return record.is_in_callback() || count(record, event);
}

// call_uncounted with `answers`. The state is the event's, the wait id a parameter.
OCB_NEVER_INLINE inline void deliver(ThreadRecord &record, Event event, const EventAnswers &answers,
                                     std::int32_t state, WaitId wait_id) {
    // Member by member, as each was just stored: a processor waits where it loads two in one
    // access.
    record.answers.wait_id = wait_id;
    record.answers.region_id = answers.region_id;
    record.answers.parent_id = answers.parent_id;
    record.answers.state = state;
    record.answers.is_master = answers.is_master;
    record.answers.task = answers.task;
    order_for_handler();
    record.has_answers.set(true);
    call_uncounted(record, event);
    order_for_handler();
    record.has_answers.set(false);
}

// For the session, under its lock.
void set_callback(Event event, OMP_COLLECTORAPI_CALLBACK callback);
OMP_COLLECTORAPI_CALLBACK callback_of(Event event); // null: none
void forget_callbacks();

// Waits, for a second at most, until no other thread is in a callback of `event` (kNone: of any).
// Called without a lock: a callback in flight may issue requests itself.
void wait_for_deliveries(Event event);

// Under the session's lock: a new session begins, or threads are ordered in another way.
void set_session_number(std::uint32_t number);
// Spares deliverers a fence where the system has one for all threads at once.
void use_membarrier();
void reset_delivery_after_fork();

} // namespace ocb::events
