// SPDX-License-Identifier: Apache-2.0
// Mutexes of runtimes that report every acquisition: the table of held mutexes shows who waits.
#include "tracker/tracker.h"

#include "base/log.h"
#include "records/held_mutexes.h"
#include "tracker/acquisition.h"

namespace ocb::tracker {
namespace {

bool releases_are_lost() {
    return held_mutexes::acquisitions.releases_are_lost.load(std::memory_order_relaxed);
}

// ---- the slow path: the record is not ready, or the mutex is not the thread's last, or not free
// --

OCB_NEVER_INLINE void want_mutex_on_slow_path(MutexKind kind, WaitId wait_id, MutexOrder order,
                                              const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    if (releases_are_lost()) [[unlikely]] {
        log_once(LogCause::kReleasesEnded);
        return begin_acquisition(*record, kind, wait_id, true);
    }
    if (record->front.may_combine() && kind == MutexKind::kCritical) {
        record->set_slow_path(kCombines);
        return front::enter_combining_critical(record->front);
    }
    MutexSlot *slot = held_mutexes::slot_for(wait_id, *record);
    begin_acquisition(*record, kind, wait_id,
                      slot != nullptr &&
                          want_mutex(*slot, wait_id, *record, order == MutexOrder::kQueue));
}

OCB_NEVER_INLINE void acquire_mutex_on_slow_path(WaitId wait_id, const void *frame) {
    ThreadRecord *record = record_at_acquisition(frame);
    if (record == nullptr) {
        return;
    }
    MutexSlot *slot = releases_are_lost() ? nullptr : held_mutexes::slot_for(wait_id, *record);
    if (slot != nullptr) {
        hold_mutex(*slot, wait_id, *record);
    }
    close_mutex_wait(*record);
}

// In this event STATE has the state in which others wait, and the mutex.
OCB_NEVER_INLINE void report_release(ThreadRecord &record, MutexKind kind, WaitId wait_id) {
    if (!events::wants(Event::kMutexReleased) ||
        events::is_done_without(record, Event::kMutexReleased)) {
        return;
    }
    EventAnswers answers = events::answers_of(record);
    answers.state = mutex_row(kind).state;
    answers.wait_id = wait_id;
    events::deliver(record, Event::kMutexReleased, answers, answers.state, answers.wait_id);
}

OCB_NEVER_INLINE void release_mutex_on_slow_path(MutexKind kind, WaitId wait_id,
                                                 const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    MutexSlot *slot = record->mutex_slot;
    const bool is_known = slot->is_of(wait_id) || (slot = held_mutexes::find(wait_id)) != nullptr;
    if (is_known && release_mutex(*slot, *record)) {
        report_release(*record, kind, wait_id);
    }
    if (kind == MutexKind::kCritical && record->takes_slow_path(kCombines)) {
        record->clear_slow_path(kCombines);
        front::leave_combining_critical(record->front);
    }
}

// ---- ordered regions: they have no slot
// ----------------------------------------------------------

// Whether an ordered region may have to wait. The runtime does not report whether the turn has
// come. In a team of one there is nobody to wait for.
bool is_in_team(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return implicit_task != nullptr && implicit_task->team_size > 1;
}

OCB_NEVER_INLINE void want_ordered_on_slow_path(WaitId wait_id, const void *frame) {
    if (ThreadRecord *record = record_at_report_of(frame); record != nullptr) {
        begin_acquisition(*record, MutexKind::kOrdered, wait_id, is_in_team(*record));
    }
}

} // namespace

void ordered_wanted(WaitId wait_id) {
    ThreadRecord *record = record_or_never_ready;
    if (!record->is_plain()) [[unlikely]] {
        return want_ordered_on_slow_path(wait_id, __builtin_dwarf_cfa());
    }
    begin_acquisition(*record, MutexKind::kOrdered, wait_id, is_in_team(*record));
}

namespace {

OCB_NEVER_INLINE void begin_ordered_on_slow_path(const void *frame) {
    if (ThreadRecord *record = record_at_acquisition(frame); record != nullptr) {
        close_mutex_wait(*record);
        // The end of an ordered region is a release.
        if (!releases_are_lost()) {
            begin_event(*record, Event::kBeginOrdered);
        }
    }
}

OCB_NEVER_INLINE void end_ordered_on_slow_path(const void *frame) {
    if (ThreadRecord *record = record_at_report_of(frame); record != nullptr) {
        end_event(*record, Event::kEndOrdered);
    }
}

} // namespace

void ordered_begins() {
    ThreadRecord *record = record_or_never_ready;
    if (!events::is_ready(*record, Activity::kUser, MutexKind::kOrdered) || releases_are_lost())
        [[unlikely]] {
        return begin_ordered_on_slow_path(__builtin_dwarf_cfa());
    }
    record->set_first_word(record->word_in_code);
    events::begin_ready_event(*record, Event::kBeginOrdered, kHalfInCode);
}

void ordered_ends() {
    ThreadRecord *record = record_or_never_ready;
    if (!events::is_ready(*record)) [[unlikely]] {
        return end_ordered_on_slow_path(__builtin_dwarf_cfa());
    }
    events::end_ready_event(*record, Event::kEndOrdered, kHalfInCode);
}

void mutex_wanted(MutexKind kind, WaitId wait_id, MutexOrder order) {
    ThreadRecord *record = record_or_never_ready;
    if (!record->is_in_code() || record->front.combines_until.own() != 0 ||
        !record->mutex_slot->is_of(wait_id) || !want_free_mutex(*record->mutex_slot, *record))
        [[unlikely]] {
        return want_mutex_on_slow_path(kind, wait_id, order, __builtin_dwarf_cfa());
    }
    record->wait_id.set(wait_id);
    record->mutex_is_taken.set(false);
    order_for_handler();
    record->set_first_half(StateWord::half_of(Activity::kUser, kind));
}

void mutex_acquired(MutexKind kind, WaitId wait_id) {
    ThreadRecord *record = record_or_never_ready;
    if (record->first_half() != StateWord::half_of(Activity::kUser, kind) ||
        !record->mutex_slot->is_of(wait_id)) [[unlikely]] {
        return acquire_mutex_on_slow_path(wait_id, __builtin_dwarf_cfa());
    }
    hold_mutex(*record->mutex_slot, wait_id, *record);
    record->set_first_half(kHalfInCode);
}

void mutex_released(MutexKind kind, WaitId wait_id) {
    ThreadRecord *record = record_or_never_ready;
    if (!record->is_plain() || !record->mutex_slot->is_of(wait_id)) [[unlikely]] {
        return release_mutex_on_slow_path(kind, wait_id, __builtin_dwarf_cfa());
    }
    if (release_mutex(*record->mutex_slot, *record)) [[unlikely]] {
        report_release(*record, kind, wait_id);
    }
}

void releases_end() {
    held_mutexes::acquisitions.releases_are_lost.store(true, std::memory_order_relaxed);
    held_mutexes::acquisitions.take_slow_path.store(true, std::memory_order_release);
}

void lock_begins_or_ends(WaitId wait_id) {
    // A free slot may be on its way to another mutex.
    if (MutexSlot *slot = held_mutexes::find(wait_id); slot != nullptr && !slot->is_free()) {
        forget_mutex(*slot);
    }
}

void nest_lock_reacquired() {
    static_cast<void>(known_record_at_report());
}

} // namespace ocb::tracker
