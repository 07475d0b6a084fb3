// SPDX-License-Identifier: Apache-2.0
// omp_collector_bridge.h: the version and the capability rows. Events come from the event table;
// requests and states have their rows here.
#include "base/compiler.h"
#include "omp_collector_bridge.h"

#include "records/tables.h"
#include "runtime.h"

#include <array>
#include <iterator>

namespace ocb {
namespace {

// A request or a state; an event's row is in tables.h.
struct Row {
    int number;
    const char *name;
    Needs needs;
    omp_collector_bridge_status status;
    const char *reason;
};

// clang-format off
constexpr Row kRequestRows[] = {
    {OMP_REQ_START, "OMP_REQ_START", kNeedNothing, kExact, "attaches an OMPT tool to the runtime, or says why that is not possible"},
    {OMP_REQ_REGISTER, "OMP_REQ_REGISTER", kNeedNothing, kExact, "kept by the bridge"},
    {OMP_REQ_UNREGISTER, "OMP_REQ_UNREGISTER", kNeedNothing, kExact, "kept by the bridge"},
    {OMP_REQ_STATE, "OMP_REQ_STATE", kNeedWaits | kNeedMutexes, kSynthesised, "the thread's record, kept by OMPT callbacks; ompt_get_state where they have not reached the thread yet"},
    {OMP_REQ_CURRENT_PRID, "OMP_REQ_CURRENT_PRID", kNeedRegions, kSynthesised, "numbers given at parallel_begin, kept in the runtime's parallel_data"},
    {OMP_REQ_PARENT_PRID, "OMP_REQ_PARENT_PRID", kNeedRegions, kSynthesised, "numbers given at parallel_begin, kept in the runtime's parallel_data"},
    {OMP_REQ_STOP, "OMP_REQ_STOP", kNeedNothing, kExact, "kept by the bridge"},
    {OMP_REQ_PAUSE, "OMP_REQ_PAUSE", kNeedNothing, kExact, "kept by the bridge"},
    {OMP_REQ_RESUME, "OMP_REQ_RESUME", kNeedNothing, kExact, "kept by the bridge"},
    {OMP_REQ_TASK_ID, "OMP_REQ_TASK_ID", kNeedTasks, kSynthesised, "numbers given at task_create, kept in the runtime's task_data; none for tasks created before anybody asked for tasks"},
    {OMP_REQ_TASK_PID, "OMP_REQ_TASK_PID", kNeedTasks, kSynthesised, "numbers given at task_create, kept in the runtime's task_data; none for tasks created before anybody asked for tasks"},
};

constexpr Row kStateRows[] = {
    {THR_OVHD_STATE, "THR_OVHD_STATE", kNeedRegions, kExact, "between parallel_begin and the implicit task, between its end and parallel_end, waiting in taskwait and taskgroup"},
    {THR_WORK_STATE, "THR_WORK_STATE", kNeedRegions, kExact, "inside an implicit task, in no wait"},
    {THR_IBAR_STATE, "THR_IBAR_STATE", kNeedWaits, kExact, "sync_region_wait of an implicit kind; in gcc-built programs explicit barriers look the same"},
    {THR_EBAR_STATE, "THR_EBAR_STATE", kNeedWaits, kExact, "sync_region_wait of the explicit kind; gcc-built programs show IBAR instead"},
    {THR_IDLE_STATE, "THR_IDLE_STATE", kNeedWaits, kSynthesised, "a worker in the barrier at the end of a region whose master has left it"},
    {THR_SERIAL_STATE, "THR_SERIAL_STATE", kNeedRegions, kSynthesised, "a user thread outside any region, whatever the runtime's own state says after orphaned constructs"},
    {THR_REDUC_STATE, "THR_REDUC_STATE", kNeedReductions, kSynthesised, "reduction callbacks (critical and tree method); the atomic method, the master's last combine and gcc-built programs give no sign and show WORK"},
    {THR_LKWT_STATE, "THR_LKWT_STATE", kNeedMutexes, kSynthesised, "between mutex_acquire and mutex_acquired, while the table of held mutexes shows another holder"},
    {THR_CTWT_STATE, "THR_CTWT_STATE", kNeedMutexes, kSynthesised, "between mutex_acquire and mutex_acquired, while the table of held mutexes shows another holder"},
    {THR_ODWT_STATE, "THR_ODWT_STATE", kNeedMutexes, kExact, "between mutex_acquire and mutex_acquired of an ordered region; doacross gives no sign and shows WORK"},
    {THR_ATWT_STATE, "THR_ATWT_STATE", kNeedMutexes, kSynthesised, "between mutex_acquire and mutex_acquired of the runtime's atomic lock, while another thread holds it"},
    {THR_TASK_CREATE_STATE, "THR_TASK_CREATE_STATE", kNeedTasks, kSynthesised, "inside BEGIN_CREATE_TASK and END_CREATE_TASK_IMM or _DEL: OMPT reports one point in time"},
    {THR_TASK_SCHEDULE_STATE, "THR_TASK_SCHEDULE_STATE", kNeedNothing, kNotObservable, "OMPT does not report the search for a task: never shown"},
    {THR_TASK_SUSPEND_STATE, "THR_TASK_SUSPEND_STATE", kNeedTasks, kSynthesised, "inside BEGIN_SUSPEND_TASK and END_SUSPEND_TASK; between them the thread executes other tasks"},
    {THR_TASK_STEAL_STATE, "THR_TASK_STEAL_STATE", kNeedNothing, kNotObservable, "OMPT does not report queues of tasks: never shown"},
    {THR_TASK_FINISH_STATE, "THR_TASK_FINISH_STATE", kNeedTasks, kSynthesised, "inside BEGIN_FINISH_TASK and END_FINISH_TASK: OMPT reports one point in time"},
};
// clang-format on

static_assert(std::size(kRequestRows) == OMP_REQ_LAST);
static_assert(std::size(kStateRows) == THR_LAST_STATE - THR_OVHD_STATE);

// All rows as omp_collector_bridge.h shows them, and what each needs to be observed.
struct Capabilities {
    static constexpr std::size_t kCount =
        std::size(kRequestRows) + std::size(kEvents) + std::size(kStateRows);
    std::array<omp_collector_bridge_capability, kCount> rows{};
    std::array<Needs, kCount> needs{};
};

consteval Capabilities make_capabilities() {
    Capabilities all;
    std::size_t n = 0;
    const auto add = [&](omp_collector_bridge_kind kind, int number, const auto &row) {
        all.rows[n] = {kind, number, row.name, row.status, row.reason};
        all.needs[n++] = row.needs;
    };
    for (const Row &row : kRequestRows) {
        add(OMP_COLLECTOR_BRIDGE_REQUEST, row.number, row);
    }
    for (const EventRow &row : kEvents) {
        add(OMP_COLLECTOR_BRIDGE_EVENT, contract_number(row.event), row);
    }
    for (const Row &row : kStateRows) {
        add(OMP_COLLECTOR_BRIDGE_STATE, row.number, row);
    }
    return all;
}

constexpr Capabilities kCapabilities = make_capabilities();

} // namespace
} // namespace ocb

#define OCB_STRING_OF(x) #x
#define OCB_STRING(x)    OCB_STRING_OF(x)

OCB_EXPORT const char *omp_collector_bridge_version() {
    return OCB_STRING(OMP_COLLECTOR_BRIDGE_VERSION_MAJOR) "." OCB_STRING(
        OMP_COLLECTOR_BRIDGE_VERSION_MINOR) "." OCB_STRING(OMP_COLLECTOR_BRIDGE_VERSION_PATCH);
}

OCB_EXPORT const omp_collector_bridge_capability *omp_collector_bridge_capabilities(size_t *count) {
    *count = ocb::kCapabilities.rows.size();
    return ocb::kCapabilities.rows.data();
}

OCB_EXPORT int omp_collector_bridge_capability_here(size_t index,
                                                    omp_collector_bridge_capability *row) {
    using namespace ocb;
    if (index >= kCapabilities.rows.size()) {
        return 0;
    }
    *row = kCapabilities.rows[index];
    runtime::describe_here(*row, kCapabilities.needs[index]);
    return 1;
}
