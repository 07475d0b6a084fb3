// SPDX-License-Identifier: Apache-2.0
// The task construct.
#include "dependences.h"
#include "task.h"

namespace ocb::gomp {
namespace {

// The program's arguments of the construct.
struct WantedTask {
    Outlined function;
    void *data;
    CopyFunction copy;
    long size;
    long alignment;
    bool is_deferrable;
    unsigned flags;
    void **depend;
    int priority;
    void *detach;
};

// libgomp runs the task at once, where its data are.
template <class Real>
OCB_INLINE void make_undeferred_task(Outlined function, void *data, unsigned flags, void **depend,
                                     int priority, TaskRecord &task, Real real) {
    TaskArguments arguments; // what is not used is not initialised
    arguments.function = function;
    arguments.data = data;
    arguments.task = &task;
    real(run_undeferred_task, &arguments, nullptr, sizeof arguments, alignof(TaskArguments), false,
         flags, depend, priority, nullptr);
}

template <class Real>
OCB_INLINE void make_task(const WantedTask &wanted, TaskRecord &task, Real real) {
    const auto size = static_cast<std::size_t>(wanted.size);
    const std::size_t offset = data_offset(static_cast<std::size_t>(wanted.alignment));
    const bool copies = wanted.copy != nullptr || (wanted.flags & kGompDetach) != 0;
    TaskBuffer buffer(copies ? sizeof(TaskArguments) : offset + size);
    TaskArguments &arguments = buffer.arguments(); // what is not used is not initialised
    arguments.function = wanted.function;
    arguments.data = wanted.data;
    arguments.offset = offset;
    arguments.size = size;
    arguments.task = &task;
    arguments.is_loop = false;
    if (copies) {
        arguments.self = nullptr; // it runs in the copy alone
        arguments.copy = wanted.copy;
        arguments.gomp_flags = wanted.flags;
    } else {
        copy_data_behind(arguments);
    }
    done_before(&task);
    real(run_task, &arguments, copies ? copy_arguments : nullptr, buffer_size(arguments),
         buffer_alignment(wanted.alignment), wanted.is_deferrable, wanted.flags, wanted.depend,
         wanted.priority, wanted.detach);
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

// Older compilers pass fewer arguments: libgomp looks at the last ones only if the flags say so.
ENTRY_POINT(void, GOMP_task,
            (Outlined function, void *data, CopyFunction copy, long size, long alignment,
             bool is_deferrable, unsigned flags, void **depend, int priority, void *detach),
            (function, data, copy, size, alignment, is_deferrable, flags, depend, priority,
             detach)) {
    ThreadRecord &thread = this_thread(call);
    // The commonest of those that libgomp runs at once: nothing else is to be looked at.
    if (!is_deferrable && copy == nullptr && (flags & (kGompDepend | kGompDetach)) == 0 &&
        !call.runtime->can_cancel) {
        const InRuntime inside(task_of(thread), call);
        TaskRecord &task = create_task_here(call.code, thread, flags, true, false);
        make_undeferred_task(function, data, flags, nullptr, priority, task, REAL(GOMP_task));
        return;
    }
    if (drops_tasks(call, thread)) {
        REAL(GOMP_task)
        (function, data, copy, size, alignment, is_deferrable, flags, depend, priority, detach);
        return;
    }
    bool depends = (flags & kGompDepend) != 0 && has_dependences(depend);
    // Without `if` libgomp waits for them inside of this call. They are waited for in front of it,
    // so that the wait is told; the call then finds them fulfilled.
    const auto wait = function_of<void (*)(void **)>(*call.runtime, k_GOMP_taskwait_depend);
    if (depends && !is_deferrable && wait != nullptr) { // from gcc 9 on
        wait_for_dependences(call, thread, depend, wait);
        depends = false; // has told them
    }
    const InRuntime inside(task_of(thread), call);
    const bool is_undeferred = !is_deferrable || runs_at_once(call, thread);
    TaskRecord &task = create_task_here(call.code, thread, flags, is_undeferred, depends);
    if (depends) {
        tell_dependences(task, depend);
    }
    const WantedTask wanted{function,      data,  copy,   size,     alignment,
                            is_deferrable, flags, depend, priority, detach};
    if (!is_deferrable && copy == nullptr && (flags & kGompDetach) == 0) {
        make_undeferred_task(function, data, flags, depend, priority, task, REAL(GOMP_task));
    } else {
        make_task(wanted, task, REAL(GOMP_task));
    }
}
