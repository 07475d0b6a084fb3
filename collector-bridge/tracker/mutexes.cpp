// SPDX-License-Identifier: Apache-2.0
// Mutexes of runtimes that report every acquisition: the table of held mutexes shows who waits.
#include "tracker/tracker.h"

#include "records/held_mutexes.h"
#include "tracker/acquisition.h"

namespace ocb::tracker {
namespace {

// The turn of an ordered region is a matter of iterations: whether it has come already the runtime
// does not tell, only that alone in a team there is nobody to wait for.
bool is_in_team(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return implicit_task != nullptr && implicit_task->team_size > 1;
}

// Where something is to be done first, or the mutex is not the thread's last.

OCB_NEVER_INLINE void want_mutex_with_search(MutexKind kind, WaitId wait_id, MutexOrder order,
                                             const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    if (record->front.may_combine() && kind == MutexKind::kCritical) [[unlikely]] {
        return front::enter_combining_critical(record->front);
    }
    bool must_wait = false;
    if (kind == MutexKind::kOrdered) {
        must_wait = is_in_team(*record);
    } else if (MutexSlot *slot = held_mutexes::slot_for(wait_id, *record); slot != nullptr) {
        must_wait = want_mutex(*slot, wait_id, *record, order == MutexOrder::kQueue);
    }
    begin_acquisition(*record, kind, wait_id, must_wait);
}

OCB_NEVER_INLINE void acquire_mutex_with_search(MutexKind kind, WaitId wait_id, const void *frame) {
    ThreadRecord *record = record_at_acquisition(frame);
    if (record == nullptr) {
        return;
    }
    if (kind != MutexKind::kOrdered) {
        if (MutexSlot *slot = held_mutexes::slot_for(wait_id, *record); slot != nullptr) {
            hold_mutex(*slot, wait_id, *record);
        }
    }
    end_acquisition(*record, kind);
}

// STATE shows there what others wait in, and for which mutex.
OCB_NEVER_INLINE void report_release(ThreadRecord &record, MutexKind kind, WaitId wait_id) {
    if (!events::wants(Event::kMutexReleased)) {
        return;
    }
    EventAnswers answers = events::answers_of(record);
    answers.state = mutex_row(kind).state;
    answers.wait_id = wait_id;
    events::deliver(record, Event::kMutexReleased, answers);
}

OCB_NEVER_INLINE void release_mutex_with_search(MutexKind kind, WaitId wait_id, const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    end_hold(*record, kind);
    if (kind != MutexKind::kOrdered) {
        MutexSlot *slot = record->mutex_slot;
        const bool is_known =
            slot->is_of(wait_id) || (slot = held_mutexes::find(wait_id)) != nullptr;
        if (is_known && release_mutex(*slot, *record)) [[unlikely]] {
            report_release(*record, kind, wait_id);
        }
    }
    if (record->front.may_combine() && kind == MutexKind::kCritical) [[unlikely]] {
        front::leave_combining_critical(record->front);
    }
}

OCB_ALWAYS_INLINE bool is_plain(const ThreadRecord *record) {
    return record != nullptr && record->is_plain() && !record->front.may_combine();
}

// The record is ready, but for the mutex in hand.
OCB_NEVER_INLINE void enter_ready_ordered(ThreadRecord &record) {
    record.mutex.set(MutexKind::kNone);
    if (record.mutex_event_is_open) [[unlikely]] {
        end_mutex_event(record, MutexKind::kOrdered);
    }
    events::begin_ready_event(record, Event::kBeginOrdered);
}

OCB_NEVER_INLINE void leave_ready_ordered(ThreadRecord &record) {
    events::end_ready_event(record, Event::kEndOrdered);
}

} // namespace

void mutex_wanted(MutexKind kind, WaitId wait_id, MutexOrder order) {
    ThreadRecord *record = own_record;
    if (!is_plain(record)) [[unlikely]] {
        return want_mutex_with_search(kind, wait_id, order, __builtin_dwarf_cfa());
    }
    if (kind == MutexKind::kOrdered) {
        return begin_acquisition(*record, kind, wait_id, is_in_team(*record));
    }
    if (!record->mutex_slot->is_of(wait_id)) [[unlikely]] {
        return want_mutex_with_search(kind, wait_id, order, __builtin_dwarf_cfa());
    }
    begin_acquisition(
        *record, kind, wait_id,
        want_mutex(*record->mutex_slot, wait_id, *record, order == MutexOrder::kQueue));
}

void mutex_acquired(MutexKind kind, WaitId wait_id) {
    ThreadRecord *record = own_record;
    if (record == nullptr || record->first_half() != Situation::half_of(Activity::kUser, kind) ||
        (kind != MutexKind::kOrdered && !record->mutex_slot->is_of(wait_id))) [[unlikely]] {
        return acquire_mutex_with_search(kind, wait_id, __builtin_dwarf_cfa());
    }
    if (kind == MutexKind::kOrdered) {
        return events::is_ready(*record, Activity::kUser, kind) ? enter_ready_ordered(*record)
                                                                : enter_ordered(*record);
    }
    hold_mutex(*record->mutex_slot, wait_id, *record);
    record->mutex.set(MutexKind::kNone);
    if (record->mutex_event_is_open) [[unlikely]] {
        end_mutex_event(*record, kind);
    }
}

void mutex_released(MutexKind kind, WaitId wait_id) {
    ThreadRecord *record = own_record;
    if (!is_plain(record)) [[unlikely]] {
        return release_mutex_with_search(kind, wait_id, __builtin_dwarf_cfa());
    }
    if (kind == MutexKind::kOrdered) {
        return events::is_ready(*record) ? leave_ready_ordered(*record) : leave_ordered(*record);
    }
    if (!record->mutex_slot->is_of(wait_id)) [[unlikely]] {
        return release_mutex_with_search(kind, wait_id, __builtin_dwarf_cfa());
    }
    if (release_mutex(*record->mutex_slot, *record)) [[unlikely]] {
        report_release(*record, kind, wait_id);
    }
}

void nest_lock_reacquired() {
    static_cast<void>(known_record_at_report());
}

} // namespace ocb::tracker
