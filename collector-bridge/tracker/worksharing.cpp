// SPDX-License-Identifier: Apache-2.0
// single and master.
#include "tracker/tracker.h"

#include "tracker/constructs.h"

namespace ocb::tracker {

void single_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    close_single(*record);
    begin_event(*record, OMP_EVENT_THR_BEGIN_SINGLE);
    if (Frame *frame = record->frame.get(); frame != nullptr)
        frame->single_is_open = true;
}

void single_ends() {
    ThreadRecord *record = own_record;
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    close_single(*record);
}

void master_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    begin_event(*record, OMP_EVENT_THR_BEGIN_MASTER);
}

void master_ends() {
    ThreadRecord *record = own_record;
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    end_event(*record, OMP_EVENT_THR_END_MASTER);
}

} // namespace ocb::tracker
