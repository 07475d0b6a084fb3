// SPDX-License-Identifier: Apache-2.0
// The task construct.
#include "dependences.h"
#include "task.h"
#include "task_functions.h"

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

// A task whose events nobody wants. False: it needs a record before it runs, as it has an event, or
// waits for others inside of this call, or there is no stub left.
template <class Real>
OCB_INLINE bool make_quiet_task(const Call &call, const WantedTask &wanted, Real real) {
    ThreadRecord &thread = this_thread(call);
    TaskRecord &parent = task_of(thread);
    const unsigned others = wanted.is_deferrable ? kGompDetach : kGompDetach | kGompDepend;
    if ((wanted.flags & others) != 0) {
        return false;
    }
    const bool is_undeferred = !wanted.is_deferrable || runs_at_once(parent);
    const Outlined stub =
        stub_of(wanted.function, public_flags(parent, wanted.flags, is_undeferred));
    if (stub == nullptr) {
        return false;
    }
    marking_thread = bridge_is_alone && calls_are_marked() ? &thread : nullptr;
    const InRuntime inside(parent, call);
    parent.marks.has_created = true;
    done_before(parent.region);
    real(stub, wanted.data, wanted.copy, wanted.size, wanted.alignment, wanted.is_deferrable,
         wanted.flags, wanted.depend, wanted.priority, nullptr);
    return true;
}

// Any task. Out of the way of the commonest ones, which need less.
template <class CallType, class Real>
[[gnu::noinline]] void make_any_task(const Call &call, const WantedTask &wanted, Real real) {
    if (!CallType::kIsTold && make_quiet_task(call, wanted, real)) {
        return;
    }
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

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

namespace {

// The arguments of GOMP_task behind the sixth. Where they are all on the stack they are handed on
// as one, which the compiler leaves where it is.
#ifdef __x86_64__
struct OtherArguments {
    unsigned flags;
    void **depend;
    long priority;
    void *detach;
};
static_assert(sizeof(OtherArguments) == 4 * sizeof(void *));
#define OTHER_PARAMETERS OtherArguments others
#define OTHER_ARGUMENTS  others
#define OTHER_FLAGS      others.flags
#else
#define OTHER_PARAMETERS unsigned flags, void **depend, int priority, void *detach
#define OTHER_ARGUMENTS  flags, depend, priority, detach
#define OTHER_FLAGS      flags
#endif
void jump_to_task(Outlined function, void *data, CopyFunction copy, long size, long alignment,
                  bool is_deferrable, OTHER_PARAMETERS);

} // namespace

// Older compilers pass fewer arguments: libgomp looks at the last ones only if the flags say so.
ENTRY_POINT_FULL(kDependenceEvents, OCB_FUNCTION(jump_to_task), void, GOMP_task,
                 (Outlined function, void *data, CopyFunction copy, long size, long alignment,
                  bool is_deferrable, unsigned flags, void **depend, int priority, void *detach),
                 (function, data, copy, size, alignment, is_deferrable, flags, depend, priority,
                  detach)) {
    if (CallType::kIsTold && copy == nullptr && (flags & (kGompDetach | kGompDepend)) == 0 &&
        !call.runtime->can_cancel) {
        ThreadRecord &thread = this_thread(call);
        TaskRecord &parent = task_of(thread);
        const InRuntime inside(parent, call);
        if (is_deferrable) {
            make_task(
                {function, data, nullptr, size, alignment, true, flags, nullptr, priority, nullptr},
                create_task_here(call.code, thread, flags, runs_at_once(parent), false),
                REAL(GOMP_task));
        } else {
            make_task_in_place(function, data, flags, nullptr, priority,
                               create_task_in_place(call.code, parent, flags, false),
                               REAL(GOMP_task));
        }
        return;
    }
    make_any_task<CallType>(
        {call.runtime, call.code, call.frame},
        {function, data, copy, size, alignment, is_deferrable, flags, depend, priority, detach},
        REAL(GOMP_task));
}

namespace {

using TakesTask = decltype(&jump_to_task);

// The stub for the commonest tasks of which nothing is told; null: the long way is to be gone.
OCB_INLINE const TaskFunction *function_of_common_task(Outlined function, unsigned gomp_flags,
                                                       unsigned others, int flags) {
    const ThreadRecord *thread = marking_thread;
    if (thread == nullptr || (gomp_flags & others) != 0) {
        return nullptr;
    }
    TaskRecord &parent = task_of(*thread);
    const bool has_their_flags = !runs_at_once(parent);
    parent.marks.has_created = true;
    done_before(parent.region);
    return has_their_flags ? known_function(function, ompt_task_explicit | flags) : nullptr;
}
constexpr unsigned kRare = kGompUntied | kGompFinal | kGompMergeable | kGompDetach;

// By if(0).
[[gnu::noinline]] void jump_to_undeferred_task(Outlined function, void *data, CopyFunction copy,
                                               long size, long alignment, bool is_deferrable,
                                               OTHER_PARAMETERS) {
    const TaskFunction *known =
        is_deferrable ? nullptr
                      : function_of_common_task(function, OTHER_FLAGS, kRare | kGompDepend,
                                                ompt_task_undeferred);
    if (known != nullptr) {
        return function_of<TakesTask>(runtimes[0], k_GOMP_task)(
            known->stub, data, copy, size, alignment, is_deferrable, OTHER_ARGUMENTS);
    }
    reinterpret_cast<TakesTask>(OCB_FUNCTION(observed_GOMP_task<QuietCall>))(
        function, data, copy, size, alignment, is_deferrable, OTHER_ARGUMENTS);
}

// All calls are jumps, so that the arguments stay where they are.
void jump_to_task(Outlined function, void *data, CopyFunction copy, long size, long alignment,
                  bool is_deferrable, OTHER_PARAMETERS) {
    const TaskFunction *known =
        is_deferrable ? function_of_common_task(function, OTHER_FLAGS, kRare, 0) : nullptr;
    if (known != nullptr) {
        return function_of<TakesTask>(runtimes[0], k_GOMP_task)(
            known->stub, data, copy, size, alignment, is_deferrable, OTHER_ARGUMENTS);
    }
    jump_to_undeferred_task(function, data, copy, size, alignment, is_deferrable, OTHER_ARGUMENTS);
}

} // namespace
