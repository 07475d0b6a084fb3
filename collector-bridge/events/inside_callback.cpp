// SPDX-License-Identifier: Apache-2.0
#include "events/inside_callback.h"

namespace ocb::events {
namespace {

// Code inside a callback has its frames below the callback's on the stack. A frame above, or one
// that has overwritten the mark of the delivery (call_callback), shows that the callback is over.
__attribute__((no_sanitize("address"))) bool has_been_left(const ThreadRecord &record,
                                                           const void *frame) {
    return frame > record.callback ||
           *static_cast<const volatile void *const volatile *>(record.callback) != record.callback;
}

} // namespace

EventAnswers answers_inside(const ThreadRecord &record) {
    if (record.has_answers.get()) {
        return record.answers;
    }
    EventAnswers answers = answers_of(record);
    if (const RegionRecord *region = record.event_of.region; region != nullptr) {
        answers.region_id = visible_id(record.event_of.key);
        answers.parent_id = region->parent_id;
        answers.is_master = true;
    }
    answers.state = state_inside(record, answers.wait_id);
    return answers;
}

void report_inside_callback(ThreadRecord &record, const void *frame) {
    if (has_been_left(record, frame)) {
        return end_callback(record);
    }
    if (record.is_disturbed) {
        return;
    }
    record.answers = answers_inside(record);
    order_for_handler();
    record.has_answers.set(true);
    record.undisturbed = {.wait_id = record.wait_id.get(),
                          .activity = record.activity.get(),
                          .mutex = record.mutex.get(),
                          .mutex_is_taken = record.mutex_is_taken.get(),
                          .wait_is_open = record.takes_slow_path(kWaitIsOpen)};
    order_for_handler();
    record.is_disturbed = true;
    record.mutex.set(MutexKind::kNone);
    record.clear_slow_path(kWaitIsOpen);
    record.activity.set(Activity::kUser);
}

void end_callback(ThreadRecord &record) {
    if (record.is_disturbed) {
        const Undisturbed &before = record.undisturbed;
        record.wait_id.set(before.wait_id);
        record.activity.set(before.activity);
        record.mutex_is_taken.set(before.mutex_is_taken);
        if (before.wait_is_open) {
            record.set_slow_path(kWaitIsOpen);
        } else {
            record.clear_slow_path(kWaitIsOpen);
        }
        order_for_handler();
        record.mutex.set(before.mutex);
        record.is_disturbed = false;
    }
    record.event_of.region = nullptr;
    record.delivering.store(0, std::memory_order_release);
    order_for_handler();
    record.has_answers.set(false);
}

} // namespace ocb::events
