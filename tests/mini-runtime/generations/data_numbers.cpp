// SPDX-License-Identifier: Apache-2.0
// Numbers that TR6 and OpenMP 5 share.
#include "tool_data.h"

namespace mini::tool {

using namespace ocb::ompt5;

bool is_common_callback(int callback) {
    switch (callback) {
    case ompt_callback_thread_begin:
    case ompt_callback_thread_end:
    case ompt_callback_parallel_begin:
    case ompt_callback_parallel_end:
    case ompt_callback_task_create:
    case ompt_callback_task_schedule:
    case ompt_callback_implicit_task:
    case ompt_callback_control_tool:
    case ompt_callback_sync_region_wait:
    case ompt_callback_mutex_released:
    case ompt_callback_work:
    case ompt_callback_masked:
    case ompt_callback_sync_region:
    case ompt_callback_lock_init:
    case ompt_callback_lock_destroy:
    case ompt_callback_mutex_acquire:
    case ompt_callback_mutex_acquired:
    case ompt_callback_nest_lock:
    case ompt_callback_flush:
    case ompt_callback_cancel:
        return true;
    default:
        return false;
    }
}

int common_state(State state) {
    switch (state) {
    case State::kSerial:
        return ompt_state_work_serial;
    case State::kParallel:
        return ompt_state_work_parallel;
    case State::kReduction:
        return ompt_state_work_reduction;
    case State::kIdle:
        return ompt_state_idle;
    case State::kOverhead:
        return ompt_state_overhead;
    case State::kBarrierParallel:
        return ompt_state_wait_barrier_implicit_parallel;
    case State::kBarrierWorkshare:
        return ompt_state_wait_barrier_implicit_workshare;
    case State::kBarrierExplicit:
        return ompt_state_wait_barrier_explicit;
    case State::kBarrierImplementation:
        return ompt_state_wait_barrier_implementation;
    case State::kTaskwait:
        return ompt_state_wait_taskwait;
    case State::kTaskgroup:
        return ompt_state_wait_taskgroup;
    case State::kLock:
    case State::kNestLock:
        return ompt_state_wait_lock;
    case State::kCritical:
        return ompt_state_wait_critical;
    case State::kAtomic:
        return ompt_state_wait_atomic;
    case State::kOrdered:
        return ompt_state_wait_ordered;
    case State::kUndefined:
        break;
    }
    return ompt_state_undefined;
}

} // namespace mini::tool
