// SPDX-License-Identifier: Apache-2.0
#include "tr2/facts.h"

#include "base/log.h"
#include "omp_collector_api.h"
#include "ompt5/own_threads.h"
#include "tr2/entry_points.h"
#include "tr2/ids.h"
#include "tracker/before_openmp5.h"

#include <atomic>
#include <iterator>
#include <span>

namespace ocb::ompt_tr2 {

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
    for (const StateRow &row : kStates) {
        if (row.source == source) {
            return row.state;
        }
    }
    return THR_OVHD_STATE;
}

bool is_mutex_wait(int source) {
    return source >= ompt_state_wait_lock && source <= ompt_state_wait_ordered;
}

constinit thread_local bool thread_has_ended __attribute__((tls_model("initial-exec"))) = false;

constinit std::atomic<bool> mutex_event_was_seen{false};
constinit std::atomic<bool> mutex_wait_was_seen{false};

ThreadFacts facts_beyond_events() {
    ThreadFacts facts;
    facts.is_openmp_thread = true;
    // The event has the kind, which the runtime's state may lack.
    if (tracker::caller_wants_mutex()) {
        return facts;
    }
    ompt_wait_id_t wait_id = 0;
    const int source = entry_points.get_state(&wait_id);
    if (source != ompt_state_work_reduction && !is_mutex_wait(source)) {
        return facts;
    }
    if (is_mutex_wait(source) && !mutex_wait_was_seen.load(std::memory_order_relaxed)) {
        mutex_wait_was_seen.store(true, std::memory_order_relaxed);
    }
    facts.state = state_of(source);
    facts.wait_id = WaitId{wait_id};
    return facts;
}

// kNone where the region has ended or was never reported.
RegionId visible_id_of(int ancestor_level) {
    IdNode *node = regions.find(parallel_id(ancestor_level));
    return node != nullptr ? tracker::region_facts(node->word).id : RegionId::kNone;
}

constexpr std::uint64_t kFirstUnreported = 1ULL << 30;
constexpr std::uint64_t kUnreportedNumbers = kFirstUnreported - 1;

RegionId unreported_id_of(ompt_parallel_id_t region) {
    return RegionId{kFirstUnreported | (region & kUnreportedNumbers)};
}

} // namespace

RegionId unreported_region(int level) {
    if (!tracker::caller_is_in_code()) {
        return RegionId::kNone;
    }
    const ompt_parallel_id_t region = parallel_id(level);
    return region == ompt_id_none || regions.find(region) != nullptr ? RegionId::kNone
                                                                     : unreported_id_of(region);
}

void record_thread_has_ended(bool has_ended) {
    thread_has_ended = has_ended;
}

void record_mutex_event() {
    if (!mutex_event_was_seen.load(std::memory_order_relaxed)) {
        mutex_event_was_seen.store(true, std::memory_order_relaxed);
    }
}

const char *silence_of_mutexes() {
    return mutex_wait_was_seen.load(std::memory_order_relaxed) &&
                   !mutex_event_was_seen.load(std::memory_order_relaxed)
               ? "the runtime has accepted the callbacks and does not call them: it has shown the "
                 "state without"
               : nullptr;
}

ThreadFacts facts_of_caller(FactsFor /*what*/) {
    if (tracker::caller_is_known()) {
        return facts_beyond_events();
    }
    ThreadFacts facts;
    if (thread_has_ended) {
        return facts;
    }
    if (ompt5::is_runtimes_own) {
        facts.is_openmp_thread = true;
        facts.is_worker = true;
        facts.state = THR_IDLE_STATE;
        return facts;
    }
    const ompt_thread_id_t thread = entry_points.get_thread_id();
    if (thread == ompt_id_none) {
        return facts;
    }
    facts.is_openmp_thread = true;
    ompt_wait_id_t wait_id = 0;
    facts.state = state_of(entry_points.get_state(&wait_id));
    facts.wait_id = WaitId{wait_id};
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
    facts.parent_id = facts.is_master ? visible_id_of(1) : RegionId::kNone;
    return facts;
}

void register_caller_late() {
    const ompt_thread_id_t thread = entry_points.get_thread_id();
    if (thread == ompt_id_none || ompt5::is_runtimes_own || thread_has_ended) {
        return;
    }
    // Out to the region that another thread has forked: there this one was recruited.
    constexpr int kMostLevels = 32;
    constexpr std::uint32_t kTeamSize = 2;      // not reported, and not needed
    tracker::LateLevel levels[kMostLevels + 1]; // filled from the back; one for the initial task
    int first = kMostLevels + 1;
    bool is_worker = false;
    int level = 0;
    for (; first > 1 && !is_worker; ++level) {
        const ompt_parallel_id_t id = parallel_id(level);
        if (id == ompt_id_none) {
            break;
        }
        IdNode *node = regions.find(id);
        if (node == nullptr) {
            continue;
        }
        is_worker = node->owner.load(std::memory_order_relaxed) != thread;
        levels[--first] = {&node->word, {is_worker ? 1U : 0U, kTeamSize}};
    }
    if (first == 1 && !is_worker && parallel_id(level) != ompt_id_none) {
        log_once(LogCause::kTooManyLevels);
    }
    if (!is_worker) {
        levels[--first] = {nullptr, tracker::kInitialPlace};
    }
    tracker::register_caller_late(is_worker ? ThreadKind::kWorker : ThreadKind::kUser,
                                  std::span(levels).subspan(static_cast<std::size_t>(first)));
}

} // namespace ocb::ompt_tr2
