// SPDX-License-Identifier: Apache-2.0
// The answers to STATE, CURRENT_PRID, PARENT_PRID, TASK_ID and TASK_PID for the calling thread:
// inside a callback those of its event, otherwise from the thread's record, and where the record
// does not reach, from the runtime. All async-signal-safe: no lock, no allocation, thread-local
// reads and at most one shared one (the region's record, or the slot of the mutex that the thread
// wants).
#pragma once

#include "base/compiler.h"
#include "events/inside_callback.h"
#include "omp_collector_api.h"
#include "records/state_of.h"
#include "records/tables.h"
#include "records/thread_record.h"

#include <iterator>

namespace ocb::answers {

struct State {
    int state;
    WaitId wait_id;
};

// States of a thread that is in no callback and wants no mutex, in the order of Activity.
constexpr int kStates[] = {
    0,               // kUser: by the front and the region
    THR_OVHD_STATE,  // kOverhead
    THR_IBAR_STATE,  // kImplicitBarrier
    THR_EBAR_STATE,  // kExplicitBarrier
    0,               // kRegionEnd: by the region
    THR_IDLE_STATE,  // kIdle
    THR_REDUC_STATE, // kReduction
};
static_assert(std::size(kStates) == static_cast<int>(Activity::kReduction) + 1);

// In the order of UnknownThreadKind.
constexpr int kStatesOfUnknownThreads[] = {
    0,                // kUnknown
    THR_SERIAL_STATE, // kForeign
    THR_SERIAL_STATE, // kForeignInitial
    THR_IDLE_STATE,   // kIdle
    0,                // kKnown: that of `unknown_thread`
};
static_assert(std::size(kStatesOfUnknownThreads) ==
              static_cast<int>(UnknownThreadKind::kKnown) + 1);

// ---- from the record alone, or from what is known of an unknown thread --------------------------
//
// Most answers, without a call. The wait id is valid in states that have one.

// The state in the program's code, by the thread's marks. A call that forks a region executes the
// region's function. Each word is read once.
OCB_ALWAYS_INLINE State state_in_code(const ThreadRecord &record) {
    const std::uintptr_t call = record.front.innermost.get();
    const ImplicitTask *implicit_task = record.implicit_task.get();
    if (call != record.front.covered.own() || record.front.may_combine() ||
        (front::forks(call) && (implicit_task == nullptr || !implicit_task->function_executes()))) {
        return {0, WaitId::kNone};
    }
    return {state_of_code(implicit_task), WaitId::kNone};
}

constexpr bool is_barrier(int state) {
    return state == THR_IBAR_STATE || state == THR_EBAR_STATE;
}

OCB_ALWAYS_INLINE State state_of_unknown_thread() {
    const UnknownThreadKind who = unknown_thread_kind.get();
    if (who != UnknownThreadKind::kKnown) {
        return {kStatesOfUnknownThreads[static_cast<int>(who)], WaitId::kNone};
    }
    return unknown_thread.is_left_behind()
               ? State{THR_IDLE_STATE, WaitId::kNone}
               : State{unknown_thread.state.get(), unknown_thread.wait_id.get()};
}

// State 0: the slow path must decide.
OCB_ALWAYS_INLINE State state_on_fast_path(const ThreadRecord *record) {
    if (record == nullptr) [[unlikely]] {
        return state_of_unknown_thread();
    }
    const std::uint32_t half = record->first_half();
    if (StateWord::is_plain(half)) [[likely]] {
        const auto activity = static_cast<Activity>(half);
        if (activity == Activity::kUser) [[likely]] {
            return state_in_code(*record);
        }
        const int state = activity == Activity::kRegionEnd ? state_at_region_end(*record)
                                                           : kStates[static_cast<int>(activity)];
        const bool is_known = !is_barrier(state) || !front::tasks_may_run_unreported();
        return {is_known ? state : 0, record->wait_id.get()};
    }
    if (StateWord::is_plain_but_for_mutex(half)) {
        const bool waits = record->mutex_is_taken.own();
        return {waits ? mutex_state(StateWord::mutex_of(half)) : 0, record->wait_id.get()};
    }
    const bool is_known = record->is_in_callback() && !record->has_answers.own();
    return {is_known ? event_state(record->event()) : 0, record->wait_id.get()};
}

OCB_ALWAYS_INLINE RegionId recorded_region(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    if (implicit_task == nullptr) {
        return RegionId::kNone;
    }
    // A worker that its master has left behind is idle.
    if (record.kind == ThreadKind::kWorker &&
        (record.activity.own() == Activity::kIdle ||
         (implicit_task->outer == nullptr && implicit_task->has_ended()))) {
        return RegionId::kNone;
    }
    return implicit_task->region_id();
}

struct Region {
    bool is_known; // else more must be looked at
    RegionId id;
};

OCB_ALWAYS_INLINE Region region_on_fast_path(const ThreadRecord *record) {
    if (record == nullptr) [[unlikely]] {
        const UnknownThreadKind who = unknown_thread_kind.get();
        const bool has_region =
            who == UnknownThreadKind::kKnown && !unknown_thread.is_left_behind();
        return {who != UnknownThreadKind::kUnknown,
                has_region ? unknown_thread.region_id.get() : RegionId::kNone};
    }
    // The byte alone: `delivering` was just stored, and a wider load would wait for that store.
    if (record->is_in_callback()) [[unlikely]] {
        return {true, events::region_inside(*record)};
    }
    if (!record->sees_waits()) [[unlikely]] {
        return {false, RegionId::kNone};
    }
    return {true, recorded_region(*record)};
}

struct Parent {
    OMP_COLLECTORAPI_EC error;
    RegionId region_id;
};

// False in serial code, where the answer depends on whether the thread is the process's first.
OCB_ALWAYS_INLINE bool records_parent(const ThreadRecord *record) {
    if (record == nullptr) {
        return unknown_thread_kind.get() != UnknownThreadKind::kUnknown;
    }
    if (record->is_in_callback()) [[unlikely]] {
        return !record->has_answers.get();
    }
    const ImplicitTask *implicit_task = record->implicit_task.get();
    return record->sees_waits() && implicit_task != nullptr &&
           implicit_task->region_id() != RegionId::kNone;
}
OCB_ALWAYS_INLINE Parent recorded_parent(const ThreadRecord *record) {
    if (record != nullptr && record->is_in_callback() && record->event_of.region != nullptr) {
        return {OMP_ERRCODE_OK, record->event_of.region->parent_id};
    }
    if (record == nullptr) {
        const UnknownThreadKind who = unknown_thread_kind.get();
        const bool is_master = who == UnknownThreadKind::kKnown
                                   ? unknown_thread.is_master.get()
                                   : who == UnknownThreadKind::kForeignInitial;
        const RegionId parent =
            who == UnknownThreadKind::kKnown ? unknown_thread.parent_id.get() : RegionId::kNone;
        return is_master ? Parent{OMP_ERRCODE_OK, parent}
                         : Parent{OMP_ERRCODE_THREAD_ERR, RegionId::kNone};
    }
    const ImplicitTask *implicit_task = record->implicit_task.get();
    if (implicit_task == nullptr || implicit_task->thread_num != 0) {
        return {OMP_ERRCODE_THREAD_ERR, RegionId::kNone};
    }
    return {OMP_ERRCODE_OK, implicit_task->parent_id};
}

// ---- all answers --------------------------------------------------------------------------------

[[nodiscard]] State state_of_caller();
[[nodiscard]] RegionId region_of_caller();
[[nodiscard]] Parent parent_of_caller();

// The explicit task that the caller executes, and the one that created it; -1: none.
[[nodiscard]] int task_of_caller();
[[nodiscard]] int parent_task_of_caller();

} // namespace ocb::answers
