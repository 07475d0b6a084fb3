// SPDX-License-Identifier: Apache-2.0
// TR6 (2017): two arguments, states omp_state_*, callback 31 tells of idling, one kind of barrier.
#include "defects.h"
#include "tool_data.h"

namespace mini::tool {

using namespace ocb::ompt_tr6;

const unsigned kHaving = kWithWords;

namespace generation {

const unsigned kOmpVersion = ocb::ompt_tr6::kOmpVersion;
const char *const kRuntimeVersion = "mini-omp with OMPT of TR6";
const int kAlways = ompt_set_always;
const int kNever = ompt_set_never;
const int kFirstState = omp_state_undefined;

const NamedState kStates[] = {
    {State::kSerial, "omp_state_work_serial"},
    {State::kParallel, "omp_state_work_parallel"},
    {State::kReduction, "omp_state_work_reduction"},
    {State::kBarrierImplementation, "omp_state_wait_barrier"},
    {State::kBarrierParallel, "omp_state_wait_barrier_implicit_parallel"},
    {State::kBarrierWorkshare, "omp_state_wait_barrier_implicit_workshare"},
    {State::kBarrierExplicit, "omp_state_wait_barrier_explicit"},
    {State::kTaskwait, "omp_state_wait_taskwait"},
    {State::kTaskgroup, "omp_state_wait_taskgroup"},
    {State::kLock, "omp_state_wait_lock"},
    {State::kCritical, "omp_state_wait_critical"},
    {State::kAtomic, "omp_state_wait_atomic"},
    {State::kOrdered, "omp_state_wait_ordered"},
    {State::kIdle, "omp_state_idle"},
    {State::kOverhead, "omp_state_overhead"},
    {State::kUndefined, nullptr},
};

bool initialize(void *result, ompt_function_lookup_t lookup) {
    auto &start = *static_cast<ompt_start_tool_result_t *>(result);
    return start.initialize(lookup, &start.tool_data) != 0;
}

void finalize(void *result) {
    auto &start = *static_cast<ompt_start_tool_result_t *>(result);
    if (start.finalize != nullptr) {
        start.finalize(&start.tool_data);
    }
}

bool has_callback(int callback) {
    return is_common_callback(callback) || callback == ompt_callback_idle;
}

ompt_interface_fn_t lookup(const char *) {
    return nullptr;
}

int state_of(State state) {
    return state == State::kBarrierImplementation ? omp_state_wait_barrier : common_state(state);
}

int sync_of(SyncKind kind) {
    switch (kind) {
    case SyncKind::kTaskwait:
        return ompt_sync_region_taskwait;
    case SyncKind::kTaskgroup:
        return ompt_sync_region_taskgroup;
    default:
        return ompt_sync_region_barrier;
    }
}

int mutex_of(MutexKind kind, bool) {
    switch (kind) {
    case MutexKind::kLock:
        return ompt_mutex_lock;
    case MutexKind::kNestLock:
        return ompt_mutex_nest_lock;
    case MutexKind::kCritical:
        return ompt_mutex_critical;
    case MutexKind::kAtomic:
        return ompt_mutex_atomic;
    case MutexKind::kOrdered:
        break;
    }
    return ompt_mutex_ordered;
}

int work_of(WorkKind kind) {
    switch (kind) {
    case WorkKind::kLoop:
        return ompt_work_loop;
    case WorkKind::kSections:
        return ompt_work_sections;
    case WorkKind::kSingleExecutor:
        return ompt_work_single_executor;
    case WorkKind::kSingleOther:
        return ompt_work_single_other;
    case WorkKind::kDistribute:
        break;
    }
    return ompt_work_distribute;
}

int status_of(TaskStatus status) {
    switch (status) {
    case TaskStatus::kComplete:
        return ompt_task_complete;
    case TaskStatus::kYield:
        return ompt_task_yield;
    case TaskStatus::kCancel:
        return ompt_task_cancel;
    case TaskStatus::kSwitch:
        break;
    }
    return ompt_task_others;
}

int parallel_flags(bool is_invoked_by_program) {
    return is_invoked_by_program ? ompt_invoker_program : ompt_invoker_runtime;
}

} // namespace generation

// The initial task is told of as one that is created, by nobody; its end is not told.
void initial_task(Endpoint endpoint, Word *, Word *task) {
    if (endpoint == Endpoint::kBegin) {
        tell<ocb::ompt5::ompt_callback_task_create_t>(ocb::ompt5::ompt_callback_task_create,
                                                      nullptr, nullptr, data(task),
                                                      ompt_task_initial, 0, nullptr);
    }
}

void implicit_task(Endpoint endpoint, Word *region, Word *task, unsigned size, unsigned num) {
    const bool is_begin = endpoint == Endpoint::kBegin;
    tell<ompt_callback_implicit_task_t>(ocb::ompt5::ompt_callback_implicit_task,
                                        endpoint_of(endpoint), is_begin ? data(region) : nullptr,
                                        data(task), is_begin ? size : 0U, num);
}

void idle(Endpoint endpoint, Word *) {
    tell<ompt_callback_idle_t>(ompt_callback_idle, endpoint_of(endpoint));
}

void reduction(Endpoint, Word *, Word *, const void *) {} // told of since 5.0

} // namespace mini::tool
