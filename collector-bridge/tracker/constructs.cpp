// SPDX-License-Identifier: Apache-2.0
#include "tracker/constructs.h"

#include "tracker/tracker.h"

#include "events/inside_callback.h"

namespace ocb::tracker {

void prepare_report(ThreadRecord &record, Report report, const void *frame) {
    if (record.is_in_callback()) {
        events::report_inside_callback(record, frame);
    }
    if (report == Report::kBeginsWait) {
        record_waits_are_seen(record);
    }
    close_mutex_wait(record);
}

ThreadRecord *record_of_unknown_thread(Report report, const void *frame) {
    runtime::register_caller_late();
    ThreadRecord *record = own_record;
    if (record != nullptr) {
        prepare_report(*record, report, frame);
    }
    return record;
}

ImplicitTask *implicit_task_at_construct(ThreadRecord &record) {
    if (record.implicit_task.get() == nullptr && record.kind == ThreadKind::kUser) {
        implicit_task_begins(nullptr, kInitialPlace);
    }
    return record.implicit_task.get();
}

} // namespace ocb::tracker
