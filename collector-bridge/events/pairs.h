// SPDX-License-Identifier: Apache-2.0
// Events on their way to the collector: the answers that hold inside a callback, and pairs of BEGIN
// and END. Inline, as every event of the tracker goes through here. The caller's thread owns the
// record. Not for signal handlers.
//
// Pairs are strict on each thread: a collector that has registered both never gets an END without
// its BEGIN, whatever the runtime leaves out and whenever callbacks are registered.
#pragma once

#include "base/compiler.h"
#include "events/delivery.h"
#include "records/state_of.h"
#include "records/tables.h"
#include "records/thread_record.h"

namespace ocb::events {

// Every member is written.
OCB_ALWAYS_INLINE void fill_answers(const ThreadRecord &record, int state, EventAnswers &answers) {
    const Frame *frame = record.frame.get();
    answers.state = state;
    answers.wait_id = record.wait_id.get();
    answers.task = record.task.get();
    answers.region_id = frame != nullptr ? visible_id(frame->key) : 0;
    answers.parent_id = frame != nullptr ? frame->parent_id : 0;
    answers.is_master = frame != nullptr && frame->thread_num == 0;
}

// As a value, which deliver_as completes with the event's state.
inline EventAnswers answers_now(const ThreadRecord &record) {
    EventAnswers answers;
    fill_answers(record, kOwnState, answers);
    return answers;
}

OCB_ALWAYS_INLINE std::uint64_t &open_stack(ThreadRecord &record, Pair pair) {
    const std::uint32_t session = session_number.load(std::memory_order_relaxed);
    if (record.session != session) {
        record.session = session;
        for (std::uint64_t &stack : record.open)
            stack = 0;
    }
    return record.open[static_cast<int>(pair)];
}

inline void deliver_as(ThreadRecord &record, int event, EventAnswers answers) {
    const EventRow &row = event_row(event);
    if (row.state != kOwnState)
        answers.state = row.state;
    else
        answers.state = state_of(record, answers.wait_id);
    deliver(record, event, answers);
}

// An event of a region that the thread is not in yet, or no more.
inline void deliver_of(ThreadRecord &record, const RegionRecord *region, int event,
                       const EventAnswers &answers) {
    if (record.is_in_callback())
        return;
    record.event_region = region;
    order_for_handler();
    deliver(record, event, answers);
    order_for_handler();
    record.event_region = nullptr;
}

// With the answers that the record gives now, written in their place at once.
OCB_ALWAYS_INLINE void deliver_now(ThreadRecord &record, int event) {
    if (record.is_in_callback())
        return;
    EventAnswers &answers = record.answers;
    fill_answers(record, event_row(event).state, answers);
    if (answers.state == kOwnState)
        answers.state = state_of(record, answers.wait_id);
    call_callback(record, event);
}

// How an open pair stands with the collector; on the thread's stack, two bits each.
enum OpenPair : std::uint64_t {
    kUnknown = 0,   // its BEGIN could not be delivered, so its END is not either
    kBegun = 1,     // its BEGIN has been delivered
    kEndWanted = 2, // only its END was registered when it began
    kOpenPairBits = 2,
    kOpenPairMask = (1U << kOpenPairBits) - 1,
};

OCB_ALWAYS_INLINE OpenPair open_pair_now(const ThreadRecord &record, int begin, int end) {
    if (record.is_in_callback())
        return kUnknown;
    if (wants(begin))
        return kBegun;
    return wants(end) ? kEndWanted : kUnknown;
}

// An END is the next number, but the creation of a task has two.
inline int begin_of(int end) {
    return end == OMP_EVENT_THR_END_CREATE_TASK_DEL ? OMP_EVENT_THR_BEGIN_CREATE_TASK : end - 1;
}

// A collector that has asked for both never gets an END without its BEGIN.
OCB_ALWAYS_INLINE bool end_is_due(OpenPair pair, int end) {
    return wants(end) && (pair == kBegun || (pair == kEndWanted && !wants(begin_of(end))));
}

OCB_ALWAYS_INLINE bool begin_pair(ThreadRecord &record, int event, int end) {
    std::uint64_t &stack = open_stack(record, event_row(event).pair);
    const OpenPair pair = open_pair_now(record, event, end);
    stack = (stack << kOpenPairBits) | pair;
    return pair == kBegun;
}

OCB_ALWAYS_INLINE bool end_pair(ThreadRecord &record, int event) {
    std::uint64_t &stack = open_stack(record, event_row(event).pair);
    const auto pair = static_cast<OpenPair>(stack & kOpenPairMask);
    stack >>= kOpenPairBits;
    return end_is_due(pair, event);
}

inline void begin_event(ThreadRecord &record, int event, int end, const EventAnswers &answers) {
    if (begin_pair(record, event, end))
        deliver_as(record, event, answers);
}
inline void end_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event,
                      const EventAnswers &answers) {
    if (end_pair(record, event))
        deliver_as(record, event, answers);
}

inline void begin_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event,
                        const EventAnswers &answers) {
    begin_event(record, event, event + 1, answers);
}
OCB_ALWAYS_INLINE void begin_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event) {
    if (begin_pair(record, event, event + 1))
        deliver_now(record, event);
}
OCB_ALWAYS_INLINE void end_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event) {
    if (end_pair(record, event))
        deliver_now(record, event);
}

} // namespace ocb::events
