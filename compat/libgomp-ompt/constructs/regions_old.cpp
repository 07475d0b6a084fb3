// SPDX-License-Identifier: Apache-2.0
// Parallel constructs as gcc before 4.9 compiles them: a start, the program's own call of the
// region's function on the master, and GOMP_parallel_end.
#include "loop_count.h"
#include "team.h"

namespace ocb::gomp {
namespace {

template <class Start>
void start_region(const Call &call, const RegionRequest &request, Start start) {
    ThreadRecord &thread = this_thread(call);
    RegionRecord &region = begin_region(call, thread, request, kTeamFlags);
    start(region);
    begin_implicit_task(thread, region, call.frame);
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT(void, GOMP_parallel_start, (Outlined function, void *data, unsigned threads),
            (function, data, threads)) {
    start_region(call, {function, data, threads}, [&](RegionRecord &region) {
        REAL(GOMP_parallel_start)(run_implicit_task, &region, threads);
    });
}

#define PARALLEL_LOOP_START_WITH_CHUNK(name)                                                       \
    ENTRY_POINT(void, name,                                                                        \
                (Outlined function, void *data, unsigned threads, long start, long end, long step, \
                 long chunk),                                                                      \
                (function, data, threads, start, end, step, chunk)) {                              \
        const RegionRequest request{function, data, threads, Work::kLoop,                          \
                                    loop_count(start, end, step)};                                 \
        start_region(call, request, [&](RegionRecord &region) {                                    \
            REAL(name)(run_implicit_task, &region, threads, start, end, step, chunk);              \
        });                                                                                        \
    }

PARALLEL_LOOP_START_WITH_CHUNK(GOMP_parallel_loop_static_start)
PARALLEL_LOOP_START_WITH_CHUNK(GOMP_parallel_loop_dynamic_start)
PARALLEL_LOOP_START_WITH_CHUNK(GOMP_parallel_loop_guided_start)

ENTRY_POINT(void, GOMP_parallel_loop_runtime_start,
            (Outlined function, void *data, unsigned threads, long start, long end, long step),
            (function, data, threads, start, end, step)) {
    const RegionRequest request{function, data, threads, Work::kLoop, loop_count(start, end, step)};
    start_region(call, request, [&](RegionRecord &region) {
        REAL(GOMP_parallel_loop_runtime_start)
        (run_implicit_task, &region, threads, start, end, step);
    });
}

ENTRY_POINT(void, GOMP_parallel_sections_start,
            (Outlined function, void *data, unsigned threads, unsigned count),
            (function, data, threads, count)) {
    start_region(call, {function, data, threads, Work::kSections, count},
                 [&](RegionRecord &region) {
                     REAL(GOMP_parallel_sections_start)(run_implicit_task, &region, threads, count);
                 });
}

ENTRY_POINT(void, GOMP_parallel_end, (), ()) {
    ThreadRecord &thread = this_thread(call);
    RegionRecord &region = *task_of(thread).region;
    // A region that began before there was a tool.
    if (region.master_task != &task_of(thread)) {
        REAL(GOMP_parallel_end)();
        return;
    }
    leave_implicit_task(thread, region);
    REAL(GOMP_parallel_end)();
    end_region(call, thread, region);
}
