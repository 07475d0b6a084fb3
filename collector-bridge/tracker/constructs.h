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
// One comparison shows the usual case, in which there is nothing to do first. Otherwise the thread
// may be inside a callback, may have an acquisition that the runtime left without an end (a failed
// test_lock), or its waits are reported from here on.

enum class Report : std::uint8_t { kAny, kBeginsWait };

// `frame`: the canonical frame address of the function that reports.
void prepare_report(ThreadRecord &record, Report report, const void *frame);
// Registers an unknown thread late, with what the runtime knows of it. Null: there is no memory.
[[nodiscard]] ThreadRecord *record_of_unknown_thread(Report report, const void *frame);

OCB_ALWAYS_INLINE void begin_report(ThreadRecord &record, Report report = Report::kAny) {
    if (!record.is_plain()) [[unlikely]] {
        prepare_report(record, report, __builtin_dwarf_cfa());
    }
}

// For a slow path: a function that continues the one with this frame.
inline ThreadRecord *record_at_report_of(const void *frame, Report report = Report::kAny) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        return record_of_unknown_thread(report, frame);
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
        return record_of_unknown_thread(report, __builtin_dwarf_cfa());
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

// From here on all of the thread's barriers and mutexes are reported, if a collector has ever asked
// for them.
inline void record_waits_are_seen(ThreadRecord &record) {
    constexpr Needs kWaitsAndMutexes = kNeedWaits | kNeedMutexes;
    if (record.sees_waits() || (runtime::reported_needs() & kWaitsAndMutexes) != kWaitsAndMutexes) {
        return;
    }
    // The thread may be in a task inside of a call, which was not reported.
    front::begin_marks(record.front);
    record.clear_slow_path(kMissesWaits);
}

// The thread's implicit task; null: none. libomp 8 does not report the one of serial code. There
// the first construct creates it.
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
