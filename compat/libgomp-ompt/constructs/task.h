// SPDX-License-Identifier: Apache-2.0
// What libgomp gets as an explicit task's function and data in place of the program's: tasks.cpp
// and taskloops.cpp make it, task.cpp runs it.
//
// libgomp gets TaskArguments and behind them, aligned, a copy of the program's data. It copies both
// into its own memory, or runs the task at once where they are: then the program's own data are
// used, as without this library. A function that copies is given to libgomp only where the program
// has one, and for detachable tasks: libgomp does not drop such a task when it is cancelled, and
// makes all such tasks of a taskloop on the stack.
//
// Where no event of tasks is wanted, a task gets its record when it runs, and libgomp the program's
// data as they are (task_functions.h).
//
// libgomp uses the first three words of a task's data itself: a taskloop's bounds and reductions,
// and the event of a detachable task.
#pragma once

#include "records.h"
#include "tool.h"

#include <cstdlib>
#include <cstring>

namespace ocb::gomp {

// GOMP_TASK_FLAG_... of gcc.
enum GompTaskFlag : unsigned {
    kGompUntied = 1U << 0U,
    kGompFinal = 1U << 1U,
    kGompMergeable = 1U << 2U,
    kGompDepend = 1U << 3U,
    kGompUp = 1U << 8U,
    kGompGrainsize = 1U << 9U,
    kGompIf = 1U << 10U,
    kGompNogroup = 1U << 11U,
    kGompReduction = 1U << 12U,
    kGompDetach = 1U << 13U,
    kGompStrict = 1U << 14U,
};

using CopyFunction = void (*)(void *to, void *from);

class TaskloopTasks; // loop_tasks.h

struct TaskArguments {
    void *reserved[3];
    Outlined function;
    void *data;          // the program's
    const void *self;    // this; libgomp's copy lies elsewhere
    std::size_t offset;  // of the copy of the program's data
    std::size_t size;    // of the program's data
    TaskRecord *task;    // null: of a taskloop
    TaskloopTasks *loop; // null: its tasks are created when they run, or copied
    const void *code;    // the program's call
    // While the task is created.
    CopyFunction copy; // null: byte by byte
    unsigned gomp_flags;
    bool is_undeferred;
    bool is_loop;
};

// Where the program's data lie behind the arguments.
inline std::size_t data_offset(std::size_t alignment) {
    return (sizeof(TaskArguments) + alignment - 1) & ~(alignment - 1);
}
// The copy of the program's data.
inline void *data_behind(TaskArguments &arguments) {
    return reinterpret_cast<unsigned char *>(&arguments) + arguments.offset;
}
inline long buffer_size(const TaskArguments &arguments) {
    return static_cast<long>(arguments.offset + arguments.size);
}
inline long buffer_alignment(long alignment) {
    constexpr long kLeast = alignof(TaskArguments);
    return alignment > kLeast ? alignment : kLeast;
}

// Memory for the arguments, and a copy of the program's data behind them, for the time of a scope.
class TaskBuffer {
  public:
    explicit TaskBuffer(std::size_t size)
        : memory_(__builtin_expect(size <= kSmall, 1) ? small_ : allocated(size)) {}
    ~TaskBuffer() {
        if (__builtin_expect(memory_ != small_, 0)) {
            free(memory_);
        }
    }
    TaskBuffer(const TaskBuffer &) = delete;
    TaskBuffer &operator=(const TaskBuffer &) = delete;
    TaskArguments &arguments() {
        return *static_cast<TaskArguments *>(static_cast<void *>(memory_));
    }

