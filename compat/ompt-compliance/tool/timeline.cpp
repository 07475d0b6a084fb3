// SPDX-License-Identifier: Apache-2.0
#include "timeline.h"

#include "verdict.h"

#include <map>

namespace compliance {
namespace {

// What a message says of the construct.
std::string kind_of(const Record &before) {
    if (before.b == 0) {
        return "";
    }
    return before.number == kPointBeforeTask ? ", of a task with if(0)"
           : before.a == 1                   ? ", of a region with if(0)"
                                             : ", of a region with one thread";
}

} // namespace

std::vector<Placed> place_begins(Event begin, WorkloadPoint before) {
    std::vector<Placed> placed;
    std::map<int, const Record *> pending;
    for (const Record *one : records()) {
        if (is_point(*one, before)) {
            pending[one->os_thread] = one;
        } else if (one->event == begin) {
            placed.push_back({one, pending[one->os_thread]});
            pending[one->os_thread] = nullptr;
        }
    }
    return placed;
}

std::vector<Placed> place_ends(Event end, WorkloadPoint before, WorkloadPoint after,
                               int *unclosed) {
    struct Open {
        const Record *before;
        bool ended;
    };
    std::vector<Placed> placed;
    std::map<int, std::vector<Open>> stacks;
    for (const Record *one : records()) {
        auto &stack = stacks[one->os_thread];
        if (is_point(*one, before)) {
            stack.push_back({one, false});
        } else if (is_point(*one, after) && !stack.empty()) {
            *unclosed += stack.back().ended ? 0 : 1;
            stack.pop_back();
        } else if (one->event == end) {
            const bool known = !stack.empty() && !stack.back().ended;
            placed.push_back({one, known ? stack.back().before : nullptr});
            if (known) {
                stack.back().ended = true;
            }
        }
    }
    return placed;
}

size_t count_points(WorkloadPoint where) {
    size_t count = 0;
    for (const Record *one : records()) {
        count += is_point(*one, where) ? 1 : 0;
    }
    return count;
}

void judge_context(const Placed &placed, const char *what) {
    if (placed.before == nullptr) {
        fail("%s comes on a thread that has met no such construct", what);
        return;
    }
    const Context &there = placed.event->context;
    const Context &here = placed.before->context;
    const std::string kind = kind_of(*placed.before);
    if (has(Entry::kTaskId) && there.task != here.task) {
        fail("%s is not in the context of the task that met the construct: inquired inside it, the "
             "task is another one%s",
             what, kind.c_str());
    }
    if (has(Entry::kParallelId) && there.parallel != here.parallel) {
        fail("%s is not in the context of the task that met the construct: inquired inside it, the "
             "region is another one%s",
             what, kind.c_str());
    }
    if (has(Entry::kTaskFrame) && there.frame.exit != here.frame.exit) {
        fail("%s is not in the context of the task that met the construct: inquired inside it, the "
             "task's frame is another one%s",
             what, kind.c_str());
    }
}

void judge_parent(const Placed &placed, const char *what) {
    if (placed.before == nullptr) {
        return;
    }
    const Context &here = placed.before->context;
    const std::string kind = kind_of(*placed.before);
    if (has(Entry::kTaskId) && placed.event->parent != here.task) {
        fail("%s: the parent task is not the one that the program inquired%s", what, kind.c_str());
    }
    // The frame is the task's own, which changes while the program runs; where its code was entered
    // from the runtime does not. An address that has moved between has moved in the inquiry too.
    if (has(Entry::kTaskFrame) &&
        (placed.event->frame_address == 0 || placed.event->frame.exit != here.frame.exit ||
         (placed.event->frame_address != here.frame_address &&
          placed.event->frame_address != placed.event->context.frame_address))) {
        fail("%s: the parent task's frame is not the one that the program inquired%s", what,
             kind.c_str());
    }
}

} // namespace compliance
