// SPDX-License-Identifier: Apache-2.0
// What a runtime of before OpenMP 5 says about the calling thread. Of a thread that we know it is
// asked only for what its events may have left out: waiting for a mutex (libomp 3.8 to 5.0 accept
// those events and never send them) and reductions, which have a state and no event. Of others all.
#include "records/region.h"
#include "records/thread_record.h"
#include "tr2/entry_points.h"
#include "tr2/ids.h"
#include "tracker/tracker.h"

#include "omp_collector_api.h"

namespace ocb::ompt_tr2 {

constinit EntryPoints entry_points;

namespace {

struct StateRow {
    ompt_state_t source;
    int state; // OMP_COLLECTOR_API_THR_STATE; 0: working, serial or in a region as may be
};

// In ascending order; what is not here is overhead, as are targets, whose numbers differ.
constexpr StateRow kStates[] = {
    {ompt_state_work_serial, 0},
    {ompt_state_work_parallel, 0},
    {ompt_state_work_reduction, THR_REDUC_STATE},
    {ompt_state_idle, THR_IDLE_STATE},
    {ompt_state_overhead, THR_OVHD_STATE},
    {ompt_state_wait_barrier, THR_IBAR_STATE},
    {ompt_state_wait_barrier_implicit, THR_IBAR_STATE},
    {ompt_state_wait_barrier_explicit, THR_EBAR_STATE},
    {ompt_state_wait_taskwait, THR_OVHD_STATE},
    {ompt_state_wait_taskgroup, THR_OVHD_STATE},
    {ompt_state_wait_lock, THR_LKWT_STATE},
    {ompt_state_wait_nest_lock, THR_LKWT_STATE},
    {ompt_state_wait_critical, THR_CTWT_STATE},
    {ompt_state_wait_atomic, THR_ATWT_STATE},
    {ompt_state_wait_ordered, THR_ODWT_STATE},
    {ompt_state_wait_single_libomp, THR_OVHD_STATE},
};

int state_of(int source) {
    for (const StateRow &row : kStates)
        if (row.source == source)
            return row.state;
    return THR_OVHD_STATE;
}

bool is_mutex_wait(int source) {
    return source >= ompt_state_wait_lock && source <= ompt_state_wait_ordered;
}

constinit std::atomic<bool> mutex_event_was_seen{false};
constinit std::atomic<bool> mutex_wait_was_seen{false};

ThreadFacts facts_beyond_events(const ThreadRecord &record) {
    ThreadFacts facts;
    facts.is_openmp_thread = true;
    // The event has told the kind, which the runtime's state may not.
    if (record.mutex.get() != MutexKind::kNone)
        return facts;
    ompt_wait_id_t wait_id = 0;
    const int source = entry_points.get_state(&wait_id);
    if (source != ompt_state_work_reduction && !is_mutex_wait(source))
        return facts;
    if (is_mutex_wait(source) && !mutex_wait_was_seen.load(std::memory_order_relaxed))
        mutex_wait_was_seen.store(true, std::memory_order_relaxed);
    facts.state = state_of(source);
    facts.wait_id = wait_id;
    return facts;
}

// Null where the region has ended or was never told of.
RegionRecord *region_of(const IdNode *node) {
    return node != nullptr ? ocb::region_of(node->word.load(std::memory_order_acquire)) : nullptr;
}

std::uint64_t visible_id_of(int ancestor_level) {
    const RegionRecord *region = region_of(regions.find(parallel_id(ancestor_level)));
    return region != nullptr ? visible_id(region->running_key.load(std::memory_order_relaxed)) : 0;
}

} // namespace

ompt_parallel_id_t parallel_id(int ancestor_level) {
    if (entry_points.get_parallel_id != nullptr)
        return entry_points.get_parallel_id(ancestor_level);
    ompt_parallel_id_t id = ompt_id_none;
    int team_size = 0;
    return entry_points.get_parallel_info(ancestor_level, &id, &team_size) != 0 ? id : ompt_id_none;
}

void note_mutex_event() {
    if (!mutex_event_was_seen.load(std::memory_order_relaxed))
        mutex_event_was_seen.store(true, std::memory_order_relaxed);
}

bool mutexes_are_silent() {
    return mutex_wait_was_seen.load(std::memory_order_relaxed) &&
           !mutex_event_was_seen.load(std::memory_order_relaxed);
}

ThreadFacts facts_of_caller() {
    if (const ThreadRecord *record = own_record)
        return facts_beyond_events(*record);
    ThreadFacts facts;
    const ompt_thread_id_t thread = entry_points.get_thread_id();
    if (thread == ompt_id_none)
        return facts;
    facts.is_openmp_thread = true;
    ompt_wait_id_t wait_id = 0;
    facts.state = state_of(entry_points.get_state(&wait_id));
    facts.wait_id = wait_id;
    const ompt_parallel_id_t innermost = parallel_id(0);
    const IdNode *node = regions.find(innermost);
    if (node == nullptr) {
        // libomp shows an idle worker its last region, which has ended.
        facts.region_ended = innermost != ompt_id_none;
        facts.is_worker = facts.state == THR_IDLE_STATE;
        return facts;
    }
    facts.is_master = node->owner.load(std::memory_order_relaxed) == thread;
    facts.is_worker = !facts.is_master;
    facts.region_id = visible_id_of(0);
    facts.parent_id = facts.is_master ? visible_id_of(1) : 0;
    return facts;
}

void adopt_caller() {
    const ompt_thread_id_t thread = entry_points.get_thread_id();
    if (thread == ompt_id_none)
        return;
    // Out to the region that another thread has forked: there this one was recruited.
    constexpr int kMostLevels = 32;
    RegionRecord *levels[kMostLevels];
    int count = 0;
    bool is_worker = false;
    for (int level = 0; count < kMostLevels && !is_worker; ++level) {
        const ompt_parallel_id_t id = parallel_id(level);
        if (id == ompt_id_none)
            break;
        const IdNode *node = regions.find(id);
        if (node == nullptr)
            continue;
        levels[count++] = region_of(node);
        is_worker = node->owner.load(std::memory_order_relaxed) != thread;
    }
    if (tracker::adopt_thread(is_worker ? ThreadKind::kWorker : ThreadKind::kUser) == nullptr)
        return;
    constexpr std::uint32_t kTeamSize = 2; // not told, and not needed
    if (!is_worker)
        tracker::adopt_level(nullptr, {0, 1, true});
    for (int level = count; level-- > 0;) {
        const bool is_workers_own = is_worker && level == count - 1;
        tracker::adopt_level(levels[level], {is_workers_own ? 1U : 0U, kTeamSize, false});
    }
}

} // namespace ocb::ompt_tr2
