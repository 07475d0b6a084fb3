// SPDX-License-Identifier: Apache-2.0
//
// See interface.h: what belongs to no generation.
#include "interface.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace compliance {
namespace {

constexpr const char *kStateNames[] = {
    "work_serial",
    "work_parallel",
    "work_reduction",
    "idle",
    "overhead",
    "wait_barrier",
    "wait_barrier_implicit",
    "wait_barrier_implicit_parallel",
    "wait_barrier_implicit_workshare",
    "wait_barrier_explicit",
    "wait_barrier_implementation",
    "wait_taskwait",
    "wait_taskgroup",
    "wait_mutex",
    "wait_lock",
    "wait_nest_lock",
    "wait_critical",
    "wait_atomic",
    "wait_ordered",
    "a state of no name",
};
static_assert(sizeof(kStateNames) / sizeof(kStateNames[0]) == static_cast<int>(State::kCount));

} // namespace

const char *state_name(State state) {
    return kStateNames[static_cast<int>(state)];
}

Context context_now() {
    Context context{};
    Interface *ompt = interface();
    if (ompt == nullptr) {
        return context;
    }
    context.thread = ompt->thread_id();
    if (has(Entry::kParallelId)) {
        context.parallel = ompt->parallel_id(0);
    }
    if (has(Entry::kTaskId)) {
        context.task = ompt->task_id(0);
    }
    if (has(Entry::kTaskFrame)) {
        context.frame_address =
            reinterpret_cast<std::uint64_t>(ompt->task_frame(0, &context.frame));
    }
    return context;
}

void record(Event event, const Arguments &arguments) {
    const unsigned index = shared().record_count.fetch_add(1);
    if (index >= kMaxRecords) {
        return;
    }
    Record &entry = shared().records[index];
    entry.event = event;
    entry.os_thread = static_cast<int>(syscall(SYS_gettid));
    entry.id = arguments.id;
    entry.parent = arguments.parent;
    entry.frame_address = reinterpret_cast<std::uint64_t>(arguments.frame);
    entry.frame = arguments.frame_value;
    entry.number = arguments.number;
    entry.a = arguments.a;
    entry.b = arguments.b;
    entry.ends = arguments.ends;
    entry.initial = arguments.initial;
    // At the ends of a thread's or a task's life there may be no task to ask about.
    const bool in_a_task = event != Event::kThreadBegin && event != Event::kThreadEnd &&
                           event != Event::kImplicitTask && event != Event::kShutdown;
    entry.context = in_a_task ? context_now() : Context{};
    entry.complete.store(true, std::memory_order_release);
}

} // namespace compliance
