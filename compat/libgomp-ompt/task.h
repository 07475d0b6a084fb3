// SPDX-License-Identifier: Apache-2.0
// What libgomp gets as an explicit task's function and data in place of the program's: tasks.cpp
// and taskloops.cpp make it, task.cpp runs it.
//
// The runtime's buffer for a task holds TaskArguments and behind them, aligned, a copy of the
// program's data. libgomp uses the first three words of a task's data itself: a taskloop's bounds
// and reductions, and the event of a detachable task.
#pragma once

#include "records.h"

namespace ocb::gomp {

// GOMP_TASK_FLAG_... of gcc.
enum GompTaskFlag : unsigned {
    kGompUntied = 1U << 0U,
    kGompFinal = 1U << 1U,
    kGompMergeable = 1U << 2U,
    kGompDepend = 1U << 3U,
    kGompIf = 1U << 10U,
    kGompNogroup = 1U << 11U,
    kGompReduction = 1U << 12U,
    kGompDetach = 1U << 13U,
};

using CopyFunction = void (*)(void *to, void *from);

struct TaskArguments {
    void *reserved[3];
    Outlined function;
    CopyFunction copy; // null: byte by byte
    void *data;        // the program's, while the task is created
    std::size_t size;
    std::size_t alignment;
    TaskRecord *task;
    const Call *call; // while the task is created
    unsigned gomp_flags;
    bool is_undeferred;
    bool is_loop;
};

// Of the runtime's buffer.
inline long buffer_size(const TaskArguments &arguments) {
    return static_cast<long>(sizeof(TaskArguments) + arguments.size + arguments.alignment);
}
inline long buffer_alignment(const TaskArguments &arguments) {
    return static_cast<long>(arguments.alignment > alignof(TaskArguments) ? arguments.alignment
                                                                          : alignof(TaskArguments));
}

// task_create, on the encountering thread.
TaskRecord &create_task(const Call &call, ThreadRecord &thread, unsigned gomp_flags,
                        bool is_undeferred);
bool runs_at_once(const Call &call, const ThreadRecord &thread);

void copy_arguments(void *to, void *from);
void run_task(void *arguments);

// Detachable tasks, detach.cpp.
void expect_event(TaskRecord &task, void *event);
bool body_ends(TaskRecord &task); // whether the event has been fulfilled
void restart_expecting_after_fork();

} // namespace ocb::gomp
