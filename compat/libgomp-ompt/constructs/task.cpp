// SPDX-License-Identifier: Apache-2.0
#include "task.h"

#include "loop_tasks.h"
#include "task_functions.h"
#include "tool.h"

namespace ocb::gomp {
namespace {

OCB_INLINE void report_schedule(TaskRecord *prior, ompt_task_status_t status, TaskRecord *next) {
    if (auto tell = callback<ompt_callback_task_schedule_t>(ompt_callback_task_schedule)) {
        tell(prior != nullptr ? &prior->word : nullptr, status,
             next != nullptr ? &next->word : nullptr);
    }
}

} // namespace

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
    task.thread_num = before.thread_num;
    task.marks.is_started = true;
    task.below = &before;
    report_schedule(&before, ompt_task_switch, &task);
    const InTask working;
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
    report_schedule(&task, is_complete ? ompt_task_complete : ompt_task_detach, &before);
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

// ---- At once, in place -------------------------------------------------------------------------

TaskRecord &keep_task_in_place(TaskRecord &parent) {
    TaskRecord &task = take_task(*own_thread, &parent, &parent);
    parent.in_place = &task;
    return task;
}

namespace {

// It has children that name it as their parent, and so it needs its own one as long.
[[gnu::noinline]] void let_task_in_place_go(TaskRecord &parent, TaskRecord &task) {
    parent.in_place = nullptr;
    if ((parent.flags & ompt_task_explicit) != 0) {
        parent.references.fetch_add(1, std::memory_order_relaxed);
    }
    release(task);
}

} // namespace

// The thread works before, in and behind it, and waits for nothing: its state stays.
void run_task_in_place(void *raw) {
    const auto &arguments = *static_cast<const TaskInPlace *>(raw);
    ThreadRecord &thread = *own_thread;
    TaskRecord &task = *arguments.task;
    TaskRecord &parent = *task.parent;
    task.thread_num = parent.thread_num;
    report_schedule(&parent, ompt_task_switch, &task);
    task.frame.exit_frame.ptr = __builtin_frame_address(0);
    thread.task.store(&task, std::memory_order_relaxed);
    arguments.function(arguments.data);
    thread.task.store(&parent, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    task.frame.exit_frame.ptr = nullptr;
    report_schedule(&task, ompt_task_complete, &parent);
    done_before(task.region);
    if (__builtin_expect(task.references.load(std::memory_order_acquire) != 1, 0)) {
        let_task_in_place_go(parent, task);
    }
}

// ---- Without events ----------------------------------------------------------------------------

namespace {

// The first task on top of another one, or on a thread that began while the tool wanted nothing.
[[gnu::noinline]] void run_first(void *data, const TaskFunction &function) {
    know_thread(QuietCall{&runtimes[0], nullptr, nullptr});
    TaskRecord &before = task_of(*own_thread);
    TaskRecord &task = take_task(*own_thread, nullptr, &before);
    task.region = before.region;
    task.region_run = before.region_run;
    task.thread_num = before.thread_num;
    task.marks = kRunningMarks;
    before.above = &task;
    run_quietly(data, function);
}

// Its record was left to its children (leave_record_to_children).
[[gnu::noinline]] void end_with_children(ThreadRecord &thread, TaskRecord &before) {
    TaskRecord &task = task_of(thread);
    thread.task.store(&before, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    release(task);
}

} // namespace

// The record is kept for the next task that runs here: what is the same for all of them is set
// once. A task leaves no call of the runtime open, so its marks and the frame by which it enters
// the runtime are as at its begin.
void run_quietly(void *data, const TaskFunction &function) {
    ThreadRecord *thread = own_thread;
    if (__builtin_expect(thread == nullptr, 0)) {
        return run_first(data, function);
    }
    TaskRecord &before = task_of(*thread);
    TaskRecord *task = before.above;
    if (__builtin_expect(task == nullptr, 0)) {
        return run_first(data, function);
    }
    seen_behind(before.region);
    task->word.value = 0;
    task->flags = function.flags;
    task->frame.exit_frame.ptr = __builtin_frame_address(0);
    {
        const InTask working;
        thread->task.store(task, std::memory_order_relaxed);
        function.function(data);
        if (__builtin_expect(before.above == nullptr, 0)) {
            end_with_children(*thread, before);
        }
        thread->task.store(&before, std::memory_order_relaxed);
    }
    done_before(before.region);
}

} // namespace ocb::gomp