  private:
    static unsigned char *allocated(std::size_t size); // ends the process where there is none
    static constexpr std::size_t kSmall = 512;
    alignas(TaskArguments) unsigned char small_[kSmall]; // not initialised
    unsigned char *memory_;
};
// Where data, size and offset are filled in.
inline void copy_data_behind(TaskArguments &arguments) {
    if (arguments.size != 0) {
        std::memcpy(data_behind(arguments), arguments.data, arguments.size);
    }
    arguments.self = &arguments;
}

// task_create, on the encountering thread.
TaskRecord &create_task(const void *code, ThreadRecord &thread, unsigned gomp_flags,
                        bool is_undeferred, bool depends);
// All tasks of a final one are final, too.
inline int public_flags(const TaskRecord &parent, unsigned gomp_flags, bool is_undeferred) {
    int flags = ompt_task_explicit | (parent.flags & kTaskFinal);
    flags |= (gomp_flags & kGompUntied) != 0 ? kTaskUntied : 0;
    flags |= (gomp_flags & kGompFinal) != 0 ? kTaskFinal : 0;
    flags |= (gomp_flags & kGompMergeable) != 0 ? kTaskMergeable : 0;
    flags |= is_undeferred ? ompt_task_undeferred : 0;
    return flags;
}
OCB_INLINE void report_create(TaskRecord &parent, TaskRecord &task, bool depends,
                              const void *code) {
    if (auto tell = callback<ompt_callback_task_create_t>(ompt_callback_task_create)) {
        tell(&parent.word, &parent.frame, &task.word, task.flags, depends ? 1 : 0, code);
    }
}
// A task of which nothing was told has a child with a record from its construct on, which names it
// as its parent. So its own record is not kept for others.
OCB_INLINE void leave_record_to_children(TaskRecord &parent) {
    if (parent.below != nullptr && parent.below->above == &parent) {
        parent.below->above = nullptr;
    }
}
OCB_INLINE TaskRecord &create_task_here(const void *code, ThreadRecord &thread, unsigned gomp_flags,
                                        bool is_undeferred, bool depends) {
    TaskRecord &parent = task_of(thread);
    TaskRecord &task = take_task(thread, &parent, nullptr);
    task.region = parent.region;
    task.region_run = parent.region_run;
    task.flags = public_flags(parent, gomp_flags, is_undeferred);
    if ((parent.flags & ompt_task_explicit) != 0) {
        parent.references.fetch_add(1, std::memory_order_relaxed);
        leave_record_to_children(parent);
    } else {
        parent.marks.has_created = true;
    }
    report_create(parent, task, depends, code);
    return task;
}
// Outside a region and in a final task libgomp runs a task at once, whatever its clauses.
inline bool runs_at_once(const TaskRecord &parent) {
    return (parent.flags & (ompt_task_initial | kTaskFinal)) != 0;
}
// libgomp drops a task that is created now: what it would belong to is cancelled.
bool drops_tasks_now(const Call &call, const ThreadRecord &thread);
inline bool drops_tasks(const Call &call, const ThreadRecord &thread) {
    return call.runtime->can_cancel && drops_tasks_now(call, thread);
}

// A task that libgomp runs at once where its data are, without an event to wait for. Its record is
// kept by its parent for the next one.
struct TaskInPlace {
    Outlined function;
    void *data;
    TaskRecord *task;
};
// task_create, on the encountering thread.
TaskRecord &keep_task_in_place(TaskRecord &parent);
OCB_INLINE TaskRecord &create_task_in_place(const void *code, TaskRecord &parent,
                                            unsigned gomp_flags, bool depends) {
    TaskRecord *kept = parent.in_place;
    TaskRecord &task = __builtin_expect(kept != nullptr, 1) ? *kept : keep_task_in_place(parent);
    task.word.value = 0;
    task.region = parent.region;
    task.region_run = parent.region_run;
    task.flags = public_flags(parent, gomp_flags, true);
    task.marks = kRunningMarks;
    parent.marks.has_created = true;
    report_create(parent, task, depends, code);
    return task;
}
void run_task_in_place(void *task);

void copy_arguments(void *to, void *from);
void run_task(void *arguments);
// On the thread that executes the task. The record may be another task's afterwards.
const RegionRecord *run_function_of(TaskRecord &task, Outlined function, void *data);

// Detachable tasks, detach.cpp.
void expect_event(TaskRecord &task, void *event);
bool body_ends(TaskRecord &task); // whether the event has been fulfilled
void restart_expecting_after_fork();

} // namespace ocb::gomp
