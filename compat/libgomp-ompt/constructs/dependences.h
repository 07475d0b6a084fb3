// SPDX-License-Identifier: Apache-2.0
// The dependences of a task as gcc passes them, and the wait for them on the thread that meets the
// construct: taskwait with a depend clause, and a task that is not deferred.
#pragma once

#include "records.h"
#include "work.h"

namespace ocb::gomp {

// False: an iterator of the clause has no iterations.
bool has_dependences(void **depend);
void report_dependences(TaskRecord &task, void **depend);

// The wait is a task without code, for the time of a scope (OpenMP 5.1: taskwait-init,
// taskwait-complete).
class WaitForDependences {
  public:
    WaitForDependences(ThreadRecord &thread, void **depend, const void *code);
    ~WaitForDependences();
    WaitForDependences(const WaitForDependences &) = delete;
    WaitForDependences &operator=(const WaitForDependences &) = delete;

  private:
    TaskRecord &task_;
};

constexpr Events kDependenceEvents =
    events(ompt_callback_task_create, ompt_callback_task_schedule, ompt_callback_dependences);

// `wait` is libgomp's function.
template <class CallType>
void wait_for_dependences(const CallType &call, ThreadRecord &thread, void **depend,
                          void (*wait)(void **)) {
    TaskRecord &task = task_of(thread);
    const InRuntime inside(task, call);
    const auto run = [&] {
        const InWait waiting(ompt_state_wait_taskwait, 0);
        const Ordered ordered(task.region);
        wait(depend);
    };
    if constexpr (CallType::kIsTold) {
        const WaitForDependences told(thread, depend, call.code);
        run();
    } else {
        run();
    }
}

} // namespace ocb::gomp
