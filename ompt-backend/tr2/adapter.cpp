// SPDX-License-Identifier: Apache-2.0
// TR2 of 2015 (ompt_tool), the draft after it and the form of 2014 (ompt_initialize): one adapter
// under three names. By the report callbacks can be set inside the initializer only, so all are,
// and what nobody has asked for yet is left out by the session's mask.
#include "tr2/adapter.h"

#include "attachment/attached_runtime.h"
#include "attachment/attachment.h"
#include "ompt5/client_tool.h"
#include "tr2/callbacks.h"
#include "tr2/entry_points.h"
#include "tr2/facts.h"
#include "tr2/ids.h"

#include "omp_collector_api.h"

namespace ocb::ompt_tr2 {
namespace {

// By the value of ompt_set_result_t, in the words of OpenMP 5.
constexpr ompt::SetResult kResults[] = {
    {"error", runtime::Service::kNone},  {"impossible", runtime::Service::kNone},
    {"never", runtime::Service::kNone},  {"sometimes", runtime::Service::kPartial},
    {"always", runtime::Service::kFull},
};
static_assert(std::size(kResults) == ompt_set_always + 1);

constexpr auto kRequest = OMP_COLLECTOR_BRIDGE_REQUEST;
constexpr auto kEvent = OMP_COLLECTOR_BRIDGE_EVENT;
constexpr auto kState = OMP_COLLECTOR_BRIDGE_STATE;
constexpr auto kExact = OMP_COLLECTOR_BRIDGE_EXACT;
constexpr auto kSynthesised = OMP_COLLECTOR_BRIDGE_SYNTHESISED;
constexpr auto kNotObservable = OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE;

// Texts of several rows.
constexpr const char *kTaskBeginIsBoth =
    "task_begin of any task, one point in time for both events";
constexpr const char *kBarrierByState =
    "wait_barrier_begin, else the barrier's end; the runtime's state shows whether it is explicit, "
    "which libomp's never does";
constexpr const char *kMutexWait = "between the events of the wait and of the acquisition; by "
                                   "ompt_get_state where the runtime does not report them";

// clang-format off
constexpr ompt::CapabilityOverride kOverrides[] = {
    {kRequest, OMP_REQ_CURRENT_PRID, kSynthesised, "a number given at parallel_begin and found by the runtime's id of the region", {ompt_event_parallel_begin, ompt_event_implicit_task_begin}, nullptr},
    {kRequest, OMP_REQ_PARENT_PRID, kSynthesised, "a number given at parallel_begin and found by the runtime's id of the region", {ompt_event_parallel_begin, ompt_event_implicit_task_begin}, nullptr},
    {kRequest, OMP_REQ_STATE, kSynthesised, "the thread's record, kept by events; ompt_get_state for reductions and, where no event reports them, waits for a mutex", {ompt_event_parallel_begin, ompt_event_implicit_task_begin}, nullptr},
    {kRequest, OMP_REQ_TASK_ID, kSynthesised, "a number given at task_begin and found by the runtime's id of the task", {ompt_event_task_begin, ompt_event_task_end, ompt_event_task_switch}, nullptr},
    {kRequest, OMP_REQ_TASK_PID, kSynthesised, "a number given at task_begin and found by the runtime's id of the task", {ompt_event_task_begin, ompt_event_task_end, ompt_event_task_switch}, nullptr},

    {kEvent, OMP_EVENT_FORK, kExact, "parallel_begin", {ompt_event_parallel_begin}, nullptr},
    {kEvent, OMP_EVENT_JOIN, kExact, "parallel_end", {ompt_event_parallel_end}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_IDLE, kExact, "idle_begin; libomp 3.7 to 5.0 report it when the worker has arrived at its region's end", {ompt_event_idle_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_END_IDLE, kExact, "idle_end; comes with the implicit task that follows, whose region it names", {ompt_event_idle_end, ompt_event_implicit_task_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_IBAR, kSynthesised, kBarrierByState, {ompt_event_barrier_begin, ompt_event_barrier_end, ompt_event_wait_barrier_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_END_IBAR, kExact, "barrier_end", {ompt_event_barrier_end}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_EBAR, kSynthesised, kBarrierByState, {ompt_event_barrier_begin, ompt_event_barrier_end, ompt_event_wait_barrier_begin}, ompt::silence_of_barriers},
    {kEvent, OMP_EVENT_THR_END_EBAR, kExact, "barrier_end", {ompt_event_barrier_end}, ompt::silence_of_barriers},
    {kEvent, OMP_EVENT_THR_BEGIN_LKWT, kExact, "wait_lock, wait_nest_lock: where the thread does wait", {ompt_event_wait_lock, ompt_event_wait_nest_lock, ompt_event_acquired_lock}, silence_of_mutexes},
    {kEvent, OMP_EVENT_THR_END_LKWT, kExact, "acquired_lock, acquired_nest_lock_first after such a wait", {ompt_event_acquired_lock, ompt_event_acquired_nest_lock_first}, silence_of_mutexes},
    {kEvent, OMP_EVENT_THR_BEGIN_CTWT, kExact, "wait_critical: where the thread does wait", {ompt_event_wait_critical, ompt_event_acquired_critical}, silence_of_mutexes},
    {kEvent, OMP_EVENT_THR_END_CTWT, kExact, "acquired_critical after such a wait", {ompt_event_acquired_critical}, silence_of_mutexes},
    {kEvent, OMP_EVENT_THR_BEGIN_ODWT, kExact, "wait_ordered: where the thread does wait", {ompt_event_wait_ordered, ompt_event_acquired_ordered}, nullptr},
    {kEvent, OMP_EVENT_THR_END_ODWT, kExact, "acquired_ordered after such a wait", {ompt_event_acquired_ordered}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_MASTER, kExact, "master_begin", {ompt_event_master_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_END_MASTER, kExact, "master_end", {ompt_event_master_end}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_SINGLE, kExact, "single_in_block_begin", {ompt_event_single_in_block_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_END_SINGLE, kExact, "single_in_block_end", {ompt_event_single_in_block_end}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_ORDERED, kExact, "acquired_ordered", {ompt_event_acquired_ordered}, nullptr},
    {kEvent, OMP_EVENT_THR_END_ORDERED, kExact, "release_ordered", {ompt_event_release_ordered}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_ATWT, kExact, "wait_atomic: where the thread does wait; atomics in hardware never do", {ompt_event_wait_atomic, ompt_event_acquired_atomic}, nullptr},
    {kEvent, OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED, kNotObservable, "the runtime reports waits, and no holder is kept", {}, nullptr},
    {kEvent, OMP_EVENT_THR_END_ATWT, kExact, "acquired_atomic after such a wait", {ompt_event_acquired_atomic}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_CREATE_TASK, kSynthesised, kTaskBeginIsBoth, {ompt_event_task_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_END_CREATE_TASK_IMM, kNotObservable, "task_begin does not show whether a task is undeferred: all end with _DEL", {ompt_event_task_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_END_CREATE_TASK_DEL, kSynthesised, kTaskBeginIsBoth, {ompt_event_task_begin}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_SUSPEND_TASK, kExact, "task_switch away from an explicit task that has not ended", {ompt_event_task_begin, ompt_event_task_switch}, nullptr},
    {kEvent, OMP_EVENT_THR_END_SUSPEND_TASK, kSynthesised, "task_switch back to the task on its thread, or to one below it", {ompt_event_task_begin, ompt_event_task_switch}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_EXEC_TASK, kExact, "task_switch to an explicit task that this thread has not suspended", {ompt_event_task_begin, ompt_event_task_switch}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_FINISH_TASK, kExact, "task_end", {ompt_event_task_begin, ompt_event_task_end}, nullptr},
    {kEvent, OMP_EVENT_THR_END_FINISH_TASK, kSynthesised, "task_end, one point in time for both events", {ompt_event_task_begin, ompt_event_task_end}, nullptr},

    {kState, THR_OVHD_STATE, kExact, "between parallel_begin and the implicit task, between its end and parallel_end, waiting in taskwait and taskgroup", {ompt_event_parallel_begin, ompt_event_implicit_task_begin}, nullptr},
    {kState, THR_WORK_STATE, kExact, "inside an implicit task, in no wait", {ompt_event_parallel_begin, ompt_event_implicit_task_begin}, nullptr},
    {kState, THR_IBAR_STATE, kSynthesised, kBarrierByState, {ompt_event_barrier_begin, ompt_event_barrier_end, ompt_event_wait_barrier_begin}, nullptr},
    {kState, THR_EBAR_STATE, kSynthesised, kBarrierByState, {ompt_event_barrier_begin, ompt_event_barrier_end, ompt_event_wait_barrier_begin}, ompt::silence_of_barriers},
    {kState, THR_IDLE_STATE, kExact, "from idle_begin to the next implicit task; libomp 3.7 to 5.0 report it when the worker has arrived at its region's end", {ompt_event_idle_begin, ompt_event_idle_end}, nullptr},
    {kState, THR_SERIAL_STATE, kSynthesised, "a thread outside any region that is no worker", {ompt_event_parallel_begin, ompt_event_implicit_task_begin}, nullptr},
    {kState, THR_REDUC_STATE, kSynthesised, "ompt_get_state at the time of the request, as no event reports it; libomp never shows it", {ompt_event_parallel_begin}, nullptr},
    {kState, THR_LKWT_STATE, kSynthesised, kMutexWait, {ompt_event_parallel_begin}, nullptr},
    {kState, THR_CTWT_STATE, kSynthesised, kMutexWait, {ompt_event_parallel_begin}, nullptr},
    {kState, THR_ODWT_STATE, kSynthesised, kMutexWait, {ompt_event_parallel_begin}, nullptr},
    {kState, THR_ATWT_STATE, kSynthesised, kMutexWait, {ompt_event_parallel_begin}, nullptr},
};
// clang-format on

int set_callback(const ompt::CallbackRow &row) {
    return entry_points.set_callback(row.number, row.function);
}

void reset_after_fork() {
    regions.clear_after_fork();
    tasks.clear_after_fork();
}

constexpr ompt::Adapter make_adapter(const char *name) {
    return {
        .name = name,
        .callbacks = kCallbacks,
        .results = kResults,
        .overrides = kOverrides,
        .registers_at_once = true,
        .reported_by_callbacks = kNeedAll & ~kNeedMutexes,
        .reports_threads = false,
        .first_mutex_state = ompt_state_wait_lock,
        .last_mutex_state = ompt_state_wait_ordered,
        .set_callback = set_callback,
        .facts_of_caller = facts_of_caller,
        .register_caller_late = register_caller_late,
        .unreported_region = unreported_region,
        .reset_after_fork = reset_after_fork,
    };
}

// What only OpenMP 5 and TR6 have: who answers to these names is no runtime of before.
bool is_of_later(ompt5::ompt_function_lookup_t lookup) {
    return lookup("ompt_get_thread_data") != nullptr || lookup("ompt_enumerate_states") != nullptr;
}

const ompt::Adapter &adapter_for(Registration registration) {
    if (registration == Registration::k2014) {
        return kAdapter2014;
    }
    return entry_points.get_parallel_id != nullptr ? kAdapter : kDraftAdapter;
}

} // namespace

constinit const ompt::Adapter kAdapter = make_adapter("TR2");
constinit const ompt::Adapter kDraftAdapter = make_adapter("TR2 draft");
constinit const ompt::Adapter kAdapter2014 = make_adapter("TR2 2014");

bool start(ompt5::ompt_function_lookup_t lookup, Registration registration) {
    if (is_of_later(lookup)) {
        ompt::reject("the OpenMP runtime initialises its tool in no form of OMPT that is known");
        return false;
    }
    ompt::find(lookup, "ompt_set_callback", entry_points.set_callback);
    ompt::find(lookup, "ompt_get_state", entry_points.get_state);
    ompt::find(lookup, "ompt_get_thread_id", entry_points.get_thread_id);
    ompt::find(lookup, "ompt_get_parallel_id", entry_points.get_parallel_id);
    ompt::find(lookup, "ompt_get_parallel_team_size", entry_points.get_parallel_team_size);
    ompt::find(lookup, "ompt_get_parallel_info", entry_points.get_parallel_info);
    if (entry_points.set_callback == nullptr || entry_points.get_state == nullptr ||
        entry_points.get_thread_id == nullptr ||
        (entry_points.get_parallel_id == nullptr && entry_points.get_parallel_info == nullptr)) {
        ompt::reject("the OpenMP runtime's tools interface lacks a function that TR2 demands");
        return false;
    }
    ompt::register_adapter(adapter_for(registration), lookup, entry_points.get_state);
    ompt5::multiplex::drop_client_tool(registration == Registration::k2014 ? "ompt_initialize"
                                                                           : "ompt_tool");
    return true;
}

} // namespace ocb::ompt_tr2
