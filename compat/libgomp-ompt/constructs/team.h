// SPDX-License-Identifier: Apache-2.0
// A region from its construct to its end, in the steps that all entries share: regions.cpp,
// regions_old.cpp, teams.cpp.
#pragma once

#include "records.h"

namespace ocb::gomp {

// What a construct asks for.
struct RegionRequest {
    Outlined function;
    void *data;
    unsigned threads; // 0: the runtime decides
    Work work = Work::kNone;
    std::uint64_t work_count = 0;
};

// Of a parallel region that the program asks for.
inline constexpr int kTeamFlags = kParallelTeam | kInvokedByProgram;

// parallel_begin, on the encountering thread.
RegionRecord &begin_region(const Call &call, ThreadRecord &thread, const RegionRequest &request,
                           int flags);
// The end of the encountering thread's implicit task and parallel_end.
void end_region(const Call &call, ThreadRecord &thread, RegionRecord &region);

// The function that libgomp calls in place of the region's, with the record in place of its data.
void run_implicit_task(void *region);

// The parts of it around the region's function, for a master that calls this by itself.
void begin_implicit_task(ThreadRecord &thread, RegionRecord &region, void *frame);
void leave_implicit_task(ThreadRecord &thread, RegionRecord &region);

} // namespace ocb::gomp
