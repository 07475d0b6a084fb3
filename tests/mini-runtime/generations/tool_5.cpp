// SPDX-License-Identifier: Apache-2.0
// OpenMP 5.0 to 5.2: three arguments, barrier kinds, reduction, flags; nobody tells of idling.
#include "defects.h"
#include "tool_data.h"

#include <cstring>

namespace mini::tool {

using namespace ocb::ompt5;

const unsigned kHaving = kWithWords | kOnlyIn5;

namespace generation {

const unsigned kOmpVersion = 202111;
const char *const kRuntimeVersion = "mini-omp with OMPT of OpenMP 5";
const int kAlways = ompt_set_always;
const int kNever = ompt_set_never;
const int kFirstState = ompt_state_undefined;

const NamedState kStates[] = {
    {State::kSerial, "ompt_state_work_serial"},
    {State::kParallel, "ompt_state_work_parallel"},
    {State::kReduction, "ompt_state_work_reduction"},
    {State::kBarrierParallel, "ompt_state_wait_barrier_implicit_parallel"},
    {State::kBarrierWorkshare, "ompt_state_wait_barrier_implicit_workshare"},
    {State::kBarrierExplicit, "ompt_state_wait_barrier_explicit"},
    {State::kBarrierImplementation, "ompt_state_wait_barrier_implementation"},
    {State::kTaskwait, "ompt_state_wait_taskwait"},
    {State::kTaskgroup, "ompt_state_wait_taskgroup"},
    {State::kLock, "ompt_state_wait_lock"},
    {State::kCritical, "ompt_state_wait_critical"},
    {State::kAtomic, "ompt_state_wait_atomic"},
    {State::kOrdered, "ompt_state_wait_ordered"},
    {State::kIdle, "ompt_state_idle"},
    {State::kOverhead, "ompt_state_overhead"},
    {State::kUndefined, nullptr},
};

bool initialize(void *result, ompt_function_lookup_t lookup) {
    auto &start = *static_cast<ompt_start_tool_result_t *>(result);
    static ompt_data_t other_data;
    constexpr int kInitialDevice = 0; // there is no other
    return start.initialize(lookup, breaks(Defect::kInitialDevice) ? -10 : kInitialDevice,
                            breaks(Defect::kToolData) ? &other_data : &start.tool_data) != 0;
}

void finalize(void *result) {
    auto &start = *static_cast<ompt_start_tool_result_t *>(result);
    if (start.finalize != nullptr) {
        start.finalize(&start.tool_data);
    }
}

bool has_callback(int callback) {
    return is_common_callback(callback) || callback == ompt_callback_reduction;
}

namespace {

void finalize_tool() {
    tool::report_end();
    tool::finalize();
}

} // namespace

ompt_interface_fn_t lookup(const char *name) {
    if (std::strcmp(name, "ompt_finalize_tool") == 0) {
        return reinterpret_cast<ompt_interface_fn_t>(&finalize_tool);
    }
    return nullptr;
}

int state_of(State state) {
    return common_state(state);
}

int sync_of(SyncKind kind) {
    switch (kind) {
    case SyncKind::kBarrierParallel:
        return ompt_sync_region_barrier_implicit_parallel;
    case SyncKind::kBarrierWorkshare:
        return ompt_sync_region_barrier_implicit_workshare;
    case SyncKind::kBarrierExplicit:
        return ompt_sync_region_barrier_explicit;
    case SyncKind::kBarrierImplementation:
        return ompt_sync_region_barrier_implementation;
    case SyncKind::kTaskwait:
        return ompt_sync_region_taskwait;
    case SyncKind::kTaskgroup:
        break;
    }
    return ompt_sync_region_taskgroup;
}

int mutex_of(MutexKind kind, bool is_test) {
    switch (kind) {
    case MutexKind::kLock:
        return is_test ? ompt_mutex_test_lock : ompt_mutex_lock;
    case MutexKind::kNestLock:
        return is_test ? ompt_mutex_test_nest_lock : ompt_mutex_nest_lock;
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
    return ompt_task_switch;
}

int parallel_flags(bool is_invoked_by_program) {
    constexpr int kByProgram = 0x1, kByRuntime = 0x2, kTeam = static_cast<int>(0x80000000U);
    return kTeam | (is_invoked_by_program ? kByProgram : kByRuntime);
}

} // namespace generation

void initial_task(Endpoint endpoint, Word *region, Word *task) {
    const bool is_begin = endpoint == Endpoint::kBegin;
    const bool has_region = is_begin && !breaks(Defect::kImplicitTaskInitialRegion);
    const unsigned size = is_begin && !breaks(Defect::kImplicitTaskInitialSize) ? 1 : 0;
    const unsigned index = breaks(Defect::kImplicitTaskInitialIndex) ? 0 : 1;
    const int flags =
        breaks(Defect::kImplicitTaskInitialFlags) ? ompt_task_implicit : ompt_task_initial;
    tell<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, endpoint_of(endpoint),
                                        has_region ? data(region) : nullptr, data(task), size,
                                        index, flags);
}

void implicit_task(Endpoint endpoint, Word *region, Word *task, unsigned size, unsigned num) {
    const bool is_begin = endpoint == Endpoint::kBegin;
    const bool has_region = is_begin || breaks(Defect::kImplicitTaskEndRegion);
    const bool has_size = is_begin || breaks(Defect::kImplicitTaskEndSize);
    const int flags = breaks(Defect::kImplicitTaskFlags) ? ompt_task_explicit : ompt_task_implicit;
    tell<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, endpoint_of(endpoint),
                                        has_region ? data(region) : nullptr, data(task),
                                        has_size ? size : 0U, num, flags);
}

void idle(Endpoint, Word *) {} // not told of since 5.0

void reduction(Endpoint endpoint, Word *region, Word *task, const void *caller) {
    tell<ompt_callback_sync_region_t>(ompt_callback_reduction, ompt_sync_region_reduction,
                                      endpoint_of(endpoint), data(region), data(task), caller);
}

} // namespace mini::tool
