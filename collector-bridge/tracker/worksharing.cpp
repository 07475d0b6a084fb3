// SPDX-License-Identifier: Apache-2.0
// single and master.
#include "tracker/tracker.h"

#include "tracker/constructs.h"

namespace ocb::tracker {
namespace {

// For records that cannot take the fast path.

OCB_NEVER_INLINE void begin_single_on_slow_path(const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    close_single(*record);
    if (ImplicitTask *implicit_task = implicit_task_at_construct(*record);
        implicit_task != nullptr) {
        implicit_task->single_is_open = true;
    }
    begin_event(*record, Event::kBeginSingle);
}

OCB_NEVER_INLINE void end_single_on_slow_path(const void *frame) {
    if (ThreadRecord *record = own_record; record != nullptr) {
        prepare_report(*record, Report::kAny, frame);
        close_single(*record);
    }
}

OCB_NEVER_INLINE void begin_master_on_slow_path(const void *frame) {
    if (ThreadRecord *record = record_at_report_of(frame); record != nullptr) {
        begin_event(*record, Event::kBeginMaster);
    }
}

OCB_NEVER_INLINE void end_master_on_slow_path(const void *frame) {
    if (ThreadRecord *record = own_record; record != nullptr) {
        prepare_report(*record, Report::kAny, frame);
        end_event(*record, Event::kEndMaster);
    }
}

} // namespace

// The single counts as open before its BEGIN is delivered. So it stays open where the callback is
// left by longjmp.
void single_begins() {
    ThreadRecord *record = record_or_never_ready;
    ImplicitTask *implicit_task = record->implicit_task.get();
    if (!events::is_ready(*record) || implicit_task == nullptr || implicit_task->single_is_open)
        [[unlikely]] {
        return begin_single_on_slow_path(__builtin_dwarf_cfa());
    }
    implicit_task->single_is_open = true;
    events::begin_ready_event(*record, Event::kBeginSingle, kHalfInCode);
}

void single_ends() {
    ThreadRecord *record = record_or_never_ready;
    ImplicitTask *implicit_task = record->implicit_task.get();
    if (!events::is_ready(*record) || implicit_task == nullptr || !implicit_task->single_is_open)
        [[unlikely]] {
        return end_single_on_slow_path(__builtin_dwarf_cfa());
    }
    implicit_task->single_is_open = false;
    events::end_ready_event(*record, Event::kEndSingle, kHalfInCode);
}

void master_begins() {
    ThreadRecord *record = record_or_never_ready;
    if (!events::is_ready(*record)) [[unlikely]] {
        return begin_master_on_slow_path(__builtin_dwarf_cfa());
    }
    events::begin_ready_event(*record, Event::kBeginMaster, kHalfInCode);
}

void master_ends() {
    ThreadRecord *record = record_or_never_ready;
    if (!events::is_ready(*record)) [[unlikely]] {
        return end_master_on_slow_path(__builtin_dwarf_cfa());
    }
    events::end_ready_event(*record, Event::kEndMaster, kHalfInCode);
}

} // namespace ocb::tracker
