// SPDX-License-Identifier: Apache-2.0
// Worksharing loops that ask the runtime for their iterations: their begin and their end. The calls
// between, for more iterations, do not block and are not intercepted. gcc computes the
// iterations of plain static loops itself; gcc 17 calls for their begin and end with -fopenmp-ompt,
// with =extended for each chunk, too.
#include "loop_count.h"
#include "work.h"

namespace ocb::gomp {
namespace {

// The iterations of a doacross nest of loops.
template <class Number> std::uint64_t product(unsigned loops, const Number *counts) {
    std::uint64_t all = 1;
    for (unsigned i = 0; i < loops; ++i) {
        all *= static_cast<std::uint64_t>(counts[i]);
    }
    return all;
}

void report_chunk(ThreadRecord &thread, ompt_dispatch_t kind, std::uint64_t start,
                  std::uint64_t iterations) {
    if (auto tell = callback<DispatchCallback>(ompt_callback_dispatch)) {
        TaskRecord &task = task_of(thread);
        Chunk chunk{start, iterations};
        ompt_data_t instance;
        instance.ptr = &chunk;
        tell(&task.region->word, &task.word, kind, instance);
    }
}

using ull = unsigned long long;
using Reductions = std::uintptr_t *;

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

// Types and names cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define LOOP_START(name, parameters, arguments, count)                                             \
    ENTRY_POINT_TELLING(kWorkEvents, bool, name, parameters, arguments) {                          \
        begin_work(this_thread(call), Work::kLoop, count, call.code);                              \
        return REAL(name) arguments;                                                               \
    }

#define LOOP_WITH_CHUNK(name)                                                                      \
    LOOP_START(name, (long start, long end, long step, long chunk, long *first, long *last),       \
               (start, end, step, chunk, first, last), loop_count(start, end, step))
LOOP_WITH_CHUNK(GOMP_loop_static_start)
LOOP_WITH_CHUNK(GOMP_loop_dynamic_start)
LOOP_WITH_CHUNK(GOMP_loop_guided_start)
LOOP_WITH_CHUNK(GOMP_loop_nonmonotonic_dynamic_start)
LOOP_WITH_CHUNK(GOMP_loop_nonmonotonic_guided_start)
LOOP_WITH_CHUNK(GOMP_loop_ordered_static_start)
LOOP_WITH_CHUNK(GOMP_loop_ordered_dynamic_start)
LOOP_WITH_CHUNK(GOMP_loop_ordered_guided_start)

#define LOOP(name)                                                                                 \
    LOOP_START(name, (long start, long end, long step, long *first, long *last),                   \
               (start, end, step, first, last), loop_count(start, end, step))
LOOP(GOMP_loop_runtime_start)
LOOP(GOMP_loop_nonmonotonic_runtime_start)
LOOP(GOMP_loop_maybe_nonmonotonic_runtime_start)
LOOP(GOMP_loop_ordered_runtime_start)

#define LOOP_WITH_REDUCTIONS(name)                                                                 \
    LOOP_START(name,                                                                               \
               (long start, long end, long step, long schedule, long chunk, long *first,           \
                long *last, Reductions reductions, void **memory),                                 \
               (start, end, step, schedule, chunk, first, last, reductions, memory),               \
               loop_count(start, end, step))
LOOP_WITH_REDUCTIONS(GOMP_loop_start)
LOOP_WITH_REDUCTIONS(GOMP_loop_ordered_start)

#define DOACROSS_WITH_CHUNK(name, number)                                                          \
    LOOP_START(name, (unsigned loops, number *counts, number chunk, number *first, number *last),  \
               (loops, counts, chunk, first, last), product(loops, counts))
DOACROSS_WITH_CHUNK(GOMP_loop_doacross_static_start, long)
DOACROSS_WITH_CHUNK(GOMP_loop_doacross_dynamic_start, long)
DOACROSS_WITH_CHUNK(GOMP_loop_doacross_guided_start, long)
DOACROSS_WITH_CHUNK(GOMP_loop_ull_doacross_static_start, ull)
DOACROSS_WITH_CHUNK(GOMP_loop_ull_doacross_dynamic_start, ull)
DOACROSS_WITH_CHUNK(GOMP_loop_ull_doacross_guided_start, ull)

#define DOACROSS(name, number)                                                                     \
    LOOP_START(name, (unsigned loops, number *counts, number *first, number *last),                \
               (loops, counts, first, last), product(loops, counts))
DOACROSS(GOMP_loop_doacross_runtime_start, long)
DOACROSS(GOMP_loop_ull_doacross_runtime_start, ull)

#define DOACROSS_WITH_REDUCTIONS(name, number)                                                     \
    LOOP_START(name,                                                                               \
               (unsigned loops, number *counts, long schedule, number chunk, number *first,        \
                number *last, Reductions reductions, void **memory),                               \
               (loops, counts, schedule, chunk, first, last, reductions, memory),                  \
               product(loops, counts))
DOACROSS_WITH_REDUCTIONS(GOMP_loop_doacross_start, long)
DOACROSS_WITH_REDUCTIONS(GOMP_loop_ull_doacross_start, ull)

#define ULL_LOOP_WITH_CHUNK(name)                                                                  \
    LOOP_START(name,                                                                               \
               (bool is_upward, ull start, ull end, ull step, ull chunk, ull *first, ull *last),   \
               (is_upward, start, end, step, chunk, first, last),                                  \
               loop_count(is_upward, start, end, step))
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_static_start)
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_dynamic_start)
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_guided_start)
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_nonmonotonic_dynamic_start)
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_nonmonotonic_guided_start)
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_ordered_static_start)
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_ordered_dynamic_start)
ULL_LOOP_WITH_CHUNK(GOMP_loop_ull_ordered_guided_start)

