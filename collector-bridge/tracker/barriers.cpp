// SPDX-License-Identifier: Apache-2.0
// Barriers, waiting for tasks, and reductions, which lie inside of barriers.
#include "tracker/tracker.h"

#include "base/options.h"
#include "tracker/waits.h"

namespace ocb::tracker {
namespace {

// Constant while a runtime is attached.
constinit bool tasks_make_ends_timely = true;

// The end of a worker's stay in its region, announced where the runtime does not say it in time. It
// does (libomp) where tasks were created since the team's last barrier.
bool announces_idle_at_arrival(const ImplicitTask &implicit_task) {
    if (options().idle_events != IdleEvents::kPrompt) {
        return false;
    }
    return implicit_task.region == nullptr || !tasks_make_ends_timely ||
           implicit_task.region->part_with_tasks.load(std::memory_order_relaxed) !=
               part_of(implicit_task);
}

void arrive_at_region_end(ThreadRecord &record, const ImplicitTask &implicit_task) {
    record.activity.set(Activity::kRegionEnd);
    begin_event(record, Event::kBeginImplicitBarrier);
    if (!announces_idle_at_arrival(implicit_task)) {
        return;
    }
    end_event(record, Event::kEndImplicitBarrier);
    begin_idle(record);
}

// The teams of a league wait for each other outside any region, so in no barrier of one. A worker
// that has come to the league's end has nothing more to do there.
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

void barrier_begins(BarrierKind kind) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr) {
        return;
    }
    note_waits_are_seen(*record);
    close_mutex_wait(*record);
    if (record->front.may_combine()) [[unlikely]] {
        record->front.combines_until.set(0);
    }
    if (kind == BarrierKind::kTaskWait) {
        record->activity.set(Activity::kOverhead);
        return;
    }
    close_single(*record);
    ImplicitTask *implicit_task = record->implicit_task.get();
    if (implicit_task == nullptr) {
        return;
    }
    if (is_league(implicit_task->key)) {
        return wait_in_league(*record, kind);
    }
    const bool is_last = kind == BarrierKind::kLast || kind == BarrierKind::kRegionEnd;
    implicit_task->barriers = is_last ? kLastBarrier : implicit_task->barriers + 1;
    set_wait_id_of_barrier(*record, *implicit_task);
    order_for_handler();
    switch (kind) {
    case BarrierKind::kLast:
        implicit_task->body_has_ended = true;
        [[fallthrough]];
    case BarrierKind::kImplicit:
        record->activity.set(Activity::kImplicitBarrier);
        enter_wait(*record, Activity::kImplicitBarrier);
        break;
    case BarrierKind::kExplicit:
        record->activity.set(Activity::kExplicitBarrier);
        enter_wait(*record, Activity::kExplicitBarrier);
        break;
    case BarrierKind::kRegionEnd:
        arrive_at_region_end(*record, *implicit_task);
        break;
    case BarrierKind::kTaskWait:
        break;
    }
}

void barrier_ends(EndReport report) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        if (report == EndReport::kLate || (record = record_of_caller()) == nullptr) {
            return;
        }
    }
    const Activity activity = record->activity.get();
    if (activity == Activity::kRegionEnd) {
        become_idle(*record);
        return;
    }
    // An end whose begin came before we observed.
    if (activity != Activity::kImplicitBarrier && activity != Activity::kExplicitBarrier &&
        activity != Activity::kOverhead) {
        return;
    }
    leave_wait(*record, activity);
    ImplicitTask *implicit_task = record->implicit_task.get();
    const bool is_barrier = implicit_task != nullptr && activity != Activity::kOverhead;
    record->activity.set(is_barrier && implicit_task->body_has_ended ? Activity::kOverhead
                                                                     : Activity::kUser);
    if (is_barrier) {
        ++implicit_task->barriers_passed;
    }
}

void reduction_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr) {
        return;
    }
    close_mutex_wait(*record);
    record->before_reduction = record->activity.get();
    leave_wait(*record, record->before_reduction);
    record->activity.set(Activity::kReduction);
}

void reduction_ends() {
    ThreadRecord *record = own_record;
    if (record == nullptr || record->activity.get() != Activity::kReduction) {
        return;
    }
    // The combination may have taken a mutex.
    if (const ImplicitTask *implicit_task = record->implicit_task.get(); implicit_task != nullptr) {
        set_wait_id_of_barrier(*record, *implicit_task);
    }
    order_for_handler();
    record->activity.set(record->before_reduction);
    enter_wait(*record, record->before_reduction);
}

} // namespace ocb::tracker
