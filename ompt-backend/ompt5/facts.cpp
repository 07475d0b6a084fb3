// SPDX-License-Identifier: Apache-2.0
// What the runtime returns about the calling thread, for threads that existed before START: the map
// of states, and the walk over the thread's regions. Also for TR6, which has the same states and
// entry points. The entry points used here are async-signal-safe in OMPT (5.2, 18.6.1).
#include "ompt5/facts.h"

#include "base/log.h"
#include "omp_collector_api.h"
#include "ompt5/entry_points.h"
#include "ompt5/own_threads.h"
#include "tracker/tracker.h"

#include <iterator>

namespace ocb::ompt5 {
namespace {

struct StateRow {
    ompt_state_t source;
    int state; // OMP_COLLECTOR_API_THR_STATE; 0: working, serial or in a region as may be
    bool at_region_end;
};

// What ompt_get_state shows by itself, in ascending order.
constexpr StateRow kStates[] = {
    {ompt_state_work_serial, 0, false},                  // also after orphaned constructs
    {ompt_state_work_parallel, 0, false},                // also after orphaned constructs
    {ompt_state_work_reduction, THR_REDUC_STATE, false}, // never seen on libomp
    {ompt_state_wait_barrier, THR_IBAR_STATE, false},    // before libomp 17 explicit ones too
    {ompt_state_wait_barrier_implicit_parallel, THR_IBAR_STATE, true}, // or idle: the region tells
    {ompt_state_wait_barrier_implicit_workshare, THR_IBAR_STATE, false},
    {ompt_state_wait_barrier_implicit, THR_IBAR_STATE, true}, // or idle: the region tells
    {ompt_state_wait_barrier_explicit, THR_EBAR_STATE, false},
    {ompt_state_wait_barrier_implementation, THR_IBAR_STATE, false},
    {ompt_state_wait_barrier_teams, THR_IBAR_STATE, true},
    {ompt_state_wait_taskwait, THR_OVHD_STATE, false},  // the contract has none
    {ompt_state_wait_taskgroup, THR_OVHD_STATE, false}, // the contract has none
    {ompt_state_wait_mutex, THR_LKWT_STATE, false},     // of no kind
    {ompt_state_wait_lock, THR_LKWT_STATE, false},      // critical and atomic too on libomp
    {ompt_state_wait_critical, THR_CTWT_STATE, false},
    {ompt_state_wait_atomic, THR_ATWT_STATE, false},
    {ompt_state_wait_ordered, THR_ODWT_STATE, false},
    {ompt_state_wait_target, THR_OVHD_STATE, false},        // the contract has none
    {ompt_state_wait_target_map, THR_OVHD_STATE, false},    // the contract has none
    {ompt_state_wait_target_update, THR_OVHD_STATE, false}, // the contract has none
    {ompt_state_idle, THR_IDLE_STATE, true},
    {ompt_state_overhead, THR_OVHD_STATE, false},
    {ompt_state_undefined, THR_OVHD_STATE, false}, // nothing better is known
};

constexpr bool states_ascend() {
    int last = -1;
    for (const StateRow &row : kStates) {
        if (row.source <= last) {
            return false;
        }
        last = row.source;
    }
    return true;
}
static_assert(states_ascend());

// The index of each state's row. A state without a row counts as undefined.
struct Places {
    std::uint8_t of[ompt_state_undefined + 1] = {};

