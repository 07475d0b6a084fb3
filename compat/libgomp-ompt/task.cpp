// SPDX-License-Identifier: Apache-2.0
#include "task.h"

#include "taskloops.h"
#include "tool.h"

namespace ocb::gomp {
namespace {

OCB_INLINE void tell_schedule(TaskRecord *prior, ompt_task_status_t status, TaskRecord *next) {
    if (auto tell = callback<ompt_callback_task_schedule_t>(ompt_callback_task_schedule)) {
        tell(prior != nullptr ? &prior->word : nullptr, status,
             next != nullptr ? &next->word : nullptr);
    }
}

} // namespace

// Outside a region and in a final task libgomp runs a task at once, whatever its clauses.
bool runs_at_once(const Call &call, const ThreadRecord &thread) {
    const TaskRecord &task = task_of(thread);
    if ((task.flags & ompt_task_initial) != 0 || (task.flags & kTaskFinal) != 0) {
        return true;
    }
    const auto in_final = function_of<int (*)()>(*call.runtime, k_omp_in_final);
    return (task.flags & ompt_task_explicit) != 0 && in_final != nullptr && in_final() != 0;
}

// libgomp has no task in serial code, and does not look whether it has one.
bool drops_tasks_now(const Call &call, const ThreadRecord &thread) {
    if ((task_of(thread).flags & ompt_task_initial) != 0) {
        return false;
    }
    constexpr int kGompCancelTaskgroup = 8;
    const auto is_cancelled = function_of<bool (*)(int)>(*call.runtime, k_GOMP_cancellation_point);
    return is_cancelled != nullptr && is_cancelled(kGompCancelTaskgroup);
}

unsigned char *TaskBuffer::allocated(std::size_t size) {
    auto *memory = static_cast<unsigned char *>(malloc(size));
    if (memory == nullptr) {
        abort();
    }
    return memory;
}

TaskRecord &create_task(const void *code, ThreadRecord &thread, unsigned gomp_flags,
                        bool is_undeferred, bool depends) {
    return create_task_here(code, thread, gomp_flags, is_undeferred, depends);
}

void copy_arguments(void *to, void *from) {
    TaskArguments &source = *static_cast<TaskArguments *>(from);
    TaskArguments &copy = *static_cast<TaskArguments *>(to);
    if ((source.gomp_flags & kGompDetach) != 0) {
        expect_event(*source.task, source.reserved[0]);
        if (source.data != nullptr) {
            *static_cast<void **>(source.data) = source.reserved[0];
        }
    }
    copy = source;
    if (source.is_loop) {
        copy.task =
            &create_task(source.code, *own_thread, source.gomp_flags, source.is_undeferred, false);
    }
    if (source.copy != nullptr) {
        source.copy(data_behind(copy), source.data);
    } else if (source.size != 0 && source.data != nullptr) {
        std::memcpy(data_behind(copy), source.data, source.size);
    }
    done_before(to);
}

namespace {

OCB_INLINE TaskRecord &task_that_runs(const TaskArguments &arguments, bool is_in_place) {
    if (arguments.task != nullptr) {
        seen_behind(arguments.task);
        return *arguments.task;
    }
    TaskRecord *task = nullptr;
    if (arguments.loop != nullptr) {
        seen_behind(arguments.loop);
        task = arguments.loop->take();
        arguments.loop->put_down();
    }
    return task != nullptr
               ? *task
               : create_task(arguments.code, *own_thread, arguments.gomp_flags, is_in_place, false);
}

// `frame`: of the runtime, from which the function is called.
OCB_INLINE void work_in(ThreadRecord &thread, TaskRecord &task, TaskRecord &before,
                        Outlined function, void *data, void *frame) {
    task.is_started = true;
    task.thread_num = before.thread_num;
    task.below = &before;
    tell_schedule(&before, ompt_task_switch, &task);
    const InTask working(thread, task.region->encountering != nullptr ? ompt_state_work_parallel
                                                                      : ompt_state_work_serial);
    task.frame.exit_frame.ptr = frame;
    thread.task.store(&task, std::memory_order_relaxed);
    function(data);
    thread.task.store(&before, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    task.frame.exit_frame.ptr = nullptr;
}

OCB_INLINE const RegionRecord *run_function_here(TaskRecord &task, Outlined function, void *data,
                                                 void *frame) {
    ThreadRecord &thread = *own_thread;
    TaskRecord &before = task_of(thread);
    work_in(thread, task, before, function, data, frame);
    const bool is_complete = body_ends(task);
    tell_schedule(&task, is_complete ? ompt_task_complete : ompt_task_detach, &before);
    const RegionRecord *region = task.region;
    release(task);
    return region;
}

} // namespace

void run_task(void *raw) {
    seen_behind(raw);
    TaskArguments &arguments = *static_cast<TaskArguments *>(raw);
    const bool is_in_place = arguments.self == raw;
    TaskRecord &task = task_that_runs(arguments, is_in_place);
    void *data = is_in_place ? arguments.data : data_behind(arguments);
    if (arguments.is_loop) {
        std::memcpy(data, arguments.reserved, 2 * sizeof(void *));
    }
    const RegionRecord *region =
        run_function_here(task, arguments.function, data, __builtin_frame_address(0));
    done_before(raw);
    done_before(region);
}

const RegionRecord *run_function_of(TaskRecord &task, Outlined function, void *data) {
    return run_function_here(task, function, data, __builtin_frame_address(0));
}

void run_undeferred_task(void *raw) {
    const TaskArguments &arguments = *static_cast<TaskArguments *>(raw);
    ThreadRecord &thread = *own_thread;
    TaskRecord &task = *arguments.task;
    TaskRecord &before = task_of(thread);
    work_in(thread, task, before, arguments.function, arguments.data, __builtin_frame_address(0));
    tell_schedule(&task, ompt_task_complete, &before);
    done_before(task.region);
    release(task);
}

} // namespace ocb::gomp
