// SPDX-License-Identifier: Apache-2.0
// Entering and leaving what a thread waits in: barriers and idleness. Inline, for the files of the
// tracker that report waits (regions, barriers, tasks, before_openmp5).
#pragma once

#include "records/region.h"
#include "tracker/constructs.h"

#include <iterator>

namespace ocb::tracker {

inline void begin_idle(ThreadRecord &record) {
    record.idle_is_announced = true;
    begin_event(record, OMP_EVENT_THR_BEGIN_IDLE, EventAnswers{});
}

// `answers` name the region that the thread is about to work for.
inline void end_idle(ThreadRecord &record, const RegionRecord *region,
                     const EventAnswers &answers) {
    record.idle_is_announced = false;
    if (end_pair(record, OMP_EVENT_THR_END_IDLE))
        deliver_of(record, region, OMP_EVENT_THR_END_IDLE, answers);
}

// The event of entering what a thread goes into, 0 if there is none; leaving is the one behind it.
// In the order of Activity.
constexpr int kWaitEvents[] = {
    0,                        // kUser
    0,                        // kOverhead
    OMP_EVENT_THR_BEGIN_IBAR, // kImplicitBarrier
    OMP_EVENT_THR_BEGIN_EBAR, // kExplicitBarrier
    OMP_EVENT_THR_BEGIN_IBAR, // kRegionEnd, until the thread is said to be idle
    0,                        // kIdle
    0,                        // kReduction
};
static_assert(sizeof(kWaitEvents) / sizeof(kWaitEvents[0]) ==
              static_cast<int>(Activity::kReduction) + 1);

inline int wait_event(const ThreadRecord &record, Activity activity) {
    return activity == Activity::kRegionEnd && record.idle_is_announced
               ? OMP_EVENT_THR_BEGIN_IDLE
               : kWaitEvents[static_cast<int>(activity)];
}

OCB_ALWAYS_INLINE void enter_wait(ThreadRecord &record, Activity activity) {
    const int event = wait_event(record, activity);
    if (event == OMP_EVENT_THR_BEGIN_IBAR)
        begin_event(record, OMP_EVENT_THR_BEGIN_IBAR);
    else if (event == OMP_EVENT_THR_BEGIN_EBAR)
        begin_event(record, OMP_EVENT_THR_BEGIN_EBAR);
    else if (event == OMP_EVENT_THR_BEGIN_IDLE)
        begin_idle(record);
}

OCB_ALWAYS_INLINE void leave_wait(ThreadRecord &record, Activity activity) {
    const int event = wait_event(record, activity);
    if (event == OMP_EVENT_THR_BEGIN_IBAR)
        end_event(record, OMP_EVENT_THR_END_IBAR);
    else if (event == OMP_EVENT_THR_BEGIN_EBAR)
        end_event(record, OMP_EVENT_THR_END_EBAR);
    else if (event == OMP_EVENT_THR_BEGIN_IDLE)
        end_event(record, OMP_EVENT_THR_END_IDLE);
}

// A barrier in serial code is a team of one's: the frame stands for the region.
inline std::uint64_t barrier_id(const Frame &frame) {
    const RegionKey key =
        frame.key != 0 ? frame.key : kLeagueBit | (reinterpret_cast<std::uint64_t>(&frame) >> 4);
    return ocb::barrier_id(key, frame.barriers);
}

// What lies between two barriers of a region.
inline std::uint64_t part_of(const Frame &frame) {
    return ocb::barrier_id(frame.key, frame.barriers_passed);
}

// The runtime's own word that the thread has left its region. The frame stays until the next
// region: the word may come while the master is still inside (KMP_TASKING=0), and STATE goes by the
// master.
inline void become_idle(ThreadRecord &record) {
    if (record.activity.get() == Activity::kRegionEnd && !record.idle_is_announced)
        end_event(record, OMP_EVENT_THR_END_IBAR);
    record.activity.set(record.frame.get() != nullptr ? Activity::kRegionEnd : Activity::kIdle);
    // What was said before the first session nobody has been told.
    const bool was_before_all =
        record.session == 0 && session_number.load(std::memory_order_relaxed) != 0;
    if (!record.idle_is_announced || was_before_all)
        begin_idle(record);
}

// Not in the middle of one: an end whose begin came before we observed, or was never told.
inline bool is_in_barrier(const ThreadRecord &record) {
    const Activity activity = record.activity.get();
    return activity == Activity::kImplicitBarrier || activity == Activity::kExplicitBarrier;
}

} // namespace ocb::tracker
