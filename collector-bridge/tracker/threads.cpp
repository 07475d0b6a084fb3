// SPDX-License-Identifier: Apache-2.0
// Threads: their begin and end, and those that existed before we observed.
#include "tracker/tracker.h"

#include "records/own_regions.h"
#include "tracker/waits.h"

namespace ocb::tracker {

namespace {

// Does nothing where the region has ended: its record may belong to another one.
void enter_late(ImplicitTask &implicit_task, RegionWord &word) {
    RegionRecord *region = region_at_first_sight(word);
    const RegionKey key = key_of(word.load(std::memory_order_relaxed));
    if (region != nullptr && region->is_running(key)) {
        implicit_task.region = region;
        implicit_task.key = key;
    }
}

} // namespace

void thread_begins(ThreadKind kind) {
    ThreadRecord *record = own_record;
    if (record != nullptr) { // a forked child's thread begins anew
        reset_record(*record, kind);
    } else if (record = create_own_record(kind); record == nullptr) {
        return;
    }
    record_waits_are_seen(*record);
}

// An idle worker's BEGIN_IDLE stays without END_IDLE, which would mean that the thread enters a
// team. TAU starts a timer at END_IDLE, and it would run to the end of the process.
void thread_ends() {
    release_own_record();
}

void register_caller_late(ThreadKind kind, std::span<const LateLevel> levels) {
    ThreadRecord *record = create_own_record(kind);
    if (record == nullptr) {
        return;
    }
    for (const LateLevel &level : levels) {
        ImplicitTask *implicit_task = push_implicit_task(*record);
        if (implicit_task == nullptr) {
            return;
        }
        if (implicit_task->outer != nullptr) {
            implicit_task->parent_id = implicit_task->outer->region_id();
        }
        if (level.region_word != nullptr) {
            enter_late(*implicit_task, *level.region_word);
        }
        implicit_task->thread_num = level.place.thread_num;
        implicit_task->team_size = level.place.team_size;
        order_for_handler();
        record->implicit_task.set(implicit_task);
        record->activity.set(Activity::kUser);
    }
}

void lend_caller(std::uint64_t region_word) {
    RegionWord word{region_word};
    const LateLevel level = {region_word != 0 ? &word : nullptr, {.thread_num = 1, .team_size = 2}};
    register_caller_late(ThreadKind::kUser, {&level, 1});
    if (ThreadRecord *record = own_record; record != nullptr) {
        record_waits_are_seen(*record);
    }
}

void forget_caller() {
    release_own_record();
}

std::uint64_t region_word_of_caller() {
    const ThreadRecord *record = own_record;
    const ImplicitTask *implicit_task = record != nullptr ? record->implicit_task.get() : nullptr;
    return implicit_task != nullptr && implicit_task->region != nullptr
               ? word_of(*implicit_task->region, implicit_task->key)
               : 0;
}

void session_begins() {
    ThreadRecord *record = own_record;
    const bool is_in_program = record != nullptr && record->activity.get() == Activity::kUser &&
                               !record->is_in_callback() && runtime::reports_states() &&
                               runtime::facts_of_caller(FactsFor::kRuntimesState).state == 0;
    // In a task the thread may be inside of a wait.
    if (is_in_program && runtime::task_of_caller(0) == runtime::TaskPlace::kNoTask) {
        record_waits_are_seen(*record);
    }
}

bool caller_is_known() {
    return own_record != nullptr;
}

bool caller_is_in_league() {
    const ThreadRecord *record = own_record;
    const ImplicitTask *implicit_task = record != nullptr ? record->implicit_task.get() : nullptr;
    return implicit_task != nullptr && is_league(implicit_task->key);
}

bool caller_is_worker_at_its_end() {
    const ThreadRecord *record = own_record;
    if (record == nullptr || record->kind != ThreadKind::kWorker) {
        return false;
    }
    const ImplicitTask *implicit_task = record->implicit_task.get();
    return implicit_task == nullptr || implicit_task->outer == nullptr;
}

bool caller_has_region_in_league(const void *not_forked_at) {
    const ThreadRecord *record = own_record;
    const ImplicitTask *implicit_task = record != nullptr ? record->implicit_task.get() : nullptr;
    return implicit_task != nullptr && implicit_task->region != nullptr &&
           implicit_task->outer != nullptr && is_league(implicit_task->outer->key) &&
           implicit_task->region->fork_address.load(std::memory_order_relaxed) !=
               program_address(not_forked_at);
}

bool caller_is_in_call_of_region() {
    const ThreadRecord *record = own_record;
    if (record == nullptr || !front::is_in_call_of_region(record->front)) {
        return false;
    }
    const ImplicitTask *implicit_task = record->implicit_task.get();
    return implicit_task != nullptr && is_region(implicit_task->key);
}

bool caller_wants_mutex() {
    const ThreadRecord *record = own_record;
    return record != nullptr && record->mutex.get() != MutexKind::kNone;
}

void want_front() {
    front::is_wanted = true;
}

void know_calls(const unsigned *calls) {
    front::know_calls(calls);
}

bool tasks_are_asked_for() {
    return front::knows_calls();
}

bool no_single_is_called() {
    return front::no_single_is_called();
}

const void *fork_address_of_caller() {
    const ThreadRecord *record = own_record;
    const ImplicitTask *implicit_task = record != nullptr ? record->implicit_task.get() : nullptr;
    const RegionRecord *region = implicit_task != nullptr ? implicit_task->region : nullptr;
    return region != nullptr ? region->fork_address.load(std::memory_order_acquire) : nullptr;
}

const void *program_address(const void *reported) {
    const ThreadRecord *record = own_record;
    return record != nullptr ? front::program_address(record->front, reported) : reported;
}

} // namespace ocb::tracker
