// SPDX-License-Identifier: Apache-2.0
// What every construct does first: it finds the thread's record, and closes what the runtime has
// left open. Inline, for all files of the tracker; it includes none of them.
#pragma once

#include "base/compiler.h"
#include "events/pairs.h"
#include "records/tables.h"
#include "records/thread_record.h"
#include "runtime.h"

namespace ocb::tracker {

using events::begin_event;
using events::end_event;

// The thread's record; an unknown thread is adopted with what the runtime knows of it.
inline ThreadRecord *record_of_caller() {
    if (own_record == nullptr) {
        [[unlikely]] runtime::adopt_caller();
    }
    return own_record;
}

// From here on the thread's barriers and mutexes are all reported, if somebody has asked for them:
// what was once asked for stays.
inline void note_waits_are_seen(ThreadRecord &record) {
    constexpr Needs kWaitsAndMutexes = kNeedWaits | kNeedMutexes;
    if (!record.sees_waits.get()) {
        record.sees_waits.set((runtime::reported_needs() & kWaitsAndMutexes) == kWaitsAndMutexes);
    }
}

// An acquisition that the runtime left without an end (a failed test_lock).
OCB_NEVER_INLINE inline void end_mutex_event(ThreadRecord &record, MutexKind kind) {
    record.mutex_event_is_open = false;
    end_event(record, mutex_row(kind).end);
}
OCB_ALWAYS_INLINE void close_mutex_wait(ThreadRecord &record) {
    const MutexKind kind = record.mutex.get();
    if (kind == MutexKind::kNone) {
        return;
    }
    record.mutex.set(MutexKind::kNone);
    if (record.mutex_event_is_open) {
        end_mutex_event(record, kind);
    }
}

OCB_NEVER_INLINE inline void end_single(ThreadRecord &record, ImplicitTask &implicit_task) {
    implicit_task.single_is_open = false;
    end_event(record, Event::kEndSingle);
}
OCB_ALWAYS_INLINE void close_single(ThreadRecord &record) {
    if (ImplicitTask *implicit_task = record.implicit_task.get();
        implicit_task != nullptr && implicit_task->single_is_open) {
        end_single(record, *implicit_task);
    }
}

} // namespace ocb::tracker
