// SPDX-License-Identifier: Apache-2.0
// What a thread takes for the regions that it forks and enters: ids from its own block, records
// from its own spares. Inline, as it is on the path of every region; what is rare is in region.cpp
// and thread_record.cpp. The record is the calling thread's, which alone writes what is here.
#pragma once

#include "base/compiler.h"
#include "records/region.h"
#include "records/thread_record.h"

namespace ocb {

// The key of a new region: the next id of the thread's block.
[[nodiscard]] inline RegionKey next_region_key(ThreadRecord &master) {
    if (master.next_id == master.end_id) [[unlikely]] {
        take_region_ids(master);
    }
    return RegionKey{master.next_id++};
}

// For the forking thread. Null without memory, or where 65,535 regions have records: the region
// then has an id but no record.
[[nodiscard]] OCB_ALWAYS_INLINE RegionRecord *begin_region(ThreadRecord &master, RegionKey key,
                                                           RegionId parent_id) {
    RegionRecord *region = master.spare_regions;
    if (region != nullptr) [[likely]] {
        master.spare_regions = region->next_free;
    } else if (region = new_region_record(); region == nullptr) {
        return nullptr;
    }
    region->parent_id = parent_id;
    region->client_word = 0;
    region->running_key.store(key, std::memory_order_release);
    return region;
}

OCB_ALWAYS_INLINE void end_region(ThreadRecord &master, RegionRecord &region) {
    // Where memory was missing for an inner region, its end has ended this one before its time.
    if (region.running_key.load(std::memory_order_relaxed) == RegionKey::kNone) [[unlikely]] {
        return;
    }
    region.running_key.store(RegionKey::kNone, std::memory_order_release);
    if (region.is_adopted) [[unlikely]] {
        return;
    }
    region.next_free = master.spare_regions;
    master.spare_regions = &region;
}

// A new innermost implicit task, in no region, which the caller fills and then enters. Null without
// memory.
[[nodiscard]] OCB_ALWAYS_INLINE ImplicitTask *push_implicit_task(ThreadRecord &record) {
    ImplicitTask *implicit_task = record.spare_implicit_tasks;
    if (implicit_task != nullptr) [[likely]] {
        record.spare_implicit_tasks = implicit_task->next_free;
    } else if (implicit_task = new_implicit_task(); implicit_task == nullptr) {
        return nullptr;
    }
    implicit_task->outer = record.implicit_task.get();
    implicit_task->region = nullptr;
    implicit_task->key = RegionKey::kNone;
    implicit_task->parent_id = RegionId::kNone;
    implicit_task->barriers = 0;
    implicit_task->barriers_passed = 0;
    implicit_task->single_is_open = false;
    implicit_task->body_has_ended = false;
    implicit_task->barrier_is_reported = false;
    implicit_task->frame_is_noted = false;
    implicit_task->enclosing_activity = record.activity.get();
    implicit_task->word = 0;
    implicit_task->front_covered = record.front.covered.get();
    implicit_task->enclosing_task = record.task.get();
    implicit_task->tasks_suspended = record.tasks_suspended;
    return implicit_task;
}

OCB_ALWAYS_INLINE void pop_implicit_task(ThreadRecord &record) {
    ImplicitTask *implicit_task = record.implicit_task.get();
    record.task.set(implicit_task->enclosing_task);
    record.tasks_suspended = implicit_task->tasks_suspended;
    record.front.covered.set(implicit_task->front_covered);
    record.implicit_task.set(implicit_task->outer);
    order_for_handler();
    implicit_task->next_free = record.spare_implicit_tasks;
    record.spare_implicit_tasks = implicit_task;
}

} // namespace ocb
