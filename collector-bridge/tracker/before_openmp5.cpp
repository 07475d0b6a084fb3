// SPDX-License-Identifier: Apache-2.0
#include "tracker/before_openmp5.h"

#include "tracker/acquisition.h"
#include "tracker/tracker.h"
#include "tracker/waits.h"

namespace ocb::tracker {

void implicit_task_body_ends() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    close_single(*record);
    record->activity.set(Activity::kOverhead);
    if (Frame *frame = record->frame.get(); frame != nullptr)
        frame->body_has_ended = true;
}

void leave_and_join(RegionWord &region_word) {
    if (const ThreadRecord *record = own_record; record != nullptr) {
        const Frame *frame = record->frame.get();
        const RegionRecord *region = record->innermost_fork != nullptr
                                         ? record->innermost_fork
                                         : region_of(region_word.load(std::memory_order_acquire));
        const bool is_of_region =
            frame != nullptr && frame->thread_num == 0 &&
            (frame->body_has_ended ||
             (region != nullptr && frame->region == region && region->is_running(frame->key)));
        if (is_of_region)
            implicit_task_ends(false);
    }
    join(region_word);
}

void worker_left_region() {
    if (ThreadRecord *record = own_record; record != nullptr && !record->idle_is_announced)
        become_idle(*record);
}

void idle_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr || record->kind != ThreadKind::kWorker)
        return;
    close_mutex_wait(*record);
    close_single(*record);
    if (is_in_barrier(*record))
        leave_wait(*record, record->activity.get());
    record->activity.set(Activity::kIdle);
    order_for_handler();
    while (record->frame.get() != nullptr)
        pop_frame(*record);
    if (!record->idle_is_announced)
        begin_idle(*record);
}

void barrier_entered() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    note_waits_are_seen(*record);
    close_mutex_wait(*record);
    close_single(*record);
    if (Frame *frame = record->frame.get(); frame != nullptr) {
        ++frame->barriers;
        frame->barrier_is_told = false;
        record->wait_id.set(barrier_id(*frame));
    }
}

void barrier_waited_in(BarrierKind kind) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr || is_in_barrier(*record))
        return;
    Frame *frame = record->frame.get();
    if (frame == nullptr)
        return;
    close_mutex_wait(*record);
    frame->barrier_is_told = true;
    record->wait_id.set(barrier_id(*frame));
    order_for_handler();
    const Activity activity =
        kind == BarrierKind::kExplicit ? Activity::kExplicitBarrier : Activity::kImplicitBarrier;
    record->activity.set(activity);
    enter_wait(*record, activity);
}

void barrier_left() {
    ThreadRecord *record = record_of_caller();
    Frame *frame = record != nullptr ? record->frame.get() : nullptr;
    if (frame == nullptr)
        return;
    if (!frame->barrier_is_told)
        barrier_waited_in(BarrierKind::kImplicit);
    if (is_in_barrier(*record))
        leave_wait(*record, record->activity.get());
    record->activity.set(frame->body_has_ended ? Activity::kOverhead : Activity::kUser);
    ++frame->barriers_passed;
}

void mutex_waited_for(MutexKind kind, std::uint64_t wait_id) {
    if (ThreadRecord *record = record_of_caller(); record != nullptr) {
        close_mutex_wait(*record);
        begin_acquisition(*record, kind, wait_id, true);
    }
}

void mutex_wait_over(MutexKind kind) {
    if (ThreadRecord *record = record_of_caller(); record != nullptr)
        end_acquisition(*record, kind);
}

void mutex_given_back(MutexKind kind) {
    if (ThreadRecord *record = record_of_caller(); record != nullptr)
        give_back(*record, kind);
}

} // namespace ocb::tracker
