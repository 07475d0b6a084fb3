// SPDX-License-Identifier: Apache-2.0
// Barriers, waiting for tasks, and reductions, which lie inside of barriers.
#include "tracker/tracker.h"

#include "base/options.h"
#include "runtime.h"
#include "tracker/waits.h"

namespace ocb::tracker {
namespace {

// Constant while a runtime is attached.
constinit bool tasks_make_ends_timely = true;

// Whether a worker is announced as idle when it arrives at its region's last barrier, as the
// runtime does not report the region's end in time. libomp does where tasks were created since the
// team's previous barrier.
OCB_ALWAYS_INLINE bool announces_idle_at_arrival(const ImplicitTask &implicit_task) {
    if (options_read.idle_events != IdleEvents::kPrompt) {
        return false;
    }
    return implicit_task.region == nullptr || !tasks_make_ends_timely ||
           implicit_task.region->part_with_tasks.load(std::memory_order_relaxed) !=
               part_of(implicit_task);
}

void announce_end_of_region(ThreadRecord &record, const ImplicitTask &implicit_task) {
    if (announces_idle_at_arrival(implicit_task)) {
        end_event(record, Event::kEndImplicitBarrier);
        begin_idle(record);
    }
}

// The teams of a league wait for each other outside of regions, so their wait is no barrier. A
// worker at the league's end has nothing more to do there.
void wait_in_league(ThreadRecord &record, BarrierKind kind) {
    if (kind != BarrierKind::kRegionEnd) {
        record.activity.set(Activity::kOverhead);
        return;
    }
    record.activity.set(Activity::kRegionEnd);
    begin_idle(record);
}

} // namespace

void expect_timely_ends(bool after_tasks) {
    tasks_make_ends_timely = after_tasks;
}

namespace {

OCB_ALWAYS_INLINE void enter_barrier(ThreadRecord &record, ImplicitTask &implicit_task,
                                     Activity activity) {
    set_wait_id_of_barrier(record, implicit_task);
    order_for_handler();
    record.set_activity_by_word(activity);
}

// On a ready record, in a region.
OCB_ALWAYS_INLINE void wait_in_barrier(ThreadRecord &record, ImplicitTask &implicit_task,
                                       Activity activity, Event begin) {
    record.wait_id.set(wait_id_of(barrier_of_region(implicit_task.key, ++implicit_task.barriers)));
    order_for_handler();
    record.activity.set(activity);
    events::begin_ready_event(record, begin);
}
OCB_NEVER_INLINE void wait_in_implicit_barrier(ThreadRecord &record, ImplicitTask &implicit_task) {
    wait_in_barrier(record, implicit_task, Activity::kImplicitBarrier,
                    Event::kBeginImplicitBarrier);
}

// The barrier behind which no code of the program comes in this region.
OCB_NEVER_INLINE void wait_in_last_barrier(ThreadRecord &record, ImplicitTask &implicit_task,
                                           BarrierKind kind) {
    implicit_task.barriers = kLastBarrier;
    if (kind == BarrierKind::kLast) {
        implicit_task.body_has_ended = true;
        enter_barrier(record, implicit_task, Activity::kImplicitBarrier);
        return begin_event(record, Event::kBeginImplicitBarrier);
    }
    enter_barrier(record, implicit_task, Activity::kRegionEnd);
    if (!record.idle_is_announced) { // it may wait here again, behind a task
        begin_event(record, Event::kBeginImplicitBarrier);
        announce_end_of_region(record, implicit_task);
    }
}

// The same on a ready record.
OCB_ALWAYS_INLINE void wait_ready_in_last_barrier(ThreadRecord &record,
                                                  ImplicitTask &implicit_task) {
    const bool is_worker = record.kind == ThreadKind::kWorker && implicit_task.outer == nullptr;
    const Activity activity = is_worker ? Activity::kRegionEnd : Activity::kImplicitBarrier;
    implicit_task.barriers = kLastBarrier;
    implicit_task.body_has_ended |= !is_worker;
    record.wait_id.set(wait_id_of(barrier_of_region(implicit_task.key, kLastBarrier)));
    order_for_handler();
    record.set_activity_by_word(activity);
    if (is_worker && record.idle_is_announced) {
        return;
    }
    if (is_worker && announces_idle_at_arrival(implicit_task) &&
        events::count_barrier_and_idle(record)) {
        record.idle_is_announced = true;
        return;
    }
    events::begin_ready_event(record, Event::kBeginImplicitBarrier,
                              StateWord::half_of(activity, MutexKind::kNone));
    if (is_worker) {
        announce_end_of_region(record, implicit_task);
    }
}

// For a record that cannot take the fast path.
OCB_NEVER_INLINE void begin_barrier_on_slow_path(BarrierKind kind, const void *frame) {
    ThreadRecord *record = record_at_report_of(frame, Report::kBeginsWait);
    if (record == nullptr) {
        return;
    }
    record->front.combines_until.set(0);
    record->clear_slow_path(kCombines);
    if (kind == BarrierKind::kTaskWait) {
        return record->activity.set(Activity::kOverhead);
    }
    close_single(*record);
    ImplicitTask *implicit_task = implicit_task_at_construct(*record);
    if (implicit_task == nullptr) {
        return;
    }
    if (is_league(implicit_task->key)) {
        return wait_in_league(*record, kind);
    }
    if (kind == BarrierKind::kLast || kind == BarrierKind::kRegionEnd) {
        return wait_in_last_barrier(*record, *implicit_task, kind);
    }
    ++implicit_task->barriers;
    const bool is_explicit = kind == BarrierKind::kExplicit;
    enter_barrier(*record, *implicit_task,
                  is_explicit ? Activity::kExplicitBarrier : Activity::kImplicitBarrier);
    begin_event(*record, is_explicit ? Event::kBeginExplicitBarrier : Event::kBeginImplicitBarrier);
}

// The thread's part in a region, where nothing has been left open in it; else null.
OCB_ALWAYS_INLINE ImplicitTask *part_to_wait_in(const ThreadRecord &record) {
    ImplicitTask *implicit_task = record.implicit_task.get();
    const bool is_plain =
        implicit_task != nullptr && !implicit_task->single_is_open && is_region(implicit_task->key);
    return is_plain ? implicit_task : nullptr;
}

// The same for a ready record, whose wait begins here. Null: it has not begun.
OCB_ALWAYS_INLINE ImplicitTask *begin_ready_wait(ThreadRecord &record) {
    ImplicitTask *implicit_task = part_to_wait_in(record);
    if (!events::is_ready(record) || implicit_task == nullptr) [[unlikely]] {
        return nullptr;
    }
    record.front.combines_until.set(0);
    return implicit_task;
}

} // namespace

void explicit_barrier_begins() {
    ThreadRecord *record = record_or_never_ready;
    ImplicitTask *implicit_task = begin_ready_wait(*record);
    if (implicit_task == nullptr) [[unlikely]] {
        return begin_barrier_on_slow_path(BarrierKind::kExplicit, __builtin_dwarf_cfa());
    }
    wait_in_barrier(*record, *implicit_task, Activity::kExplicitBarrier,
                    Event::kBeginExplicitBarrier);
}

namespace {

OCB_NEVER_INLINE bool begin_barrier_of_call_on_slow_path(const void *frame) {
    if (!caller_is_in_call_of_region()) {
        return false;
    }
    begin_barrier_on_slow_path(BarrierKind::kImplicit, frame);
    return true;
}

} // namespace

bool implicit_barrier_of_call_begins() {
    ThreadRecord *record = record_or_never_ready;
    if (!front::is_in_call_of_region(record->front)) {
        return false;
    }
    ImplicitTask *implicit_task = begin_ready_wait(*record);
    if (implicit_task == nullptr) [[unlikely]] {
        return begin_barrier_of_call_on_slow_path(__builtin_dwarf_cfa());
    }
    wait_in_implicit_barrier(*record, *implicit_task);
    return true;
}

namespace {

OCB_NEVER_INLINE void begin_last_barrier_on_slow_path(const void *frame) {
    runtime::register_caller_late();
    begin_barrier_on_slow_path(
        caller_is_worker_at_its_end() ? BarrierKind::kRegionEnd : BarrierKind::kLast, frame);
}

} // namespace

void last_barrier_begins() {
    ThreadRecord *record = record_or_never_ready;
    ImplicitTask *implicit_task = begin_ready_wait(*record);
    if (implicit_task == nullptr) [[unlikely]] {
        return begin_last_barrier_on_slow_path(__builtin_dwarf_cfa());
    }
    wait_ready_in_last_barrier(*record, *implicit_task);
}

void barrier_begins(BarrierKind kind) {
    if (kind == BarrierKind::kExplicit) {
        return explicit_barrier_begins();
    }
    ThreadRecord *record = record_or_never_ready;
    ImplicitTask *implicit_task = begin_ready_wait(*record);
    if (implicit_task == nullptr) [[unlikely]] {
        return begin_barrier_on_slow_path(kind, __builtin_dwarf_cfa());
    }
    if (kind == BarrierKind::kImplicit) {
        return wait_in_implicit_barrier(*record, *implicit_task);
    }
    if (kind == BarrierKind::kTaskWait) {
        return record->activity.set(Activity::kOverhead);
    }
    wait_in_last_barrier(*record, *implicit_task, kind);
}

// In a call that the front has marked the state is OVHD by the mark. The runtime is asked for a
// task inside of it, or reports it.
void task_wait_begins() {
    const ThreadRecord *record = own_record;
    const ImplicitTask *implicit_task = record != nullptr ? record->implicit_task.get() : nullptr;
    if (implicit_task == nullptr || !is_region(implicit_task->key) ||
        !record->front.is_in_runtime()) [[unlikely]] {
        barrier_begins(BarrierKind::kTaskWait);
    }
}
void task_wait_ends() {
    const ThreadRecord *record = own_record;
    if (record == nullptr || record->activity.get() == Activity::kOverhead) [[unlikely]] {
        barrier_ends(EndReport::kInTime);
    }
}

namespace {

// The END event has the barrier's state of its own.
OCB_ALWAYS_INLINE void leave_barrier(ThreadRecord &record) {
    ImplicitTask *implicit_task = record.implicit_task.get();
    bool body_has_ended = false;
    if (implicit_task != nullptr) [[likely]] {
        ++implicit_task->barriers_passed;
        body_has_ended = implicit_task->body_has_ended;
    }
    record.activity.set(body_has_ended ? Activity::kOverhead : Activity::kUser);
}

OCB_NEVER_INLINE void end_other_barrier(EndReport report, const void *frame) {
    ThreadRecord *record = own_record;
    if (record != nullptr) {
        prepare_report(*record, Report::kAny, frame);
    } else if (report == EndReport::kLate ||
               (record = record_of_unknown_thread(Report::kAny, frame)) == nullptr) {
        return;
    }
    switch (record->activity.get()) {
    case Activity::kRegionEnd:
        return become_idle(*record);
    case Activity::kImplicitBarrier:
        leave_barrier(*record);
        return end_event(*record, Event::kEndImplicitBarrier);
    case Activity::kExplicitBarrier:
        leave_barrier(*record);
        return end_event(*record, Event::kEndExplicitBarrier);
    case Activity::kOverhead: // waiting for tasks
        return record->activity.set(Activity::kUser);
    case Activity::kUser: // its begin came before we observed
    case Activity::kIdle:
    case Activity::kReduction:
        return;
    }
}

OCB_ALWAYS_INLINE void end_barrier(Activity activity, Event end, EndReport report) {
    ThreadRecord *record = record_or_never_ready;
    if (!events::is_ready(*record, activity)) [[unlikely]] {
        if (!is_at_rest(*record)) {
            end_other_barrier(report, __builtin_dwarf_cfa());
        }
        return;
    }
    leave_barrier(*record);
    events::end_ready_event(*record, end);
}

} // namespace

void explicit_barrier_ends(EndReport report) {
    end_barrier(Activity::kExplicitBarrier, Event::kEndExplicitBarrier, report);
}

void barrier_ends(EndReport report) {
    end_barrier(Activity::kImplicitBarrier, Event::kEndImplicitBarrier, report);
}

namespace {

OCB_NEVER_INLINE void begin_reduction(const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    record->before_reduction = record->activity.get();
    leave_wait(*record, record->before_reduction);
    record->activity.set(Activity::kReduction);
}

OCB_NEVER_INLINE void end_reduction(const void *frame) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        return;
    }
    prepare_report(*record, Report::kAny, frame);
    if (record->activity.get() != Activity::kReduction) {
        return;
    }
    // The wait id is written again, as the combination may have taken a mutex.
    if (const ImplicitTask *implicit_task = record->implicit_task.get(); implicit_task != nullptr) {
        set_wait_id_of_barrier(*record, *implicit_task);
    }
    order_for_handler();
    record->activity.set(record->before_reduction);
    enter_wait(*record, record->before_reduction);
}

} // namespace

// In a call that the front has marked as a reduction the state is REDUC by the mark. A reduction
// that begins in the program's code interrupts no wait.
void reduction_begins() {
    ThreadRecord *record = record_or_never_ready;
    if (!record->is_in_code()) [[unlikely]] {
        return begin_reduction(__builtin_dwarf_cfa());
    }
    if (!record->front.is_in_reduction()) {
        record->before_reduction = Activity::kUser;
        record->activity.set(Activity::kReduction);
    }
}
void reduction_ends() {
    ThreadRecord *record = record_or_never_ready;
    if (record->is_in_code()) {
        return;
    }
    constexpr std::uint32_t kReducing = StateWord::half_of(Activity::kReduction, MutexKind::kNone);
    if (record->first_half() == kReducing && record->before_reduction == Activity::kUser) {
        return record->activity.set(Activity::kUser);
    }
    end_reduction(__builtin_dwarf_cfa());
}

} // namespace ocb::tracker
