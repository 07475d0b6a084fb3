// SPDX-License-Identifier: Apache-2.0
// The task construct, and its dependences as gcc passes them.
#include "task.h"
#include "tool.h"
#include "work.h"

namespace ocb::gomp {
namespace {

// gcc's array of a task's dependences: {all, outs, addresses ...}, or from gcc 9 on, if there is
// something else than in and out, {0, all, outs, mutexinoutsets, ins, addresses ..., objects}.
class Dependences {
  public:
    explicit Dependences(void **array) : array_(array), is_long_(array[0] == nullptr) {}

    [[nodiscard]] std::size_t count() const { return number(is_long_ ? 1 : 0); }

    [[nodiscard]] Dependence at(std::size_t i) const {
        void *const *entry = array_ + (is_long_ ? 5 : 2) + i;
        const std::size_t outs = number(is_long_ ? 2 : 1);
        const std::size_t mutexes = is_long_ ? number(3) : 0;
        const std::size_t ins = is_long_ ? number(4) : count() - outs;
        if (i < outs) {
            return {{.ptr = *entry}, kDependenceInout};
        }
        if (i < outs + mutexes) {
            return {{.ptr = *entry}, kDependenceMutexinoutset};
        }
        if (i < outs + mutexes + ins) {
            return {{.ptr = *entry}, kDependenceIn};
        }
        // A depend object: the address and its kind.
        void *const *object = static_cast<void *const *>(*entry);
        return {{.ptr = object[0]}, type_of(reinterpret_cast<std::uintptr_t>(object[1]))};
    }

  private:
    static DependenceType type_of(std::uintptr_t kind) {
        constexpr DependenceType kTypes[] = {kDependenceInout,         kDependenceIn,
                                             kDependenceInout,         kDependenceInout,
                                             kDependenceMutexinoutset, kDependenceInoutset};
        return kind < sizeof kTypes / sizeof kTypes[0] ? kTypes[kind] : kDependenceInout;
    }
    [[nodiscard]] std::size_t number(int i) const {
        return reinterpret_cast<std::size_t>(array_[i]);
    }

    void **array_;
    bool is_long_;
};

void tell_dependences(TaskRecord &task, void **depend) {
    const auto tell = callback<DependencesCallback>(ompt_callback_dependences);
    if (tell == nullptr) {
        return;
    }
    constexpr std::size_t kMost = 256; // more are not told
    Dependence told[kMost];
    const Dependences all(depend);
    const std::size_t count = all.count() < kMost ? all.count() : kMost;
    for (std::size_t i = 0; i < count; ++i) {
        told[i] = all.at(i);
    }
    tell(&task.word, told, static_cast<int>(count));
}

// An undeferred task waits for its dependences inside of libgomp's entry. They are waited for in
// front of it, so that the wait is reported; the entry then finds them fulfilled.
void wait_for_dependences(const Call &call, ThreadRecord &thread, void **depend) {
    using Function = void (*)(void **);
    const auto wait = function_of<Function>(*call.runtime, k_GOMP_taskwait_depend);
    if (wait != nullptr) { // from gcc 9 on
        sync(call, thread, ompt_sync_region_taskwait, ompt_state_wait_taskwait,
             [&] { wait(depend); });
    }
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
    if (!is_deferrable && (flags & kGompDepend) != 0) {
        wait_for_dependences(call, thread, depend);
    }
    const InRuntime inside(task_of(thread), call);
    const bool is_undeferred = !is_deferrable || runs_at_once(call, thread);
    TaskRecord &task = create_task(call, thread, flags, is_undeferred);
    if ((flags & kGompDepend) != 0) {
        tell_dependences(task, depend);
    }
    TaskArguments arguments{};
    arguments.function = function;
    arguments.copy = copy;
    arguments.data = data;
    arguments.size = static_cast<std::size_t>(size);
    arguments.alignment = static_cast<std::size_t>(alignment);
    arguments.task = &task;
    arguments.gomp_flags = flags;
    REAL(GOMP_task)
    (run_task, &arguments, copy_arguments, buffer_size(arguments), buffer_alignment(arguments),
     is_deferrable, flags, depend, priority, detach);
}
