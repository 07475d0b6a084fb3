// SPDX-License-Identifier: Apache-2.0
// Entry points that clang's code calls: regions, barriers, mutexes, single, masked, reductions,
// cancellation.
#include "kmpc.h"

#include "events.h"

#include <array>
#include <cstdarg>
#include <cstdlib>
#include <utility>

using namespace mini;
using namespace mini::kmpc;

namespace {

// The outlined function of a region: two thread numbers, then the captured variables' addresses.
using Microtask = void (*)(std::int32_t *global_thread, std::int32_t *bound_thread, ...);
constexpr std::size_t kMostArguments = 64;

struct Outlined {
    Microtask function;
    std::size_t count;
    void *arguments[kMostArguments];
};

template <std::size_t> using Argument = void *;

// Its frame is the one that calls the program.
template <std::size_t... kI>
[[gnu::noinline]] void call(const Outlined &outlined, std::int32_t *global, std::int32_t *bound,
                            std::index_sequence<kI...>) {
    using Function = void (*)(std::int32_t *, std::int32_t *, Argument<kI>...);
    leave_runtime(*current().task, __builtin_frame_address(0));
    reinterpret_cast<Function>(reinterpret_cast<void *>(outlined.function))(
        global, bound, outlined.arguments[kI]...);
}

using Caller = void (*)(const Outlined &, std::int32_t *, std::int32_t *);

template <std::size_t... N>
constexpr std::array<Caller, sizeof...(N)> callers(std::index_sequence<N...>) {
    return {[](const Outlined &outlined, std::int32_t *global, std::int32_t *bound) {
        call(outlined, global, bound, std::make_index_sequence<N>());
    }...};
}
constexpr auto kCallers = callers(std::make_index_sequence<kMostArguments + 1>());

void call_outlined(void *argument, int thread_num) {
    const Outlined &outlined = *static_cast<Outlined *>(argument);
    std::int32_t global = current().id, bound = thread_num;
    kCallers[outlined.count](outlined, &global, &bound);
}

Outlined outlined_of(Microtask function, int count, va_list arguments) {
    if (count < 0 || static_cast<std::size_t>(count) > kMostArguments) {
        std::abort();
    }
    Outlined outlined{function, static_cast<std::size_t>(count), {}};
    for (int i = 0; i < count; ++i) {
        outlined.arguments[i] = va_arg(arguments, void *);
    }
    return outlined;
}

SyncKind barrier_kind(const ident_t *where) {
    return where != nullptr && (where->flags & kFlagExplicitBarrier) != 0
               ? SyncKind::kBarrierExplicit
               : SyncKind::kBarrierWorkshare;
}

// 2 and 3 are loop and sections.
constexpr int kCancelParallel = 1, kCancelTaskgroup = 4;

bool is_cancelled(Thread &thread, int kind) {
    if (kind != kCancelTaskgroup) {
        return thread.task->team->cancelled.load() == kind;
    }
    const Taskgroup *group =
        thread.task->group != nullptr ? thread.task->group : thread.task->own_group;
    return group != nullptr && group->is_cancelled.load();
}

} // namespace

Mutex &mini::kmpc::mutex_of(void *name) {
    static_assert(sizeof(Mutex) <= 32);
    return *static_cast<Mutex *>(name); // zeroed bytes are a free one
}

std::uint64_t mini::kmpc::id_of(const void *address) {
    return reinterpret_cast<std::uint64_t>(address);
}

