// SPDX-License-Identifier: Apache-2.0
// Records of regions and tasks: taken, given back, found again.
#include "records.h"

#include "memory.h"

namespace ocb::gomp {

RegionRecord &take_region(ThreadRecord &thread) {
    RegionRecord *region = thread.free_regions;
    if (region != nullptr) {
        thread.free_regions = region->next_free;
    } else {
        region = make<RegionRecord>();
        region->owner = &thread;
    }
    region->word.value = 0;
    region->copyprivate = nullptr;
    region->master_task = nullptr;
    region->first_word = nullptr;
    return *region;
}

void give_back(ThreadRecord &thread, RegionRecord &region) {
    region.next_free = thread.free_regions;
    thread.free_regions = &region;
}

namespace {

void add_block(ThreadRecord &thread) {
    TaskBlock *block = make<TaskBlock>();
    for (TaskRecord &task : block->tasks) {
        task.owner = &thread;
        task.next = thread.free_tasks;
        thread.free_tasks = &task;
    }
    block->next = thread.task_blocks;
    thread.task_blocks = block;
    ++thread.block_count;
}

// libgomp drops the tasks of a cancelled taskgroup or region that have not begun, and says nothing.
// Their records are found when their regions are over.
void take_back_dropped(ThreadRecord &thread) {
    constexpr unsigned kFirstSearch = 16;
    if (thread.block_count < thread.next_search) {
        return;
    }
    unsigned living = 0;
    for (TaskBlock *block = thread.task_blocks; block != nullptr; block = block->next) {
        for (TaskRecord &task : block->tasks) {
            const bool is_dropped = task.marks.is_in_use && !task.marks.is_started &&
                                    (task.flags & ompt_task_explicit) != 0 &&
                                    is_over(*task.region, task.region_run);
            if (is_dropped) {
                release(task);
            }
            living += task.marks.is_in_use ? 1 : 0;
        }
    }
    // Not before at least half of the records can be expected to come back.
    thread.next_search = living / TaskBlock::kTasks * 2 + kFirstSearch;
}

} // namespace

void find_free_tasks(ThreadRecord &thread) {
    thread.free_tasks = thread.returned_tasks.exchange(nullptr, std::memory_order_acquire);
    if (thread.free_tasks == nullptr) {
        take_back_dropped(thread);
    }
    if (thread.free_tasks == nullptr) {
        add_block(thread);
    }
}

// It was kept for another task's time.
void let_task_above_go(TaskRecord &task) {
    TaskRecord *above = task.above;
    task.above = nullptr;
    release(*above);
}

void release_any(TaskRecord &first) {
    TaskRecord *task = &first;
    while (task != nullptr && (task->flags & ompt_task_initial) == 0 &&
           (task->references.load(std::memory_order_acquire) == 1 ||
            task->references.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
        // An implicit task outlives its children, they do not count with it.
        TaskRecord *parent = (task->flags & ompt_task_explicit) != 0 && task->parent != nullptr &&
                                     (task->parent->flags & ompt_task_explicit) != 0
                                 ? task->parent
                                 : nullptr;
        ThreadRecord *owner = task->owner;
        task->marks.is_in_use = false;
        if (owner == own_thread) {
            task->next = owner->free_tasks;
            owner->free_tasks = task;
        } else {
            TaskRecord *head = owner->returned_tasks.load(std::memory_order_relaxed);
            do {
                task->next = head;
            } while (!owner->returned_tasks.compare_exchange_weak(
                head, task, std::memory_order_release, std::memory_order_relaxed));
        }
        task = parent;
    }
}

} // namespace ocb::gomp
