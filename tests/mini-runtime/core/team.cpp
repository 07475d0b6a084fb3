// SPDX-License-Identifier: Apache-2.0
// Regions and barriers.
#include "core.h"
#include "events.h"

#include <algorithm>

namespace mini {
namespace {

using event::Endpoint;

int threads_for(Thread &thread, const Region &region) {
    const Task &task = *thread.task;
    if (region.is_serialized ||
        task.team->active_level >= settings.max_active_levels.load(std::memory_order_relaxed)) {
        return 1;
    }
    const int wanted = region.threads_wanted > 0 ? region.threads_wanted
                       : task.threads_wanted > 0 ? task.threads_wanted
                                                 : settings.threads;
    return std::clamp(wanted, 1, std::min(settings.thread_limit, kMaxThreads));
}

void set_state(Thread &thread, State state) {
    thread.state.store(state, std::memory_order_relaxed);
}

Team &make_team(Thread &master, int size) {
    Team &team = *new Team(size, master.task->team, master.task);
    team.threads[0] = &master;
    return team;
}

void run_body(Thread &thread, Team &team, int thread_num) {
    Task &task = team.members[thread_num].task;
    set_state(thread, State::kParallel);
    team.body(team.argument, thread_num); // notes its own frame as the one that is left
    set_state(thread, State::kOverhead);
    task.frame.exit = nullptr;
}

} // namespace

Team::Team(int team_size, Team *parent_team, Task *encountering)
    : parent(parent_team), parent_task(encountering), size(team_size),
      level(parent_team != nullptr ? parent_team->level + 1 : 0),
      active_level((parent_team != nullptr ? parent_team->active_level : 0) +
                   (team_size > 1 ? 1 : 0)),
      members(new Member[static_cast<std::size_t>(team_size)]),
      threads(new Thread *[static_cast<std::size_t>(team_size)]()), references(team_size) {
    for (int i = 0; i < size; ++i) {
        Task &task = members[i].task;
        task.team = this;
        task.parent = encountering;
        task.thread_num = i;
        task.threads_wanted = encountering != nullptr ? encountering->threads_wanted : 0;
    }
    for (unsigned i = 0; i < kLoops; ++i) {
        loops[i].number.store(i, std::memory_order_relaxed);
    }
}

void release(Team &team) {
    if (team.references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete &team;
    }
}

State state_of(SyncKind kind) {
    switch (kind) {
    case SyncKind::kBarrierParallel:
        return State::kBarrierParallel;
    case SyncKind::kBarrierWorkshare:
        return State::kBarrierWorkshare;
    case SyncKind::kBarrierExplicit:
        return State::kBarrierExplicit;
    case SyncKind::kBarrierImplementation:
        return State::kBarrierImplementation;
    case SyncKind::kTaskwait:
        return State::kTaskwait;
    case SyncKind::kTaskgroup:
        return State::kTaskgroup;
    }
    return State::kOverhead;
}

// A thread that finds everybody there closes the barrier; until then all run the team's tasks.
void barrier(SyncKind kind, const Entry &entry) {
    Thread &thread = current();
    Task &task = *thread.task;
    Team &team = *task.team;
    event::sync(kind, Endpoint::kBegin, task, entry);
    {
        const InState waiting(thread, state_of(kind));
        event::sync_wait(kind, Endpoint::kBegin, task, entry);
        const unsigned phase = team.phase.load(std::memory_order_acquire);
        team.arrived.fetch_add(1, std::memory_order_acq_rel);
        for (Patience patience; team.phase.load(std::memory_order_acquire) == phase;) {
            int everybody = team.size;
            if (team_has_tasks(team)) {
                event::sync_wait(kind, Endpoint::kEnd, task, entry);
                while (run_one_task(thread, Which::kAny)) {
                }
                event::sync_wait(kind, Endpoint::kBegin, task, entry);
                patience = {};
            } else if (team.arrived.load(std::memory_order_acquire) == team.size &&
                       // Only now: whoever comes may bring tasks along.
                       team.unfinished_tasks.load(std::memory_order_acquire) == 0 &&
                       team.arrived.compare_exchange_strong(everybody, 0)) {
                team.phase.store(phase + 1, std::memory_order_release);
            } else {
                patience.wait();
            }
        }
        event::sync_wait(kind, Endpoint::kEnd, task, entry);
    }
    event::sync(kind, Endpoint::kEnd, task, entry);
}

// As a worker of libomp 3.9 to 5.0 ends: its task and its work are over before the last barrier is,
// and it runs the region's tasks while it is idle.
void end_as_in_libomp(Thread &worker, Team &team, Task &task) {
    event::sync(SyncKind::kBarrierParallel, Endpoint::kBegin, task, {});
    event::sync(SyncKind::kBarrierParallel, Endpoint::kEnd, task, {});
    event::implicit_task(Endpoint::kEnd, task);
    task.word = 0;
    set_state(worker, State::kIdle);
    event::idle(Endpoint::kBegin, worker);
    worker.is_told_idle = true;
    const unsigned phase = team.phase.load(std::memory_order_acquire);
    team.arrived.fetch_add(1, std::memory_order_acq_rel);
    for (Patience patience; team.phase.load(std::memory_order_acquire) == phase;) {
        if (!run_one_task(worker, Which::kAny)) {
            patience.wait();
        }
    }
}

// An implicit task from its begin to its end, on whatever thread.
void run_member(Thread &thread, Team &team, int thread_num) {
    Task &task = team.members[thread_num].task;
    set_state(thread, State::kOverhead);
    thread.task = &task;
    event::implicit_task(Endpoint::kBegin, task);
    run_body(thread, team, thread_num);
    if (thread_num != 0 && event::is_like_old_libomp()) {
        end_as_in_libomp(thread, team, task);
    } else {
        if (team.size > 1) {
            barrier(SyncKind::kBarrierParallel, {});
        }
        event::implicit_task(Endpoint::kEnd, task);
    }
    thread.task = thread_num == 0 ? team.parent_task : nullptr;
    if (thread_num != 0) {
        release(team);
    }
}

void run_region(const Region &region, const Entry &entry) {
    Thread &master = current();
    Task &parent = *master.task;
    const InState overhead(master, State::kOverhead);
    enter_runtime(parent, entry);
    Thread *workers[kMaxThreads];
    const int wanted = threads_for(master, region);
    const int size = 1 + (wanted > 1 ? take_workers(wanted - 1, workers) : 0);
    Team &team = make_team(master, size);
    team.body = region.body;
    team.argument = region.argument;
    const event::Parallel told{
        parent,          team,        static_cast<unsigned>(wanted), region.is_invoked_by_program,
        region.function, entry.caller};
    event::parallel_begins(told);
    for (int i = 1; i < size; ++i) {
        team.threads[i] = workers[i - 1];
        assign(*workers[i - 1], team, i);
    }
    run_member(master, team, 0);
    give_back(workers, size - 1);
    event::parallel_ends(told);
    parent.frame.enter = nullptr;
    release(team);
}

// The program itself calls the region's code between the two.
void begin_serialized(Thread &thread, const Entry &entry) {
    set_state(thread, State::kOverhead);
    enter_runtime(*thread.task, entry);
    Team &team = make_team(thread, 1);
    team.is_serialized = true;
    Task &task = team.members[0].task;
    event::parallel_begins({*thread.task, team, 1, true, nullptr, entry.caller});
    thread.task = &task;
    event::implicit_task(Endpoint::kBegin, task);
    leave_runtime(task, entry.frame, frame_flags(entry));
    set_state(thread, State::kParallel);
}

void end_serialized(Thread &thread, const Entry &entry) {
    set_state(thread, State::kOverhead);
    Task &task = *thread.task;
    Team &team = *task.team;
    Task &parent = *team.parent_task;
    task.frame.exit = nullptr;
    event::implicit_task(Endpoint::kEnd, task);
    thread.task = &parent;
    event::parallel_ends({parent, team, 1, true, nullptr, entry.caller});
    parent.frame.enter = nullptr;
    set_state(thread, parent.team->level > 0 ? State::kParallel : State::kSerial);
    release(team);
}

} // namespace mini
