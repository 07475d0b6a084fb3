// SPDX-License-Identifier: Apache-2.0
#include "inquiry.h"

#include "defects.h"

#include <atomic>

namespace mini::inquiry {
namespace {

// Where a defect needs something to tell of that is not there.
Word strange_word = 0x6d696e69;
Word no_word = 0;
Frame strange_frame{&strange_frame, &strange_frame};

struct StateRow {
    State state;
    Defect hides;
    Defect breaks_up;
    Check check;
};

constexpr StateRow kStates[] = {
    {State::kSerial, Defect::kStateSerial, Defect::kStateSerialBroken, Check::kStateSerial},
    {State::kParallel, Defect::kStateParallel, Defect::kStateParallelBroken, Check::kStateParallel},
    {State::kReduction, Defect::kStateReduction, Defect::kStateReductionBroken,
     Check::kStateReduction},
    {State::kBarrierExplicit, Defect::kStateBarrierExplicit, Defect::kStateBarrierExplicitBroken,
     Check::kStateBarrierExplicit},
    {State::kBarrierParallel, Defect::kStateBarrierImplicit, Defect::kStateBarrierImplicitBroken,
     Check::kStateBarrierImplicit},
    {State::kBarrierWorkshare, Defect::kStateBarrierImplicit, Defect::kStateBarrierImplicitBroken,
     Check::kStateBarrierImplicit},
    {State::kTaskwait, Defect::kStateTaskwait, Defect::kStateTaskwaitBroken, Check::kStateTaskwait},
    {State::kTaskgroup, Defect::kStateTaskgroup, Defect::kStateTaskgroupBroken,
     Check::kStateTaskgroup},
    {State::kLock, Defect::kStateLock, Defect::kStateLockBroken, Check::kStateLock},
    {State::kNestLock, Defect::kStateNestLock, Defect::kStateNestLockBroken, Check::kStateNestLock},
    {State::kCritical, Defect::kStateCritical, Defect::kStateCriticalBroken, Check::kStateCritical},
    {State::kAtomic, Defect::kStateAtomic, Defect::kStateAtomicBroken, Check::kStateAtomic},
    {State::kOrdered, Defect::kStateOrdered, Defect::kStateOrderedBroken, Check::kStateOrdered},
};

bool is_hidden(State state) {
    for (const StateRow &row : kStates) {
        if (row.state == state) {
            return breaks(row.hides) || is_without(row.check);
        }
    }
    return false;
}

// Every second time that somebody asks.
bool is_broken_up(State state) {
    static std::atomic<unsigned> times{0};
    for (const StateRow &row : kStates) {
        if (row.state == state && breaks(row.breaks_up)) {
            return times.fetch_add(1, std::memory_order_relaxed) % 2 == 1;
        }
    }
    return false;
}

bool is_region(const Team *team) {
    return team != nullptr && team->level > 0;
}

Team *team_at(const Thread *self, int ancestor_level) {
    if (self == nullptr || self->task == nullptr || ancestor_level < 0) {
        return nullptr;
    }
    Team *found = self->task->team;
    for (; found != nullptr && ancestor_level > 0; --ancestor_level) {
        found = found->parent;
    }
    return found;
}

int size_of(const Team &team, int ancestor_level) {
    if (ancestor_level == 0 && breaks(Defect::kTeamSizeCurrent)) {
        return team.size + 1;
    }
    const bool is_nested = is_region(team.parent) && ancestor_level == 0;
    if (is_nested && ((breaks(Defect::kTeamSizeOff) && team.size == 1) ||
                      (breaks(Defect::kTeamSizeOn) && team.size > 1))) {
        return team.parent->size;
    }
    return team.size;
}

RegionView no_region(const Thread *self, int ancestor_level) {
    const bool is_outside = self != nullptr && self->task != nullptr && ancestor_level == 0;
    if (is_outside ? breaks(Defect::kParallelIdOutside) : breaks(Defect::kParallelIdBeyond)) {
        return {true, &strange_word, -1};
    }
    if (!is_outside && breaks(Defect::kTeamSizeBeyond)) {
        return {true, &no_word, 1};
    }
    return {};
}

} // namespace

std::atomic<bool> region_has_ended{false};

Thread *thread() {
    return current_if_any();
}

State state(std::uint64_t *wait_id) {
    const Thread *self = thread();
    if (wait_id != nullptr) {
        *wait_id = self != nullptr ? self->wait_id.load(std::memory_order_relaxed) : 0;
    }
    if (self == nullptr) {
        return State::kUndefined;
    }
    const State state = self->state.load(std::memory_order_relaxed);
    if (state == State::kSerial && region_has_ended && breaks(Defect::kStateSerialAfter)) {
        return State::kParallel;
    }
    if (state == State::kTaskgroup && breaks(Defect::kStateTaskgroupOrder)) {
        static std::atomic<int> times{0};
        if (times.fetch_add(1, std::memory_order_relaxed) == 0) {
            return State::kTaskwait;
        }
    }
    if (is_broken_up(state)) {
        return state == State::kSerial || state == State::kParallel ? State::kOverhead
                                                                    : State::kParallel;
    }
    return is_hidden(state) ? State::kOverhead : state;
}

bool is_listed(State state) {
    for (const StateRow &row : kStates) {
        if (row.state == state) {
            return !is_without(row.check);
        }
    }
    return true;
}

RegionView region(int ancestor_level, Outermost outermost) {
    const Thread *self = thread();
    Team *team = team_at(self, ancestor_level);
    if (team == nullptr) {
        return no_region(self, ancestor_level);
    }
    if (!is_region(team)) {
        const bool is_outside = ancestor_level == 0 && breaks(Defect::kParallelIdOutside);
        return is_outside                        ? RegionView{true, &strange_word, 1}
               : outermost == Outermost::kCounts ? RegionView{true, &team->word, team->size}
                                                 : no_region(self, ancestor_level);
    }
    Word *word = breaks(Defect::kParallelIdLevel) ? &self->task->team->word : &team->word;
    if (breaks(Defect::kParallelIdThread) && ancestor_level == 0) {
        static thread_local Word own_word;
        own_word = strange_word + static_cast<Word>(self->id) + 1;
        word = &own_word;
    }
    return {true, word, size_of(*team, ancestor_level)};
}

TaskView task(int ancestor_level) {
    const Thread *self = thread();
    Task *const current_task = self != nullptr ? self->task : nullptr;
    if (current_task == nullptr || ancestor_level < 0) {
        return {};
    }
    Task *found = current_task;
    for (int level = ancestor_level; found != nullptr && level > 0; --level) {
        found = found->parent;
    }
    if (found == nullptr) {
        if (breaks(Defect::kTaskIdBeyond)) {
            return {current_task, &strange_word, nullptr};
        }
        if (breaks(Defect::kTaskFrameBeyond)) {
            return {current_task, &no_word, &strange_frame};
        }
        return {};
    }
    TaskView view{found, &found->word, &found->frame};
    const bool is_explicit = current_task->kind == TaskKind::kExplicit;
    if (breaks(is_explicit ? Defect::kTaskIdExplicit : Defect::kTaskIdLevel)) {
        view.word = &current_task->word;
    }
    // Level 2 of a worker in a nested region: the master's task that met the outer one.
    if (breaks(Defect::kTaskFrameThreads) && found->kind == TaskKind::kInitial &&
        ancestor_level == 2 && current_task->parent->thread_num != 0) {
        view.frame = &current_task->parent->team->members[0].task.frame;
    }
    return view;
}

void *idle_frame() {
    Thread *self = thread();
    if (self == nullptr) {
        return nullptr;
    }
    if (self->kind == ThreadKind::kInitial) {
        return breaks(Defect::kIdleFrameInitial) ? self : nullptr;
    }
    if (breaks(Defect::kIdleFrameMissing)) {
        return nullptr;
    }
    const int level = self->task != nullptr ? self->task->team->level : 0;
    const int moved =
        breaks(Defect::kIdleFrameChanges) ? level * static_cast<int>(sizeof(void *)) : 0;
    return static_cast<char *>(self->idle_frame) - moved;
}

} // namespace mini::inquiry