#define ULL_LOOP(name)                                                                             \
    LOOP_START(name, (bool is_upward, ull start, ull end, ull step, ull *first, ull *last),        \
               (is_upward, start, end, step, first, last),                                         \
               loop_count(is_upward, start, end, step))
ULL_LOOP(GOMP_loop_ull_runtime_start)
ULL_LOOP(GOMP_loop_ull_nonmonotonic_runtime_start)
ULL_LOOP(GOMP_loop_ull_maybe_nonmonotonic_runtime_start)
ULL_LOOP(GOMP_loop_ull_ordered_runtime_start)

#define ULL_LOOP_WITH_REDUCTIONS(name)                                                             \
    LOOP_START(name,                                                                               \
               (bool is_upward, ull start, ull end, ull step, long schedule, ull chunk,            \
                ull *first, ull *last, Reductions reductions, void **memory),                      \
               (is_upward, start, end, step, schedule, chunk, first, last, reductions, memory),    \
               loop_count(is_upward, start, end, step))
ULL_LOOP_WITH_REDUCTIONS(GOMP_loop_ull_start)
ULL_LOOP_WITH_REDUCTIONS(GOMP_loop_ull_ordered_start)

// NOLINTEND(bugprone-macro-parentheses)

ENTRY_POINT_WAITING(kSyncEvents, void, GOMP_loop_end, (), ()) {
    ThreadRecord &thread = this_thread(call);
    end_work(call, thread, Work::kLoop);
    sync(call, thread, ompt_sync_region_barrier_implicit_workshare,
         ompt_state_wait_barrier_implicit_workshare, REAL(GOMP_loop_end));
}

ENTRY_POINT_WAITING(kSyncEvents, bool, GOMP_loop_end_cancel, (), ()) {
    ThreadRecord &thread = this_thread(call);
    end_work(call, thread, Work::kLoop);
    return sync(call, thread, ompt_sync_region_barrier_implicit_workshare,
                ompt_state_wait_barrier_implicit_workshare, REAL(GOMP_loop_end_cancel));
}

ENTRY_POINT_TELLING(kWorkEvents, void, GOMP_loop_end_nowait, (), ()) {
    end_work(call, this_thread(call), Work::kLoop);
    REAL(GOMP_loop_end_nowait)();
}

// gcc 17's static loops. Where one has a barrier, its end is called for behind that; it is told
// before it, as that of every other loop. The result of the begin: the thread's number in the upper
// half, the team's size in the lower one.
constexpr Events kChunkEvents = events(ompt_callback_dispatch);

// NOLINTBEGIN(bugprone-macro-parentheses)
#define STATIC_LOOP(name, work, chunk)                                                             \
    ENTRY_POINT_TELLING(kWorkEvents, ull, name##_start, (ull count), (count)) {                    \
        begin_work(this_thread(call), work, count, call.code);                                     \
        return REAL(name##_start)(count);                                                          \
    }                                                                                              \
    ENTRY_POINT_TELLING(kChunkEvents, void, name##_dispatch, (ull start, ull iterations),          \
                        (start, iterations)) {                                                     \
        report_chunk(this_thread(call), chunk, start, iterations);                                 \
        REAL(name##_dispatch)(start, iterations);                                                  \
    }                                                                                              \
    ENTRY_POINT_TELLING(kWorkEvents, void, name##_end, (), ()) {                                   \
        end_work(call, this_thread(call), work);                                                   \
        REAL(name##_end)();                                                                        \
    }
// NOLINTEND(bugprone-macro-parentheses)
STATIC_LOOP(GOMP_loop_static_worksharing, Work::kLoop, kDispatchLoopChunk)
STATIC_LOOP(GOMP_distribute_static_worksharing, Work::kDistribute, kDispatchDistributeChunk)
