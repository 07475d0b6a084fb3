// SPDX-License-Identifier: Apache-2.0
// Events on their way to the collector: the answers that hold inside a callback, and pairs of BEGIN
// and END. Inline, as every event of the tracker goes through here. The record is the calling
// thread's. Not for signal handlers.
//
// Pairs are strict on each thread: a collector that has registered both never gets an END without
// its BEGIN, whatever the runtime leaves out and whenever callbacks are registered.
#pragma once

#include "base/compiler.h"
#include "events/delivery.h"
#include "records/event.h"
#include "records/state_of.h"
#include "records/tables.h"
#include "records/thread_record.h"

namespace ocb::events {

// Every member is written.
OCB_ALWAYS_INLINE void fill_answers(const ThreadRecord &record, int state, EventAnswers &answers) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    answers.state = state;
    answers.wait_id = record.wait_id.get();
    answers.task = record.task.get();
    answers.region_id = implicit_task != nullptr ? implicit_task->region_id() : RegionId::kNone;
    answers.parent_id = implicit_task != nullptr ? implicit_task->parent_id : RegionId::kNone;
    answers.is_master = implicit_task != nullptr && implicit_task->thread_num == 0;
}

// As a value, without a state: deliver_with_state_of_event completes it.
inline EventAnswers answers_of(const ThreadRecord &record) {
    EventAnswers answers;
    fill_answers(record, kOwnState, answers);
    return answers;
}

// With these answers and the state that the event's row names.
inline void deliver_with_state_of_event(ThreadRecord &record, Event event, EventAnswers answers) {
    const EventRow &row = event_row(event);
    answers.state = row.state != kOwnState ? row.state : state_of(record, answers.wait_id);
    deliver(record, event, answers);
}

// An event of a region that the thread is not in yet, or no more.
inline void deliver_of(ThreadRecord &record, const RegionRecord *region, Event event,
                       const EventAnswers &answers) {
    if (record.is_in_callback()) {
        return;
    }
    record.event_region = region;
    order_for_handler();
    deliver(record, event, answers);
    order_for_handler();
    record.event_region = nullptr;
}

// With the answers that the record gives at this moment, written in their place at once.
OCB_ALWAYS_INLINE void deliver_with_answers_of_record(ThreadRecord &record, Event event) {
    if (record.is_in_callback()) {
        return;
    }
    EventAnswers &answers = record.answers;
    fill_answers(record, event_row(event).state, answers);
    if (answers.state == kOwnState) {
        answers.state = state_of(record, answers.wait_id);
    }
    call_callback(record, event);
}

// How an open pair stands with the collector.
enum class OpenPair : std::uint8_t {
    kUnknown = 0,   // its BEGIN could not be delivered, so its END is not either
    kBegun = 1,     // its BEGIN has been delivered
    kEndWanted = 2, // only its END was registered when it began
};

// On the record's stack of each pair, two bits each. The stack is full where its last place is in
// use; an unknown pair there is forgotten, which changes nothing.
constexpr unsigned kOpenPairBits = 2;
constexpr std::uint64_t kOpenPairMask = (1U << kOpenPairBits) - 1;
constexpr std::uint64_t kFullStack = kOpenPairMask << (64 - kOpenPairBits);

OCB_ALWAYS_INLINE OpenPairs &open_pairs(ThreadRecord &record, Pair pair) {
    const std::uint32_t session = session_number();
    if (record.session != session) {
        record.session = session;
        for (OpenPairs &open : record.open) {
            open = {};
        }
    }
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

// An END is the number behind its BEGIN; the creation of a task has two.
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

// Pairs inside of a full stack are counted. What has begun for the collector lies outside of what
// has not, so a pair inside of one without BEGIN has none either. True if the BEGIN is to be
// delivered.
OCB_NEVER_INLINE inline bool begin_pair_beyond(OpenPairs &open, OpenPair pair) {
    const bool is_begun = pair == OpenPair::kBegun && open.silent_beyond == 0;
    ++(is_begun ? open.begun_beyond : open.silent_beyond);
    return is_begun;
}
OCB_NEVER_INLINE inline OpenPair end_pair_beyond(OpenPairs &open) {
    const bool is_begun = open.silent_beyond == 0;
    --(is_begun ? open.begun_beyond : open.silent_beyond);
    return is_begun ? OpenPair::kBegun : OpenPair::kUnknown;
}

// True if the BEGIN is to be delivered.
OCB_ALWAYS_INLINE bool begin_pair(ThreadRecord &record, Event begin, Event end) {
    OpenPairs &open = open_pairs(record, event_row(begin).pair);
    const OpenPair pair = open_pair_at_begin(record, begin, end);
    if ((open.stack & kFullStack) != 0) [[unlikely]] {
        return begin_pair_beyond(open, pair);
    }
    open.stack = (open.stack << kOpenPairBits) | static_cast<std::uint64_t>(pair);
    return pair == OpenPair::kBegun;
}

// True if the END is to be delivered.
OCB_ALWAYS_INLINE bool end_pair(ThreadRecord &record, Event end) {
    OpenPairs &open = open_pairs(record, event_row(end).pair);
    if (open.is_beyond()) [[unlikely]] {
        return end_is_due(end_pair_beyond(open), end);
    }
    const auto pair = static_cast<OpenPair>(open.stack & kOpenPairMask);
    open.stack >>= kOpenPairBits;
    return end_is_due(pair, end);
}

// With answers other than those of the record.
inline void begin_event(ThreadRecord &record, Event begin, Event end, const EventAnswers &answers) {
    if (begin_pair(record, begin, end)) {
        deliver_with_state_of_event(record, begin, answers);
    }
}
inline void begin_event(ThreadRecord &record, Event begin, const EventAnswers &answers) {
    begin_event(record, begin, end_of(begin), answers);
}
inline void end_event(ThreadRecord &record, Event end, const EventAnswers &answers) {
    if (end_pair(record, end)) {
        deliver_with_state_of_event(record, end, answers);
    }
}

OCB_ALWAYS_INLINE void begin_event(ThreadRecord &record, Event begin) {
    if (begin_pair(record, begin, end_of(begin))) {
        deliver_with_answers_of_record(record, begin);
    }
}
OCB_ALWAYS_INLINE void end_event(ThreadRecord &record, Event end) {
    if (end_pair(record, end)) {
        deliver_with_answers_of_record(record, end);
    }
}

} // namespace ocb::events
