// SPDX-License-Identifier: Apache-2.0
#include "answers.h"

#include "held_mutexes.h"
#include "runtime.h"
#include "tables.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace ocb::answers {
namespace {

bool is_initial_thread() {
    return syscall(SYS_gettid) == getpid();
}

// What a known thread does in the task it executes, mutexes aside.
int state_of_activity(const ThreadRecord &record) {
    const Frame *frame = record.frame.get();
    switch (record.activity.get()) {
    case Activity::kUser:
        return state_of_code(record);
    case Activity::kOverhead:
        return THR_OVHD_STATE;
    case Activity::kImplicitBarrier:
        return THR_IBAR_STATE;
    case Activity::kExplicitBarrier:
        return THR_EBAR_STATE;
    case Activity::kRegionEnd:
        return frame == nullptr || frame->region == nullptr || frame->has_ended() ? THR_IDLE_STATE
                                                                                  : THR_IBAR_STATE;
    case Activity::kIdle:
        return THR_IDLE_STATE;
    case Activity::kReduction:
        return THR_REDUC_STATE;
    }
    return THR_OVHD_STATE;
}

// The runtime's own word, which has no id for a barrier.
State state_by_runtime(int state, std::uint64_t wait_id, RegionKey region) {
    const bool is_barrier = state == THR_IBAR_STATE || state == THR_EBAR_STATE;
    return {state, is_barrier ? barrier_id(region, kUncountedBarrier) : wait_id};
}

// A thread whose waits have not been reported yet (they began before anybody asked for them).
State state_with_runtime(const ThreadRecord &record) {
    const ThreadFacts facts = runtime::facts_of_caller();
    const Frame *frame = record.frame.get();
    if (record.kind == ThreadKind::kWorker &&
        (frame == nullptr ? facts.at_region_end : frame->outer == nullptr && frame->has_ended()))
        return {THR_IDLE_STATE, 0};
    if (facts.state != 0)
        return state_by_runtime(facts.state, facts.wait_id, frame != nullptr ? frame->key : 0);
    std::uint64_t wait_id = 0;
    const int state = state_of(record, wait_id);
    return {state, wait_id};
}

State state_of_unknown() {
    const ThreadFacts facts = runtime::facts_of_caller();
    if (!facts.is_openmp_thread)
        return {THR_SERIAL_STATE, 0};
    if (facts.at_region_end && facts.is_worker)
        return state_by_runtime(facts.region_ended ? THR_IDLE_STATE : THR_IBAR_STATE, 0,
                                facts.region_id);
    if (facts.state != 0)
        return state_by_runtime(facts.state, facts.wait_id, facts.region_id);
    if (facts.region_id != 0)
        return {THR_WORK_STATE, 0};
    return {facts.is_worker ? THR_IDLE_STATE : THR_SERIAL_STATE, 0};
}

bool waits_by_record(const ThreadRecord &record) {
    if (record.mutex.get() == MutexKind::kNone)
        return false;
    if (record.mutex_is_taken.get() || record.mutex.get() == MutexKind::kOrdered)
        return record.mutex_is_taken.get();
    // Where two threads came at once, the table shows the one who got it.
    return is_held_by_other(record.wait_id.get(), record);
}

int state_where(bool waits_for_mutex, const ThreadRecord &record, std::uint64_t &wait_id) {
    if (waits_for_mutex) {
        wait_id = record.wait_id.get();
        return mutex_row(record.mutex.get()).state;
    }
    const int state = state_of_activity(record);
    if (has_wait_id(state))
        wait_id = record.wait_id.get();
    return state;
}

} // namespace

bool waits_for_mutex(const ThreadRecord &record) {
    if (waits_by_record(record))
        return true;
    const MutexKind mutex = record.mutex.get();
    // The runtime's queuing locks show that the thread waits.
    return mutex != MutexKind::kNone && mutex != MutexKind::kOrdered &&
           runtime::caller_waits_for_mutex();
}

int state_of(const ThreadRecord &record, std::uint64_t &wait_id) {
    return state_where(waits_for_mutex(record), record, wait_id);
}

int state_by_record(const ThreadRecord &record, std::uint64_t &wait_id) {
    return state_where(waits_by_record(record), record, wait_id);
}

State state_beyond_code() {
    const ThreadRecord *record = own_record;
    if (record == nullptr)
        return state_of_unknown();
    if (record->is_in_callback())
        return {record->answers.state, record->answers.wait_id};
    if (!record->sees_waits.get())
        return state_with_runtime(*record);
    State answer{0, 0};
    answer.state = state_of(*record, answer.wait_id);
    return answer;
}

std::uint64_t region_of_caller() {
    const ThreadRecord *record = own_record;
    if (record == nullptr)
        return runtime::facts_of_caller().region_id;
    if (record->is_in_callback())
        return record->answers.region_id;
    const Frame *frame = record->frame.get();
    if (frame == nullptr || record->activity.get() == Activity::kIdle)
        return 0;
    // A worker that its master has left behind is idle.
    if (frame->outer == nullptr && record->kind == ThreadKind::kWorker && frame->has_ended())
        return 0;
    return visible_id(frame->key);
}

Parent parent_of_caller() {
    const ThreadRecord *record = own_record;
    if (record == nullptr) {
        const ThreadFacts facts = runtime::facts_of_caller();
        if (facts.is_openmp_thread ? facts.is_master && !facts.region_ended : is_initial_thread())
            return {OMP_ERRCODE_OK, facts.parent_id};
        return {OMP_ERRCODE_THREAD_ERR, 0};
    }
    if (record->is_in_callback())
        return record->answers.is_master ? Parent{OMP_ERRCODE_OK, record->answers.parent_id}
                                         : Parent{OMP_ERRCODE_THREAD_ERR, 0};
    const Frame *frame = record->frame.get();
    if (frame != nullptr && visible_id(frame->key) != 0)
        return frame->thread_num == 0 ? Parent{OMP_ERRCODE_OK, frame->parent_id}
                                      : Parent{OMP_ERRCODE_THREAD_ERR, 0};
    // In serial code the initial thread counts as the master of its team of one.
    return {is_initial_thread() ? OMP_ERRCODE_OK : OMP_ERRCODE_THREAD_ERR, 0};
}

namespace {

// Of the caller's task. A thread without a record is in none that has an id.
TaskWord task_word_of_caller() {
    const ThreadRecord *record = own_record;
    if (record == nullptr)
        return 0;
    return record->is_in_callback() ? record->answers.task : record->task.get();
}

int answer_of(std::uint32_t id) {
    return id != 0 ? static_cast<int>(id) : -1;
}

} // namespace

int task_of_caller() {
    return answer_of(task_id(task_word_of_caller()));
}

int parent_task_of_caller() {
    return answer_of(parent_task_id(task_word_of_caller()));
}

} // namespace ocb::answers
