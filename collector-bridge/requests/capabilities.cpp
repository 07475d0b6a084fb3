// SPDX-License-Identifier: Apache-2.0
// omp_collector_bridge.h: the version and the capability rows. Events come from the event table;
// requests and states have their rows here.
#include "omp_collector_bridge.h"

#include "records/tables.h"
#include "runtime.h"

#include <array>

namespace ocb {
namespace {

using Row = omp_collector_bridge_capability;

// clang-format off
constexpr Row kRequestRows[] = {
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_START, "OMP_REQ_START", kExact, "attaches an OMPT tool to the runtime, or says why that is not possible"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_REGISTER, "OMP_REQ_REGISTER", kExact, "kept by the bridge"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_UNREGISTER, "OMP_REQ_UNREGISTER", kExact, "kept by the bridge"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_STATE, "OMP_REQ_STATE", kSynthesised, "the thread's record, kept by OMPT callbacks; ompt_get_state where they have not reached the thread yet"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_CURRENT_PRID, "OMP_REQ_CURRENT_PRID", kSynthesised, "numbers given at parallel_begin, kept in the runtime's parallel_data"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_PARENT_PRID, "OMP_REQ_PARENT_PRID", kSynthesised, "numbers given at parallel_begin, kept in the runtime's parallel_data"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_STOP, "OMP_REQ_STOP", kExact, "kept by the bridge"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_PAUSE, "OMP_REQ_PAUSE", kExact, "kept by the bridge"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_RESUME, "OMP_REQ_RESUME", kExact, "kept by the bridge"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_TASK_ID, "OMP_REQ_TASK_ID", kSynthesised, "numbers given at task_create, kept in the runtime's task_data; none for tasks created before anybody asked for tasks"},
    {OMP_COLLECTOR_BRIDGE_REQUEST, OMP_REQ_TASK_PID, "OMP_REQ_TASK_PID", kSynthesised, "numbers given at task_create, kept in the runtime's task_data; none for tasks created before anybody asked for tasks"},
};

constexpr Row kStateRows[] = {
    {OMP_COLLECTOR_BRIDGE_STATE, THR_OVHD_STATE, "THR_OVHD_STATE", kExact, "between parallel_begin and the implicit task, between its end and parallel_end, waiting in taskwait and taskgroup"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_WORK_STATE, "THR_WORK_STATE", kExact, "inside an implicit task, in no wait"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_IBAR_STATE, "THR_IBAR_STATE", kExact, "sync_region_wait of an implicit kind; in gcc-built programs explicit barriers look the same"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_EBAR_STATE, "THR_EBAR_STATE", kExact, "sync_region_wait of the explicit kind; gcc-built programs show IBAR instead"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_IDLE_STATE, "THR_IDLE_STATE", kSynthesised, "a worker in the barrier at the end of a region whose master has left it"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_SERIAL_STATE, "THR_SERIAL_STATE", kSynthesised, "a user thread outside any region, whatever the runtime's own state says after orphaned constructs"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_REDUC_STATE, "THR_REDUC_STATE", kSynthesised, "reduction callbacks (critical and tree method); the atomic method, the master's last combine and gcc-built programs give no sign and show WORK"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_LKWT_STATE, "THR_LKWT_STATE", kSynthesised, "between mutex_acquire and mutex_acquired, while the table of held mutexes shows another holder"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_CTWT_STATE, "THR_CTWT_STATE", kSynthesised, "between mutex_acquire and mutex_acquired, while the table of held mutexes shows another holder"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_ODWT_STATE, "THR_ODWT_STATE", kExact, "between mutex_acquire and mutex_acquired of an ordered region; doacross gives no sign and shows WORK"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_ATWT_STATE, "THR_ATWT_STATE", kSynthesised, "between mutex_acquire and mutex_acquired of the runtime's atomic lock, while another thread holds it"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_TASK_CREATE_STATE, "THR_TASK_CREATE_STATE", kSynthesised, "inside BEGIN_CREATE_TASK and END_CREATE_TASK_IMM or _DEL: OMPT reports one point in time"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_TASK_SCHEDULE_STATE, "THR_TASK_SCHEDULE_STATE", kNotObservable, "OMPT does not report the search for a task: never shown"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_TASK_SUSPEND_STATE, "THR_TASK_SUSPEND_STATE", kSynthesised, "inside BEGIN_SUSPEND_TASK and END_SUSPEND_TASK; between them the thread executes other tasks"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_TASK_STEAL_STATE, "THR_TASK_STEAL_STATE", kNotObservable, "OMPT does not report queues of tasks: never shown"},
    {OMP_COLLECTOR_BRIDGE_STATE, THR_TASK_FINISH_STATE, "THR_TASK_FINISH_STATE", kSynthesised, "inside BEGIN_FINISH_TASK and END_FINISH_TASK: OMPT reports one point in time"},
};
// clang-format on

template <class T, std::size_t N> constexpr std::size_t count_of(const T (&)[N]) {
    return N;
}

static_assert(count_of(kRequestRows) == OMP_REQ_LAST);
static_assert(count_of(kStateRows) == THR_LAST_STATE - THR_OVHD_STATE);

constexpr auto make_rows() {
    std::array<Row, count_of(kRequestRows) + count_of(kEvents) + count_of(kStateRows)> rows{};
    std::size_t n = 0;
    for (const Row &row : kRequestRows)
        rows[n++] = row;
    for (const EventRow &row : kEvents)
        rows[n++] = {OMP_COLLECTOR_BRIDGE_EVENT, row.event, row.name, row.status, row.reason};
    for (const Row &row : kStateRows)
        rows[n++] = row;
    return rows;
}

constexpr auto kRows = make_rows();

// What a row needs to be observed, in the order of the rows.
constexpr Needs kRequestNeeds[] = {0, 0, 0, kNeedState, kNeedRegions, kNeedRegions,
                                   0, 0, 0, kNeedTasks, kNeedTasks};
constexpr Needs kStateNeeds[] = {kNeedRegions, kNeedRegions, kNeedWaits,      kNeedWaits,
                                 kNeedWaits,   kNeedRegions, kNeedReductions, kNeedMutexes,
                                 kNeedMutexes, kNeedMutexes, kNeedMutexes,    kNeedTasks,
                                 kNeedNothing, kNeedTasks,   kNeedNothing,    kNeedTasks};
static_assert(count_of(kRequestNeeds) == count_of(kRequestRows));
static_assert(count_of(kStateNeeds) == count_of(kStateRows));

Needs needs_of(const Row &row) {
    switch (row.kind) {
    case OMP_COLLECTOR_BRIDGE_REQUEST:
        return kRequestNeeds[row.number];
    case OMP_COLLECTOR_BRIDGE_EVENT:
        return event_row(row.number).needs;
    case OMP_COLLECTOR_BRIDGE_STATE:
        return kStateNeeds[row.number - THR_OVHD_STATE];
    }
    return 0;
}

} // namespace
} // namespace ocb

#define OCB_STRING_OF(x) #x
#define OCB_STRING(x)    OCB_STRING_OF(x)

extern "C" __attribute__((visibility("default"))) const char *omp_collector_bridge_version() {
    return OCB_STRING(OMP_COLLECTOR_BRIDGE_VERSION_MAJOR) "." OCB_STRING(
        OMP_COLLECTOR_BRIDGE_VERSION_MINOR) "." OCB_STRING(OMP_COLLECTOR_BRIDGE_VERSION_PATCH);
}

extern "C" __attribute__((visibility("default"))) const omp_collector_bridge_capability *
omp_collector_bridge_capabilities(size_t *count) {
    *count = ocb::kRows.size();
    return ocb::kRows.data();
}

extern "C" __attribute__((visibility("default"))) int
omp_collector_bridge_capability_here(size_t index, omp_collector_bridge_capability *row) {
    using namespace ocb;
    if (index >= kRows.size())
        return 0;
    *row = kRows[index];
    runtime::describe_here(*row, needs_of(*row));
    return 1;
}
