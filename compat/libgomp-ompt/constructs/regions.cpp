// SPDX-License-Identifier: Apache-2.0
// Parallel constructs, and those that are one with a worksharing construct.
#include "loop_count.h"
#include "team.h"

namespace ocb::gomp {
namespace {

template <class Result, class Start>
Result run_region(const Call &call, const RegionRequest &request, Start start) {
    ThreadRecord &thread = this_thread(call);
    RegionRecord &region = begin_region(call, thread, request, kTeamFlags);
    if constexpr (std::is_void_v<Result>) {
        start(region);
        end_region(call, thread, region);
    } else {
        const Result result = start(region);
        end_region(call, thread, region);
        return result;
    }
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT(void, GOMP_parallel, (Outlined function, void *data, unsigned threads, unsigned flags),
            (function, data, threads, flags)) {
    run_region<void>(call, {function, data, threads}, [&](RegionRecord &region) {
        REAL(GOMP_parallel)(run_implicit_task, &region, threads, flags);
    });
}

ENTRY_POINT(unsigned, GOMP_parallel_reductions,
            (Outlined function, void *data, unsigned threads, unsigned flags),
            (function, data, threads, flags)) {
    return run_region<unsigned>(call, {function, data, threads}, [&](RegionRecord &region) {
        region.first_word = *static_cast<void **>(data);
        return REAL(GOMP_parallel_reductions)(run_implicit_task, &region, threads, flags);
    });
}

#define PARALLEL_LOOP_WITH_CHUNK(name)                                                             \
    ENTRY_POINT(void, name,                                                                        \
                (Outlined function, void *data, unsigned threads, long start, long end, long step, \
                 long chunk, unsigned flags),                                                      \
                (function, data, threads, start, end, step, chunk, flags)) {                       \
        const RegionRequest request{function, data, threads, Work::kLoop,                          \
                                    loop_count(start, end, step)};                                 \
        run_region<void>(call, request, [&](RegionRecord &region) {                                \
            REAL(name)(run_implicit_task, &region, threads, start, end, step, chunk, flags);       \
        });                                                                                        \
    }

PARALLEL_LOOP_WITH_CHUNK(GOMP_parallel_loop_static)
PARALLEL_LOOP_WITH_CHUNK(GOMP_parallel_loop_dynamic)
PARALLEL_LOOP_WITH_CHUNK(GOMP_parallel_loop_guided)
PARALLEL_LOOP_WITH_CHUNK(GOMP_parallel_loop_nonmonotonic_dynamic)
PARALLEL_LOOP_WITH_CHUNK(GOMP_parallel_loop_nonmonotonic_guided)

#define PARALLEL_LOOP(name)                                                                        \
    ENTRY_POINT(void, name,                                                                        \
                (Outlined function, void *data, unsigned threads, long start, long end, long step, \
                 unsigned flags),                                                                  \
                (function, data, threads, start, end, step, flags)) {                              \
        const RegionRequest request{function, data, threads, Work::kLoop,                          \
                                    loop_count(start, end, step)};                                 \
        run_region<void>(call, request, [&](RegionRecord &region) {                                \
            REAL(name)(run_implicit_task, &region, threads, start, end, step, flags);              \
        });                                                                                        \
    }

PARALLEL_LOOP(GOMP_parallel_loop_runtime)
PARALLEL_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
PARALLEL_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

ENTRY_POINT(void, GOMP_parallel_sections,
            (Outlined function, void *data, unsigned threads, unsigned count, unsigned flags),
            (function, data, threads, count, flags)) {
    run_region<void>(
        call, {function, data, threads, Work::kSections, count}, [&](RegionRecord &region) {
            REAL(GOMP_parallel_sections)(run_implicit_task, &region, threads, count, flags);
        });
}
