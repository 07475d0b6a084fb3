// SPDX-License-Identifier: Apache-2.0
//
// Checks of the inquiry functions for ids, team sizes and idle frames. They ask in the program, at
// its points.
#include "checks.h"

#include "sampler.h"
#include "verdict.h"

#include <map>
#include <mutex>
#include <set>

namespace compliance {
namespace {

// Threads of a team, and what they make in two and three levels.
constexpr size_t kOnce = kThreads;
constexpr size_t kTwice = kOnce * kOnce;
constexpr size_t kThrice = kTwice * kOnce;

using Chain = std::vector<std::uint64_t>; // an id and those of the levels around it

std::mutex chains_mutex;
// What has been seen around each id.
std::map<std::uint64_t, Chain> around;
std::set<std::uint64_t> at_depth[kDepth + 1];

// An id has the same ids around it wherever it is seen.
void record_chain(const Chain &chain, int depth, const char *what) {
    const std::lock_guard<std::mutex> guard(chains_mutex);
    at_depth[depth].insert(chain.front());
    for (size_t i = 0; i < chain.size(); ++i) {
        const Chain rest(chain.begin() + static_cast<long>(i) + 1, chain.end());
        const auto [known, is_new] = around.try_emplace(chain[i], rest);
        if (!is_new && known->second != rest) {
            fail("%s: one id has different ids around it at different times", what);
        }
    }
    if (std::set<std::uint64_t>(chain.begin(), chain.end()).size() != chain.size()) {
        fail("%s: two levels have the same id", what);
    }
}

// Runs a program whose points call `point`, if the runtime has the function.
bool inquire(const Setup &setup, Entry entry, void (*point)(WorkloadPoint, int, int),
             const std::function<void(const Workload &)> &program) {
    const bool started = run_with_tool(setup, [&](const Workload &workload) {
        if (interface() == nullptr) {
            return 0; // no tool: said by run_with_tool
        }
        const char *name = interface()->entry_name(entry);
        if (name == nullptr) {
            not_in_this_generation("the document of this generation has no such function");
            return 0;
        }
        if (!has(entry)) {
            not_implemented("lookup of %s gives NULL", name);
            return 0;
        }
        if ((entry == Entry::kParallelId || entry == Entry::kTaskId) &&
            !has_ids(shared().registration.generation) && !is_reported(Event::kParallelBegin) &&
            !is_reported(Event::kImplicitTask)) {
            not_implemented("the tool is told of no region in which it could leave an id");
            return 0;
        }
        WorkloadHooks hooks = recording_hooks();
        hooks.point = point;
        workload.set_hooks(&hooks);
        program(workload);
        return 0;
    });
    return started && shared().missing == 0 && shared().not_in_generation == 0;
}

} // namespace

void check_parallel_id(const Setup &setup) {
    const auto point = [](WorkloadPoint where, int depth, int) {
        Interface &ompt = *interface();
        if (where == kPointSerial && ompt.parallel_id(0) != 0) {
            fail("outside a parallel region the id is not 0");
        }
        if (where != kPointInRegion) {
            return;
        }
        Chain chain;
        for (int level = 0; level < depth; ++level) {
            chain.push_back(ompt.parallel_id(level));
            if (chain.back() == 0) {
                fail("in a region of depth %d the id of level %d is 0", depth, level);
                return;
            }
        }
        for (const int level : {depth, depth + 1, kFarLevel}) {
            if (ompt.parallel_id(level) != 0) {
                fail("in a region of depth %d the id of level %d is not 0", depth, level);
            }
        }
        record_chain(chain, depth, "regions");
    };
    inquire(setup, Entry::kParallelId, point, [](const Workload &workload) {
        workload.set_nesting(kDepth);
        workload.nested(kDepth, kThreads);
        // A region that takes its team's place has an id of its own.
        std::set<std::uint64_t> begun;
        size_t begins = 0;
        for (const Record *one : records(Event::kParallelBegin)) {
            begun.insert(one->id);
            ++begins;
        }
        const size_t regions[] = {0, 1, kOnce, kTwice};
        const bool ids_are_right = begun.size() == 1 + kOnce + kTwice;
        if (begins != 0 && !ids_are_right) {
            return; // parallel_begin's own matter
        }
        for (int depth = 1; depth <= kDepth; ++depth) {
            if (at_depth[depth].size() != regions[depth]) {
                fail("the threads of %zu regions of depth %d see %zu different ids", regions[depth],
                     depth, at_depth[depth].size());
            }
            for (const std::uint64_t id : at_depth[depth]) {
                if (begins != 0 && begun.count(id) == 0) {
                    fail("a region has another id than in parallel_begin");
                }
            }
        }
    });
}

namespace {

// The explicit tasks that the thread is in, with the implicit one around them.
thread_local Chain task_stack;

void task_point_in_regions(WorkloadPoint where, int depth, int) {
    if (where != kPointInRegion) {
        return;
    }
    Interface &ompt = *interface();
    Chain chain;
    // An implicit task for each region and the initial task.
    for (int level = 0; level <= depth; ++level) {
        chain.push_back(ompt.task_id(level));
        if (chain.back() == 0) {
            fail("in a region of depth %d the id of the task of level %d is 0", depth, level);
            return;
        }
    }
    for (const int level : {depth + 1, kFarLevel}) {
        if (ompt.task_id(level) != 0) {
            fail("beyond the initial task the id of level %d is not 0, in a region of depth %d",
                 level, depth);
        }
    }
    record_chain(chain, depth, "implicit tasks");
}

void task_point_in_tasks(WorkloadPoint where, int depth, int) {
    Interface &ompt = *interface();
    switch (where) {
    case kPointInRegion:
        task_stack = {ompt.task_id(0)};
        break;
    case kPointInTask:
        task_stack.push_back(ompt.task_id(0));
        for (size_t level = 0; level < task_stack.size(); ++level) {
            if (ompt.task_id(static_cast<int>(level)) !=
                task_stack[task_stack.size() - 1 - level]) {
                fail("in an explicit task of depth %d level %zu is not the task that is there",
                     depth, level);
            }
        }
        if (task_stack.back() == 0 || task_stack.back() == task_stack[task_stack.size() - 2]) {
            fail("an explicit task has no id of its own");
        }
        for (const int level : {static_cast<int>(task_stack.size()) + 1, kFarLevel}) {
            if (ompt.task_id(level) != 0) {
                fail("beyond the initial task the id of level %d is not 0, in an explicit task",
                     level);
            }
        }
        break;
    case kPointAfterTask:
        if (task_stack.size() > 1) {
            task_stack.pop_back();
        }
        if (ompt.task_id(0) != task_stack.back()) {
            fail("after an explicit task of depth %d the task is not that from before it", depth);
        }
        break;
    default:
        break;
    }
}

} // namespace

void check_task_id(const Setup &setup) {
    const bool asked =
        inquire(setup, Entry::kTaskId, task_point_in_regions, [](const Workload &workload) {
            workload.set_nesting(kDepth);
            workload.nested(kDepth, kThreads);
            const size_t tasks[] = {0, kOnce, kTwice, kThrice};
            for (int depth = 1; depth <= kDepth; ++depth) {
                if (at_depth[depth].size() != tasks[depth]) {
                    fail("%zu implicit tasks of depth %d have %zu ids", tasks[depth], depth,
                         at_depth[depth].size());
                }
            }
        });
    if (asked) {
        inquire(setup, Entry::kTaskId, task_point_in_tasks, [](const Workload &workload) {
            workload.set_nesting(1);
            workload.nested_tasks(kDepth);
        });
    }
}

void check_team_size(const Setup &setup) {
    // Nesting off: below the outer team there are teams of one, in teams of one.
    const auto point_off = [](WorkloadPoint where, int depth, int) {
        if (where != kPointInRegion) {
            return;
        }
        Interface &ompt = *interface();
        for (int level = 0; level < depth; ++level) {
            const int expected = level == depth - 1 ? kThreads : 1;
            if (ompt.team_size(level) != expected) {
                fail("nesting off: in a region of depth %d the team of level %d has size %d, not "
                     "%d",
                     depth, level, ompt.team_size(level), expected);
            }
        }
        if (depth == kDepth && ompt.team_size(0) != ompt.team_size(1)) {
            fail("nesting off: a team has another size than its parent");
        }
        for (const int level : {depth + 1, kFarLevel}) {
            if (ompt.team_size(level) != -1) {
                fail("level %d, beyond the outermost region, has a team of size %d", level,
                     ompt.team_size(level));
            }
        }
    };
    const auto point_on = [](WorkloadPoint where, int depth, int) {
        if (where != kPointInRegion) {
            return;
        }
        Interface &ompt = *interface();
        constexpr int kOuter = 2;
        const int current = ompt.team_size(0);
        if (current != (depth == 1 ? kOuter : kThreads)) {
            fail("nesting on: a team of %d has size %d", depth == 1 ? kOuter : kThreads, current);
        }
        if (depth == 2 && ompt.team_size(1) != kOuter) {
            fail("nesting on: the parent of a team of %d has size %d, not %d", current,
                 ompt.team_size(1), kOuter);
        }
    };
    const bool asked = inquire(setup, Entry::kTeamSize, point_off, [](const Workload &workload) {
        workload.set_nesting(1);
        workload.nested(kDepth, kThreads);
    });
    if (asked) {
        inquire(setup, Entry::kTeamSize, point_on, [](const Workload &workload) {
            workload.set_nesting(2);
            workload.two_sizes(2, kThreads);
        });
    }
}

// Idle frames: where the runtime, waiting, calls the work of a region on a worker's stack.
void check_idle_frame(const Setup &setup) {
    const auto point = [](WorkloadPoint where, int depth, int thread) {
        static thread_local int outer_thread = -1;
        static thread_local void *outer_frame = nullptr;
        if (where != kPointSerial && where != kPointInRegion) {
            return;
        }
        void *frame = interface()->idle_frame();
        if (where == kPointSerial) {
            if (frame != nullptr) {
                fail("the initial thread has an idle frame outside a region");
            }
            return;
        }
        if (depth == 1) {
            outer_thread = thread;
            outer_frame = frame;
        }
        if (outer_thread == 0 && frame != nullptr) {
            fail("the initial thread has an idle frame in a region of depth %d", depth);
        } else if (outer_thread != 0 && frame == nullptr) {
            fail("a worker has no idle frame in a region of depth %d", depth);
        } else if (frame != outer_frame) {
            fail("a thread's idle frame changes from depth 1 to depth %d", depth);
        }
    };
    inquire(setup, Entry::kIdleFrame, point, [](const Workload &workload) {
        workload.set_nesting(1);
        workload.nested(kDepth, kThreads);
    });
}

} // namespace compliance
