// SPDX-License-Identifier: Apache-2.0
// single and master.
#include "tracker/tracker.h"

#include "tracker/constructs.h"

namespace ocb::tracker {

void single_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr) {
        return;
    }
    close_mutex_wait(*record);
    close_single(*record);
    begin_event(*record, Event::kBeginSingle);
    if (ImplicitTask *implicit_task = record->implicit_task.get(); implicit_task != nullptr) {
        implicit_task->single_is_open = true;
    }
}

void single_ends() {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        return;
    }
    close_mutex_wait(*record);
    close_single(*record);
}

void master_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr) {
        return;
    }
    close_mutex_wait(*record);
    begin_event(*record, Event::kBeginMaster);
}

void master_ends() {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        return;
    }
    close_mutex_wait(*record);
    end_event(*record, Event::kEndMaster);
}

} // namespace ocb::tracker
