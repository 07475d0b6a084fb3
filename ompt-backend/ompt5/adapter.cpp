// SPDX-License-Identifier: Apache-2.0
// OpenMP 5.0 to 5.2 (libomp 8 and later): records/tables.h and requests/capabilities.cpp hold,
// but for explicit barriers on libomp 8.
#include "ompt5/adapter.h"

#include "attachment/attached_runtime.h"
#include "attachment/attachment.h"
#include "attachment/unmarked_loops.h"
#include "ompt5/callbacks.h"
#include "ompt5/client_callbacks.h"
#include "ompt5/client_data.h"
#include "ompt5/client_tool.h"
#include "ompt5/entry_points.h"
#include "ompt5/facts.h"
#include "ompt5/first_thread.h"
#include "ompt5/own_threads.h"
#include "tracker/tracker.h"

#include "omp_collector_api.h"

#include <dlfcn.h>

namespace ocb::ompt5 {

namespace {

int set_callback(const ompt::CallbackRow &row) {
    const auto id = static_cast<ompt_callbacks_t>(row.number);
    return first_thread::set_callback(id, multiplex::shared_callback(id, row.function));
}

// By the value of ompt_set_result_t.
void reset_after_fork() {
    multiplex::reset_after_fork();
    own_threads::reset_after_fork();
    first_thread::reset_after_fork();
}

constexpr ompt::SetResult kResults[] = {
    {"error", runtime::Service::kNone},
    {"never", runtime::Service::kNone},
    {"impossible", runtime::Service::kNone},
    {"sometimes", runtime::Service::kPartial},
    {"sometimes_paired", runtime::Service::kPartial},
    {"always", runtime::Service::kFull},
};
static_assert(std::size(kResults) == ompt_set_always + 1);

// Statuses and reasons stay those of the tables.
constexpr ompt::CapabilityOverride unless_silent(omp_collector_bridge_kind kind, int number) {
    return {kind, number, {}, nullptr, {}, ompt::silence_of_barriers};
}
constexpr ompt::CapabilityOverride unless_released(int event) {
    return {OMP_COLLECTOR_BRIDGE_EVENT, event, {}, nullptr, {}, first_thread::silence_of_releases};
}
constexpr ompt::CapabilityOverride kOverrides[] = {
    unless_silent(OMP_COLLECTOR_BRIDGE_EVENT, OMP_EVENT_THR_BEGIN_EBAR),
    unless_silent(OMP_COLLECTOR_BRIDGE_EVENT, OMP_EVENT_THR_END_EBAR),
    unless_silent(OMP_COLLECTOR_BRIDGE_STATE, THR_EBAR_STATE),
    unless_released(OMP_EVENT_THR_BEGIN_ORDERED),
    unless_released(OMP_EVENT_THR_END_ORDERED),
    unless_released(OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED),
};

// Tells a front that was loaded before the bridge where the bridge is.
void connect_front() {
    const auto connect = reinterpret_cast<omp_collector_front_connect_t>(
        dlsym(RTLD_DEFAULT, OMP_COLLECTOR_FRONT_CONNECT));
    tracker::know_calls(connect != nullptr ? connect(&omp_collector_bridge_own_front,
                                                     omp_collector_bridge_note_fork)
                                           : nullptr);
}

} // namespace

bool start(ompt_function_lookup_t lookup, int initial_device_num) {
    if (!find_entry_points(lookup)) {
        return false;
    }
    first_thread::watch(OCB_OMPT_FUNCTION(on_thread_end));
    multiplex::begin(lookup, initial_device_num);
    // With a client tool nothing may be left out: its data are in our records of regions and tasks.
    if (multiplex::has_client_tool) {
        runtime::want(kNeedAll);
    }
    tracker::want_front();
    connect_front();
    if (!multiplex::has_client_tool && !tracker::no_single_is_called()) {
        ompt::look_for_unmarked_loops();
    }
    ompt::register_adapter(kAdapter, lookup, entry_points.get_state);
    return true;
}

} // namespace ocb::ompt5

namespace ocb::ompt {

using namespace ompt5;

constinit const Adapter kExpectedAdapter = {
    .name = "OpenMP 5",
    .callbacks = kCallbacks,
    .results = kResults,
    .overrides = kOverrides,
    .registers_at_once = false,
    .reported_by_callbacks = kNeedAll,
    .reports_threads = true,
    .first_mutex_state = ompt_state_wait_mutex,
    .last_mutex_state = ompt_state_wait_ordered,
    .set_callback = set_callback,
    .facts_of_caller = facts_of_caller,
    .register_caller_late = register_caller_late,
    .task_of_caller = task_of_caller,
    .task_in_barrier = task_in_barrier,
    .function_frame_of_caller = function_frame_of_caller,
    .reset_after_fork = reset_after_fork,
};

} // namespace ocb::ompt
