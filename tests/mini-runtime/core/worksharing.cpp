// SPDX-License-Identifier: Apache-2.0
// Single, masked, loops that deal out their iterations, ordered, doacross and reductions.
#include "core.h"
#include "events.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mini {
namespace {

using event::Endpoint;

Task &own_task() {
    return *current().task;
}

template <class Ready> void wait_until(Ready is_ready) {
    for (Patience patience; !is_ready();) {
        patience.wait();
    }
}

void set_up(Loop &loop, const LoopPlan &plan) {
    const std::lock_guard lock(loop.mutex);
    if (loop.is_ready.load(std::memory_order_relaxed)) {
        return;
    }
    loop.count = plan.count;
    loop.chunk = std::max<std::uint64_t>(plan.chunk, 1);
    loop.is_static = plan.is_static;
    loop.is_ordered = plan.is_ordered;
    loop.is_guided = plan.is_guided;
    loop.next.store(0);
    loop.ordered_next.store(0);
    loop.left.store(0);
    loop.is_ready.store(true, std::memory_order_release);
}

// The place of the thread's next loop, once the loop that had it before is done everywhere.
Loop &enter_loop(Member &member, Team &team, const LoopPlan &plan) {
    const unsigned number = member.loops++;
    Loop &loop = team.loops[number % kLoops];
    wait_until([&] { return loop.number.load(std::memory_order_acquire) == number; });
    set_up(loop, plan);
    return loop;
}

void leave_loop(Loop &loop, Team &team) {
    if (loop.left.fetch_add(1) + 1 < team.size) {
        return;
    }
    loop.marks.reset();
    loop.is_ready.store(false);
    loop.number.store(loop.number.load() + kLoops, std::memory_order_release);
}

} // namespace

void work_begin(WorkKind kind, std::uint64_t count, const Entry &entry) {
    event::work(kind, Endpoint::kBegin, own_task(), count, entry);
}

void work_end(WorkKind kind, std::uint64_t count, const Entry &entry) {
    event::work(kind, Endpoint::kEnd, own_task(), count, entry);
}

bool single_begin(const Entry &entry) {
    Thread &thread = current();
    Team &team = *thread.task->team;
    unsigned number = member_of(thread).singles++;
    const bool is_own = team.singles.compare_exchange_strong(number, number + 1);
    if (is_own) {
        work_begin(WorkKind::kSingleExecutor, 1, entry);
    } else {
        work_begin(WorkKind::kSingleOther, 1, entry);
        work_end(WorkKind::kSingleOther, 1, entry);
    }
    return is_own;
}

void single_end(const Entry &entry) {
    work_end(WorkKind::kSingleExecutor, 1, entry);
}

bool masked_begin(int filter, const Entry &entry) {
    if (own_task().thread_num != filter) {
        return false;
    }
    event::masked(Endpoint::kBegin, own_task(), entry);
    return true;
}

void masked_end(const Entry &entry) {
    event::masked(Endpoint::kEnd, own_task(), entry);
}

void loop_begin(const LoopPlan &plan, const Entry &entry) {
    Thread &thread = current();
    Member &member = member_of(thread);
    member.loop = &enter_loop(member, *thread.task->team, plan);
    member.chunk_index = 0;
    member.ordered_turn = 0;
    member.is_bumped = false;
    work_begin(WorkKind::kLoop, plan.count, entry);
}

bool loop_next(std::uint64_t *begin, std::uint64_t *end, const Entry &entry) {
    Thread &thread = current();
    Member &member = member_of(thread);
    Team &team = *thread.task->team;
    Loop &loop = *member.loop;
    std::uint64_t first = 0, length = loop.chunk;
    if (loop.is_static) {
        const auto size = static_cast<std::uint64_t>(team.size);
        first =
            (member.chunk_index++ * size + static_cast<std::uint64_t>(thread.task->thread_num)) *
            loop.chunk;
    } else {
        if (loop.is_guided) {
            const std::uint64_t taken = std::min(loop.next.load(), loop.count);
            length = std::max(length,
                              (loop.count - taken) / (2 * static_cast<std::uint64_t>(team.size)));
        }
        first = loop.next.fetch_add(length);
    }
    const bool is_cancelled = team.cancelled.load(std::memory_order_relaxed) != 0;
    if (first >= loop.count || is_cancelled) {
        const std::uint64_t count = loop.count;
        member.loop = nullptr;
        leave_loop(loop, team);
        work_end(WorkKind::kLoop, count, entry);
        return false;
    }
    *begin = first;
    *end = std::min(first + length, loop.count);
    member.ordered_turn = first;
    return true;
}

namespace {

std::uint64_t ordered_id(Loop *loop) {
    return reinterpret_cast<std::uint64_t>(&loop->ordered_next);
}

bool is_ordered(const Member &member) {
    return member.loop != nullptr && member.loop->is_ordered;
}

} // namespace

// Outside an ordered loop nobody is waited for.
void ordered_begin(const Entry &entry) {
    Thread &thread = current();
    Member &member = member_of(thread);
    static std::atomic<bool> orphan;
    const event::MutexUse use{MutexKind::kOrdered,
                              is_ordered(member) ? ordered_id(member.loop)
                                                 : reinterpret_cast<std::uint64_t>(&orphan),
                              0, entry.caller};
    event::mutex_wanted(use);
    if (is_ordered(member)) {
        const auto is_own_turn = [&] {
            return member.loop->ordered_next.load(std::memory_order_acquire) == member.ordered_turn;
        };
        if (!is_own_turn()) {
            const InState waiting(thread, State::kOrdered, use.wait_id);
            event::mutex_waited_for(use);
            wait_until(is_own_turn);
        }
    }
    event::mutex_acquired(use);
}

