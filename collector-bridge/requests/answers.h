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

// What a thread does that neither is in a callback nor wants a mutex, in the order of Activity.
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

// In the order of Outsider.
constexpr int kOutsiderStates[] = {
    0,                // kUnknown
    THR_SERIAL_STATE, // kForeign
    THR_SERIAL_STATE, // kForeignInitial
    THR_IDLE_STATE,   // kIdle
    0,                // kKnown: the stranger's
};
static_assert(std::size(kOutsiderStates) == static_cast<int>(Outsider::kKnown) + 1);

// ---- from the record alone, or from what is known of a thread without one
// ------------------
//
// Most answers, without a call. The wait id means something where the state has one.

// In the program's code as its front has it: a call that forks a region executes its function.
// Each word is read once.
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

OCB_ALWAYS_INLINE State state_of_outsider() {
    const Outsider who = outsider.get();
    if (who != Outsider::kKnown) {
        return {kOutsiderStates[static_cast<int>(who)], WaitId::kNone};
    }
    return stranger.is_left_behind() ? State{THR_IDLE_STATE, WaitId::kNone}
                                     : State{stranger.state.get(), stranger.wait_id.get()};
}

// State 0: more must be looked at.
OCB_ALWAYS_INLINE State state_at_once(const ThreadRecord *record) {
    if (record == nullptr) [[unlikely]] {
        return state_of_outsider();
    }
    const std::uint32_t half = record->first_half();
    if (Situation::is_plain(half)) [[likely]] {
        const auto activity = static_cast<Activity>(half);
        if (activity == Activity::kUser) [[likely]] {
            return state_in_code(*record);
        }
        const int state = activity == Activity::kRegionEnd ? state_at_region_end(*record)
                                                           : kStates[static_cast<int>(activity)];
        const bool is_known = !is_barrier(state) || !front::tasks_may_run_unreported();
        return {is_known ? state : 0, record->wait_id.get()};
    }
    if (Situation::is_plain_but_for_mutex(half)) {
        const bool waits = record->mutex_is_taken.own();
        return {waits ? mutex_state(Situation::mutex_of(half)) : 0, record->wait_id.get()};
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

OCB_ALWAYS_INLINE Region region_at_once(const ThreadRecord *record) {
    if (record == nullptr) [[unlikely]] {
        const Outsider who = outsider.get();
        const bool has_region = who == Outsider::kKnown && !stranger.is_left_behind();
        return {who != Outsider::kUnknown, has_region ? stranger.region_id.get() : RegionId::kNone};
    }
    // Byte by byte: `delivering` has just been stored, and a load of more waits for all stores.
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

// In serial code it must be asked whether the thread is the process's first.
OCB_ALWAYS_INLINE bool records_parent(const ThreadRecord *record) {
    if (record == nullptr) {
        return outsider.get() != Outsider::kUnknown;
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
        const Outsider who = outsider.get();
        const bool is_master =
            who == Outsider::kKnown ? stranger.is_master.get() : who == Outsider::kForeignInitial;
        const RegionId parent =
            who == Outsider::kKnown ? stranger.parent_id.get() : RegionId::kNone;
        return is_master ? Parent{OMP_ERRCODE_OK, parent}
                         : Parent{OMP_ERRCODE_THREAD_ERR, RegionId::kNone};
    }
    const ImplicitTask *implicit_task = record->implicit_task.get();
    if (implicit_task == nullptr || implicit_task->thread_num != 0) {
        return {OMP_ERRCODE_THREAD_ERR, RegionId::kNone};
    }
    return {OMP_ERRCODE_OK, implicit_task->parent_id};
}

// ---- all answers
// ---------------------------------------------------------------------------------

[[nodiscard]] State state_of_caller();
[[nodiscard]] RegionId region_of_caller();
[[nodiscard]] Parent parent_of_caller();

// The explicit task that the caller executes, and the one that created it; -1: none.
[[nodiscard]] int task_of_caller();
[[nodiscard]] int parent_task_of_caller();

} // namespace ocb::answers
