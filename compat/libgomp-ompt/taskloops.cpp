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

// The taskgroup around the construct, with the reductions of its tasks, as libgomp makes it.
void begin_group(const Call &call, const TaskArguments &arguments) {
    function_of<void (*)()>(*call.runtime, k_GOMP_taskgroup_start)();
    if ((arguments.gomp_flags & kGompReduction) != 0) {
        using Register = void (*)(void *);
        function_of<Register>(*call.runtime,
                              k_GOMP_taskgroup_reduction_register)(arguments.reserved[2]);
    }
}

void end_group(const Call &call, TaskRecord &task) {
    tell_sync_wait(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
    {
        const InWait waiting(ompt_state_wait_taskgroup, 0);
        const Ordered ordered(task.region);
        function_of<void (*)()>(*call.runtime, k_GOMP_taskgroup_end)();
    }
    tell_sync_wait(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
    tell_sync(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
}

// `create(flags)` makes libgomp create the tasks. OpenMP 5.1 has the taskgroup around the taskloop.
template <class Create>
void run_taskloop(const Call &call, ThreadRecord &thread, const TaskArguments &arguments,
                  unsigned flags, std::uint64_t count, Create create) {
    TaskRecord &task = task_of(thread);
    const InRuntime inside(task, call);
    if ((flags & kGompNogroup) != 0) {
        tell_taskloop(ompt_scope_begin, task, count, call.code);
        create(flags);
        tell_taskloop(ompt_scope_end, task, count, call.code);
        return;
    }
    tell_sync(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
    // For no iteration libgomp makes no group, and tells the program that it has no reductions.
    if (count != 0) {
        begin_group(call, arguments);
    }
    tell_taskloop(ompt_scope_begin, task, count, call.code);
    create(count != 0 ? flags | kGompNogroup : flags);
    tell_taskloop(ompt_scope_end, task, count, call.code);
    if (count != 0) {
        end_group(call, task);
    } else {
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
    const std::uint64_t count = loop_count(start, end, step);
    run_taskloop(call, thread, arguments, flags, count, [&](unsigned own_flags) {
        REAL(GOMP_taskloop)
        (run_task, &arguments, copy_arguments, buffer_size(arguments), buffer_alignment(arguments),
         own_flags, tasks, priority, start, end, step);
    });
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
    run_taskloop(call, thread, arguments, flags, count, [&](unsigned own_flags) {
        REAL(GOMP_taskloop_ull)
        (run_task, &arguments, copy_arguments, buffer_size(arguments), buffer_alignment(arguments),
         own_flags, tasks, priority, start, end, step);
    });
}
