// SPDX-License-Identifier: Apache-2.0
//
// Check of task frames, after the figure of the report's appendix on frames: code A is the initial
// task's (r1), code B the outer region's, whose threads have r2 and r3, and code C that of a region
// which the second thread meets (r4). Stacks grow downwards: what was called earlier has the
// greater address.
#include "checks.h"

#include "verdict.h"

namespace compliance {
namespace {

struct Seen {
    const void *address = nullptr;
    Frame frame = {};
    std::uint64_t task = 0;
};

// Of the process of the program; each is written by one thread.
Seen before_r1;
Seen thread_1_r2;
Seen thread_1_r1;
Seen thread_2[4];

Seen look(int level) {
    Seen seen;
    seen.address = interface()->task_frame(level, &seen.frame);
    seen.task = has(Entry::kTaskId) ? interface()->task_id(level) : 0;
    return seen;
}

void must_be_none(int level, const char *where) {
    Frame frame{};
    if (interface()->task_frame(level, &frame) != nullptr) {
        fail("beyond the initial task, level %d has a frame, in %s", level, where);
    }
}

void at_point(WorkloadPoint where, int, int thread) {
    switch (where) {
    case kPointBeforeRegion:
        before_r1 = look(0);
        must_be_none(1, "code A");
        must_be_none(kFarLevel, "code A");
        break;
    case kPointOuterRegion:
        if (thread == 0) {
            thread_1_r2 = look(0);
            thread_1_r1 = look(1);
            must_be_none(2, "code B");
            must_be_none(kFarLevel, "code B");
        }
        break;
    case kPointInnerRegion:
        for (int level = 0; level < 4; ++level) {
            thread_2[level] = look(level);
        }
        must_be_none(kFarLevel, "code C");
        break;
    default:
        break;
    }
}

void judge(const Seen &seen, const char *name, bool exit, bool enter) {
    if (seen.address == nullptr) {
        fail("there is no frame %s", name);
        return;
    }
    if ((seen.frame.exit != 0) != exit) {
        fail("frame %s has %s exit address", name, exit ? "no" : "an");
    }
    if ((seen.frame.enter != 0) != enter) {
        fail("frame %s has %s reenter address", name, enter ? "no" : "a");
    }
}

bool same_task(const Seen &one, const Seen &other) {
    return one.task != 0 ? one.task == other.task : one.frame.exit == other.frame.exit;
}

void judge_program() {
    if (before_r1.address == nullptr) {
        fail("the initial task has no frame");
    } else if (before_r1.frame.exit != 0) {
        fail("the initial task has an exit address before the first region");
    }
    judge(thread_1_r1, "r1", false, true);
    judge(thread_1_r2, "r2", true, false);
    if (thread_1_r1.frame.enter < thread_1_r2.frame.exit) {
        fail("the address where r1 reentered the runtime is not further out on the stack than that "
             "where r2 left it");
    }
    // The second thread: r4, r3, r1.
    judge(thread_2[0], "r4", true, false);
    judge(thread_2[1], "r3", true, true);
    judge(thread_2[2], "r1, seen by the second thread,", false, true);
    if (thread_2[3].address != nullptr) {
        fail("the second thread sees a fourth frame");
    }
    if (thread_2[1].frame.enter < thread_2[0].frame.exit) {
        fail("the address where r3 reentered the runtime is not further out on the stack than that "
             "where r4 left it");
    }
    if (thread_2[1].frame.exit < thread_2[1].frame.enter) {
        fail("the address where r3 left the runtime is not further out on the stack than that "
             "where it reentered it");
    }
    if (thread_2[2].address != nullptr && thread_2[2].frame.enter != thread_1_r1.frame.enter) {
        fail("the second thread sees another r1 than the first");
    }
    for (const Seen &seen : thread_2) {
        if (seen.address != nullptr && seen.frame.exit != 0 && thread_1_r2.frame.exit != 0 &&
            seen.frame.exit == thread_1_r2.frame.exit && same_task(seen, thread_1_r2)) {
            fail("the second thread sees r2, which is the first thread's");
        }
    }
}

} // namespace

void check_task_frame(const Setup &setup) {
    run_with_tool(setup, [](const Workload &workload) {
        if (interface() == nullptr) {
            return 0; // no tool: said by run_with_tool
        }
        if (!has(Entry::kTaskFrame)) {
            not_implemented("lookup of %s gives NULL", interface()->entry_name(Entry::kTaskFrame));
            return 0;
        }
        WorkloadHooks hooks = recording_hooks();
        hooks.point = at_point;
        workload.set_hooks(&hooks);
        workload.set_nesting(2);
        workload.frames();
        judge_program();
        return 0;
    });
}

} // namespace compliance
