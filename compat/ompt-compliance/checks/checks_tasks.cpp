// SPDX-License-Identifier: Apache-2.0
//
// Checks of the begin and the end of explicit tasks, and of threads.
#include "checks.h"

#include "timeline.h"
#include "verdict.h"

#include <map>
#include <set>
#include <unistd.h>

namespace compliance {
namespace {

int many_tasks(const Workload &workload) {
    workload.set_nesting(1);
    workload.tasks(kThreads);
    return 0;
}

const char *begin_name() {
    return has_ids(shared().registration.generation) ? "task_begin" : "task_create";
}

const char *end_name() {
    return has_ids(shared().registration.generation) ? "task_end"
                                                     : "task_schedule with a completed task";
}

std::set<std::uint64_t> ids_of(Event event) {
    std::set<std::uint64_t> ids;
    for (const Record *one : records(event)) {
        ids.insert(one->id);
    }
    return ids;
}

// An end belongs to an earlier begin, each begin has one end. Only where the begins themselves are
// right: else their own check says what is wrong.
void judge_pairs(Event begin, Event end, const char *what, bool all_must_end) {
    std::set<std::uint64_t> begun;
    std::set<std::uint64_t> ended;
    for (const Record *one : records()) {
        if (one->event == begin) {
            begun.insert(one->id);
        } else if (one->event == end) {
            if (begun.count(one->id) == 0) {
                fail("the id of a %s that ends has not appeared in its begin before", what);
            } else if (!ended.insert(one->id).second) {
                fail("a %s ends twice", what);
            }
        }
    }
    if (all_must_end && ended.size() != begun.size()) {
        fail("%zu %ss begin and %zu end", begun.size(), what, ended.size());
    }
}

} // namespace

void check_task_begin(const Setup &setup) {
    if (!run_with_tool(setup, many_tasks) || !must_tell(Event::kTaskBegin, begin_name())) {
        return;
    }
    const auto begins = records(Event::kTaskBegin);
    const size_t tasks = count_points(kPointBeforeTask);
    if (begins.size() != tasks) {
        fail("%zu tasks of the program give %zu calls of %s", tasks, begins.size(), begin_name());
    }
    const auto ids = ids_of(Event::kTaskBegin);
    if (ids.count(0) != 0) {
        fail("a new task has the id 0");
    } else if (ids.size() != begins.size()) {
        fail("%zu new tasks have %zu different ids", begins.size(), ids.size());
    }
    for (const Placed &placed : place_begins(Event::kTaskBegin, kPointBeforeTask)) {
        judge_context(placed, begin_name());
        judge_parent(placed, begin_name());
    }
}

void check_task_end(const Setup &setup) {
    if (!run_with_tool(setup, many_tasks) || !must_tell(Event::kTaskEnd, end_name())) {
        return;
    }
    const auto ends = records(Event::kTaskEnd);
    const size_t tasks = count_points(kPointBeforeTask);
    if (ends.size() != tasks) {
        fail("%zu tasks of the program give %zu calls of %s", tasks, ends.size(), end_name());
    }
    if (is_reported(Event::kTaskBegin) && records(Event::kTaskBegin).size() == tasks &&
        ids_of(Event::kTaskBegin).size() == tasks) {
        judge_pairs(Event::kTaskBegin, Event::kTaskEnd, "task", true);
    }
}

// Threads -----------------------------------------------------------------------------------------

namespace {

int nesting_off(const Workload &workload) {
    workload.set_nesting(1);
    workload.nested(3, kThreads);
    return 0;
}

// The initial thread is the one that runs the program from its begin: the first point is its.
int initial_os_thread() {
    for (const Record *one : records()) {
        if (one->event == Event::kPoint) {
            return one->os_thread;
        }
    }
    return 0;
}

bool thread_begins_are_right() {
    return is_reported(Event::kThreadBegin) &&
           records(Event::kThreadBegin).size() == static_cast<size_t>(kThreads) &&
           ids_of(Event::kThreadBegin).size() == static_cast<size_t>(kThreads);
}

} // namespace

void check_thread_begin(const Setup &setup) {
    if (!run_with_tool(setup, nesting_off) || !must_tell(Event::kThreadBegin, "thread_begin")) {
        return;
    }
    const auto begins = records(Event::kThreadBegin);
    if (begins.size() != static_cast<size_t>(kThreads)) {
        fail("three levels of regions with %d threads, nesting off, give %zu calls, not %d",
             kThreads, begins.size(), kThreads);
    }
    const int initial = initial_os_thread();
    std::set<int> threads;
    for (const Record *one : begins) {
        if (one->os_thread == initial && one->number != kThreadInitial) {
            fail("the initial thread has type %d, not ompt_thread_initial", one->number);
        }
        if (one->os_thread != initial && one->number != kThreadWorker &&
            one->number != kThreadOther) {
            fail("a thread other than the initial one has type %d, not ompt_thread_worker or "
                 "ompt_thread_other",
                 one->number);
        }
        if (!threads.insert(one->os_thread).second) {
            fail("thread_begin comes twice on one thread");
        }
    }
    const auto ids = ids_of(Event::kThreadBegin);
    if (ids.count(0) != 0) {
        fail("a thread has the id 0");
    } else if (ids.size() != begins.size()) {
        fail("%zu threads have %zu different ids", begins.size(), ids.size());
    }
}

void check_thread_end(const Setup &setup) {
    if (!run_with_tool(setup, nesting_off) || !must_tell(Event::kThreadEnd, "thread_end")) {
        return;
    }
    const int initial = initial_os_thread();
    const bool types = has_ids(shared().registration.generation);
    int workers = 0;
    for (const Record *one : records(Event::kThreadEnd)) {
        if (one->os_thread == initial) {
            if (types && one->number != kThreadInitial) {
                fail("the initial thread ends with type %d", one->number);
            }
            continue;
        }
        ++workers;
        if (types && one->number != kThreadWorker) {
            fail("a worker ends with type %d, not ompt_thread_worker", one->number);
        }
    }
    if (workers != kThreads - 1) {
        fail("%d workers give %d calls", kThreads - 1, workers);
    }
    if (!thread_begins_are_right()) {
        return;
    }
    judge_pairs(Event::kThreadBegin, Event::kThreadEnd, "thread", false);
    // The type is told at the begin; the thread that ends must be the one that has begun.
    std::map<int, std::uint64_t> begun;
    for (const Record *one : records(Event::kThreadBegin)) {
        begun[one->os_thread] = one->id;
    }
    for (const Record *one : records(Event::kThreadEnd)) {
        if (begun[one->os_thread] != one->id) {
            fail("a thread ends under another id than it has begun with");
        }
    }
}

} // namespace compliance