extern "C" {

void __kmpc_begin(ident_t *, std::int32_t) {}
void __kmpc_end(ident_t *) {}

std::int32_t __kmpc_global_thread_num(ident_t *) {
    return current().id;
}

std::int32_t __kmpc_global_num_threads(ident_t *) {
    return current().task->team->size;
}

std::int32_t __kmpc_bound_thread_num(ident_t *) {
    return current().task->thread_num;
}

std::int32_t __kmpc_bound_num_threads(ident_t *) {
    return current().task->team->size;
}

std::int32_t __kmpc_in_parallel(ident_t *) {
    return current().task->team->active_level > 0;
}

std::int32_t __kmpc_ok_to_fork(ident_t *) {
    return 1;
}

void __kmpc_push_num_threads(ident_t *, std::int32_t, std::int32_t count) {
    current().pushed_threads = count;
}

void __kmpc_push_proc_bind(ident_t *, std::int32_t, std::int32_t) {}

void __kmpc_fork_call(ident_t *, std::int32_t count, Microtask function, ...) {
    const Entry entry = MINI_ENTRY;
    va_list arguments;
    va_start(arguments, function);
    Outlined outlined = outlined_of(function, count, arguments);
    va_end(arguments);
    Region region;
    region.threads_wanted = std::exchange(current().pushed_threads, 0);
    region.function = reinterpret_cast<const void *>(function);
    region.body = call_outlined;
    region.argument = &outlined;
    run_region(region, entry);
}

void __kmpc_serialized_parallel(ident_t *, std::int32_t) {
    Thread &thread = current();
    thread.pushed_threads = 0;
    begin_serialized(thread, MINI_ENTRY);
}

void __kmpc_end_serialized_parallel(ident_t *, std::int32_t) {
    end_serialized(current(), MINI_ENTRY);
}

// A league of one, which the specification allows; no tool hears of it.
void __kmpc_push_num_teams(ident_t *, std::int32_t, std::int32_t, std::int32_t) {}

void __kmpc_fork_teams(ident_t *, std::int32_t count, Microtask function, ...) {
    Frame &frame = current().task->frame;
    void *const exit = frame.exit;
    va_list arguments;
    va_start(arguments, function);
    Outlined outlined = outlined_of(function, count, arguments);
    va_end(arguments);
    call_outlined(&outlined, 0);
    frame.exit = exit;
}

void __kmpc_barrier(ident_t *where, std::int32_t) {
    barrier(barrier_kind(where), MINI_ENTRY);
}

std::int32_t __kmpc_cancel_barrier(ident_t *where, std::int32_t) {
    const Entry entry = MINI_ENTRY;
    barrier(barrier_kind(where), entry);
    Team &team = *current().task->team;
    const int kind = team.cancelled.load();
    if (kind == 0) {
        return 0;
    }
    // All have seen it before it is taken back.
    barrier(SyncKind::kBarrierImplementation, entry);
    team.cancelled.store(0);
    if (kind != kCancelParallel) {
        barrier(SyncKind::kBarrierImplementation, entry);
    }
    return 1;
}

std::int32_t __kmpc_cancel(ident_t *, std::int32_t, std::int32_t kind) {
    if (!settings.allows_cancellation) {
        return 0;
    }
    Thread &thread = current();
    if (kind == kCancelTaskgroup) {
        Taskgroup *group =
            thread.task->group != nullptr ? thread.task->group : thread.task->own_group;
        if (group == nullptr) {
            return 0;
        }
        group->is_cancelled.store(true);
    } else {
        int none = 0;
        if (!thread.task->team->cancelled.compare_exchange_strong(none, kind) && none != kind) {
            return 0;
        }
    }
    event::cancelled(*thread.task, kind, MINI_ENTRY);
    return 1;
}

std::int32_t __kmpc_cancellationpoint(ident_t *, std::int32_t, std::int32_t kind) {
    return settings.allows_cancellation && is_cancelled(current(), kind);
}

void __kmpc_flush(ident_t *) {
    static std::atomic<int> fence; // one that the thread sanitizer knows
    fence.fetch_add(0, std::memory_order_seq_cst);
    event::flushed(current(), MINI_ENTRY);
}

std::int32_t __kmpc_master(ident_t *, std::int32_t) {
    return masked_begin(0, MINI_ENTRY);
}

void __kmpc_end_master(ident_t *, std::int32_t) {
    masked_end(MINI_ENTRY);
}

std::int32_t __kmpc_masked(ident_t *, std::int32_t, std::int32_t filter) {
    return masked_begin(filter, MINI_ENTRY);
}

void __kmpc_end_masked(ident_t *, std::int32_t) {
    masked_end(MINI_ENTRY);
}

std::int32_t __kmpc_single(ident_t *, std::int32_t) {
    return single_begin(MINI_ENTRY);
}

void __kmpc_end_single(ident_t *, std::int32_t) {
    single_end(MINI_ENTRY);
}

// The one that ran the single block shows its variables to the others.
void __kmpc_copyprivate(ident_t *, std::int32_t, std::size_t, void *data,
                        void (*copy)(void *, void *), std::int32_t is_source) {
    const Entry entry = MINI_ENTRY;
    Team &team = *current().task->team;
    if (is_source != 0) {
        team.copied.store(data);
    }
    barrier(SyncKind::kBarrierWorkshare, entry);
    if (is_source == 0) {
        copy(data, team.copied.load());
    }
    barrier(SyncKind::kBarrierWorkshare, entry);
}

void __kmpc_critical_with_hint(ident_t *, std::int32_t, void *name, std::uint32_t hint) {
    acquire(mutex_of(name), MutexKind::kCritical, id_of(name), hint, MINI_ENTRY);
}

void __kmpc_critical(ident_t *, std::int32_t, void *name) {
    acquire(mutex_of(name), MutexKind::kCritical, id_of(name), 0, MINI_ENTRY);
}

void __kmpc_end_critical(ident_t *, std::int32_t, void *name) {
    release(mutex_of(name), MutexKind::kCritical, id_of(name), MINI_ENTRY);
}

void __kmpc_ordered(ident_t *, std::int32_t) {
    ordered_begin(MINI_ENTRY);
}

void __kmpc_end_ordered(ident_t *, std::int32_t) {
    ordered_end(MINI_ENTRY);
}

std::int32_t __kmpc_reduce_nowait(ident_t *where, std::int32_t, std::int32_t, std::size_t,
                                  void *data, void (*combine)(void *, void *), void *) {
    return reduce_begin(data, combine, (where->flags & kFlagAtomicReduce) != 0, MINI_ENTRY);
}

void __kmpc_end_reduce_nowait(ident_t *, std::int32_t, void *) {
    reduce_end(MINI_ENTRY);
}

// Those who have nothing to combine any more wait here, the others in the end's barrier.
std::int32_t __kmpc_reduce(ident_t *where, std::int32_t, std::int32_t, std::size_t, void *data,
                           void (*combine)(void *, void *), void *) {
    const Entry entry = MINI_ENTRY;
    const int result = reduce_begin(data, combine, (where->flags & kFlagAtomicReduce) != 0, entry);
    if (result == 0) {
        barrier(SyncKind::kBarrierWorkshare, entry);
    }
    return result;
}

void __kmpc_end_reduce(ident_t *, std::int32_t, void *) {
    const Entry entry = MINI_ENTRY;
    reduce_end(entry);
    barrier(SyncKind::kBarrierWorkshare, entry);
}

} // extern "C"
