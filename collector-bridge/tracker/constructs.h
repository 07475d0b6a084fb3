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

// ---- what every report begins with ------------------------------------------------------------
//
// Mostly there is nothing to do first: one comparison finds out.
// Otherwise the thread may be inside a callback, have an acquisition in hand that the runtime left
// without an end (a failed test_lock), or see its waits from here on.

enum class Report : std::uint8_t { kAny, kBeginsWait };

// `frame`: the canonical frame address of the function that reports.
void prepare_report(ThreadRecord &record, Report report, const void *frame);
// An unknown thread is adopted with what the runtime knows of it; null where that cannot be.
[[nodiscard]] ThreadRecord *record_of_stranger(Report report, const void *frame);

OCB_ALWAYS_INLINE void begin_report(ThreadRecord &record, Report report = Report::kAny) {
    if (!record.is_plain()) [[unlikely]] {
        prepare_report(record, report, __builtin_dwarf_cfa());
    }
}

// For a function apart that goes on for the one with this frame.
inline ThreadRecord *record_at_report_of(const void *frame, Report report = Report::kAny) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        return record_of_stranger(report, frame);
    }
    if (!record->is_plain()) {
        prepare_report(*record, report, frame);
    }
    return record;
}

// The thread's record.
OCB_ALWAYS_INLINE ThreadRecord *record_at_report(Report report = Report::kAny) {
    ThreadRecord *record = own_record;
    if (record == nullptr) [[unlikely]] {
        return record_of_stranger(report, __builtin_dwarf_cfa());
    }
    begin_report(*record, report);
    return record;
}
// The same; null for an unknown thread.
OCB_ALWAYS_INLINE ThreadRecord *known_record_at_report() {
    ThreadRecord *record = own_record;
    if (record != nullptr) [[likely]] {
        begin_report(*record);
    }
    return record;
}

// ---- what the runtime has left open ------------------------------------------------------------

OCB_NEVER_INLINE inline void end_mutex_event(ThreadRecord &record, MutexKind kind) {
    record.clear_slow_path(kWaitIsOpen);
    end_event(record, mutex_row(kind).end);
}
OCB_ALWAYS_INLINE void close_mutex_wait(ThreadRecord &record) {
    const MutexKind kind = record.mutex.get();
    if (kind == MutexKind::kNone) {
        return;
    }
    record.mutex.set(MutexKind::kNone);
    if (record.takes_slow_path(kWaitIsOpen)) {
        end_mutex_event(record, kind);
    }
}

// From here on the thread's barriers and mutexes are all reported, if somebody has asked for them:
// what was once asked for stays.
inline void record_waits_are_seen(ThreadRecord &record) {
    constexpr Needs kWaitsAndMutexes = kNeedWaits | kNeedMutexes;
    if (record.sees_waits() || (runtime::reported_needs() & kWaitsAndMutexes) != kWaitsAndMutexes) {
        return;
    }
    // A task that began before, inside of a call, has not been reported.
    front::begin_marks(record.front);
    record.clear_slow_path(kMissesWaits);
}

// The thread's implicit task; null: none. libomp 8 does not report the one of serial code, and a
// construct there is the first sign of it.
[[nodiscard]] ImplicitTask *implicit_task_at_construct(ThreadRecord &record);

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
