// SPDX-License-Identifier: Apache-2.0
// Parallel regions: fork and join on the master, the implicit task on each thread of the team.
#include "tracker/tracker.h"

#include "events/session.h"
#include "records/region_code.h"
#include "tracker/waits.h"

namespace ocb::tracker {
namespace {

// The runtime has said that the worker's implicit task has ended, and not that it is idle.
bool is_behind_outermost_region(const ThreadRecord &record) {
    const Frame *frame = record.frame.get();
    return frame != nullptr && frame->outer == nullptr && frame->body_has_ended;
}

} // namespace

void fork(RegionWord &region_word, bool is_league, const ForkCode &code) {
    session::watch_exit();
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    const Frame *frame = record->frame.get();
    const std::uint64_t parent_id = frame != nullptr ? visible_id(frame->key) : 0;
    const RegionKey key = is_league ? next_league_key() : next_region_id(*record);
    RegionRecord *region = begin_region(*record, key, parent_id);
    region_word.store(region != nullptr ? word_of(*region, key) : 0, std::memory_order_release);
    if (region != nullptr) {
        keep_region_code(*region, code);
        region->outer_fork = record->innermost_fork;
        record->innermost_fork = region;
        record->fork_awaits_task = true;
    } else
        ++record->forks_without_record;
    record->activity.set(Activity::kOverhead);
    if (is_league || region == nullptr)
        return;
    const OpenPair pair = open_pair_now(*record, OMP_EVENT_FORK, OMP_EVENT_JOIN);
    region->fork_session = session_number.load(std::memory_order_relaxed);
    region->open_pair = static_cast<std::uint8_t>(pair);
    if (pair == kBegun)
        deliver(*record, OMP_EVENT_FORK,
                {0, key, parent_id, THR_OVHD_STATE, true, record->task.get()});
}

bool is_in_league() {
    const ThreadRecord *record = own_record;
    const Frame *frame = record != nullptr ? record->frame.get() : nullptr;
    return frame != nullptr && (frame->key & kLeagueBit) != 0;
}

// The thread's own list of forks goes before the runtime's word: for a serialized region of a
// gcc-built program inside a league libomp hands us the enclosing region's word. Only a region that
// began before we observed is not in the list.
void join(RegionWord &region_word) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    RegionRecord *region = record->innermost_fork;
    RegionRecord *named = region_of(region_word.load(std::memory_order_acquire));
    if (record->forks_without_record != 0 && named != region) {
        // Its word is empty, or names what somebody in it has adopted.
        --record->forks_without_record;
        region = named;
    } else if (region != nullptr)
        record->innermost_fork = region->outer_fork;
    else
        region = named;
    if (region != nullptr) {
        const RegionKey key = region->running_key.load(std::memory_order_relaxed);
        const bool is_league = (key & kLeagueBit) != 0;
        const bool is_due =
            region->fork_session == session_number.load(std::memory_order_relaxed) &&
            end_is_due(static_cast<OpenPair>(region->open_pair), OMP_EVENT_JOIN);
        const std::uint64_t parent_id = region->parent_id;
        end_region(*record, *region);
        if (!is_league && is_due && !record->is_in_callback())
            deliver(*record, OMP_EVENT_JOIN,
                    {0, key, parent_id, THR_OVHD_STATE, true, record->task.get()});
    }
    record->activity.set(Activity::kUser);
}

void implicit_task_begins(RegionWord *region_word, const TeamPlace &place) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        // Where the runtime begins a task on a thread we have not seen, a place other than the
        // master's says that it is one of the runtime's own.
        record = create_own_record(place.thread_num != 0 ? ThreadKind::kWorker : ThreadKind::kUser);
        if (record == nullptr)
            return;
    }
    close_mutex_wait(*record);
    // A worker begins with nothing below it: what is left is a region whose end was not reported.
    const bool enters_from_pool =
        record->kind == ThreadKind::kWorker &&
        (record->activity.get() == Activity::kRegionEnd ||
         record->activity.get() == Activity::kIdle || is_behind_outermost_region(*record));
    if (enters_from_pool) {
        become_idle(*record);
        record->activity.set(Activity::kIdle);
        order_for_handler();
        while (record->frame.get() != nullptr)
            pop_frame(*record);
    }

    // The master goes by its own record, a worker by the word. (For the master of a league of one
    // libomp has no word.)
    RegionRecord *region = nullptr;
    RegionKey key = 0;
    if (record->fork_awaits_task) {
        region = record->innermost_fork;
        key = region->running_key.load(std::memory_order_relaxed);
    } else if (region_word != nullptr) {
        region = region_at_first_sight(*region_word);
        key = key_of(region_word->load(std::memory_order_relaxed));
    }
    record->fork_awaits_task = false;
    Frame *frame = push_frame(*record);
    if (frame == nullptr) {
        release_own_record();
        return;
    }
    if (region != nullptr) {
        frame->region = region;
        frame->key = key;
        frame->parent_id = place.thread_num == 0 ? region->parent_id : 0; // the master's to ask
    }
    frame->thread_num = place.thread_num;
    frame->team_size = place.team_size;
    record->task.set(0);
    if (enters_from_pool)
        end_idle(*record, {0, visible_id(frame->key), frame->parent_id, THR_IDLE_STATE,
                           place.thread_num == 0});
    order_for_handler();
    record->frame.set(frame);
    order_for_handler();
    record->activity.set(Activity::kUser);
    note_waits_are_seen(*record);
}

void implicit_task_ends(bool is_late_worker) {
    ThreadRecord *record = own_record;
    if (record == nullptr && !is_late_worker)
        record = record_of_caller();
    if (record == nullptr) {
        // A worker seen for the first time while it leaves a region of before.
        if (record = create_own_record(ThreadKind::kWorker); record == nullptr)
            return;
    }
    close_mutex_wait(*record);
    close_single(*record);
    const Frame *frame = record->frame.get();
    const bool returns_to_pool =
        record->kind == ThreadKind::kWorker && (frame == nullptr || frame->outer == nullptr);
    if (returns_to_pool)
        return become_idle(*record);
    if (frame == nullptr)
        return;
    record->activity.set(frame->enclosing_activity);
    order_for_handler();
    pop_frame(*record);
}

} // namespace ocb::tracker
