// SPDX-License-Identifier: Apache-2.0
// The state that a thread's record shows, outside callbacks. Async-signal-safe: thread-local reads,
// and at most one shared one (the region's record, or the slot of the mutex that the thread wants).
#pragma once

#include "omp_collector_api.h"
#include "records/thread_record.h"

namespace ocb {

// For a thread that executes the program's code, no mutex in hand.
OCB_ALWAYS_INLINE int state_of_code(const ImplicitTask *implicit_task) {
    return implicit_task != nullptr && implicit_task->region_id() != RegionId::kNone
               ? THR_WORK_STATE
               : THR_SERIAL_STATE;
}

// For a thread in the barrier that ends its region; a league has no barrier.
OCB_ALWAYS_INLINE int state_at_region_end(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return implicit_task == nullptr || implicit_task->region == nullptr ||
                   is_league(implicit_task->key) || implicit_task->has_ended()
               ? THR_IDLE_STATE
               : THR_IBAR_STATE;
}

// A barrier in serial code is a team of one's: the implicit task stands for the region.
inline BarrierId barrier_of(const ImplicitTask &implicit_task) {
    const RegionKey key =
        implicit_task.key != RegionKey::kNone
            ? implicit_task.key
            : RegionKey{kLeagueBit | (reinterpret_cast<std::uint64_t>(&implicit_task) >> 4)};
    return barrier_id(key, implicit_task.barriers);
}

// `wait_id` is written in wait states.
[[nodiscard]] int state_of(const ThreadRecord &record, WaitId &wait_id);

// The same for any thread's record. The runtime is not asked, as it answers its own thread only.
[[nodiscard]] int state_by_record(const ThreadRecord &record, WaitId &wait_id);

// Whether the thread waits for the mutex that it wants.
[[nodiscard]] bool waits_for_mutex(const ThreadRecord &record);

} // namespace ocb
