// SPDX-License-Identifier: Apache-2.0
//
// Events beside the points of the program around them: each thread's constructs as a stack.
#pragma once

#include "program.h"

namespace compliance {

// An event and the program's point before the construct that it belongs to, null if the thread of
// the event has met no such construct.
struct Placed {
    const Record *event;
    const Record *before;
};

// Begins belong to the latest point `before` of their thread; each point has one at most.
std::vector<Placed> place_begins(Event begin, WorkloadPoint before);

// Ends come before the point `after` that closes the construct. What has none is in `unclosed`.
std::vector<Placed> place_ends(Event end, WorkloadPoint before, WorkloadPoint after, int *unclosed);

size_t count_points(WorkloadPoint where);

// The parent task's id and frame and the context of a begin, compared with what the program itself
// inquired before the construct. `what`: "parallel_begin" or the like.
void judge_context(const Placed &placed, const char *what);
void judge_parent(const Placed &placed, const char *what);

} // namespace compliance
