// SPDX-License-Identifier: Apache-2.0
#include "task.h"

#include "taskloops.h"
#include "tool.h"

#include <cstdlib>
#include <cstring>

namespace ocb::gomp {
namespace {

// The copy of the program's data behind the arguments.
void *data_behind(TaskArguments &arguments) {
    return reinterpret_cast<unsigned char *>(&arguments) + arguments.offset;
}

int public_flags(unsigned gomp_flags, bool is_undeferred) {
    int flags = ompt_task_explicit;
    flags |= (gomp_flags & kGompUntied) != 0 ? kTaskUntied : 0;
    flags |= (gomp_flags & kGompFinal) != 0 ? kTaskFinal : 0;
    flags |= (gomp_flags & kGompMergeable) != 0 ? kTaskMergeable : 0;
    flags |= is_undeferred ? ompt_task_undeferred : 0;
    return flags;
}

void tell_schedule(TaskRecord *prior, ompt_task_status_t status, TaskRecord *next) {
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
bool drops_tasks(const Call &call, const ThreadRecord &thread) {
    if ((task_of(thread).flags & ompt_task_initial) != 0) {
        return false;
    }
    constexpr int kGompCancelTaskgroup = 8;
    const auto is_cancelled = function_of<bool (*)(int)>(*call.runtime, k_GOMP_cancellation_point);
    return is_cancelled != nullptr && is_cancelled(kGompCancelTaskgroup);
}

TaskBuffer::TaskBuffer(TaskArguments &arguments) : memory_(small_) {
    const auto size = static_cast<std::size_t>(buffer_size(arguments));
    if (size > kSmall) {
        memory_ = static_cast<unsigned char *>(malloc(size));
        if (memory_ == nullptr) {
            abort();
        }
    }
    arguments.self = memory_;
    std::memcpy(memory_, &arguments, sizeof arguments);
    if (arguments.size != 0) {
        std::memcpy(memory_ + arguments.offset, arguments.data, arguments.size);
    }
}

TaskBuffer::~TaskBuffer() {
    if (memory_ != small_) {
        free(memory_);
    }
}

TaskRecord &create_task(const void *code, ThreadRecord &thread, unsigned gomp_flags,
                        bool is_undeferred, bool depends) {
    TaskRecord &parent = task_of(thread);
    TaskRecord &task = take_task(thread);
    task.parent = &parent;
    task.region = parent.region;
    task.region_run = parent.region_run;
    task.flags = public_flags(gomp_flags, is_undeferred);
    task.thread_num = parent.thread_num;
    if ((parent.flags & ompt_task_explicit) != 0) {
        parent.references.fetch_add(1, std::memory_order_relaxed);
    } else {
        parent.has_created = true;
    }
    if (auto tell = callback<ompt_callback_task_create_t>(ompt_callback_task_create)) {
        tell(&parent.word, &parent.frame, &task.word, task.flags, depends ? 1 : 0, code);
    }
    return task;
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

TaskRecord &task_that_runs(const TaskArguments &arguments, bool is_in_place) {
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
    const RegionRecord *region = run_function_of(task, arguments.function, data);
    done_before(raw);
    done_before(region);
}

const RegionRecord *run_function_of(TaskRecord &task, Outlined function, void *data) {
    ThreadRecord &thread = *own_thread;
    TaskRecord &before = task_of(thread);
    task.is_started = true;
    task.thread_num = before.thread_num;
    task.below = &before;
    tell_schedule(&before, ompt_task_switch, &task);
    {
        const InTask working(thread, (task.region->encountering != nullptr)
                                         ? ompt_state_work_parallel
                                         : ompt_state_work_serial);
        task.frame.exit_frame.ptr = __builtin_frame_address(0);
        thread.task.store(&task, std::memory_order_relaxed);
        function(data);
        thread.task.store(&before, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        task.frame.exit_frame.ptr = nullptr;
    }
    const bool is_complete = body_ends(task);
    tell_schedule(&task, is_complete ? ompt_task_complete : ompt_task_detach, &before);
    const RegionRecord *region = task.region;
    release(task);
    return region;
}

} // namespace ocb::gomp
