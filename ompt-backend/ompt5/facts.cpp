// SPDX-License-Identifier: Apache-2.0
// What the runtime says about the calling thread, for threads that no callback has told us about
// (they existed before START); also of TR6, which has the same states and entry points): the state
// map, and the walk over the thread's regions. The entry points used here are async-signal-safe in
// OMPT (5.2, 18.6.1).
#include "ompt5/entry_points.h"
#include "records/region.h"
#include "records/thread_record.h"
#include "tracker/tracker.h"

#include "omp_collector_api.h"
#include "omp_collector_bridge.h"

namespace ocb::ompt5 {
namespace {

struct StateRow {
    ompt_state_t source;
    int state; // OMP_COLLECTOR_API_THR_STATE; 0: working, serial or in a region as may be
    bool at_region_end;
    omp_collector_bridge_status status;
    const char *reason;
};

// What ompt_get_state alone is good for. In ascending order.
// clang-format off
constexpr StateRow kStates[] = {
    {ompt_state_work_serial, 0, false, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "region or not is asked separately: stays on after orphaned constructs"},
    {ompt_state_work_parallel, 0, false, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "region or not is asked separately: stays on after orphaned constructs"},
    {ompt_state_work_reduction, THR_REDUC_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, "never seen on libomp"},
    {ompt_state_wait_barrier, THR_IBAR_STATE, false, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "before libomp 17 explicit barriers look the same"},
    {ompt_state_wait_barrier_implicit_parallel, THR_IBAR_STATE, true, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "idle workers look the same: the region tells"},
    {ompt_state_wait_barrier_implicit_workshare, THR_IBAR_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_wait_barrier_implicit, THR_IBAR_STATE, true, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "idle workers look the same: the region tells"},
    {ompt_state_wait_barrier_explicit, THR_EBAR_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_wait_barrier_implementation, THR_IBAR_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_wait_barrier_teams, THR_IBAR_STATE, true, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_wait_taskwait, THR_OVHD_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, "the Collector API has no such state"},
    {ompt_state_wait_taskgroup, THR_OVHD_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, "the Collector API has no such state"},
    {ompt_state_wait_mutex, THR_LKWT_STATE, false, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "of no kind"},
    {ompt_state_wait_lock, THR_LKWT_STATE, false, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "critical and atomic look the same on libomp"},
    {ompt_state_wait_critical, THR_CTWT_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_wait_atomic, THR_ATWT_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_wait_ordered, THR_ODWT_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_wait_target, THR_OVHD_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, "the Collector API has no such state"},
    {ompt_state_wait_target_map, THR_OVHD_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, "the Collector API has no such state"},
    {ompt_state_wait_target_update, THR_OVHD_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, "the Collector API has no such state"},
    {ompt_state_idle, THR_IDLE_STATE, true, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_overhead, THR_OVHD_STATE, false, OMP_COLLECTOR_BRIDGE_EXACT, ""},
    {ompt_state_undefined, THR_OVHD_STATE, false, OMP_COLLECTOR_BRIDGE_SYNTHESISED, "nothing better is known"},
};
// clang-format on

constexpr bool states_ascend() {
    int last = -1;
    for (const StateRow &row : kStates) {
        if (row.source <= last)
            return false;
        last = row.source;
    }
    return true;
}
static_assert(states_ascend());

const StateRow &row_of(int state) {
    for (const StateRow &row : kStates)
        if (row.source == state)
            return row;
    return kStates[sizeof(kStates) / sizeof(kStates[0]) - 1];
}

struct Level {
    bool is_there = false;
    bool is_initial = false; // no region
    int thread_num = 0;
    tracker::RegionWord *word = nullptr;
};

// The n-th implicit or initial task of the thread, the innermost first; explicit tasks between them
// are passed over. `task_level` goes on from call to call.
Level next_level(int &task_level) {
    for (;; ++task_level) {
        int flags = 0;
        ompt_data_t *parallel_data = nullptr;
        int thread_num = 0;
        // libomp 7 to 9 crash where thread_num is asked of a level that does not exist.
        if (entry_points.get_task_info(task_level, &flags, nullptr, nullptr, &parallel_data,
                                       nullptr) == 0)
            return {};
        if ((flags & (ompt_task_implicit | ompt_task_initial)) == 0)
            continue;
        entry_points.get_task_info(task_level, nullptr, nullptr, nullptr, nullptr, &thread_num);
        ++task_level;
        return {true, (flags & ompt_task_initial) != 0, thread_num,
                reinterpret_cast<tracker::RegionWord *>(parallel_data)};
    }
}

// 0 where the level is none of a region.
std::uint64_t id_of(const Level &level) {
    if (!level.is_there || level.is_initial || level.word == nullptr)
        return 0;
    const RegionRecord *region = tracker::region_at_first_sight(*level.word);
    return region != nullptr ? visible_id(region->running_key.load(std::memory_order_relaxed)) : 0;
}

bool is_known_to_runtime() {
    return entry_points.get_thread_data() != nullptr;
}

} // namespace

ThreadFacts facts_of_caller() {
    ThreadFacts facts;
    if (!is_known_to_runtime())
        return facts;
    facts.is_openmp_thread = true;
    ompt_wait_id_t wait_id = 0;
    const StateRow &row = row_of(entry_points.get_state(&wait_id));
    facts.state = row.state;
    facts.at_region_end = row.at_region_end;
    facts.wait_id = wait_id;

    int task_level = 0;
    const Level level = next_level(task_level);
    facts.is_worker = level.is_there && level.thread_num != 0;
    facts.is_master = level.is_there && level.thread_num == 0;
    if (!level.is_there || level.is_initial || level.word == nullptr)
        return facts;
    // A worker at a region's end whose region nobody has named was left there before START.
    if (facts.at_region_end && level.word->load(std::memory_order_acquire) == 0) {
        facts.region_ended = true;
        return facts;
    }
    if (const RegionRecord *region = tracker::region_at_first_sight(*level.word)) {
        const RegionKey key = region->running_key.load(std::memory_order_relaxed);
        facts.region_ended = key == 0;
        facts.region_id = visible_id(key);
        facts.parent_id = facts.is_master ? id_of(next_level(task_level)) : 0;
    }
    return facts;
}

void adopt_caller() {
    if (!is_known_to_runtime())
        return;
    // Up to the level at which the thread was recruited as a worker; what is outside belongs to
    // the team's master.
    constexpr int kMostLevels = 32;
    Level levels[kMostLevels];
    int count = 0;
    bool is_worker = false;
    for (int task_level = 0; count < kMostLevels && !is_worker; ++count) {
        levels[count] = next_level(task_level);
        if (!levels[count].is_there)
            break;
        is_worker = levels[count].thread_num != 0 && !levels[count].is_initial;
    }
    if (tracker::adopt_thread(is_worker ? ThreadKind::kWorker : ThreadKind::kUser) == nullptr)
        return;
    while (count-- > 0) {
        const Level &level = levels[count];
        RegionRecord *region = level.is_initial || level.word == nullptr
                                   ? nullptr
                                   : tracker::region_at_first_sight(*level.word);
        tracker::adopt_level(region,
                             {static_cast<std::uint32_t>(level.thread_num), 2, level.is_initial});
    }
}

} // namespace ocb::ompt5
