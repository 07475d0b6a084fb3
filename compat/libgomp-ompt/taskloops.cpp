// SPDX-License-Identifier: Apache-2.0
// The taskloop construct: libgomp creates the tasks, each is met where its arguments are copied.
// The taskgroup around them is made here, so that its wait is known from their creation.
#include "loop_count.h"
#include "task.h"
#include "tool.h"
#include "work.h"

namespace ocb::gomp {
namespace {

void tell_taskloop(ompt_scope_endpoint_t endpoint, TaskRecord &task, std::uint64_t count,
                   const void *code) {
    if (auto tell = callback<ompt_callback_work_t>(ompt_callback_work)) {
        tell(kWorkTaskloop, endpoint, &task.region->word, &task.word, count, code);
    }
}

TaskArguments arguments_of(const Call &call, ThreadRecord &thread, Outlined function, void *data,
                           CopyFunction copy, long size, long alignment, unsigned flags) {
    TaskArguments arguments{};
    arguments.function = function;
    arguments.copy = copy;
    arguments.data = data;
    arguments.size = static_cast<std::size_t>(size);
    arguments.alignment = static_cast<std::size_t>(alignment);
    arguments.call = &call;
    arguments.gomp_flags = flags & ~static_cast<unsigned>(kGompDetach | kGompDepend);
    arguments.is_undeferred = (flags & kGompIf) == 0 || runs_at_once(call, thread);
    arguments.is_loop = true;
    if ((flags & kGompReduction) != 0) {
        arguments.reserved[2] = static_cast<void **>(data)[2];
    }
    return arguments;
}

// `create(flags)` makes libgomp create the tasks.
template <class Create>
void run_taskloop(const Call &call, ThreadRecord &thread, unsigned flags, std::uint64_t count,
                  Create create) {
    TaskRecord &task = task_of(thread);
    const InRuntime inside(task, call);
    const bool has_group = (flags & kGompNogroup) == 0;
    const bool owns_group = has_group && (flags & kGompReduction) == 0;
    tell_taskloop(ompt_scope_begin, task, count, call.code);
    if (has_group) {
        tell_sync(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
    }
    if (owns_group) {
        function_of<void (*)()>(*call.runtime, k_GOMP_taskgroup_start)();
    } else if (has_group) { // libgomp waits in the call that creates them
        tell_sync_wait(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
    }
    create(owns_group ? flags | kGompNogroup : flags);
    tell_taskloop(ompt_scope_end, task, count, call.code);
    if (owns_group) {
        tell_sync_wait(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
        const InWait waiting(ompt_state_wait_taskgroup, 0);
        const Ordered ordered(task.region);
        function_of<void (*)()>(*call.runtime, k_GOMP_taskgroup_end)();
    }
    if (has_group) {
        tell_sync_wait(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
        tell_sync(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
    }
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT(void, GOMP_taskloop,
            (Outlined function, void *data, CopyFunction copy, long size, long alignment,
             unsigned flags, unsigned long tasks, int priority, long start, long end, long step),
            (function, data, copy, size, alignment, flags, tasks, priority, start, end, step)) {
    ThreadRecord &thread = this_thread(call);
    TaskArguments arguments =
        arguments_of(call, thread, function, data, copy, size, alignment, flags);
    run_taskloop(call, thread, flags, loop_count(start, end, step), [&](unsigned own_flags) {
        REAL(GOMP_taskloop)
        (run_task, &arguments, copy_arguments, buffer_size(arguments), buffer_alignment(arguments),
         own_flags, tasks, priority, start, end, step);
    });
    if ((flags & kGompReduction) != 0) {
        static_cast<void **>(data)[2] = arguments.reserved[2];
    }
}

ENTRY_POINT(void, GOMP_taskloop_ull,
            (Outlined function, void *data, CopyFunction copy, long size, long alignment,
             unsigned flags, unsigned long tasks, int priority, unsigned long long start,
             unsigned long long end, unsigned long long step),
            (function, data, copy, size, alignment, flags, tasks, priority, start, end, step)) {
    constexpr unsigned kGompUp = 1U << 8U;
    ThreadRecord &thread = this_thread(call);
    TaskArguments arguments =
        arguments_of(call, thread, function, data, copy, size, alignment, flags);
    const std::uint64_t count = loop_count((flags & kGompUp) != 0, start, end, step);
    run_taskloop(call, thread, flags, count, [&](unsigned own_flags) {
        REAL(GOMP_taskloop_ull)
        (run_task, &arguments, copy_arguments, buffer_size(arguments), buffer_alignment(arguments),
         own_flags, tasks, priority, start, end, step);
    });
    if ((flags & kGompReduction) != 0) {
        static_cast<void **>(data)[2] = arguments.reserved[2];
    }
}