    consteval Places() {
        for (std::uint8_t &place : of) {
            place = std::size(kStates) - 1;
        }
        for (std::size_t place = 0; place < std::size(kStates); ++place) {
            of[kStates[place].source] = static_cast<std::uint8_t>(place);
        }
    }
};
constexpr Places kPlaces;
static_assert(kStates[std::size(kStates) - 1].source == ompt_state_undefined);

const StateRow &row_of(int state) {
    return kStates[kPlaces.of[static_cast<unsigned>(state) < std::size(kPlaces.of)
                                  ? state
                                  : static_cast<int>(ompt_state_undefined)]];
}

struct Level {
    bool is_there = false;
    bool is_initial = false; // no region
    int thread_num = 0;
    tracker::RegionWord *word = nullptr;
};

// A walk over the tasks of a thread, from the innermost outwards.
struct Walk {
    int task_level = 0;
    int regions = 0; // passed
};

// libomp 7 to 9 crash where this is called for a level that does not exist.
int thread_num_at(const Walk &walk) {
    constexpr int kNotReported = -1;
    int thread_num = kNotReported;
    entry_points.get_task_info(walk.task_level, nullptr, nullptr, nullptr, nullptr, &thread_num);
    if (thread_num != kNotReported) {
        return thread_num;
    }
    const bool can_ask =
        entry_points.get_level != nullptr && entry_points.get_ancestor_thread_num != nullptr;
    return can_ask ? entry_points.get_ancestor_thread_num(entry_points.get_level() - walk.regions)
                   : 0;
}

// The next implicit or initial task of the thread; explicit tasks before it are passed over.
Level next_level(Walk &walk) {
    for (;; ++walk.task_level) {
        int flags = 0;
        ompt_data_t *parallel_data = nullptr;
        if (entry_points.get_task_info(walk.task_level, &flags, nullptr, nullptr, &parallel_data,
                                       nullptr) == 0) {
            return {};
        }
        if ((flags & (ompt_task_implicit | ompt_task_initial)) == 0) {
            continue;
        }
        const int thread_num = thread_num_at(walk);
        ++walk.task_level;
        ++walk.regions;
        return {true, (flags & ompt_task_initial) != 0, thread_num,
                reinterpret_cast<tracker::RegionWord *>(parallel_data)};
    }
}

// kNone where the level is no region.
RegionId id_of(const Level &level) {
    if (!level.is_there || level.is_initial || level.word == nullptr) {
        return RegionId::kNone;
    }
    return tracker::region_facts(*level.word).id;
}

bool is_known_to_runtime() {
    return entry_points.get_thread_data() != nullptr;
}

} // namespace

ThreadFacts facts_of_caller(FactsFor what) {
    ThreadFacts facts;
    if (what != FactsFor::kRuntimesState && !is_known_to_runtime()) {
        return facts;
    }
    facts.is_openmp_thread = true;
    if (is_runtimes_own) {
        facts.is_worker = true;
        facts.state = THR_IDLE_STATE;
        return facts;
    }
    ompt_wait_id_t wait_id = 0;
    const StateRow &row = row_of(entry_points.get_state(&wait_id));
    facts.state = row.state;
    facts.at_region_end = row.at_region_end;
    facts.wait_id = WaitId{wait_id};
    if (what == FactsFor::kRuntimesState) {
        return facts;
    }

    Walk walk;
    const Level level = next_level(walk);
    facts.is_worker = level.is_there && level.thread_num != 0;
    facts.is_master = level.is_there && level.thread_num == 0;
    if (!level.is_there || level.is_initial || level.word == nullptr) {
        return facts;
    }
    // A worker at the end of a region that has no id was left there before START.
    if (facts.at_region_end && level.word->load(std::memory_order_acquire) == 0) {
        facts.region_ended = true;
        return facts;
    }
    if (const tracker::RegionFacts region = tracker::region_facts(*level.word); region.has_record) {
        facts.region_ended = region.has_ended;
        facts.region_id = region.id;
        facts.region_word = level.word->load(std::memory_order_relaxed);
        facts.parent_id = facts.is_master && what == FactsFor::kParent ? id_of(next_level(walk))
                                                                       : RegionId::kNone;
    }
    return facts;
}

// The task's frame shows where the program's function was called from, while it executes. libomp
// leaves it out for the master of gcc's combined parallel loops, for regions of one thread in a
// league, and where a serialized region has ended inside. Not for explicit tasks: for undeferred
// ones libomp takes it from the program's frame pointer, which may be used as any other register.
runtime::FunctionFrame function_frame_of_caller() {
    int flags = 0;
    ompt_frame_t *frame = nullptr;
    if (entry_points.get_task_info(0, &flags, nullptr, &frame, nullptr, nullptr) == 0 ||
        (flags & ompt_task_implicit) == 0 || frame == nullptr) {
        return nullptr;
    }
    return &frame->exit_frame.ptr;
}

// A task's frame is where the runtime called its function. Where the program calls it (if(0)),
// libomp takes the program's frame pointer, which may be used as any other register. So only a
// frame closely below the call's is believed. Such a task counts as the one around it.
runtime::TaskPlace task_of_caller(std::uintptr_t call_frame) {
    constexpr int kMostLevels = 8;
    constexpr std::uintptr_t kReach = 1U << 16; // of the runtime's frames between call and task
    runtime::TaskPlace place = runtime::TaskPlace::kNoTask;
    for (int level = 0; level < kMostLevels; ++level) {
        int flags = 0;
        ompt_frame_t *frame = nullptr;
        if (entry_points.get_task_info(level, &flags, nullptr, &frame, nullptr, nullptr) == 0 ||
            (flags & (ompt_task_explicit | ompt_task_target)) == 0) {
            return place;
        }
        place = runtime::TaskPlace::kAroundCall;
        const auto begin = reinterpret_cast<std::uintptr_t>(frame->exit_frame.ptr);
        if (begin < call_frame && call_frame - begin < kReach) {
            return runtime::TaskPlace::kInsideCall;
        }
        if (call_frame == 0 || (flags & ompt_task_undeferred) == 0) {
            return place;
        }
    }
    return place;
}

// While the thread executes a task in a barrier, the runtime's state is that of the task. To ask
// for the state costs a fifth of asking for the task.
runtime::TaskPlace task_in_barrier(std::uintptr_t call_frame) {
    const int state = entry_points.get_state(nullptr);
    if (state >= ompt_state_wait_barrier && state <= ompt_state_wait_barrier_teams) {
        return runtime::TaskPlace::kNoTask;
    }
    const bool works = state == ompt_state_work_parallel || state == ompt_state_work_serial;
    return works && call_frame == 0 ? runtime::TaskPlace::kAroundCall : task_of_caller(call_frame);
}

void register_caller_late() {
    if (is_runtimes_own || !is_known_to_runtime()) {
        return;
    }
    // Up to the level at which the thread was recruited as a worker; the levels outside belong to
    // the team's master.
    constexpr int kMostLevels = 32;
    tracker::LateLevel levels[kMostLevels]; // filled from the back
    int first = kMostLevels;
    bool is_worker = false;
    Walk walk;
    while (first > 0 && !is_worker) {
        const Level level = next_level(walk);
        if (!level.is_there) {
            break;
        }
        is_worker = level.thread_num != 0 && !level.is_initial;
        levels[--first] = {level.is_initial ? nullptr : level.word,
                           {static_cast<std::uint32_t>(level.thread_num), 2}};
    }
    if (first == 0 && !is_worker && next_level(walk).is_there) {
        log_once(LogCause::kTooManyLevels);
    }
    tracker::register_caller_late(is_worker ? ThreadKind::kWorker : ThreadKind::kUser,
                                  std::span(levels).subspan(static_cast<std::size_t>(first)));
}

} // namespace ocb::ompt5
