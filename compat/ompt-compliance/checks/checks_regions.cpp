// SPDX-License-Identifier: Apache-2.0
//
// Checks of parallel_begin and parallel_end.
#include "checks.h"

#include "timeline.h"
#include "verdict.h"

#include <map>
#include <set>
#include <vector>

namespace compliance {
namespace {

// Regions of kDepth levels where each thread of a team of n forks the next: the sentence's
// 1 + (1 + n) n.
constexpr size_t kNestedRegions = 1 + (1 + kThreads) * kThreads;

// With nesting off each thread of the outer team has its own chain of regions of one.
constexpr size_t kOtherRegions = (1 + 2 + 2) + (1 + 1 + 2);

std::set<std::uint64_t> ids_of(const std::vector<const Record *> &events) {
    std::set<std::uint64_t> ids;
    for (const Record *event : events) {
        ids.insert(event->id);
    }
    return ids;
}

} // namespace

int nested_and_serialised(const Workload &workload) {
    workload.set_nesting(kDepth);
    workload.nested(kDepth, kThreads);
    workload.set_nesting(1);
    workload.nested(kDepth, 2);
    workload.serialised();
    return 0;
}

bool region_begins_are_right() {
    const auto begins = records(Event::kParallelBegin);
    return is_reported(Event::kParallelBegin) &&
           begins.size() == count_points(kPointBeforeRegion) &&
           ids_of(begins).size() == begins.size();
}

void check_parallel_begin(const Setup &setup) {
    const auto body = [](const Workload &workload) {
        workload.set_nesting(kDepth);
        workload.nested(kDepth, kThreads);
        return 0;
    };
    if (!run_with_tool(setup, body) || !must_tell(Event::kParallelBegin, "parallel_begin")) {
        return;
    }
    const size_t nested = records(Event::kParallelBegin).size();
    if (nested != kNestedRegions) {
        fail("%d levels of regions with %d threads each give %zu calls, not 1+(1+n)*n = %zu",
             kDepth, kThreads, nested, kNestedRegions);
    }

    if (!run_with_tool(setup, nested_and_serialised)) {
        return;
    }
    const auto begins = records(Event::kParallelBegin);
    if (begins.size() != kNestedRegions + kOtherRegions && nested == kNestedRegions) {
        fail("%zu regions, %zu of them serialised or with nesting off, give %zu calls",
             kNestedRegions + kOtherRegions, kOtherRegions, begins.size());
    }
    const auto ids = ids_of(begins);
    if (ids.count(0) != 0) {
        fail("a region has the id 0");
    } else if (ids.size() != begins.size()) {
        fail("%zu regions have %zu different ids", begins.size(), ids.size());
    }
    for (const Placed &placed : place_begins(Event::kParallelBegin, kPointBeforeRegion)) {
        judge_context(placed, "parallel_begin");
        judge_parent(placed, "parallel_begin");
    }
}

void check_parallel_end(const Setup &setup) {
    if (!run_with_tool(setup, nested_and_serialised) ||
        !must_tell(Event::kParallelEnd, "parallel_end")) {
        return;
    }
    const auto ends = records(Event::kParallelEnd);
    const size_t regions = count_points(kPointBeforeRegion);
    if (ends.size() != regions) {
        fail("%zu calls, where the program has met %zu parallel constructs", ends.size(), regions);
    }
    int unclosed = 0;
    const auto placed_ends =
        place_ends(Event::kParallelEnd, kPointBeforeRegion, kPointAfterRegion, &unclosed);
    if (unclosed != 0) {
        fail("%d regions are left by their master without a call", unclosed);
    }
    for (const Placed &placed : placed_ends) {
        judge_context(placed, "parallel_end");
        if (placed.before != nullptr && has(Entry::kTaskId) &&
            placed.event->parent != placed.before->context.task) {
            fail("parallel_end: the task is not the one that the program inquired");
        }
    }
    if (!region_begins_are_right()) {
        return;
    }
    std::set<std::uint64_t> begun;
    std::set<std::uint64_t> ended;
    std::map<int, std::vector<std::uint64_t>> open; // by thread, the innermost last
    for (const Record *one : records()) {
        std::vector<std::uint64_t> &stack = open[one->os_thread];
        if (one->event == Event::kParallelBegin) {
            begun.insert(one->id);
            stack.push_back(one->id);
        } else if (one->event == Event::kParallelEnd) {
            if (!stack.empty() && stack.back() != one->id) {
                fail("parallel_end names another region than the one that its thread leaves");
            }
            if (!stack.empty()) {
                stack.pop_back();
            }
            if (begun.count(one->id) == 0) {
                fail("the id of a region that ends has not appeared in parallel_begin before");
            }
            if (!ended.insert(one->id).second) {
                fail("a region ends twice");
            }
        }
    }
    if (begun.size() != ended.size()) {
        fail("%zu regions begin and %zu end", begun.size(), ended.size());
    }
}

} // namespace compliance
