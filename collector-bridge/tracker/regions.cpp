// SPDX-License-Identifier: Apache-2.0
// Parallel regions: fork and join on the master, the implicit task on each thread of the team.
#include "tracker/tracker.h"

#include "events/session.h"
#include "records/own_regions.h"
#include "records/region_code.h"
#include "tracker/waits.h"

namespace ocb::tracker {
namespace {

// True if the runtime has reported the end of the worker's implicit task, but not that it is idle.
bool is_behind_outermost_region(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    return implicit_task != nullptr && implicit_task->outer == nullptr &&
           implicit_task->body_has_ended;
}

// For a join whose fork has no record, or is not the thread's innermost one.
OCB_NEVER_INLINE RegionRecord *region_without_record(ThreadRecord &record,
                                                     const RegionWord &region_word) {
    RegionRecord *region = record.innermost_fork;
    const std::uint64_t word = region_word.load(std::memory_order_acquire);
    RegionRecord *named = region_of(word);
    if (named != nullptr && !named->is_running(key_of(word))) {
        named = nullptr; // the record may be another region's by now
    }
    if (record.forks_without_record != 0 && named != region) {
        // Its word is empty, or names the late record that somebody in it has made.
        --record.forks_without_record;
        return named;
    }
    if (region == nullptr) {
        return named;
    }
    record.innermost_fork = region->outer_fork;
    return region;
}

// Whether the program is known to call through the front. A thread's first call, in which its
// record is made, has no mark yet.
enum class Trust : std::uint8_t { kAlways, kIfMarked };

// A fork without a mark means calls that the front does not see. From here on everything is
// reported, as without a front.
OCB_NEVER_INLINE void trust_if_inside(std::uintptr_t mark) {
    if (mark == 0) {
        front::know_calls(nullptr);
        runtime::observe_wanted();
    }
}

// Makes the region's record; null: there is none. The caller delivers the event.
OCB_ALWAYS_INLINE RegionRecord *fork_region(ThreadRecord &record, RegionWord &region_word,
                                            RegionKey key, RegionId parent_id, ForkCode code,
                                            Trust trust) {
    RegionRecord *region = begin_region(record, key, parent_id);
    record.set_activity_by_word(Activity::kOverhead);
    if (region == nullptr) [[unlikely]] {
        region_word.store(0, std::memory_order_release);
        ++record.forks_without_record;
        return nullptr;
    }
    region_word.store(word_of(*region, key), std::memory_order_release);
    const std::uintptr_t mark = record.front.innermost.get();
    const front::CallFrame *call = nullptr;
    if (front::forks(mark)) [[likely]] {
        call = front::call_that_forks(mark, code.address);
        if (code.function == nullptr && call != nullptr) {
            code.function = front::forked_function(*call);
        }
    } else if (trust == Trust::kIfMarked && front::knows_calls()) [[unlikely]] {
        trust_if_inside(mark);
    }
    record.event_of.call = call;
    keep_region_code(*region, code);
    region->outer_fork = record.innermost_fork;
    record.innermost_fork = region;
    record.fork_awaits_task = true;
    return region;
}

RegionId region_id_of(const ImplicitTask *implicit_task) {
    return implicit_task != nullptr ? implicit_task->region_id() : RegionId::kNone;
}

// The slow path: the record is not ready, or the region is a league. In a task that was not
// reported a thread may fork although its record shows a barrier, and is in that barrier again
// behind the join. Such a fork sets this bit of its session number, which no session has, so its
// JOIN comes here, too.
constexpr std::uint32_t kForkedInWait = 1U << 31;

bool is_wait(Activity activity) {
    return activity == Activity::kImplicitBarrier || activity == Activity::kExplicitBarrier ||
           activity == Activity::kRegionEnd;
}

// Bits for RegionRecord::fork_session.
std::uint32_t record_wait(RegionRecord &region, Activity activity) {
    if (!is_wait(activity) || !front::tasks_may_run_unreported()) {
        return 0;
    }
    region.enclosing_activity = static_cast<std::uint8_t>(activity);
    return kForkedInWait;
}
Activity activity_behind(const RegionRecord &region) {
    return (region.fork_session & kForkedInWait) != 0
               ? static_cast<Activity>(region.enclosing_activity)
               : Activity::kUser;
}

OCB_NEVER_INLINE void fork_on_slow_path(RegionWord &region_word, ForkKind kind, ForkCode code,
                                        const void *frame) {
    session::watch_exit();
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    const bool is_league = kind == ForkKind::kLeague;
    const Activity activity = record->activity.get();
    const RegionKey key = is_league ? next_league_key() : next_region_key(*record);
    RegionRecord *region = fork_region(
        *record, region_word, key, region_id_of(record->implicit_task.get()), code, Trust::kAlways);
    if (is_league || region == nullptr) {
        return;
    }
    const events::OpenPair pair = events::open_pair_at_begin(*record, Event::kFork, Event::kJoin);
    events::enter_session(*record); // the next one takes the fast path
    region->fork_session = record->session | record_wait(*region, activity);
    region->open_pair = static_cast<std::uint8_t>(pair);
    if (pair == events::OpenPair::kBegun) {
        events::deliver_of_master(*record, *region, key, Event::kFork);
    }
}

OCB_NEVER_INLINE void join_on_slow_path(const RegionWord &region_word, const void *frame) {
    ThreadRecord *record = record_at_report_of(frame);
    if (record == nullptr) {
        return;
    }
    RegionRecord *region = record->innermost_fork;
    if (region == nullptr || record->forks_without_record != 0) {
        region = region_without_record(*record, region_word);
    } else {
        record->innermost_fork = region->outer_fork;
    }
    if (region == nullptr) {
        return record->activity.set(Activity::kUser);
    }
    const RegionKey key = region->running_key.load(std::memory_order_relaxed);
    const bool is_of_session = (region->fork_session & ~kForkedInWait) == events::session_number();
    const auto pair = is_of_session ? static_cast<events::OpenPair>(region->open_pair)
                                    : events::OpenPair::kUnknown;
    const bool is_due = !record->is_in_callback() && events::join_is_due(pair);
    const Activity activity = activity_behind(*region);
    end_region(*record, *region);
    record->activity.set(activity);
    if (!is_league(key) && is_due) {
        events::deliver_of_master(*record, *region, key, Event::kJoin);
    }
}

OCB_NEVER_INLINE void fork_when_ready(ThreadRecord &record, RegionWord &region_word,
                                      ForkCode code) {
    const RegionKey key = next_region_key(record);
    RegionRecord *region = fork_region(
        record, region_word, key, region_id_of(record.implicit_task.get()), code, Trust::kIfMarked);
    if (region == nullptr) [[unlikely]] {
        return;
    }
    region->fork_session = record.session;
    events::begin_ready_fork(record, *region, key);
}

} // namespace

void fork(RegionWord &region_word, ForkKind kind, ForkCode code) {
    ThreadRecord *record = record_or_never_ready;
    if (kind != ForkKind::kRegion || !events::is_ready_for_region(*record, Activity::kUser) ||
        !session::watches_exit()) [[unlikely]] {
        return fork_on_slow_path(region_word, kind, code, __builtin_dwarf_cfa());
    }
    fork_when_ready(*record, region_word, code);
}

// The thread's list of forks has precedence over the runtime's word: for a serialized region of a
// gcc-built program inside a league libomp passes the enclosing region's word. Only a region that
// began before the bridge observed is not in the list.
void join(const RegionWord &region_word) {
    ThreadRecord *record = record_or_never_ready;
    RegionRecord *region = record->innermost_fork;
    if (region == nullptr || !events::is_ready_for_region(*record, Activity::kOverhead) ||
        region->fork_session != record->session || record->forks_without_record != 0) [[unlikely]] {
        return join_on_slow_path(region_word, __builtin_dwarf_cfa());
    }
    record->innermost_fork = region->outer_fork;
    const RegionKey key = region->running_key.load(std::memory_order_relaxed);
    end_region(*record, *region);
    record->set_activity_by_word(Activity::kUser);
    if (!is_league(key)) [[likely]] {
        events::end_ready_fork(*record, *region, key);
    }
}

namespace {

// The master enters the region that it has just forked.
OCB_ALWAYS_INLINE void enter_forked_region(ThreadRecord &record, TeamPlace place) {
    RegionRecord *region = record.innermost_fork;
    record.fork_awaits_task = false;
    ImplicitTask *implicit_task = push_implicit_task(record);
    if (implicit_task == nullptr) [[unlikely]] {
        return release_own_record();
    }
    front::enter_region(record.front);
    implicit_task->region = region;
    implicit_task->key = region->running_key.load(std::memory_order_relaxed);
    implicit_task->parent_id = region->parent_id;
    implicit_task->thread_num = place.thread_num;
    implicit_task->team_size = place.team_size;
    record.task.set(0);
    order_for_handler();
    record.implicit_task.set(implicit_task);
    order_for_handler();
    record.set_activity_by_word(Activity::kUser);
}

// Null: there is no memory.
OCB_ALWAYS_INLINE ThreadRecord *record_at_begin_of_task(TeamPlace place, const void *frame) {
    ThreadRecord *record = own_record;
    if (record != nullptr) {
        prepare_report(*record, Report::kAny, frame);
        return record;
    }
    // On an unknown thread, a place other than the master's shows a worker of the runtime.
    return create_own_record(place.thread_num != 0 ? ThreadKind::kWorker : ThreadKind::kUser);
}

// A worker from the pool is in no region. What its record still has are regions whose end was not
// reported. True if it comes from the pool.
OCB_ALWAYS_INLINE bool leave_regions_without_end(ThreadRecord &record) {
    const bool enters_from_pool =
        record.kind == ThreadKind::kWorker &&
        (record.activity.get() == Activity::kRegionEnd ||
         record.activity.get() == Activity::kIdle || is_behind_outermost_region(record));
    if (enters_from_pool) {
        if (record.implicit_task.get() != nullptr) {
            become_idle(record);
        }
        record.activity.set(Activity::kIdle);
        order_for_handler();
        while (record.implicit_task.get() != nullptr) {
            pop_implicit_task(record);
        }
    }
    return enters_from_pool;
}

OCB_NEVER_INLINE void implicit_task_begins_on_slow_path(RegionWord *region_word, TeamPlace place,
                                                        const void *frame) {
    ThreadRecord *record = record_at_begin_of_task(place, frame);
    if (record == nullptr) {
        return;
    }
    if (record->fork_awaits_task) {
        enter_forked_region(*record, place);
        if (own_record != nullptr) {
            record_waits_are_seen(*record);
        }
        return;
    }
    const bool enters_from_pool = leave_regions_without_end(*record);

    // For the master of a league of one libomp passes no word.
    RegionRecord *region = nullptr;
    RegionKey key = RegionKey::kNone;
    if (region_word != nullptr) {
        region = region_at_first_sight(*region_word);
        key = key_of(region_word->load(std::memory_order_relaxed));
    }
    ImplicitTask *implicit_task = push_implicit_task(*record);
    if (implicit_task == nullptr) {
        release_own_record();
        return;
    }
    if (region != nullptr) {
        implicit_task->region = region;
        implicit_task->key = key;
        // Only the master may ask for the parent.
        implicit_task->parent_id = place.thread_num == 0 ? region->parent_id : RegionId::kNone;
    }
    implicit_task->thread_num = place.thread_num;
    implicit_task->team_size = place.team_size;
    record->task.set(0);
    if (enters_from_pool) {
        if (!record->idle_is_announced) {
            begin_first_idle(*record, region, key);
        }
        end_idle(*record, region,
                 {.region_id = implicit_task->region_id(),
                  .parent_id = implicit_task->parent_id,
                  .state = THR_IDLE_STATE,
                  .is_master = place.thread_num == 0});
    }
    order_for_handler();
    record->implicit_task.set(implicit_task);
    order_for_handler();
    record->activity.set(Activity::kUser);
    record_waits_are_seen(*record);
}

// An idle worker enters its next region, and END_IDLE is not wanted. Its part in the last region is
// used again for this one.
OCB_ALWAYS_INLINE void enter_from_pool(ThreadRecord &record, RegionRecord &region, RegionKey key,
                                       TeamPlace place) {
    ImplicitTask *const part = record.implicit_task.get();
    record.set_activity_by_word(Activity::kIdle);
    order_for_handler();
    record.idle_is_announced = false;
    static_cast<void>(events::end_pair(record, Event::kEndIdle));
    record.tasks_suspended = part->tasks_suspended;
    record.front.covered.set(part->front_covered);
    record.task.set(0);
    begin_part(*part);
    part->region = &region;
    part->key = key;
    part->thread_num = place.thread_num;
    part->team_size = place.team_size;
    order_for_handler();
    record.set_activity_by_word(Activity::kUser);
}

// The record of the region that an idle worker is about to enter, on the fast path; else null.
OCB_ALWAYS_INLINE RegionRecord *region_from_rest(const ThreadRecord &record, std::uint64_t word,
                                                 TeamPlace place) {
    const bool is_plain =
        is_at_rest(record) && place.thread_num != 0 && word != 0 && !events::wants(Event::kEndIdle);
    return is_plain ? region_of(word) : nullptr;
}

// A function of its own, so that the master's path saves no registers for it.
OCB_NEVER_INLINE void implicit_task_of_worker_begins(RegionWord *region_word, TeamPlace place,
                                                     const void *frame) {
    ThreadRecord *record = record_or_never_ready;
    const std::uint64_t word =
        region_word != nullptr ? region_word->load(std::memory_order_acquire) : 0;
    if (RegionRecord *region = region_from_rest(*record, word, place); region != nullptr) {
        return enter_from_pool(*record, *region, key_of(word), place);
    }
    implicit_task_begins_on_slow_path(region_word, place, frame);
}

} // namespace

void implicit_task_begins(RegionWord *region_word, TeamPlace place) {
    ThreadRecord *record = record_or_never_ready;
    if (record->is_plain() && record->fork_awaits_task) {
        return enter_forked_region(*record, place);
    }
    implicit_task_of_worker_begins(region_word, place, __builtin_dwarf_cfa());
}

namespace {

// For a record that cannot take the fast path. Null: there is no memory.
OCB_NEVER_INLINE ThreadRecord *record_that_ends_task(EndReport report, const void *frame) {
    ThreadRecord *record = own_record;
    if (record != nullptr || report == EndReport::kInTime) {
        record = record_at_report_of(frame);
    }
    // A worker that is first seen while it leaves a region from before START.
    return record != nullptr ? record : create_own_record(ThreadKind::kWorker);
}

} // namespace

void implicit_task_ends(EndReport report) {
    ThreadRecord *record = record_or_never_ready;
    if (!record->is_plain_but_for_waits()) [[unlikely]] {
        if (record = record_that_ends_task(report, __builtin_dwarf_cfa()); record == nullptr) {
            return;
        }
    } else if (record->activity.get() == Activity::kRegionEnd && is_at_rest(*record)) {
        return;
    }
    close_single(*record);
    ImplicitTask *implicit_task = record->implicit_task.get();
    const bool returns_to_pool = record->kind == ThreadKind::kWorker &&
                                 (implicit_task == nullptr || implicit_task->outer == nullptr);
    if (returns_to_pool) {
        return become_idle(*record);
    }
    if (implicit_task == nullptr) {
        return;
    }
    record->set_activity_by_word(implicit_task->enclosing_activity);
    order_for_handler();
    pop_implicit_task(*record, *implicit_task);
}

RegionFacts region_facts(RegionWord &region_word) {
    const RegionRecord *region = region_at_first_sight(region_word);
    if (region == nullptr) {
        return {};
    }
    const RegionKey key = key_of(region_word.load(std::memory_order_relaxed));
    if (!region->is_running(key)) {
        return {.has_record = true, .has_ended = true, .id = RegionId::kNone};
    }
    return {.has_record = true, .has_ended = false, .id = visible_id(key)};
}

std::uint64_t *client_word_of(const RegionWord &region_word) {
    RegionRecord *region = region_of(region_word.load(std::memory_order_acquire));
    return region != nullptr ? &region->client_word : nullptr;
}

std::uint64_t *make_client_word_of(RegionWord &region_word) {
    if (region_word.load(std::memory_order_acquire) == 0) {
        ThreadRecord *record = own_record;
        const RegionKey key = next_league_key();
        RegionRecord *region =
            record != nullptr ? begin_region(*record, key, RegionId::kNone) : nullptr;
        if (region == nullptr) {
            return nullptr;
        }
        region_word.store(word_of(*region, key), std::memory_order_release);
    }
    return client_word_of(region_word);
}

} // namespace ocb::tracker
