// SPDX-License-Identifier: Apache-2.0
// Threads: their begin and end, and those that existed before we observed.
#include "tracker/tracker.h"

#include "tracker/waits.h"

namespace ocb::tracker {

void thread_begins(ThreadKind kind) {
    ThreadRecord *record = own_record;
    if (record != nullptr) // a forked child's thread begins anew
        reset_record(*record, kind);
    else if (record = create_own_record(kind); record == nullptr)
        return;
    note_waits_are_seen(*record);
    if (kind == ThreadKind::kWorker)
        begin_idle(*record);
}

void thread_ends() {
    if (ThreadRecord *record = own_record; record != nullptr && record->idle_is_announced)
        end_idle(*record, nullptr, EventAnswers{.state = THR_IDLE_STATE});
    release_own_record();
}

RegionRecord *region_at_first_sight(RegionWord &word) {
    std::uint64_t seen = word.load(std::memory_order_acquire);
    if (seen != 0)
        return region_of(seen);
    RegionRecord *region = adopt_region();
    if (region == nullptr)
        return nullptr;
    const RegionKey key = region->running_key.load(std::memory_order_relaxed);
    if (word.compare_exchange_strong(seen, word_of(*region, key), std::memory_order_acq_rel))
        return region;
    drop_adopted_region(*region);
    return region_of(seen);
}

ThreadRecord *adopt_thread(ThreadKind kind) {
    return create_own_record(kind);
}

void adopt_level(RegionRecord *region, const TeamPlace &place) {
    ThreadRecord *record = own_record;
    Frame *frame = push_frame(*record);
    if (frame == nullptr)
        return;
    if (frame->outer != nullptr)
        frame->parent_id = visible_id(frame->outer->key);
    if (region != nullptr && !place.is_initial) {
        frame->region = region;
        frame->key = region->running_key.load(std::memory_order_relaxed);
    }
    frame->thread_num = place.thread_num;
    frame->team_size = place.team_size;
    order_for_handler();
    record->frame.set(frame);
    record->activity.set(Activity::kUser);
}

} // namespace ocb::tracker
