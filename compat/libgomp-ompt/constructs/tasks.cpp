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
OCB_INLINE void make_task_in_place(Outlined function, void *data, unsigned flags, void **depend,
                                   int priority, TaskRecord &task, Real real) {
    TaskInPlace arguments{function, data, &task};
    real(run_task_in_place, &arguments, nullptr, sizeof arguments, alignof(TaskInPlace), false,
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

// Any task, though nobody may listen. Out of the way of the commonest ones, which need less.
template <class Real>
[[gnu::noinline]] void make_any_task(const Call &call, const WantedTask &wanted, Real real) {
    ThreadRecord &thread = this_thread(call);
    const bool is_in_place =
        !wanted.is_deferrable && wanted.copy == nullptr && (wanted.flags & kGompDetach) == 0;
    if (drops_tasks(call, thread)) {
        real(wanted.function, wanted.data, wanted.copy, wanted.size, wanted.alignment,
             wanted.is_deferrable, wanted.flags, wanted.depend, wanted.priority, wanted.detach);
        return;
    }
    bool depends = (wanted.flags & kGompDepend) != 0 && has_dependences(wanted.depend);
    // Without `if` libgomp waits for them inside of this call. They are waited for in front of it,
    // so that the wait is told; the call then finds them fulfilled.
    const auto wait = function_of<void (*)(void **)>(*call.runtime, k_GOMP_taskwait_depend);
    if (depends && !wanted.is_deferrable && wait != nullptr) { // from gcc 9 on
        wait_for_dependences(call, thread, wanted.depend, wait);
        depends = false; // has told them
    }
    const InRuntime inside(task_of(thread), call);
    const bool is_undeferred = !wanted.is_deferrable || runs_at_once(task_of(thread));
    TaskRecord &task =
        is_in_place ? create_task_in_place(call.code, task_of(thread), wanted.flags, depends)
                    : create_task_here(call.code, thread, wanted.flags, is_undeferred, depends);
    if (depends) {
        report_dependences(task, wanted.depend);
    }
    if (is_in_place) {
        make_task_in_place(wanted.function, wanted.data, wanted.flags, wanted.depend,
                           wanted.priority, task, real);
    } else {
        make_task(wanted, task, real);
    }
}

// What libgomp runs at once it copies to the stack, where a program may have little left.
constexpr long kMostQuietBytes = 256;

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

// Older compilers pass fewer arguments: libgomp looks at the last ones only if the flags say so.
ENTRY_POINT_WAITING(kDependenceEvents, void, GOMP_task,
                    (Outlined function, void *data, CopyFunction copy, long size, long alignment,
                     bool is_deferrable, unsigned flags, void **depend, int priority, void *detach),
                    (function, data, copy, size, alignment, is_deferrable, flags, depend, priority,
                     detach)) {
    constexpr bool kIsTold = CallType::kIsTold;
    constexpr long kAlignment = alignof(QuietTask);
    constexpr long kSize = sizeof(QuietTask);
    const bool is_quiet = !kIsTold && is_deferrable;
    const bool is_small = size <= kMostQuietBytes && alignment <= kAlignment;
    const unsigned others = is_quiet ? kGompDetach : kGompDetach | kGompDepend;
    if (copy != nullptr || (flags & others) != 0 || call.runtime->can_cancel ||
        (is_quiet && !is_small)) {
        make_any_task(
            {call.runtime, call.code, call.frame},
            {function, data, copy, size, alignment, is_deferrable, flags, depend, priority, detach},
            REAL(GOMP_task));
        return;
    }
    ThreadRecord &thread = this_thread(call);
    TaskRecord &parent = task_of(thread);
    const InRuntime inside(parent, call);
    if (!is_deferrable) {
        make_task_in_place(function, data, flags, nullptr, priority,
                           create_task_in_place(call.code, parent, flags, false), REAL(GOMP_task));
        return;
    }
    if constexpr (kIsTold) {
        make_task(
            {function, data, nullptr, size, alignment, true, flags, nullptr, priority, nullptr},
            create_task_here(call.code, thread, flags, runs_at_once(parent), false),
            REAL(GOMP_task));
    } else {
        parent.marks.has_created = true;
        QuietArguments arguments{quiet_task(parent, function, flags, runs_at_once(parent)), data,
                                 static_cast<std::size_t>(size)};
        REAL(GOMP_task)
        (run_quiet_task, &arguments, copy_quiet_task, kSize + size, kAlignment, true, flags, depend,
         priority, nullptr);
    }
}
