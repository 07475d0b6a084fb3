// SPDX-License-Identifier: Apache-2.0
#include "tracker/before_openmp5.h"

#include "tracker/acquisition.h"
#include "tracker/tracker.h"
#include "tracker/waits.h"

namespace ocb::tracker {

bool caller_is_in_code() {
    const ThreadRecord *record = own_record;
    return record != nullptr && record->activity.get() == Activity::kUser &&
           !record->is_in_callback();
}

void implicit_task_body_ends() {
    ThreadRecord *record = record_at_report();
    if (record == nullptr) {
        return;
    }
    close_single(*record);
    // libomp 3.9 to 5.0 report the end of a worker that they have reported as idle already.
    if (record->activity.get() != Activity::kIdle) {
        record->activity.set(Activity::kOverhead);
    }
    if (ImplicitTask *implicit_task = record->implicit_task.get(); implicit_task != nullptr) {
        implicit_task->body_has_ended = true;
    }
}

void leave_and_join(RegionWord &region_word) {
    if (const ThreadRecord *record = own_record; record != nullptr) {
        const ImplicitTask *implicit_task = record->implicit_task.get();
        const RegionRecord *region = record->innermost_fork != nullptr
                                         ? record->innermost_fork
                                         : region_of(region_word.load(std::memory_order_acquire));
        const bool is_of_region = implicit_task != nullptr && implicit_task->thread_num == 0 &&
                                  (implicit_task->body_has_ended ||
                                   (region != nullptr && implicit_task->region == region &&
                                    region->is_running(implicit_task->key)));
        if (is_of_region) {
            implicit_task_ends(EndReport::kInTime);
        }
    }
    join(region_word);
}

bool caller_is_idle() {
    return own_record != nullptr && own_record->activity.get() == Activity::kIdle;
}

void worker_left_region() {
    if (ThreadRecord *record = known_record_at_report();
        record != nullptr && !record->idle_is_announced) {
        become_idle(*record);
    }
}

void idle_begins() {
    ThreadRecord *record = record_at_report();
    if (record == nullptr || record->kind != ThreadKind::kWorker) {
        return;
    }
    close_single(*record);
    if (is_in_barrier(*record)) {
        leave_wait(*record, record->activity.get());
    }
    // The implicit task stays until the next region: the thread may be handed tasks of this one.
    record->activity.set(Activity::kIdle);
    const bool is_new = record->implicit_task.get() == nullptr; // it announces when it enters
    if (!record->idle_is_announced && !is_new) {
        begin_idle(*record);
    }
}

void barrier_entered() {
    ThreadRecord *record = record_at_report(Report::kBeginsWait);
    if (record == nullptr) {
        return;
    }
    close_single(*record);
    if (ImplicitTask *implicit_task = record->implicit_task.get(); implicit_task != nullptr) {
        ++implicit_task->barriers;
        implicit_task->barrier_is_reported = false;
        set_wait_id_of_barrier(*record, *implicit_task);
    }
}

void barrier_wait_begins(BarrierKind kind) {
    ThreadRecord *record = record_at_report();
    if (record == nullptr || is_in_barrier(*record)) {
        return;
    }
    ImplicitTask *implicit_task = record->implicit_task.get();
    if (implicit_task == nullptr) {
        return;
    }
    implicit_task->barrier_is_reported = true;
    set_wait_id_of_barrier(*record, *implicit_task);
    order_for_handler();
    const Activity activity =
        kind == BarrierKind::kExplicit ? Activity::kExplicitBarrier : Activity::kImplicitBarrier;
    record->activity.set(activity);
    enter_wait(*record, activity);
}

void barrier_left() {
    ThreadRecord *record = record_at_report();
    ImplicitTask *implicit_task = record != nullptr ? record->implicit_task.get() : nullptr;
    if (implicit_task == nullptr) {
        return;
    }
    if (!implicit_task->barrier_is_reported) {
        barrier_wait_begins(BarrierKind::kImplicit);
    }
    if (is_in_barrier(*record)) {
        leave_wait(*record, record->activity.get());
    }
    record->activity.set(implicit_task->body_has_ended ? Activity::kOverhead : Activity::kUser);
    ++implicit_task->barriers_passed;
}

void mutex_wait_begins(MutexKind kind, WaitId wait_id) {
    if (ThreadRecord *record = record_at_report(); record != nullptr) {
        begin_acquisition(*record, kind, wait_id, true);
    }
}

void mutex_wait_ends(MutexKind kind) {
    if (ThreadRecord *record = record_at_acquisition(__builtin_dwarf_cfa()); record != nullptr) {
        end_acquisition(*record, kind);
    }
}

void mutex_hold_ends(MutexKind kind) {
    if (ThreadRecord *record = record_at_report(); record != nullptr) {
        end_hold(*record, kind);
    }
}

bool caller_awaits_implicit_task() {
    return own_record != nullptr && own_record->fork_awaits_task;
}

bool is_task_of_caller(TaskWord word) {
    return own_record != nullptr && task_id(own_record->task.get()) == task_id(word);
}

void implicit_task_left() {
    ThreadRecord *record = own_record;
    if (record == nullptr || task_id(record->task.get()) != 0) {
        return;
    }
    if (ImplicitTask *implicit_task = record->implicit_task.get(); implicit_task != nullptr) {
        implicit_task->word = task_left(implicit_task->word);
    }
}

void implicit_task_entered() {
    ThreadRecord *record = own_record;
    ImplicitTask *implicit_task = record != nullptr ? record->implicit_task.get() : nullptr;
    const TaskWord word = implicit_task != nullptr ? implicit_task->word : 0;
    if (implicit_task != nullptr) {
        implicit_task->word = 0;
    }
    task_entered(word);
}

} // namespace ocb::tracker
