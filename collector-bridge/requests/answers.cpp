// SPDX-License-Identifier: Apache-2.0
#include "requests/answers.h"

#include "records/tables.h"
#include "runtime.h"

namespace ocb::answers {
namespace {

// Asks the runtime for a thread without a record, and keeps the answer. The regions are asked for
// once, as far out as PARENT_PRID needs them: a thread that goes on is reported. Only the end of a
// region may come without a report. Another thread's START may begin the reports at any time, so
// only answers from after their begin are kept.
ThreadFacts ask_runtime() {
    const bool is_reported = runtime::reports_threads();
    ThreadFacts facts = runtime::facts_of_caller(FactsFor::kParent);
    if (!is_reported) {
        return facts;
    }
    if (!facts.is_openmp_thread) {
        unknown_thread_kind.set(is_initial_thread() ? UnknownThreadKind::kForeignInitial
                                                    : UnknownThreadKind::kForeign);
        return facts;
    }
    unknown_thread.is_worker.set(facts.is_worker);
    unknown_thread.is_master.set(facts.is_master);
    unknown_thread.region_ended.set(facts.region_ended);
    unknown_thread.region_id.set(facts.region_id);
    unknown_thread.parent_id.set(facts.parent_id);
    order_for_handler();
    unknown_thread.is_known.set(facts.region_id == RegionId::kNone || !facts.is_worker);
    // It is idle until its next region, which is reported.
    if (facts.is_worker && facts.at_region_end && facts.region_ended) {
        unknown_thread_kind.set(UnknownThreadKind::kIdle);
    }
    return facts;
}

// Whether the state holds until the thread's next report: it is no wait, or a wait whose end is
// reported. A task inside of a wait may not be reported.
bool lasts_until_report(const ThreadFacts &facts) {
    return facts.is_openmp_thread && (facts.state == 0 || has_wait_id(facts.state)) &&
           !front::tasks_may_run_unreported();
}

// Keeps the state that holds until then, besides the facts that ask_runtime() has kept.
void record_unknown_thread(const ThreadFacts &facts, State state) {
    if (unknown_thread_kind.get() != UnknownThreadKind::kUnknown || !lasts_until_report(facts)) {
        return;
    }
    unknown_thread.state.set(state.state);
    unknown_thread.wait_id.set(state.wait_id);
    unknown_thread.is_master.set(facts.is_master && !facts.region_ended);
    unknown_thread.served_region.set(facts.is_worker ? region_of(facts.region_word) : nullptr);
    order_for_handler();
    unknown_thread_kind.set(UnknownThreadKind::kKnown);
}

ThreadFacts facts_of_unknown_thread(FactsFor what) {
    if (!unknown_thread.is_known.get()) {
        return ask_runtime();
    }
    ThreadFacts facts;
    if (what == FactsFor::kRuntimesState) {
        facts = runtime::facts_of_caller(what);
    }
    facts.is_openmp_thread = true;
    facts.is_worker = unknown_thread.is_worker.get();
    facts.is_master = unknown_thread.is_master.get();
    facts.region_ended = unknown_thread.region_ended.get();
    facts.region_id = unknown_thread.region_id.get();
    facts.parent_id = unknown_thread.parent_id.get();
    return facts;
}

// The state that the runtime reports. It has no id for a barrier.
State state_by_runtime(int state, WaitId wait_id, RegionKey region) {
    return {state, is_barrier(state) ? wait_id_of(barrier_id(region, kUncountedBarrier)) : wait_id};
}

// For a thread whose waits were not reported: they began before a collector asked for them.
State state_with_runtime(const ThreadRecord &record) {
    const ThreadFacts facts = runtime::facts_of_caller(FactsFor::kRuntimesState);
    const ImplicitTask *implicit_task = record.implicit_task.get();
    if (record.kind == ThreadKind::kWorker &&
        (implicit_task == nullptr
             ? facts.at_region_end
             : implicit_task->outer == nullptr && implicit_task->has_ended())) {
        return {THR_IDLE_STATE, WaitId::kNone};
    }
    if (facts.state != 0) {
        return state_by_runtime(facts.state, facts.wait_id,
                                implicit_task != nullptr ? implicit_task->key : RegionKey::kNone);
    }
    WaitId wait_id = WaitId::kNone;
    const int state = state_of(record, wait_id);
    if (state == THR_SERIAL_STATE && runtime::unreported_region(0) != RegionId::kNone) {
        return {THR_WORK_STATE, WaitId::kNone};
    }
    return {state, wait_id};
}

// Runtimes that report all waits of a thread report all its regions, too.
RegionId unreported_region(const ThreadRecord &record, int level) {
    return record.sees_waits() ? RegionId::kNone : runtime::unreported_region(level);
}

State state_of_facts(const ThreadFacts &facts) {
    if (!facts.is_openmp_thread) {
        return {THR_SERIAL_STATE, WaitId::kNone};
    }
    if (facts.at_region_end && facts.is_worker) {
        return state_by_runtime(facts.region_ended ? THR_IDLE_STATE : THR_IBAR_STATE, WaitId::kNone,
                                key_of(facts.region_id));
    }
    if (facts.state != 0) {
        return state_by_runtime(facts.state, facts.wait_id, key_of(facts.region_id));
    }
    if (facts.region_id != RegionId::kNone) {
        return {THR_WORK_STATE, WaitId::kNone};
    }
    return {facts.is_worker ? THR_IDLE_STATE : THR_SERIAL_STATE, WaitId::kNone};
}

State state_of_unknown() {
    const bool is_reported = runtime::reports_states();
    const ThreadFacts facts = facts_of_unknown_thread(FactsFor::kRuntimesState);
    const State state = state_of_facts(facts);
    if (is_reported) {
        record_unknown_thread(facts, state);
    }
    return state;
}

} // namespace

State state_of_caller() {
    const ThreadRecord *record = own_record;
    if (const State found = state_on_fast_path(record); found.state != 0) {
        return found;
    }
    if (record == nullptr) {
        return state_of_unknown();
    }
    State answer{0, WaitId::kNone};
    if (record->is_in_callback()) {
        answer.state = events::state_inside(*record, answer.wait_id);
        return answer;
    }
    if (!record->sees_waits()) {
        return state_with_runtime(*record);
    }
    answer.state = state_of(*record, answer.wait_id);
    return answer;
}

RegionId region_of_caller() {
    const ThreadRecord *record = own_record;
    const Region known = region_on_fast_path(record);
    if (known.is_known) {
        return known.id;
    }
    if (record == nullptr) {
        return facts_of_unknown_thread(FactsFor::kState).region_id;
    }
    const RegionId region = unreported_region(*record, 0);
    return region != RegionId::kNone ? region : recorded_region(*record);
}

Parent parent_of_caller() {
    const ThreadRecord *record = own_record;
    if (records_parent(record)) {
        return recorded_parent(record);
    }
    if (record == nullptr) {
        const ThreadFacts facts = facts_of_unknown_thread(FactsFor::kParent);
        if (facts.is_openmp_thread ? facts.is_master && !facts.region_ended : is_initial_thread()) {
            return {OMP_ERRCODE_OK, facts.parent_id};
        }
        return {OMP_ERRCODE_THREAD_ERR, RegionId::kNone};
    }
    if (record->is_in_callback()) {
        const EventAnswers answers = events::answers_inside(*record);
        return answers.is_master ? Parent{OMP_ERRCODE_OK, answers.parent_id}
                                 : Parent{OMP_ERRCODE_THREAD_ERR, RegionId::kNone};
    }
    const ImplicitTask *implicit_task = record->implicit_task.get();
    if (unreported_region(*record, 0) != RegionId::kNone) {
        const RegionId outer = unreported_region(*record, 1);
        const bool is_reported = outer == RegionId::kNone && implicit_task != nullptr;
        return {OMP_ERRCODE_OK, is_reported ? implicit_task->region_id() : outer};
    }
    if (implicit_task != nullptr && implicit_task->region_id() != RegionId::kNone) {
        return recorded_parent(record);
    }
    // In serial code the initial thread counts as the master of its team of one.
    return {is_initial_thread() ? OMP_ERRCODE_OK : OMP_ERRCODE_THREAD_ERR, RegionId::kNone};
}

namespace {

// The word of the caller's task. A thread without a record is in no task with an id.
TaskWord task_word_of_caller() {
    const ThreadRecord *record = own_record;
    if (record == nullptr) {
        return 0;
    }
    return record->is_in_callback() ? events::answers_inside(*record).task : record->task.get();
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
