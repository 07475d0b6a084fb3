// SPDX-License-Identifier: Apache-2.0
//
// The check of implicit and initial tasks. Each thread's tasks are a stack: what begins last ends
// first, and what the program does between belongs to it.
#include "checks.h"

#include "timeline.h"
#include "verdict.h"

#include "spec/ompt5.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace compliance {
namespace {

using Stack = std::vector<const Record *>; // of begins, the innermost last

bool has_sizes() {
    return !has_ids(shared().registration.generation);
}

// 5.x: the end names no region and no size, and a task says what it is.
bool is_5() {
    return shared().registration.generation == Generation::k5;
}

const char *kind_of(const Record &task) {
    return task.initial ? "the initial task" : "an implicit task";
}

// Codes -------------------------------------------------------------------------------------------

void judge_flags(const Record &task) {
    using namespace ocb::ompt5;
    constexpr int kKinds =
        ompt_task_initial | ompt_task_implicit | ompt_task_explicit | ompt_task_target;
    const int expected = task.initial ? ompt_task_initial : ompt_task_implicit;
    if (is_5() && (task.number & kKinds) != expected) {
        fail("%s %s with flags that say another kind: %#x", kind_of(task),
             task.ends ? "ends" : "begins", static_cast<unsigned>(task.number));
    }
}

void judge_begin(const Record &task, std::set<std::uint64_t> &begun) {
    judge_flags(task);
    if (task.id == 0) {
        fail("%s begins with the id 0", kind_of(task));
    } else if (!begun.insert(task.id).second) {
        fail("%s begins with an id that another one has", kind_of(task));
    }
    if (task.initial) {
        if (is_5() && (task.a != 1 || task.b != 1)) {
            fail("the initial task begins with size %d and index %d, not 1 and 1", task.a, task.b);
        }
        if (is_5() && task.frame_address == 0) {
            fail("the initial task begins without a region");
        }
        return;
    }
    if (task.parent == 0) {
        fail("an implicit task begins without a region");
    }
    if (has_sizes() && (task.b < 0 || task.b >= task.a)) {
        fail("an implicit task has index %d in a team of %d", task.b, task.a);
    }
}

void judge_end(const Record &end, const Record &begin) {
    judge_flags(end);
    if (has_sizes() && end.b != begin.b) {
        fail("%s begins with index %d and ends with %d", kind_of(begin), begin.b, end.b);
    }
    if (is_5() && end.a != 0) {
        fail("%s ends with size %d, not 0", kind_of(begin), end.a);
    }
    if (is_5() && end.frame_address != 0) {
        fail("%s ends with a region, not with a null pointer", kind_of(begin));
    }
    if (!has_sizes() && !begin.initial && end.parent != begin.parent) {
        fail("an implicit task ends in another region than it has begun in");
    }
}

// The tasks of a region: as many as its size says, and each index once.
void judge_teams(const std::vector<const Record *> &begins) {
    std::map<std::uint64_t, std::vector<const Record *>> teams;
    for (const Record *one : begins) {
        teams[one->parent].push_back(one);
    }
    for (const auto &[region, members] : teams) {
        std::set<int> indices;
        for (const Record *one : members) {
            indices.insert(one->b);
            if (one->a != static_cast<int>(members.size())) {
                fail("%zu implicit tasks begin in a region whose size is told as %d",
                     members.size(), one->a);
            }
        }
        if (indices.size() != members.size()) {
            fail("%zu implicit tasks of a region have %zu different indices", members.size(),
                 indices.size());
        }
    }
}

// One thread after the other ----------------------------------------------------------------------

// In the program, in a region: the innermost task is the one that the program inquires.
void judge_point(const Record &point, const Stack &open) {
    if (open.empty() || open.back()->initial) {
        fail("a thread runs a region's code in no implicit task that has begun");
        return;
    }
    if (has(Entry::kTaskId) && point.context.task != open.back()->id) {
        fail("the task that the program inquires is not the implicit task that has begun");
    }
    if (has_sizes() && point.b != open.back()->b) {
        fail("an implicit task has index %d, and its thread the number %d in the team",
             open.back()->b, point.b);
    }
}

void judge_threads(std::vector<const Record *> &implicit) {
    const bool regions_are_right = region_begins_are_right();
    std::set<std::uint64_t> begun;
    std::set<std::uint64_t> ended;
    std::set<std::uint64_t> regions;
    std::map<int, Stack> stacks;
    std::map<int, std::uint64_t> met; // the region whose construct a thread has just met
    for (const Record *one : records()) {
        Stack &open = stacks[one->os_thread];
        if (one->event == Event::kParallelBegin) {
            regions.insert(one->id);
            met[one->os_thread] = one->id;
        } else if (is_point(*one, kPointInRegion)) {
            judge_point(*one, open);
        } else if (one->event == Event::kParallelEnd && regions_are_right) {
            if (std::any_of(open.begin(), open.end(), [&](const Record *task) {
                    return !task->initial && task->parent == one->id;
                })) {
                fail("a region ends before its master's implicit task does");
            }
        } else if (one->event == Event::kImplicitTask && !one->ends) {
            judge_begin(*one, begun);
            const std::uint64_t expected = met[one->os_thread];
            met[one->os_thread] = 0;
            if (!one->initial) {
                implicit.push_back(one);
                if (regions_are_right && (regions.count(one->parent) == 0 ||
                                          (expected != 0 && one->parent != expected))) {
                    fail("an implicit task begins in another region than the one that has begun");
                }
            }
            open.push_back(one);
        } else if (one->event == Event::kImplicitTask) {
            if (!ended.insert(one->id).second) {
                fail("%s ends twice", kind_of(*one));
            } else if (open.empty() || open.back()->id != one->id) {
                fail("%s ends that is not the one that its thread has begun last", kind_of(*one));
            } else {
                judge_end(*one, *open.back());
                open.pop_back();
            }
        }
    }
    size_t unclosed = 0;
    for (const auto &[thread, open] : stacks) {
        for (const Record *task : open) {
            unclosed += task->initial ? 0 : 1;
        }
    }
    if (unclosed != 0) {
        fail("%zu implicit tasks begin and do not end", unclosed);
    }
}

// Where the generation tells of it: TR6 announces the initial task as one that is created.
void judge_initial_task() {
    const Generation generation = shared().registration.generation;
    if (generation == Generation::kTr6 ||
        (has_ids(generation) && !is_reported(Event::kInitialTask))) {
        return;
    }
    size_t begins = 0;
    size_t ends = 0;
    bool in_a_region = false;
    bool early = true;
    for (const Record *one : records(Event::kImplicitTask)) {
        if (!one->initial) {
            in_a_region = true;
        } else if (one->ends) {
            ++ends;
        } else {
            ++begins;
            early = early && !in_a_region;
        }
    }
    if (begins != 1 || !early) {
        fail("the initial task begins %zu times, where once and first of all tasks was due",
             begins);
    }
    if (ends != 1) {
        fail("the initial task ends %zu times", ends);
    }
}

} // namespace

void check_implicit_task(const Setup &setup) {
    if (!run_with_tool(setup, nested_and_serialised)) {
        return;
    }
    // An answer of ompt_set_callback that is none is another check's matter if the event comes.
    const char *name =
        has_ids(shared().registration.generation) ? "implicit_task_begin" : "implicit_task";
    if (records(Event::kImplicitTask).empty() && !must_tell(Event::kImplicitTask, name)) {
        return;
    }
    std::vector<const Record *> implicit;
    judge_threads(implicit);
    const size_t tasks = count_points(kPointInRegion);
    if (implicit.size() != tasks) {
        fail("the teams of the program have %zu threads together, and %zu implicit tasks begin",
             tasks, implicit.size());
    }
    if (has_sizes()) {
        judge_teams(implicit);
    }
    judge_initial_task();
}

} // namespace compliance
