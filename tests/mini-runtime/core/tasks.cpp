// SPDX-License-Identifier: Apache-2.0
// Explicit tasks: one queue for each team. A thread that waits in its own task runs only what
// descends from it (so that no other task comes on top of what it may hold), at a barrier all.
#include "core.h"
#include "events.h"

namespace mini {
namespace {

using event::Endpoint;
using event::TaskStatus;

void drop(Task *task) {
    while (task != nullptr && task->kind == TaskKind::kExplicit &&
           task->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        Task *parent = task->parent;
        delete task;
        task = parent;
    }
}

bool descends_from(const Task *task, const Task *ancestor) {
    while (task != ancestor && task->kind == TaskKind::kExplicit) {
        task = task->parent;
    }
    return task == ancestor;
}

bool has_task_for(const Task &waiting) {
    const std::lock_guard lock(waiting.team->task_mutex);
    for (const Task *task : waiting.team->tasks) {
        if (descends_from(task, &waiting)) {
            return true;
        }
    }
    return false;
}

Task *take(Team &team, Which which, const Task *ancestor) {
    const std::lock_guard lock(team.task_mutex);
    if (which == Which::kAny && !team.tasks.empty()) {
        Task *task = team.tasks.front();
        team.tasks.pop_front();
        return task;
    }
    for (auto i = team.tasks.rbegin(); i != team.tasks.rend(); ++i) {
        if (descends_from(*i, ancestor)) {
            Task *task = *i;
            team.tasks.erase(std::next(i).base());
            return task;
        }
    }
    return nullptr;
}

void start(Thread &thread, Task &task, Task &prior) {
    task.thread_num = prior.thread_num;
    thread.task = &task;
    event::task_switched(prior, TaskStatus::kSwitch, task);
    thread.state.store(State::kParallel, std::memory_order_relaxed);
}

void finish(Thread &thread, Task &task, Task &next, bool is_cancelled) {
    thread.state.store(State::kOverhead, std::memory_order_relaxed);
    task.frame.exit = nullptr;
    event::task_ends(task);
    thread.task = &next;
    event::task_switched(task, is_cancelled ? TaskStatus::kCancel : TaskStatus::kComplete, next);
    Team &team = *task.team;
    if (task.own_group != nullptr) {
        task.own_group->unfinished.fetch_sub(1, std::memory_order_acq_rel);
    }
    Task *parent = task.parent;
    parent->unfinished_children.fetch_sub(1, std::memory_order_acq_rel);
    drop(&task);
    team.unfinished_tasks.fetch_sub(1, std::memory_order_acq_rel);
}

// A task that runs beneath another one of its thread.
void run(Thread &thread, Task &task) {
    Task &prior = *thread.task;
    const State before = thread.state.load(std::memory_order_relaxed);
    start(thread, task, prior);
    const bool is_cancelled =
        task.own_group != nullptr && task.own_group->is_cancelled.load(std::memory_order_relaxed);
    if (!is_cancelled) {
        task.body(thread, task); // notes its own frame as the one that is left
    }
    finish(thread, task, prior, is_cancelled);
    thread.state.store(before, std::memory_order_relaxed);
}

// The task counts from its creation.
void announce(Thread &thread, Task &task, const Entry &entry) {
    Task &parent = *thread.task;
    parent.unfinished_children.fetch_add(1, std::memory_order_relaxed);
    task.team->unfinished_tasks.fetch_add(1, std::memory_order_relaxed);
    if (task.own_group != nullptr) {
        task.own_group->unfinished.fetch_add(1, std::memory_order_relaxed);
    }
    event::task_created(parent, task, entry);
}

} // namespace

Task *new_task(Thread &thread, void (*body)(Thread &, Task &), void *argument) {
    Task &parent = *thread.task;
    Task *task = new Task;
    task->kind = TaskKind::kExplicit;
    task->team = parent.team;
    task->parent = &parent;
    task->thread_num = parent.thread_num;
    task->threads_wanted = parent.threads_wanted;
    task->group = task->own_group = parent.group != nullptr ? parent.group : parent.own_group;
    task->body = body;
    task->argument = argument;
    if (parent.kind == TaskKind::kExplicit) {
        parent.references.fetch_add(1, std::memory_order_relaxed);
    }
    return task;
}

bool team_has_tasks(Team &team) {
    if (team.unfinished_tasks.load(std::memory_order_acquire) == 0) {
        return false;
    }
    const std::lock_guard lock(team.task_mutex);
    return !team.tasks.empty();
}

bool run_one_task(Thread &thread, Which which) {
    Task *task = take(*thread.task->team, which, thread.task);
    if (task == nullptr) {
        return false;
    }
    run(thread, *task);
    return true;
}

// A team of one has nobody who could run it meanwhile.
void submit(Thread &thread, Task *task, bool is_deferred, const Entry &entry) {
    Task &parent = *thread.task;
    Team &team = *task->team;
    const State before = thread.state.exchange(State::kOverhead, std::memory_order_relaxed);
    enter_runtime(parent, entry);
    task->is_undeferred = !is_deferred || team.size == 1;
    announce(thread, *task, entry);
    if (task->is_undeferred) {
        run(thread, *task);
    } else {
        const std::lock_guard lock(team.task_mutex);
        team.tasks.push_back(task);
    }
    parent.frame.enter = nullptr;
    thread.state.store(before, std::memory_order_relaxed);
}

// The program itself calls the task's code between the two.
void undeferred_begin(Thread &thread, Task *task, const Entry &entry) {
    Task &parent = *thread.task;
    task->state_before = thread.state.exchange(State::kOverhead, std::memory_order_relaxed);
    enter_runtime(parent, entry);
    task->is_undeferred = true;
    announce(thread, *task, entry);
    start(thread, *task, parent);
    leave_runtime(*task, entry.frame, frame_flags(entry));
}

void undeferred_end(Thread &thread, const Entry &) {
    Task &task = *thread.task;
    Task &parent = *task.parent;
    const State before = task.state_before;
    finish(thread, task, parent, false);
    parent.frame.enter = nullptr;
    thread.state.store(before, std::memory_order_relaxed);
}

namespace {

template <class IsDone> void wait_in(SyncKind kind, const Entry &entry, IsDone is_done) {
    Thread &thread = current();
    Task &task = *thread.task;
    const InState overhead(thread, State::kOverhead);
    bool is_waiting = false;
    for (Patience patience; !is_done();) {
        if (is_waiting) {
            patience.wait();
            if (!has_task_for(task)) {
                continue;
            }
            thread.state.store(State::kOverhead, std::memory_order_relaxed);
            event::sync_wait(kind, Endpoint::kEnd, task, entry);
        }
        while (!is_done() && run_one_task(thread, Which::kDescendants)) {
        }
        is_waiting = !is_done();
        if (is_waiting) {
            thread.state.store(state_of(kind), std::memory_order_relaxed);
            event::sync_wait(kind, Endpoint::kBegin, task, entry);
        }
    }
    if (is_waiting) {
        event::sync_wait(kind, Endpoint::kEnd, task, entry);
    }
}

} // namespace

void taskwait(const Entry &entry) {
    Task &task = *current().task;
    event::sync(SyncKind::kTaskwait, Endpoint::kBegin, task, entry);
    wait_in(SyncKind::kTaskwait, entry,
            [&] { return task.unfinished_children.load(std::memory_order_acquire) == 0; });
    event::sync(SyncKind::kTaskwait, Endpoint::kEnd, task, entry);
}

void taskgroup_begin(const Entry &entry) {
    Task &task = *current().task;
    Taskgroup *group = new Taskgroup;
    group->outer = task.group;
    task.group = group;
    event::sync(SyncKind::kTaskgroup, Endpoint::kBegin, task, entry);
}

void taskgroup_end(const Entry &entry) {
    Task &task = *current().task;
    Taskgroup *group = task.group;
    wait_in(SyncKind::kTaskgroup, entry,
            [&] { return group->unfinished.load(std::memory_order_acquire) == 0; });
    task.group = group->outer;
    event::sync(SyncKind::kTaskgroup, Endpoint::kEnd, task, entry);
    delete group;
}

} // namespace mini
