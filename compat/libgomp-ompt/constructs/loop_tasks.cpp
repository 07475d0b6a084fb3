// SPDX-License-Identifier: Apache-2.0
#include "loop_tasks.h"

#include <cstdlib>
#include <new>

namespace ocb::gomp {

TaskloopTasks *TaskloopTasks::allocate(unsigned long count) {
    void *memory = malloc(sizeof(TaskloopTasks) + count * sizeof(void *));
    return memory != nullptr ? new (memory) TaskloopTasks(count) : nullptr;
}

TaskRecord *TaskloopTasks::take() {
    const unsigned long i = next_.fetch_add(1, std::memory_order_relaxed);
    return i < count_ ? tasks()[i] : nullptr;
}

void TaskloopTasks::put_down() {
    put_down(1);
}

void TaskloopTasks::put_down(unsigned long users) {
    if (users_.fetch_sub(users, std::memory_order_acq_rel) == users) {
        free(this);
    }
}

void TaskloopTasks::end() {
    const unsigned long taken = next_.load(std::memory_order_relaxed);
    for (unsigned long i = taken; i < count_; ++i) {
        release(*tasks()[i]);
    }
    put_down(1 + (taken < count_ ? count_ - taken : 0));
}

} // namespace ocb::gomp
