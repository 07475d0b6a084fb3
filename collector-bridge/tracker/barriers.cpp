// SPDX-License-Identifier: Apache-2.0
// Barriers, waiting for tasks, and reductions, which lie inside of barriers.
#include "tracker/tracker.h"

#include "base/options.h"
#include "tracker/waits.h"

namespace ocb::tracker {
namespace {

// The end of a worker's stay in its region, announced where the runtime does not say it in time. It
// does (libomp) where tasks were created since the team's last barrier.
bool announces_idle_at_arrival(const Frame &frame) {
    if (options().idle_events != IdleEvents::kPrompt)
        return false;
    return frame.region == nullptr ||
           frame.region->part_with_tasks.load(std::memory_order_relaxed) != part_of(frame);
}

void arrive_at_region_end(ThreadRecord &record, const Frame &frame) {
    record.activity.set(Activity::kRegionEnd);
    begin_event(record, OMP_EVENT_THR_BEGIN_IBAR);
    if (!announces_idle_at_arrival(frame))
        return;
    end_event(record, OMP_EVENT_THR_END_IBAR);
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

void barrier_begins(BarrierKind kind) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    note_waits_are_seen(*record);
    close_mutex_wait(*record);
    if (kind == BarrierKind::kTaskWait) {
        record->activity.set(Activity::kOverhead);
        return;
    }
    close_single(*record);
    Frame *frame = record->frame.get();
    if (frame == nullptr)
        return;
    if ((frame->key & kLeagueBit) != 0)
        return wait_in_league(*record, kind);
    const bool is_last = kind == BarrierKind::kLast || kind == BarrierKind::kRegionEnd;
    frame->barriers = is_last ? kLastBarrier : frame->barriers + 1;
    record->wait_id.set(barrier_id(*frame));
    order_for_handler();
    switch (kind) {
    case BarrierKind::kLast:
        frame->body_has_ended = true;
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
        arrive_at_region_end(*record, *frame);
        break;
    case BarrierKind::kTaskWait:
        break;
    }
}

void barrier_ends(bool is_late_worker) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        if (is_late_worker || (record = record_of_caller()) == nullptr)
            return;
    }
    const Activity activity = record->activity.get();
    if (activity == Activity::kRegionEnd) {
        become_idle(*record);
        return;
    }
    // An end whose begin came before we observed.
    if (activity != Activity::kImplicitBarrier && activity != Activity::kExplicitBarrier &&
        activity != Activity::kOverhead)
        return;
    leave_wait(*record, activity);
    Frame *frame = record->frame.get();
    const bool is_barrier = frame != nullptr && activity != Activity::kOverhead;
    record->activity.set(is_barrier && frame->body_has_ended ? Activity::kOverhead
                                                             : Activity::kUser);
    if (is_barrier)
        ++frame->barriers_passed;
}

void reduction_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    record->before_reduction = record->activity.get();
    leave_wait(*record, record->before_reduction);
    record->activity.set(Activity::kReduction);
}

void reduction_ends() {
    ThreadRecord *record = own_record;
    if (record == nullptr || record->activity.get() != Activity::kReduction)
        return;
    // The combination may have taken a mutex.
    if (const Frame *frame = record->frame.get(); frame != nullptr)
        record->wait_id.set(barrier_id(*frame));
    order_for_handler();
    record->activity.set(record->before_reduction);
    enter_wait(*record, record->before_reduction);
}

} // namespace ocb::tracker
