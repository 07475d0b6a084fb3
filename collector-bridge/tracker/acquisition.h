// SPDX-License-Identifier: Apache-2.0
// How a mutex changes its thread's record, and its events. For both ways in which a wait is known:
// the runtime reports it (before_openmp5.cpp), or the table of held mutexes shows it (mutexes.cpp).
#pragma once

#include "base/options.h"
#include "events/inside_callback.h"
#include "tracker/constructs.h"

namespace ocb::tracker {

// The record of a thread that has just got the mutex that it wanted.
inline ThreadRecord *record_at_acquisition(const void *frame) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        return record_of_unknown_thread(Report::kAny, frame);
    }
    if (record->is_in_callback()) {
        events::report_inside_callback(*record, frame);
    }
    return record;
}

OCB_NEVER_INLINE inline void begin_mutex_event(ThreadRecord &record, MutexKind kind) {
    record.set_slow_path(kWaitIsOpen);
    begin_event(record, mutex_row(kind).begin);
}

OCB_ALWAYS_INLINE void take_mutex_in_hand(ThreadRecord &record, MutexKind kind, WaitId wait_id,
                                          bool must_wait) {
    record.wait_id.set(wait_id);
    record.mutex_is_taken.set(must_wait);
    order_for_handler();
    record.mutex.set(kind);
}

OCB_ALWAYS_INLINE void begin_acquisition(ThreadRecord &record, MutexKind kind, WaitId wait_id,
                                         bool must_wait) {
    take_mutex_in_hand(record, kind, wait_id, must_wait);
    if (must_wait || options_read.wait_events == WaitEvents::kAll) {
        begin_mutex_event(record, kind);
    }
}

// For a record that cannot take the fast path.
OCB_NEVER_INLINE inline void enter_ordered(ThreadRecord &record) {
    close_mutex_wait(record);
    begin_event(record, Event::kBeginOrdered);
}

OCB_ALWAYS_INLINE void end_acquisition(ThreadRecord &record, MutexKind kind) {
    if (kind == MutexKind::kOrdered) {
        return enter_ordered(record);
    }
    close_mutex_wait(record);
}

OCB_NEVER_INLINE inline void leave_ordered(ThreadRecord &record) {
    end_event(record, Event::kEndOrdered);
}

OCB_ALWAYS_INLINE void end_hold(ThreadRecord &record, MutexKind kind) {
    if (kind == MutexKind::kOrdered) {
        leave_ordered(record);
    }
}

} // namespace ocb::tracker
