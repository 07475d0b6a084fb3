// SPDX-License-Identifier: Apache-2.0
// What the core tells: each function is one event, called on the thread and in the task that it
// concerns. events.cpp passes them to the generation that is built in (tool.h), and is the one
// place where a defect may be between the two.
#pragma once

#include "core.h"

namespace mini::event {

enum class Endpoint { kBegin = 1, kEnd = 2 };
enum class TaskStatus { kComplete, kYield, kCancel, kSwitch };

// As libomp 3.7 to 5.0 report (MINI_OMP_MANNER=libomp, in the generations with ids).
bool is_like_old_libomp();

void thread_begins(Thread &thread);
void thread_ends(Thread &thread);
void initial_task(Endpoint endpoint, Thread &thread);

struct Parallel {
    Task &parent;
    Team &team;
    unsigned requested = 0;
    bool is_invoked_by_program = false;
    const void *function = nullptr;
    const void *caller = nullptr;
};
void parallel_begins(const Parallel &parallel);
void parallel_ends(const Parallel &parallel);
void implicit_task(Endpoint endpoint, Task &task);
void idle(Endpoint endpoint, Thread &thread);

// A barrier, taskwait or taskgroup; and the waiting inside.
void sync(SyncKind kind, Endpoint endpoint, Task &task, const Entry &entry);
void sync_wait(SyncKind kind, Endpoint endpoint, Task &task, const Entry &entry);
void reduction(Endpoint endpoint, Task &task, const Entry &entry);

struct MutexUse {
    MutexKind kind;
    std::uint64_t wait_id;
    unsigned hint = 0;
    const void *caller = nullptr;
    bool is_test = false;
};
void mutex_wanted(const MutexUse &use);     // each time, before the first try
void mutex_waited_for(const MutexUse &use); // only if the thread has to wait
void mutex_acquired(const MutexUse &use);
void mutex_released(const MutexUse &use);
void nest_lock_again(Endpoint endpoint, const MutexUse &use); // not the first, not the last
void lock_initialised(const MutexUse &use);
void lock_destroyed(const MutexUse &use);

void work(WorkKind kind, Endpoint endpoint, Task &task, std::uint64_t count, const Entry &entry);
void masked(Endpoint endpoint, Task &task, const Entry &entry);

void tell_created(Task &parent, Task &task, const Entry &entry);
void task_created(Task &parent, Task &task, const Entry &entry);
void task_ends(Task &task);
// In the context of the next one.
void task_switched(Task &prior, TaskStatus status, Task &next);
void flushed(Thread &thread, const Entry &entry);
void cancelled(Task &task, int kind, const Entry &entry);
void runtime_ends();
int control(std::uint64_t command, std::uint64_t modifier, void *argument, const Entry &entry);

} // namespace mini::event