void ordered_end(const Entry &entry) {
    Member &member = member_of(current());
    const std::uint64_t id = is_ordered(member) ? ordered_id(member.loop) : 0;
    if (is_ordered(member)) {
        member.is_bumped = true;
        member.loop->ordered_next.store(member.ordered_turn + 1, std::memory_order_release);
    }
    event::mutex_released({MutexKind::kOrdered, id, 0, entry.caller});
}

// An iteration without an ordered region passes its turn on as well.
void loop_iteration_done() {
    Member &member = member_of(current());
    if (!is_ordered(member)) {
        return;
    }
    Loop &loop = *member.loop;
    if (!member.is_bumped) {
        wait_until([&] { return loop.ordered_next.load() == member.ordered_turn; });
        loop.ordered_next.store(member.ordered_turn + 1, std::memory_order_release);
    }
    member.is_bumped = false;
    ++member.ordered_turn;
}

// Doacross loops: one mark for each iteration that has posted.
void doacross_begin(std::uint64_t iterations) {
    Thread &thread = current();
    Member &member = member_of(thread);
    Loop &loop = enter_loop(member, *thread.task->team, {iterations});
    const std::lock_guard lock(loop.mutex);
    if (loop.marks == nullptr) {
        loop.marks.reset(new std::atomic<bool>[iterations]());
    }
    member.loop = &loop;
}

void doacross_wait(std::uint64_t iteration) {
    Thread &thread = current();
    Loop &loop = *member_of(thread).loop;
    const auto is_posted = [&] { return loop.marks[iteration].load(std::memory_order_acquire); };
    if (is_posted()) {
        return;
    }
    const InState waiting(thread, State::kOrdered, ordered_id(&loop));
    wait_until(is_posted);
}

void doacross_post(std::uint64_t iteration) {
    member_of(current()).loop->marks[iteration].store(true, std::memory_order_release);
}

void doacross_end() {
    Thread &thread = current();
    Member &member = member_of(thread);
    Loop &loop = *member.loop;
    member.loop = nullptr;
    leave_loop(loop, *thread.task->team);
}

// Reductions. By the tree method (here a flat tree) the master gathers the copies of all others,
// who wait meanwhile; by the critical method each combines its copy alone.
namespace {

enum class Method { kTree, kCritical, kAtomic };
Mutex reduction_mutex;

Method method_for(const Team &team, bool can_be_atomic) {
    const char *wanted = std::getenv("KMP_FORCE_REDUCTION");
    if (wanted != nullptr && std::strcmp(wanted, "atomic") == 0 && can_be_atomic) {
        return Method::kAtomic;
    }
    if (team.size == 1 || (wanted != nullptr && std::strcmp(wanted, "critical") == 0)) {
        return Method::kCritical;
    }
    return Method::kTree;
}

std::uint64_t reduction_id() {
    return reinterpret_cast<std::uint64_t>(&reduction_mutex);
}

int reduce_by_tree(Thread &thread, void *own, void (*combine)(void *, void *), const Entry &entry) {
    Team &team = *thread.task->team;
    Member &member = member_of(thread);
    member.reduced.store(own, std::memory_order_release);
    if (thread.task->thread_num != 0) {
        const InState waiting(thread, State::kBarrierWorkshare);
        wait_until([&] { return member.reduced.load(std::memory_order_acquire) == nullptr; });
        return 0;
    }
    event::reduction(Endpoint::kBegin, *thread.task, entry);
    thread.state.store(State::kReduction, std::memory_order_relaxed);
    for (int i = 1; i < team.size; ++i) {
        std::atomic<void *> &other = team.members[i].reduced;
        void *copy = nullptr;
        {
            const InState waiting(thread, State::kBarrierWorkshare);
            wait_until([&] { return (copy = other.load(std::memory_order_acquire)) != nullptr; });
        }
        combine(own, copy);
        other.store(nullptr, std::memory_order_release);
    }
    return 1;
}

} // namespace

int reduce_begin(void *own, void (*combine)(void *, void *), bool can_be_atomic,
                 const Entry &entry) {
    Thread &thread = current();
    Member &member = member_of(thread);
    const Method method = method_for(*thread.task->team, can_be_atomic);
    member.reduces_in_critical = method == Method::kCritical;
    if (method == Method::kAtomic) {
        return 2;
    }
    if (method == Method::kTree) {
        return reduce_by_tree(thread, own, combine, entry);
    }
    acquire(reduction_mutex, MutexKind::kCritical, reduction_id(), 0, entry);
    event::reduction(Endpoint::kBegin, *thread.task, entry);
    thread.state.store(State::kReduction, std::memory_order_relaxed);
    return 1;
}

void reduce_end(const Entry &entry) {
    Thread &thread = current();
    Member &member = member_of(thread);
    if (thread.state.load(std::memory_order_relaxed) != State::kReduction) {
        return; // by atomic operations
    }
    thread.state.store(thread.task->team->level > 0 ? State::kParallel : State::kSerial,
                       std::memory_order_relaxed);
    event::reduction(Endpoint::kEnd, *thread.task, entry);
    member.reduced.store(nullptr, std::memory_order_relaxed);
    if (member.reduces_in_critical) {
        release(reduction_mutex, MutexKind::kCritical, reduction_id(), entry);
    }
    member.reduces_in_critical = false;
}

} // namespace mini
