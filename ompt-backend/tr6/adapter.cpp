// SPDX-License-Identifier: Apache-2.0
// TR6 (libomp 6 and 7): OpenMP 5.0 but for the initializer, the kinds of barriers and mutexes, and
// callback 31. Barriers have one kind there; the thread's state has more where the runtime has
// states of its own for them.
#include "tr6/adapter.h"

#include "attachment/attached_runtime.h"
#include "attachment/attachment.h"
#include "ompt5/callbacks.h"
#include "ompt5/client_tool.h"
#include "ompt5/entry_points.h"
#include "ompt5/facts.h"
#include "spec/tr6.h"
#include "tracker/before_openmp5.h"

#include "omp_collector_api.h"

namespace ocb::ompt_tr6 {
namespace {

using ompt5::EndsRegion;
using ompt5::ompt_scope_begin;
using tracker::BarrierKind;

// task_create reports the initial task, and may not be registered yet: each thread that
// is no worker has one.
void on_thread_begin(ompt_thread_type_t type, ompt_data_t *thread_data) {
    ompt5::on_thread_begin(static_cast<ompt5::ompt_thread_t>(type), thread_data);
    if (type != ompt_thread_worker && type != ompt_thread_other) {
        tracker::implicit_task_begins(nullptr, tracker::kInitialPlace);
    }
}

// No flags: none of these is an initial task.
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                      ompt_data_t *task_data, unsigned team_size, unsigned thread_num) {
    ompt5::on_implicit_task(endpoint, parallel_data, task_data, team_size, thread_num,
                            ompt_task_implicit);
}

void on_task_schedule(ompt_data_t *prior_task_data, ompt_task_status_t prior_task_status,
                      ompt_data_t *next_task_data) {
    // The number that "others" has is "detach" in 5.0.
    const auto status = prior_task_status == ompt_task_others
                            ? ompt5::ompt_task_switch
                            : static_cast<ompt5::ompt_task_status_t>(prior_task_status);
    ompt5::on_task_schedule(prior_task_data, status, next_task_data);
}

struct BarrierRow {
    omp_state_t state;
    BarrierKind kind;
    EndsRegion ends_region; // on a worker
};
// By the state inside the callback; libomp's is none of these.
constexpr BarrierRow kBarriers[] = {
    {omp_state_wait_barrier_implicit_parallel, BarrierKind::kImplicit, EndsRegion::kAlways},
    {omp_state_wait_barrier_implicit_workshare, BarrierKind::kImplicit, EndsRegion::kNever},
    {omp_state_wait_barrier_explicit, BarrierKind::kExplicit, EndsRegion::kNever},
};

void barrier_begins(const void *codeptr_ra) {
    ompt_wait_id_t wait_id = 0;
    const int state = ompt5::entry_points.get_state(&wait_id);
    for (const BarrierRow &row : kBarriers) {
        if (row.state == state) {
            return ompt5::barrier_waits(row.kind, row.ends_region, codeptr_ra);
        }
    }
    ompt::record_barrier_without_kind();
    ompt5::barrier_waits(BarrierKind::kImplicit, EndsRegion::kIfInOverhead, codeptr_ra);
}

void on_sync_region_wait(ompt_sync_region_kind_t kind, ompt_scope_endpoint_t endpoint,
                         ompt_data_t *parallel_data, ompt_data_t *, const void *codeptr_ra) {
    if (endpoint != ompt_scope_begin) {
        tracker::barrier_ends(ompt5::end_report(parallel_data, codeptr_ra));
    } else if (kind == ompt_sync_region_barrier) {
        barrier_begins(codeptr_ra);
    } else {
        ompt5::barrier_waits(BarrierKind::kTaskWait, EndsRegion::kNever, nullptr);
    }
}

// libomp reports begin and end at once, when the worker's next region is about to begin: then the
// region's end has been handled already. Other runtimes report the real begin here.
void on_idle(ompt_scope_endpoint_t endpoint) {
    if (endpoint == ompt_scope_begin && tracker::caller_is_worker_at_its_end()) {
        tracker::worker_left_region();
    }
}

struct MutexRow {
    ompt_mutex_kind_t source;
    MutexKind kind;
};
constexpr MutexRow kMutexes[] = {
    {ompt_mutex, MutexKind::kLock},
    {ompt_mutex_lock, MutexKind::kLock},
    {ompt_mutex_nest_lock, MutexKind::kNestLock},
    {ompt_mutex_critical, MutexKind::kCritical},
    {ompt_mutex_atomic, MutexKind::kAtomic},
    {ompt_mutex_ordered, MutexKind::kOrdered},
};

MutexKind mutex_kind(ompt_mutex_kind_t source) {
    for (const MutexRow &row : kMutexes) {
        if (row.source == source) {
            return row.kind;
        }
    }
    return MutexKind::kNone;
}

void on_mutex_acquire(ompt_mutex_kind_t kind, unsigned, unsigned impl, ompt_wait_id_t wait_id,
                      const void *) {
    ompt5::mutex_wanted(__builtin_return_address(0), mutex_kind(kind), impl, wait_id);
}

void on_mutex_acquired(ompt_mutex_kind_t kind, ompt_wait_id_t wait_id, const void *) {
    ompt5::mutex_acquired(mutex_kind(kind), WaitId{wait_id});
}

void on_mutex_released(ompt_mutex_kind_t kind, ompt_wait_id_t wait_id, const void *) {
    ompt5::mutex_released(mutex_kind(kind), WaitId{wait_id});
}

const ompt::CallbackRow kCallbacks[] = {
    {ompt5::ompt_callback_thread_begin, "thread_begin", OCB_OMPT_FUNCTION(on_thread_begin),
     kNeedRegions},
    {ompt5::ompt_callback_thread_end, "thread_end", OCB_OMPT_FUNCTION(ompt5::on_thread_end),
     kNeedRegions},
    {ompt5::ompt_callback_parallel_begin, "parallel_begin",
     OCB_OMPT_FUNCTION(ompt5::on_parallel_begin), kNeedRegions},
    {ompt5::ompt_callback_parallel_end, "parallel_end", OCB_OMPT_FUNCTION(ompt5::on_parallel_end),
     kNeedRegions},
    {ompt5::ompt_callback_implicit_task, "implicit_task", OCB_OMPT_FUNCTION(on_implicit_task),
     kNeedRegions},
    {ompt5::ompt_callback_control_tool, "control_tool", OCB_OMPT_FUNCTION(ompt5::on_control_tool),
     kNeedRegions},
    {ompt5::ompt_callback_task_create, "task_create", OCB_OMPT_FUNCTION(ompt5::on_task_create),
     kNeedWaits | kNeedTasks},
    {ompt5::ompt_callback_task_schedule, "task_schedule", OCB_OMPT_FUNCTION(on_task_schedule),
     kNeedWaits | kNeedTasks},
    {ompt5::ompt_callback_sync_region_wait, "sync_region_wait",
     OCB_OMPT_FUNCTION(on_sync_region_wait), kNeedWaits},
    {ompt_callback_idle, "idle", OCB_OMPT_FUNCTION(on_idle), kNeedWaits},
    {ompt5::ompt_callback_mutex_released, "mutex_released", OCB_OMPT_FUNCTION(on_mutex_released),
     kNeedMutexes},
    {ompt5::ompt_callback_mutex_acquired, "mutex_acquired", OCB_OMPT_FUNCTION(on_mutex_acquired),
     kNeedMutexes},
    {ompt5::ompt_callback_lock_init, "lock_init", OCB_OMPT_FUNCTION(ompt5::on_lock_init),
     kNeedMutexes, true},
    {ompt5::ompt_callback_lock_destroy, "lock_destroy", OCB_OMPT_FUNCTION(ompt5::on_lock_destroy),
     kNeedMutexes, true},
    {ompt5::ompt_callback_nest_lock, "nest_lock", OCB_OMPT_FUNCTION(ompt5::on_nest_lock),
     kNeedMutexes},
    {ompt5::ompt_callback_mutex_acquire, "mutex_acquire", OCB_OMPT_FUNCTION(on_mutex_acquire),
     kNeedMutexes},
    {ompt5::ompt_callback_work, "work", OCB_OMPT_FUNCTION(ompt5::on_work), kNeedSingle},
    {ompt_callback_master, "master", OCB_OMPT_FUNCTION(ompt5::on_masked), kNeedMaster},
};

int set_callback(const ompt::CallbackRow &row) {
    return ompt5::entry_points.set_callback(row.number, row.function);
}

constexpr ompt::SetResult kResults[] = {
    {"error", runtime::Service::kNone},        {"never", runtime::Service::kNone},
    {"sometimes", runtime::Service::kPartial}, {"sometimes_paired", runtime::Service::kPartial},
    {"always", runtime::Service::kFull},
};
static_assert(std::size(kResults) == ompt_set_always + 1);

constexpr auto kState = OMP_COLLECTOR_BRIDGE_STATE;
constexpr auto kEvent = OMP_COLLECTOR_BRIDGE_EVENT;
constexpr auto kSynthesised = OMP_COLLECTOR_BRIDGE_SYNTHESISED;
constexpr auto kNotObservable = OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE;

// Texts of several rows.
constexpr const char *kBarrierByState = "sync_region_wait; the runtime's state shows whether the "
                                        "barrier is explicit, which libomp's never does";

// clang-format off
constexpr ompt::CapabilityOverride kOverrides[] = {
    {kEvent, OMP_EVENT_THR_BEGIN_IDLE, kSynthesised, "the idle callback, which libomp 6 and 7 call as late as the next region; with OCB_IDLE_EVENTS=prompt the worker's arrival at its region's end", {}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_IBAR, kSynthesised, kBarrierByState, {}, nullptr},
    {kEvent, OMP_EVENT_THR_BEGIN_EBAR, kSynthesised, kBarrierByState, {}, ompt::silence_of_barriers},
    {kEvent, OMP_EVENT_THR_END_EBAR, kSynthesised, kBarrierByState, {}, ompt::silence_of_barriers},
    {kState, THR_IBAR_STATE, kSynthesised, kBarrierByState, {}, nullptr},
    {kState, THR_EBAR_STATE, kSynthesised, kBarrierByState, {}, ompt::silence_of_barriers},
    {kState, THR_REDUC_STATE, kNotObservable, "no callback for reductions: shows WORK, or the barrier around it", {}, nullptr},
};
// clang-format on

} // namespace

constinit const ompt::Adapter kAdapter = {
    .name = "TR6",
    .callbacks = kCallbacks,
    .results = kResults,
    .overrides = kOverrides,
    .registers_at_once = false,
    .reported_by_callbacks = kNeedAll,
    .reports_threads = true,
    .first_mutex_state = omp_state_wait_mutex,
    .last_mutex_state = omp_state_wait_ordered,
    .set_callback = set_callback,
    .facts_of_caller = ompt5::facts_of_caller,
    .register_caller_late = ompt5::register_caller_late,
    .reset_after_fork = [] {},
};

bool start(ompt_function_lookup_t lookup) {
    if (!ompt5::find_entry_points(lookup)) {
        return false;
    }
    ompt::register_adapter(kAdapter, lookup, ompt5::entry_points.get_state);
    ompt5::multiplex::drop_client_tool(nullptr);
    return true;
}

} // namespace ocb::ompt_tr6
