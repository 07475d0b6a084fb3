// SPDX-License-Identifier: Apache-2.0
// What a mutex does to its thread's record and events, whether the runtime reports who waits
// (before_openmp5.cpp) or the table of held mutexes shows it (mutexes.cpp).
#pragma once

#include "base/options.h"
#include "tracker/constructs.h"

namespace ocb::tracker {

OCB_ALWAYS_INLINE void begin_acquisition(ThreadRecord &record, MutexKind kind, WaitId wait_id,
                                         bool must_wait) {
    record.wait_id.set(wait_id);
    record.mutex_is_taken.set(must_wait);
    order_for_handler();
    record.mutex.set(kind);
    if (!must_wait && options().wait_events != WaitEvents::kAll) {
        return;
    }
    record.mutex_event_is_open = true;
    begin_event(record, mutex_row(kind).begin);
}

OCB_ALWAYS_INLINE void end_acquisition(ThreadRecord &record, MutexKind kind) {
    close_mutex_wait(record);
    if (kind == MutexKind::kOrdered) {
        begin_event(record, Event::kBeginOrdered);
    }
}

OCB_ALWAYS_INLINE void end_hold(ThreadRecord &record, MutexKind kind) {
    close_mutex_wait(record);
    if (kind == MutexKind::kOrdered) {
        end_event(record, Event::kEndOrdered);
    }
}

} // namespace ocb::tracker
