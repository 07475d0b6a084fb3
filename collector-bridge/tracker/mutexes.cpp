// SPDX-License-Identifier: Apache-2.0
// Mutexes of runtimes that report every acquisition: the table of held mutexes shows who waits.
#include "tracker/tracker.h"

#include "records/held_mutexes.h"
#include "tracker/acquisition.h"

namespace ocb::tracker {
namespace {

// The turn of an ordered region is a matter of iterations: whether it has come already the runtime
// does not tell, only that alone in a team there is nobody to wait for.
bool is_in_team(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return implicit_task != nullptr && implicit_task->team_size > 1;
}

} // namespace

void mutex_wanted(MutexKind kind, WaitId wait_id, MutexOrder order) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr) {
        return;
    }
    close_mutex_wait(*record);
    const bool must_wait = kind == MutexKind::kOrdered
                               ? is_in_team(*record)
                               : want_mutex(wait_id, *record, order == MutexOrder::kQueue);
    begin_acquisition(*record, kind, wait_id, must_wait);
}

void mutex_acquired(MutexKind kind, WaitId wait_id) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr) {
        return;
    }
    if (kind != MutexKind::kOrdered) {
        hold_mutex(wait_id, *record);
    }
    end_acquisition(*record, kind);
}

void mutex_released(MutexKind kind, WaitId wait_id) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr) {
        return;
    }
    end_hold(*record, kind);
    if (kind != MutexKind::kOrdered) {
        release_mutex(wait_id, *record);
    }
}

void nest_lock_reacquired() {
    if (ThreadRecord *record = own_record; record != nullptr) {
        close_mutex_wait(*record);
    }
}

} // namespace ocb::tracker
