// SPDX-License-Identifier: Apache-2.0
// Events on their way to the collector: answers that are not the record's own, and pairs of BEGIN
// and END. Inline, as every event of the tracker goes through here. The record is the calling
// thread's. Not for signal handlers.
//
// Pairs are strict on each thread: a collector that has registered both never gets an END without
// its BEGIN, whatever the runtime leaves out and whenever callbacks are registered.
#pragma once

#include "base/compiler.h"
#include "events/delivery.h"
#include "events/inside_callback.h"
#include "records/event.h"
#include "records/state_of.h"
#include "records/tables.h"
#include "records/thread_record.h"

namespace ocb::events {

// Delivers with `answers` and the state of the event's row.
OCB_ALWAYS_INLINE void deliver_with_state_of_event(ThreadRecord &record, Event event,
                                                   const EventAnswers &answers) {
    if (is_done_without(record, event)) {
        return;
    }
    const EventRow &row = event_row(event);
    WaitId wait_id = answers.wait_id;
    const std::int32_t state = row.state != kOwnState ? row.state : state_of(record, wait_id);
    deliver(record, event, answers, state, wait_id);
}

// FORK and JOIN, on the region's master, in no callback.
template <Order kOrder = Order::kAsNeeded>
OCB_ALWAYS_INLINE void deliver_of_master(ThreadRecord &record, const RegionRecord &region,
                                         RegionKey key, Event event,
                                         std::uint32_t half = kUnknownHalf) {
    record.event_of.key = key;
    order_for_handler();
    record.event_of.region = &region;
    call_callback<kOrder>(record, event, half);
    order_for_handler();
    record.event_of.region = nullptr;
}

// An event of a region that the thread is not in yet, with answers of its own.
inline void deliver_of(ThreadRecord &record, const RegionRecord *region, Event event,
                       const EventAnswers &answers) {
    if (is_done_without(record, event)) {
        return;
    }
    record.event_of.region = region;
    order_for_handler();
    deliver(record, event, answers, answers.state, answers.wait_id);
    order_for_handler();
    record.event_of.region = nullptr;
}

// How an open pair stands with the collector. The higher bit of all but an unknown one is set.
enum class OpenPair : std::uint8_t {
    kUnknown = 0,   // its BEGIN could not be delivered, so its END is not either
    kEndWanted = 2, // only its END was registered when it began
    kBegun = 3,     // its BEGIN has been delivered
};

// The record has a stack for each kind of pair, with two bits for each open pair. It is full where
// its last place is in use, which its sign shows. An unknown pair there is forgotten: it has no
// END.
constexpr unsigned kOpenPairBits = 2;
constexpr std::uint64_t kOpenPairMask = (1U << kOpenPairBits) - 1;
constexpr std::uint64_t kFullStack = 1ULL << 63;

OCB_NEVER_INLINE inline void begin_session(ThreadRecord &record) {
    record.session = session_number();
    record.word_in_code = StateWord::word_of(record.session);
    record.counts = nullptr;
    for (OpenPairs &open : record.open) {
        open = {};
    }
    record.clear_slow_path(kDeepPairs);
}

OCB_ALWAYS_INLINE void enter_session(ThreadRecord &record) {
    if (record.session != session_number()) [[unlikely]] {
        begin_session(record);
    }
}

OCB_ALWAYS_INLINE OpenPairs &open_pairs(ThreadRecord &record, Pair pair) {
    enter_session(record);
    return record.open[static_cast<int>(pair)];
}

OCB_ALWAYS_INLINE OpenPair open_pair_at_begin(const ThreadRecord &record, Event begin, Event end) {
    if (record.is_in_callback()) {
        return OpenPair::kUnknown;
    }
    if (wants(begin)) {
        return OpenPair::kBegun;
    }
    return wants(end) ? OpenPair::kEndWanted : OpenPair::kUnknown;
}

// The END's number is the BEGIN's plus one. The creation of a task has two ENDs.
constexpr Event end_of(Event begin) {
    return Event{static_cast<std::uint32_t>(begin) + 1};
}
constexpr Event begin_of(Event end) {
    return end == Event::kEndCreateTaskDelayed ? Event::kBeginCreateTask
                                               : Event{static_cast<std::uint32_t>(end) - 1};
}

OCB_ALWAYS_INLINE bool end_is_due(OpenPair pair, Event end) {
    return wants(end) &&
           (pair == OpenPair::kBegun || (pair == OpenPair::kEndWanted && !wants(begin_of(end))));
}

// A collector that registers JOIN without FORK gets each JOIN, wherever its region began. OpenUH's
// runtime does that, as it keeps nothing of a FORK.
OCB_ALWAYS_INLINE bool join_is_due(OpenPair fork) {
    return wants(Event::kJoin) && (fork == OpenPair::kBegun || !wants(Event::kFork));
}

// Pairs inside of a full stack are counted. Those that have begun for the collector are outside of
// those that have not. So a pair inside of one without BEGIN has no BEGIN either. True if the BEGIN
// is to be delivered.
OCB_NEVER_INLINE inline bool begin_pair_beyond(ThreadRecord &record, OpenPairs &open,
                                               OpenPair pair) {
    record.set_slow_path(kDeepPairs);
    const bool is_begun = pair == OpenPair::kBegun && open.silent_beyond == 0;
    ++(is_begun ? open.begun_beyond : open.silent_beyond);
    return is_begun;
}
OCB_NEVER_INLINE inline OpenPair end_pair_beyond(ThreadRecord &record, OpenPairs &open) {
    const bool is_begun = open.silent_beyond == 0;
    --(is_begun ? open.begun_beyond : open.silent_beyond);
    bool is_any_beyond = false;
    for (const OpenPairs &other : record.open) {
        is_any_beyond = is_any_beyond || other.is_beyond();
    }
    if (!is_any_beyond) {
        record.clear_slow_path(kDeepPairs);
    }
    return is_begun ? OpenPair::kBegun : OpenPair::kUnknown;
}

// True if the pair has begun for the collector.
OCB_ALWAYS_INLINE bool push(ThreadRecord &record, OpenPairs &open, OpenPair pair) {
    if ((open.stack & kFullStack) != 0) [[unlikely]] {
        return begin_pair_beyond(record, open, pair);
    }
    open.stack = (open.stack << kOpenPairBits) | static_cast<std::uint64_t>(pair);
    return pair == OpenPair::kBegun;
}
OCB_ALWAYS_INLINE OpenPair pop_stack(OpenPairs &open) {
    const auto pair = static_cast<OpenPair>(open.stack & kOpenPairMask);
    open.stack >>= kOpenPairBits;
    return pair;
}
OCB_ALWAYS_INLINE OpenPair pop(ThreadRecord &record, OpenPairs &open) {
    return open.is_beyond() ? end_pair_beyond(record, open) : pop_stack(open);
}

// True if the BEGIN is to be delivered.
OCB_ALWAYS_INLINE bool begin_pair(ThreadRecord &record, Event begin, Event end) {
    OpenPairs &open = open_pairs(record, event_row(begin).pair);
    return push(record, open, open_pair_at_begin(record, begin, end));
}

// True if the END is to be delivered.
OCB_ALWAYS_INLINE bool end_pair(ThreadRecord &record, Event end) {
    return end_is_due(pop(record, open_pairs(record, event_row(end).pair)), end);
}

// The same with answers that differ from the record's.
OCB_ALWAYS_INLINE void begin_event(ThreadRecord &record, Event begin, Event end,
                                   const EventAnswers &answers) {
    if (begin_pair(record, begin, end)) {
        deliver_with_state_of_event(record, begin, answers);
    }
}
OCB_ALWAYS_INLINE void begin_event(ThreadRecord &record, Event begin, const EventAnswers &answers) {
    begin_event(record, begin, end_of(begin), answers);
}
OCB_ALWAYS_INLINE void end_event(ThreadRecord &record, Event end, const EventAnswers &answers) {
    if (end_pair(record, end)) {
        deliver_with_state_of_event(record, end, answers);
    }
}

OCB_ALWAYS_INLINE void begin_event(ThreadRecord &record, Event begin) {
    if (begin_pair(record, begin, end_of(begin))) {
        call_callback(record, begin);
    }
}
OCB_ALWAYS_INLINE void end_event(ThreadRecord &record, Event end) {
    if (end_pair(record, end) && !record.is_in_callback()) {
        call_callback(record, end);
    }
}

// ---- the fast path, which most events take ------------------------------------------------------

// True for the fast path: the record is of the running session, and deliverers order nothing. The
// thread is in no callback, has no slow path, and its activity is `activity`.
OCB_ALWAYS_INLINE bool is_ready(const ThreadRecord &record, Activity activity = Activity::kUser,
                                MutexKind mutex = MutexKind::kNone) {
    return record.first_word() == delivery_state.fast_path.load(std::memory_order_relaxed) +
                                      StateWord::half_of(activity, mutex);
}

// The same for FORK and JOIN, which may come in a wait that was not reported.
OCB_ALWAYS_INLINE bool is_ready_for_region(const ThreadRecord &record, Activity activity) {
    return (record.first_word() & ~(std::uint64_t{kMissesWaits} << 16)) ==
           delivery_state.fast_path.load(std::memory_order_relaxed) +
               StateWord::half_of(activity, MutexKind::kNone);
}

// For a BEGIN that is not wanted, or a full stack.
OCB_NEVER_INLINE inline void begin_event_apart(ThreadRecord &record, Event begin) {
    begin_event(record, begin);
}
// `half`: the lower half of the state word, as the event leaves it (delivery.h).
OCB_ALWAYS_INLINE void begin_ready_event(ThreadRecord &record, Event begin,
                                         std::uint32_t half = kUnknownHalf) {
    OpenPairs &open = record.open[static_cast<int>(event_row(begin).pair)];
    if (!wants(begin) || (open.stack & kFullStack) != 0) [[unlikely]] {
        return begin_event_apart(record, begin);
    }
    push(record, open, OpenPair::kBegun);
    call_callback<Order::kByStopper>(record, begin, half);
}

// For a worker at its region's end, on a ready record. Counts BEGIN_IBAR and BEGIN_IDLE, where the
// collector has both counted and does not want END_IBAR. False: nothing was done.
OCB_ALWAYS_INLINE bool count_barrier_and_idle(ThreadRecord &record) {
    constexpr std::uint64_t kBegins =
        bit_of(Event::kBeginImplicitBarrier) | bit_of(Event::kBeginIdle);
    constexpr std::uint64_t kAll = kBegins | bit_of(Event::kEndImplicitBarrier);
    OpenPairs &idle = record.open[static_cast<int>(event_row(Event::kBeginIdle).pair)];
    if ((load_in_place(delivery_state.event_mask) & kAll) != kBegins ||
        (load_in_place(delivery_state.counted_events) & kBegins) != kBegins ||
        record.counts == nullptr || (idle.stack & kFullStack) != 0) {
        return false;
    }
    add_one(record.counts, Event::kBeginImplicitBarrier);
    push(record, idle, OpenPair::kBegun);
    add_one(record.counts, Event::kBeginIdle);
    return true;
}

// A region's pair lies in its record.
OCB_ALWAYS_INLINE void begin_ready_fork(ThreadRecord &record, RegionRecord &region, RegionKey key) {
    if (wants(Event::kFork)) [[likely]] {
        region.open_pair = static_cast<std::uint8_t>(OpenPair::kBegun);
        return deliver_of_master<Order::kByStopper>(record, region, key, Event::kFork,
                                                    record.first_half());
    }
    region.open_pair = static_cast<std::uint8_t>(OpenPair::kUnknown);
}
OCB_ALWAYS_INLINE void end_ready_fork(ThreadRecord &record, const RegionRecord &region,
                                      RegionKey key) {
    if (join_is_due(static_cast<OpenPair>(region.open_pair))) {
        deliver_of_master<Order::kByStopper>(record, region, key, Event::kJoin,
                                             record.first_half());
    }
}

OCB_ALWAYS_INLINE void end_ready_event(ThreadRecord &record, Event end,
                                       std::uint32_t half = kUnknownHalf) {
    if (end_is_due(pop_stack(record.open[static_cast<int>(event_row(end).pair)]), end)) {
        call_callback<Order::kByStopper>(record, end, half);
    }
}

} // namespace ocb::events
