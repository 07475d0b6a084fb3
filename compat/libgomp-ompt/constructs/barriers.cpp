// SPDX-License-Identifier: Apache-2.0
// Barriers, taskwait and taskgroup. gcc up to 16 compiles an explicit barrier and the one that
// closes a static loop or a single construct to the same call: it is reported as a barrier of the
// implementation, and its state is that of any barrier. From gcc 17 on the call has the kind.
#include "dependences.h"
#include "work.h"

namespace ocb::gomp {
namespace {

struct Barrier {
    ompt_sync_region_t kind;
    int state;
};

// By gcc 17's number of the kind.
Barrier barrier_of(int kind) {
    constexpr Barrier kOfKinds[] = {
        {ompt_sync_region_barrier_implicit_parallel, ompt_state_wait_barrier_implicit_parallel},
        {ompt_sync_region_barrier_implicit_workshare, ompt_state_wait_barrier_implicit_workshare},
        {ompt_sync_region_barrier_explicit, ompt_state_wait_barrier_explicit},
    };
    constexpr int kKinds = sizeof kOfKinds / sizeof kOfKinds[0];
    return kind >= 0 && kind < kKinds
               ? kOfKinds[kind]
               : Barrier{ompt_sync_region_barrier_implementation, ompt_state_wait_barrier};
}

} // namespace
} // namespace ocb::gomp

using namespace ocb::gomp;

ENTRY_POINT_WAITING(kSyncEvents, void, GOMP_barrier, (), ()) {
    ThreadRecord &thread = this_thread(call);
    close_work(call, thread);
    sync(call, thread, ompt_sync_region_barrier_implementation, ompt_state_wait_barrier,
         REAL(GOMP_barrier));
}

ENTRY_POINT_WAITING(kSyncEvents, bool, GOMP_barrier_cancel, (), ()) {
    ThreadRecord &thread = this_thread(call);
    close_work(call, thread);
    return sync(call, thread, ompt_sync_region_barrier_implementation, ompt_state_wait_barrier,
                REAL(GOMP_barrier_cancel));
}

ENTRY_POINT_WAITING(kSyncEvents, void, GOMP_barrier_ext, (int kind), (kind)) {
    ThreadRecord &thread = this_thread(call);
    const Barrier barrier = barrier_of(kind);
    close_work(call, thread);
    sync(call, thread, barrier.kind, barrier.state, [&] { REAL(GOMP_barrier_ext)(kind); });
}

ENTRY_POINT_WAITING(kSyncEvents, bool, GOMP_barrier_cancel_ext, (int kind), (kind)) {
    ThreadRecord &thread = this_thread(call);
    const Barrier barrier = barrier_of(kind);
    close_work(call, thread);
    return sync(call, thread, barrier.kind, barrier.state,
                [&] { return REAL(GOMP_barrier_cancel_ext)(kind); });
}

// The end of a worksharing construct with task reductions.
ENTRY_POINT_WAITING(kSyncEvents, void, GOMP_workshare_task_reduction_unregister,
                    (bool is_cancelled), (is_cancelled)) {
    ThreadRecord &thread = this_thread(call);
    close_work(call, thread);
    if (is_cancelled) {
        REAL(GOMP_workshare_task_reduction_unregister)(is_cancelled);
        return;
    }
    sync(call, thread, ompt_sync_region_barrier_implicit_workshare,
         ompt_state_wait_barrier_implicit_workshare, [&] {
             REAL(GOMP_workshare_task_reduction_unregister)(is_cancelled);
         });
}

template <class CallType> static void jump_to_taskwait();

ENTRY_POINT_EACH(kSyncEvents, jump_to_taskwait<Call>, OCB_FUNCTION(jump_to_taskwait<QuietCall>),
                 void, GOMP_taskwait, (), ()) {
    sync(call, this_thread(call), ompt_sync_region_taskwait, ompt_state_wait_taskwait,
         REAL(GOMP_taskwait));
}

// The mark of the call shows all that is to be known of it, where it serves.
template <class CallType> static void jump_to_taskwait() {
    return marking_thread != nullptr
               ? function_of<Type_GOMP_taskwait>(runtimes[0], k_GOMP_taskwait)()
               : observed_GOMP_taskwait<CallType>();
}

ENTRY_POINT_WAITING(kDependenceEvents, void, GOMP_taskwait_depend, (void **depend), (depend)) {
    wait_for_dependences(call, this_thread(call), depend, REAL(GOMP_taskwait_depend));
}

ENTRY_POINT_TELLING(kSyncEvents, void, GOMP_taskgroup_start, (), ()) {
    report_sync(ompt_sync_region_taskgroup, ompt_scope_begin, task_of(this_thread(call)),
                call.code);
    REAL(GOMP_taskgroup_start)();
}

ENTRY_POINT_WAITING(kSyncEvents, void, GOMP_taskgroup_end, (), ()) {
    TaskRecord &task = task_of(this_thread(call));
    if constexpr (CallType::kIsTold) {
        report_sync_wait(ompt_sync_region_taskgroup, ompt_scope_begin, task, call.code);
    }
    {
        const InRuntime inside(task, call);
        const InWait waiting(ompt_state_wait_taskgroup, 0);
        const Ordered ordered(task.region);
        REAL(GOMP_taskgroup_end)();
    }
    if constexpr (CallType::kIsTold) {
        report_sync_wait(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
        report_sync(ompt_sync_region_taskgroup, ompt_scope_end, task, call.code);
    }
}
