// SPDX-License-Identifier: Apache-2.0
// Entering and leaving what a thread waits in: barriers and idleness. Inline, for the files of the
// tracker that report waits (regions, barriers, tasks, before_openmp5).
#pragma once

#include "records/region.h"
#include "tracker/constructs.h"

#include <iterator>

namespace ocb::tracker {

OCB_ALWAYS_INLINE void begin_idle(ThreadRecord &record) {
    static constexpr EventAnswers kOfNoRegion{};
    record.idle_is_announced = true;
    begin_event(record, Event::kBeginIdle, kOfNoRegion);
}

// A new worker's first BEGIN_IDLE. Its region code, but not its id, is that of the region that the
// worker is about to enter.
OCB_NEVER_INLINE inline void begin_first_idle(ThreadRecord &record, const RegionRecord *region,
                                              RegionKey key) {
    record.idle_is_announced = true;
    if (events::begin_pair(record, Event::kBeginIdle, Event::kEndIdle)) {
        record.event_of.key = key;
        events::deliver_of(record, region, Event::kBeginIdle, {.state = THR_IDLE_STATE});
    }
}

// `answers` name the region that the thread is about to work for.
OCB_ALWAYS_INLINE void end_idle(ThreadRecord &record, const RegionRecord *region,
                                const EventAnswers &answers) {
    record.idle_is_announced = false;
    if (events::end_pair(record, Event::kEndIdle)) {
        events::deliver_of(record, region, Event::kEndIdle, answers);
    }
}

// The BEGIN event of each activity, in the order of Activity. The END event is the next number.
constexpr Event kWaitEvents[] = {
    Event::kNone,                 // kUser
    Event::kNone,                 // kOverhead
    Event::kBeginImplicitBarrier, // kImplicitBarrier
    Event::kBeginExplicitBarrier, // kExplicitBarrier
    Event::kBeginImplicitBarrier, // kRegionEnd, until the thread is announced as idle
    Event::kBeginIdle,            // kIdle
    Event::kNone,                 // kReduction
};
static_assert(std::size(kWaitEvents) == static_cast<int>(Activity::kReduction) + 1);

inline Event wait_event(const ThreadRecord &record, Activity activity) {
    return activity == Activity::kRegionEnd && record.idle_is_announced
               ? Event::kBeginIdle
               : kWaitEvents[static_cast<int>(activity)];
}

OCB_ALWAYS_INLINE void enter_wait(ThreadRecord &record, Activity activity) {
    const Event event = wait_event(record, activity);
    if (event == Event::kBeginImplicitBarrier) {
        begin_event(record, Event::kBeginImplicitBarrier);
    } else if (event == Event::kBeginExplicitBarrier) {
        begin_event(record, Event::kBeginExplicitBarrier);
    } else if (event == Event::kBeginIdle) {
        begin_idle(record);
    }
}

OCB_ALWAYS_INLINE void leave_wait(ThreadRecord &record, Activity activity) {
    const Event event = wait_event(record, activity);
    if (event == Event::kBeginImplicitBarrier) {
        end_event(record, Event::kEndImplicitBarrier);
    } else if (event == Event::kBeginExplicitBarrier) {
        end_event(record, Event::kEndExplicitBarrier);
    } else if (event == Event::kBeginIdle) {
        end_event(record, Event::kEndIdle);
    }
}

// The part of the region that the thread is in. It has the id of the barrier before it.
inline BarrierId part_of(const ImplicitTask &implicit_task) {
    return barrier_id(implicit_task.key, implicit_task.barriers_passed);
}

inline void set_wait_id_of_barrier(ThreadRecord &record, const ImplicitTask &implicit_task) {
    record.wait_id.set(wait_id_of(barrier_of(implicit_task)));
}

// The runtime has reported that the thread has left its region. The implicit task stays until the
// next region: with KMP_TASKING=0 the report may come while the master is still inside, and STATE
// follows the master.
OCB_NEVER_INLINE inline void become_idle(ThreadRecord &record) {
    if (record.activity.get() == Activity::kRegionEnd && !record.idle_is_announced) {
        end_event(record, Event::kEndImplicitBarrier);
    }
    record.activity.set(record.implicit_task.get() != nullptr ? Activity::kRegionEnd
                                                              : Activity::kIdle);
    // Events before the first session were not delivered.
    const bool was_before_all = record.session == 0 && events::session_number() != 0;
    if (!record.idle_is_announced || was_before_all) {
        begin_idle(record);
    }
}

// True for a worker that is announced as idle, at the end of its outermost region. Later reports of
// that end change nothing.
OCB_ALWAYS_INLINE bool is_at_rest(const ThreadRecord &record) {
    if (!events::is_ready(record, Activity::kRegionEnd) || !record.idle_is_announced ||
        record.kind != ThreadKind::kWorker) {
        return false;
    }
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return implicit_task != nullptr && implicit_task->outer == nullptr;
}

// False at the end of a barrier whose begin was not reported, or came before the bridge observed.
inline bool is_in_barrier(const ThreadRecord &record) {
    const Activity activity = record.activity.get();
    return activity == Activity::kImplicitBarrier || activity == Activity::kExplicitBarrier;
}

} // namespace ocb::tracker
