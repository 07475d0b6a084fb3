// SPDX-License-Identifier: Apache-2.0
// The taskloop construct: libgomp makes the tasks. Those that it runs at once are created where
// they run, those that the program has a copy function for where they are copied, all others
// beforehand. The taskgroup around them is made here, so that its begin and its wait are known.
#include "loop_count.h"
#include "loop_tasks.h"
#include "task.h"
#include "tool.h"
#include "work.h"

namespace ocb::gomp {

namespace {

void report_taskloop(ompt_scope_endpoint_t endpoint, TaskRecord &task, std::uint64_t count,
                     const void *code) {
    if (auto tell = callback<ompt_callback_work_t>(ompt_callback_work)) {
        tell(kWorkTaskloop, endpoint, &task.region->word, &task.word, count, code);
    }
}

// What is the construct's alone, or cannot be: OpenMP allows neither on it.
constexpr unsigned kNotOfItsTasks = kGompDetach | kGompDepend;

struct WantedLoop {
    Outlined function;
    void *data;
    CopyFunction copy;
    long size;
    long alignment;
    unsigned flags;
    unsigned long tasks;
    std::uint64_t count; // of iterations
};

// As libgomp counts.
unsigned long number_of_tasks(const WantedLoop &wanted, unsigned long team_size) {
    if ((wanted.flags & kGompGrainsize) != 0) {
        const unsigned long whole = wanted.count / wanted.tasks;
        if ((wanted.flags & kGompStrict) != 0) {
            return whole + (wanted.count % wanted.tasks != 0 ? 1 : 0);
        }
        return whole > 1 ? whole : 1;
    }
    const unsigned long asked = wanted.tasks != 0 ? wanted.tasks : team_size;
    return asked < wanted.count ? asked : wanted.count;
}

// Those that libgomp may defer. It runs all at once where its queue would be longer than this.
TaskloopTasks *create_tasks(const Call &call, ThreadRecord &thread, const WantedLoop &wanted) {
    const auto team_size =
        static_cast<unsigned long>(function_of<int (*)()>(*call.runtime, k_omp_get_num_threads)());
    const unsigned long longest = 64 * team_size;
    const unsigned long tasks = number_of_tasks(wanted, team_size);
    if (wanted.copy != nullptr || (wanted.flags & kGompIf) == 0 || wanted.count == 0 ||
        tasks > longest || runs_at_once(task_of(thread)) || drops_tasks(call, thread)) {
        return nullptr;
    }
    return TaskloopTasks::create(tasks, [&]() -> TaskRecord & {
        return create_task(call.code, thread, wanted.flags & ~kNotOfItsTasks, false, false);
    });
}

// The taskgroup around the construct, with the reductions of its tasks, as libgomp makes it.
void begin_group(const Call &call, const WantedLoop &wanted) {
    function_of<void (*)()>(*call.runtime, k_GOMP_taskgroup_start)();
    if ((wanted.flags & kGompReduction) != 0) {
        const auto reduce =
            function_of<void (*)(void *)>(*call.runtime, k_GOMP_taskgroup_reduction_register);
        reduce(static_cast<void **>(wanted.data)[2]);
    }
}

void end_group(const Call &call, TaskRecord &task) {
    report_sync_wait(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
    {
        const InWait waiting(ompt_state_wait_taskgroup, 0);
        const Ordered ordered(task.region);
        function_of<void (*)()>(*call.runtime, k_GOMP_taskgroup_end)();
    }
    report_sync_wait(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
}

// `make(arguments, copy, size, flags)` is libgomp's call.
template <class Make>
void make_tasks(const Call &call, ThreadRecord &thread, const WantedLoop &wanted,
                TaskloopTasks *loop, unsigned flags, Make make) {
    const auto size = static_cast<std::size_t>(wanted.size);
    const std::size_t offset = data_offset(static_cast<std::size_t>(wanted.alignment));
    TaskBuffer buffer(wanted.copy != nullptr ? sizeof(TaskArguments) : offset + size);
    TaskArguments &arguments = buffer.arguments();
    arguments = {};
    arguments.function = wanted.function;
    arguments.data = wanted.data;
    arguments.size = size;
    arguments.offset = offset;
    arguments.loop = loop;
    arguments.code = call.code;
    arguments.gomp_flags = wanted.flags & ~kNotOfItsTasks;
    arguments.is_loop = true;
    if ((wanted.flags & kGompReduction) != 0) {
        arguments.reserved[2] = static_cast<void **>(wanted.data)[2];
    }
    if (wanted.copy != nullptr) {
        arguments.copy = wanted.copy;
        arguments.is_undeferred = (wanted.flags & kGompIf) == 0 || runs_at_once(task_of(thread));
        make(&arguments, copy_arguments, buffer_size(arguments), flags);
    } else {
        copy_data_behind(arguments);
        make(&arguments, nullptr, buffer_size(arguments), flags);
    }
}

// OpenMP 5.1 has the taskgroup around the taskloop.
template <class Make> void run_taskloop(const Call &call, const WantedLoop &wanted, Make make) {
    ThreadRecord &thread = this_thread(call);
    TaskRecord &task = task_of(thread);
    const InRuntime inside(task, call);
    const bool has_group = (wanted.flags & kGompNogroup) == 0;
    // For no iteration libgomp makes no group, and tells the program that nothing is reduced.
    const bool makes_group = has_group && wanted.count != 0;
    if (has_group) {
        report_sync(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
    }
    if (makes_group) {
        begin_group(call, wanted);
    }
    report_taskloop(ompt_scope_begin, task, wanted.count, call.code);
    TaskloopTasks *loop = create_tasks(call, thread, wanted);
    make_tasks(call, thread, wanted, loop, makes_group ? wanted.flags | kGompNogroup : wanted.flags,
               make);
    if (loop != nullptr && !makes_group) {
        loop->put_down();
    }
    report_taskloop(ompt_scope_end, task, wanted.count, call.code);
    if (makes_group) {
        end_group(call, task);
    }
    if (loop != nullptr && makes_group) {
        loop->end();
    }
    if (has_group) {
        report_sync(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
    }
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT(void, GOMP_taskloop,
            (Outlined function, void *data, CopyFunction copy, long size, long alignment,
             unsigned flags, unsigned long tasks, int priority, long start, long end, long step),
            (function, data, copy, size, alignment, flags, tasks, priority, start, end, step)) {
    const WantedLoop wanted{function,  data,  copy,  size,
                            alignment, flags, tasks, loop_count(start, end, step)};
    run_taskloop(
        call, wanted,
        [&](TaskArguments *arguments, CopyFunction own_copy, long own_size, unsigned own_flags) {
            REAL(GOMP_taskloop)
            (run_task, arguments, own_copy, own_size, buffer_alignment(alignment), own_flags, tasks,
             priority, start, end, step);
        });
}

ENTRY_POINT(void, GOMP_taskloop_ull,
            (Outlined function, void *data, CopyFunction copy, long size, long alignment,
             unsigned flags, unsigned long tasks, int priority, unsigned long long start,
             unsigned long long end, unsigned long long step),
            (function, data, copy, size, alignment, flags, tasks, priority, start, end, step)) {
    const WantedLoop wanted{
        function,  data,  copy,  size,
        alignment, flags, tasks, loop_count((flags & kGompUp) != 0, start, end, step)};
    run_taskloop(
        call, wanted,
        [&](TaskArguments *arguments, CopyFunction own_copy, long own_size, unsigned own_flags) {
            REAL(GOMP_taskloop_ull)
            (run_task, arguments, own_copy, own_size, buffer_alignment(alignment), own_flags, tasks,
             priority, start, end, step);
        });
}
