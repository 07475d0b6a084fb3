// SPDX-License-Identifier: Apache-2.0
#include "tracker.h"

#include "answers.h"
#include "held_mutexes.h"
#include "options.h"
#include "region_code.h"
#include "runtime.h"
#include "session.h"
#include "tables.h"

namespace ocb::tracker {

static_assert(static_cast<unsigned>(Activity::kReduction) < kTaskWasLeft);
constexpr TaskWord kActivityOfTask = kTaskWasLeft - 1;

namespace {

// The thread's record; an unknown thread is adopted with what the runtime knows of it.
ThreadRecord *record_of_caller() {
    if (own_record == nullptr) [[unlikely]]
        runtime::adopt_caller();
    return own_record;
}

// From here on the thread's barriers and mutexes are all reported, if somebody has asked for them:
// what was once asked for stays.
void note_waits_are_seen(ThreadRecord &record) {
    constexpr Needs kWaitsAndMutexes = kNeedWaits | kNeedMutexes;
    if (record.sees_waits.get() || (runtime::told_needs() & kWaitsAndMutexes) != kWaitsAndMutexes)
        return;
    // A task that began before, inside of a call, has not been reported.
    front::enter_program(record.front);
    record.sees_waits.set(true);
}

// What every event goes through is compiled for the event, where that is a constant: its row of the
// table is then no look-up.
#define OCB_PER_EVENT inline __attribute__((always_inline))

// Every member is written.
OCB_PER_EVENT void fill_answers(const ThreadRecord &record, int state, EventAnswers &answers) {
    const Frame *frame = record.frame.get();
    answers.state = state;
    answers.wait_id = record.wait_id.get();
    answers.task = record.task.get();
    answers.region_id = frame != nullptr ? visible_id(frame->key) : 0;
    answers.parent_id = frame != nullptr ? frame->parent_id : 0;
    answers.is_master = frame != nullptr && frame->thread_num == 0;
}

// As a value, which deliver_as completes with the event's state.
EventAnswers answers_now(const ThreadRecord &record) {
    EventAnswers answers;
    fill_answers(record, kOwnState, answers);
    return answers;
}

OCB_PER_EVENT std::uint64_t &open_stack(ThreadRecord &record, Pair pair) {
    const std::uint32_t session = session::number.load(std::memory_order_relaxed);
    if (record.session != session) {
        record.session = session;
        for (std::uint64_t &stack : record.open)
            stack = 0;
    }
    return record.open[static_cast<int>(pair)];
}

void deliver_as(ThreadRecord &record, int event, EventAnswers answers) {
    const EventRow &row = event_row(event);
    if (row.state != kOwnState)
        answers.state = row.state;
    else
        answers.state = answers::state_of(record, answers.wait_id);
    session::deliver(record, event, answers);
}

// With the answers that the record gives now, written in their place at once.
OCB_PER_EVENT void deliver_now(ThreadRecord &record, int event) {
    if (record.is_in_callback())
        return;
    EventAnswers &answers = record.answers;
    fill_answers(record, event_row(event).state, answers);
    if (answers.state == kOwnState)
        answers.state = answers::state_of(record, answers.wait_id);
    session::deliver_prepared(record, event);
}

// How an open pair stands with the collector; on the thread's stack, two bits each.
enum OpenPair : std::uint64_t {
    kUnknown = 0,   // its BEGIN could not be delivered, so its END is not either
    kBegun = 1,     // its BEGIN has been delivered
    kEndWanted = 2, // only its END was registered when it began
    kOpenPairBits = 2,
    kOpenPairMask = (1U << kOpenPairBits) - 1,
};

OCB_PER_EVENT OpenPair open_pair_now(const ThreadRecord &record, int begin, int end) {
    if (record.is_in_callback())
        return kUnknown;
    if (session::wants(begin))
        return kBegun;
    return session::wants(end) ? kEndWanted : kUnknown;
}

// An END is the next number, but the creation of a task has two.
int begin_of(int end) {
    return end == OMP_EVENT_THR_END_CREATE_TASK_DEL ? OMP_EVENT_THR_BEGIN_CREATE_TASK : end - 1;
}

// A collector that has asked for both never gets an END without its BEGIN.
OCB_PER_EVENT bool end_is_due(OpenPair pair, int end) {
    return session::wants(end) &&
           (pair == kBegun || (pair == kEndWanted && !session::wants(begin_of(end))));
}

OCB_PER_EVENT bool begin_pair(ThreadRecord &record, int event, int end) {
    std::uint64_t &stack = open_stack(record, event_row(event).pair);
    const OpenPair pair = open_pair_now(record, event, end);
    stack = (stack << kOpenPairBits) | pair;
    return pair == kBegun;
}

OCB_PER_EVENT bool end_pair(ThreadRecord &record, int event) {
    std::uint64_t &stack = open_stack(record, event_row(event).pair);
    const auto pair = static_cast<OpenPair>(stack & kOpenPairMask);
    stack >>= kOpenPairBits;
    return end_is_due(pair, event);
}

// An event of a region that the thread is not in yet, or no more.
void deliver_of(ThreadRecord &record, const RegionRecord *region, int event,
                const EventAnswers &answers) {
    if (record.is_in_callback())
        return;
    record.event_region = region;
    order_for_handler();
    deliver_as(record, event, answers);
    order_for_handler();
    record.event_region = nullptr;
}

void begin_event(ThreadRecord &record, int event, int end, const EventAnswers &answers) {
    if (begin_pair(record, event, end))
        deliver_as(record, event, answers);
}
void end_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event, const EventAnswers &answers) {
    if (end_pair(record, event))
        deliver_as(record, event, answers);
}

void begin_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event, const EventAnswers &answers) {
    begin_event(record, event, event + 1, answers);
}
OCB_PER_EVENT void begin_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event) {
    if (begin_pair(record, event, event + 1))
        deliver_now(record, event);
}
OCB_PER_EVENT void end_event(ThreadRecord &record, OMP_COLLECTORAPI_EVENT event) {
    if (end_pair(record, event))
        deliver_now(record, event);
}

void begin_idle(ThreadRecord &record) {
    record.idle_is_announced = true;
    begin_event(record, OMP_EVENT_THR_BEGIN_IDLE, EventAnswers{});
}

// `answers` name the region that the thread is about to work for.
void end_idle(ThreadRecord &record, const RegionRecord *region, const EventAnswers &answers) {
    record.idle_is_announced = false;
    if (end_pair(record, OMP_EVENT_THR_END_IDLE))
        deliver_of(record, region, OMP_EVENT_THR_END_IDLE, answers);
}

// The event of entering what a thread goes into, 0 if there is none; leaving is the one behind it.
// In the order of Activity.
constexpr int kWaitEvents[] = {
    0,                        // kUser
    0,                        // kOverhead
    OMP_EVENT_THR_BEGIN_IBAR, // kImplicitBarrier
    OMP_EVENT_THR_BEGIN_EBAR, // kExplicitBarrier
    OMP_EVENT_THR_BEGIN_IBAR, // kRegionEnd, until the thread is said to be idle
    0,                        // kIdle
    0,                        // kReduction
};
static_assert(sizeof(kWaitEvents) / sizeof(kWaitEvents[0]) ==
              static_cast<int>(Activity::kReduction) + 1);

int wait_event(const ThreadRecord &record, Activity activity) {
    return activity == Activity::kRegionEnd && record.idle_is_announced
               ? OMP_EVENT_THR_BEGIN_IDLE
               : kWaitEvents[static_cast<int>(activity)];
}

OCB_PER_EVENT void enter_wait(ThreadRecord &record, Activity activity) {
    const int event = wait_event(record, activity);
    if (event == OMP_EVENT_THR_BEGIN_IBAR)
        begin_event(record, OMP_EVENT_THR_BEGIN_IBAR);
    else if (event == OMP_EVENT_THR_BEGIN_EBAR)
        begin_event(record, OMP_EVENT_THR_BEGIN_EBAR);
    else if (event == OMP_EVENT_THR_BEGIN_IDLE)
        begin_idle(record);
}

OCB_PER_EVENT void leave_wait(ThreadRecord &record, Activity activity) {
    const int event = wait_event(record, activity);
    if (event == OMP_EVENT_THR_BEGIN_IBAR)
        end_event(record, OMP_EVENT_THR_END_IBAR);
    else if (event == OMP_EVENT_THR_BEGIN_EBAR)
        end_event(record, OMP_EVENT_THR_END_EBAR);
    else if (event == OMP_EVENT_THR_BEGIN_IDLE)
        end_event(record, OMP_EVENT_THR_END_IDLE);
}

// The turn of an ordered region is a matter of iterations: whether it has come already the runtime
// does not tell, only that alone in a team there is nobody to wait for.
bool is_in_team(const ThreadRecord &record) {
    const Frame *frame = record.frame.get();
    return frame != nullptr && frame->team_size > 1;
}

// An acquisition that the runtime left without an end (a failed test_lock).
__attribute__((noinline)) void end_mutex_event(ThreadRecord &record, MutexKind kind) {
    record.mutex_event_is_open = false;
    end_event(record, mutex_row(kind).end);
}
OCB_PER_EVENT void close_mutex_wait(ThreadRecord &record) {
    const MutexKind kind = record.mutex.get();
    if (kind == MutexKind::kNone)
        return;
    record.mutex.set(MutexKind::kNone);
    if (record.mutex_event_is_open)
        end_mutex_event(record, kind);
}

__attribute__((noinline)) void end_single(ThreadRecord &record, Frame &frame) {
    frame.single_is_open = false;
    end_event(record, OMP_EVENT_THR_END_SINGLE);
}
OCB_PER_EVENT void close_single(ThreadRecord &record) {
    if (Frame *frame = record.frame.get(); frame != nullptr && frame->single_is_open)
        end_single(record, *frame);
}

// A barrier in serial code is a team of one's: the frame stands for the region.
std::uint64_t barrier_id(const Frame &frame) {
    const RegionKey key =
        frame.key != 0 ? frame.key : kLeagueBit | (reinterpret_cast<std::uint64_t>(&frame) >> 4);
    return ocb::barrier_id(key, frame.barriers);
}

// What lies between two barriers of a region.
std::uint64_t part_of(const Frame &frame) {
    return ocb::barrier_id(frame.key, frame.barriers_passed);
}

// The end of a worker's stay in its region, announced where the runtime does not say it in time. It
// does (libomp) where tasks were created since the team's last barrier.
bool announces_idle_at_arrival(const Frame &frame) {
    if (options().idle_events != IdleEvents::kPrompt)
        return false;
    return frame.region == nullptr ||
           frame.region->part_with_tasks.load(std::memory_order_relaxed) != part_of(frame);
}

void arrive_at_region_end(ThreadRecord &record, const Frame &frame) {
    record.activity.set(Activity::kRegionEnd);
    begin_event(record, OMP_EVENT_THR_BEGIN_IBAR);
    if (!announces_idle_at_arrival(frame))
        return;
    end_event(record, OMP_EVENT_THR_END_IBAR);
    begin_idle(record);
}

// The runtime's own word that the thread has left its region. The frame stays until the next
// region: the word may come while the master is still inside (KMP_TASKING=0), and STATE goes by the
// master.
void become_idle(ThreadRecord &record) {
    if (record.activity.get() == Activity::kRegionEnd && !record.idle_is_announced)
        end_event(record, OMP_EVENT_THR_END_IBAR);
    record.activity.set(record.frame.get() != nullptr ? Activity::kRegionEnd : Activity::kIdle);
    // What was said before the first session nobody has been told.
    const bool was_before_all =
        record.session == 0 && session::number.load(std::memory_order_relaxed) != 0;
    if (!record.idle_is_announced || was_before_all)
        begin_idle(record);
}

// The runtime has said that the worker's implicit task has ended, and not that it is idle.
bool is_behind_outermost_region(const ThreadRecord &record) {
    const Frame *frame = record.frame.get();
    return frame != nullptr && frame->outer == nullptr && frame->body_has_ended;
}

// Not in the middle of one: an end whose begin came before we observed, or was never told.
bool is_in_barrier(const ThreadRecord &record) {
    const Activity activity = record.activity.get();
    return activity == Activity::kImplicitBarrier || activity == Activity::kExplicitBarrier;
}

} // namespace

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
    region->fork_session = session::number.load(std::memory_order_relaxed);
    region->open_pair = static_cast<std::uint8_t>(pair);
    if (pair == kBegun)
        deliver_of(*record, region, OMP_EVENT_FORK,
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
            region->fork_session == session::number.load(std::memory_order_relaxed) &&
            end_is_due(static_cast<OpenPair>(region->open_pair), OMP_EVENT_JOIN);
        const std::uint64_t parent_id = region->parent_id;
        end_region(*record, *region);
        if (!is_league && is_due)
            deliver_of(*record, region, OMP_EVENT_JOIN,
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

    // The master goes by its own record, a worker by the word.
    RegionRecord *region = nullptr;
    RegionKey key = 0;
    if (record->fork_awaits_task && region_word != nullptr) {
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
        end_idle(
            *record, region,
            {0, visible_id(frame->key), frame->parent_id, THR_IDLE_STATE, place.thread_num == 0});
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

void implicit_task_body_ends() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    close_single(*record);
    record->activity.set(Activity::kOverhead);
    if (Frame *frame = record->frame.get(); frame != nullptr)
        frame->body_has_ended = true;
}

void leave_and_join(RegionWord &region_word) {
    if (const ThreadRecord *record = own_record; record != nullptr) {
        const Frame *frame = record->frame.get();
        const RegionRecord *region = record->innermost_fork != nullptr
                                         ? record->innermost_fork
                                         : region_of(region_word.load(std::memory_order_acquire));
        const bool is_of_region =
            frame != nullptr && frame->thread_num == 0 &&
            (frame->body_has_ended ||
             (region != nullptr && frame->region == region && region->is_running(frame->key)));
        if (is_of_region)
            implicit_task_ends(false);
    }
    join(region_word);
}

void worker_left_region() {
    if (ThreadRecord *record = own_record; record != nullptr && !record->idle_is_announced)
        become_idle(*record);
}

void idle_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr || record->kind != ThreadKind::kWorker)
        return;
    close_mutex_wait(*record);
    close_single(*record);
    if (is_in_barrier(*record))
        leave_wait(*record, record->activity.get());
    record->activity.set(Activity::kIdle);
    order_for_handler();
    while (record->frame.get() != nullptr)
        pop_frame(*record);
    if (!record->idle_is_announced)
        begin_idle(*record);
}

void barrier_entered() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    note_waits_are_seen(*record);
    close_mutex_wait(*record);
    close_single(*record);
    if (Frame *frame = record->frame.get(); frame != nullptr) {
        ++frame->barriers;
        frame->barrier_is_told = false;
        record->wait_id.set(barrier_id(*frame));
    }
}

void barrier_waited_in(BarrierKind kind) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr || is_in_barrier(*record))
        return;
    Frame *frame = record->frame.get();
    if (frame == nullptr)
        return;
    close_mutex_wait(*record);
    frame->barrier_is_told = true;
    record->wait_id.set(barrier_id(*frame));
    order_for_handler();
    const Activity activity =
        kind == BarrierKind::kExplicit ? Activity::kExplicitBarrier : Activity::kImplicitBarrier;
    record->activity.set(activity);
    enter_wait(*record, activity);
}

void barrier_left() {
    ThreadRecord *record = record_of_caller();
    Frame *frame = record != nullptr ? record->frame.get() : nullptr;
    if (frame == nullptr)
        return;
    if (!frame->barrier_is_told)
        barrier_waited_in(BarrierKind::kImplicit);
    if (is_in_barrier(*record))
        leave_wait(*record, record->activity.get());
    record->activity.set(frame->body_has_ended ? Activity::kOverhead : Activity::kUser);
    ++frame->barriers_passed;
}

void barrier_begins(BarrierKind kind) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    note_waits_are_seen(*record);
    close_mutex_wait(*record);
    if (record->front.may_combine()) [[unlikely]]
        record->front.combines_until.set(0);
    if (kind == BarrierKind::kTaskWait) {
        record->activity.set(Activity::kOverhead);
        return;
    }
    close_single(*record);
    Frame *frame = record->frame.get();
    if (frame == nullptr)
        return;
    ++frame->barriers;
    record->wait_id.set(barrier_id(*frame));
    order_for_handler();
    switch (kind) {
    case BarrierKind::kLast:
        frame->body_has_ended = true;
        [[fallthrough]];
    case BarrierKind::kImplicit:
        record->activity.set(Activity::kImplicitBarrier);
        enter_wait(*record, Activity::kImplicitBarrier);
        break;
    case BarrierKind::kExplicit:
        record->activity.set(Activity::kExplicitBarrier);
        enter_wait(*record, Activity::kExplicitBarrier);
        break;
    case BarrierKind::kRegionEnd:
        arrive_at_region_end(*record, *frame);
        break;
    case BarrierKind::kTaskWait:
        break;
    }
}

void barrier_ends(bool is_late_worker) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        if (is_late_worker || (record = record_of_caller()) == nullptr)
            return;
    }
    const Activity activity = record->activity.get();
    if (activity == Activity::kRegionEnd) {
        become_idle(*record);
        return;
    }
    // An end whose begin came before we observed.
    if (activity != Activity::kImplicitBarrier && activity != Activity::kExplicitBarrier &&
        activity != Activity::kOverhead)
        return;
    leave_wait(*record, activity);
    Frame *frame = record->frame.get();
    const bool is_barrier = frame != nullptr && activity != Activity::kOverhead;
    record->activity.set(is_barrier && frame->body_has_ended ? Activity::kOverhead
                                                             : Activity::kUser);
    if (is_barrier)
        ++frame->barriers_passed;
}

namespace {

// What a mutex does to its thread's record and events, whether it is the runtime that tells who
// waits or the table of held mutexes.
OCB_PER_EVENT void begin_acquisition(ThreadRecord &record, MutexKind kind, std::uint64_t wait_id,
                                     bool must_wait) {
    record.wait_id.set(wait_id);
    record.mutex_is_taken.set(must_wait);
    order_for_handler();
    record.mutex.set(kind);
    if (!must_wait && options().wait_events != WaitEvents::kAll)
        return;
    record.mutex_event_is_open = true;
    begin_event(record, mutex_row(kind).begin);
}

OCB_PER_EVENT void end_acquisition(ThreadRecord &record, MutexKind kind) {
    close_mutex_wait(record);
    if (kind == MutexKind::kOrdered)
        begin_event(record, OMP_EVENT_THR_BEGIN_ORDERED);
}

OCB_PER_EVENT void give_back(ThreadRecord &record, MutexKind kind) {
    close_mutex_wait(record);
    if (kind == MutexKind::kOrdered)
        end_event(record, OMP_EVENT_THR_END_ORDERED);
}

} // namespace

void mutex_waited_for(MutexKind kind, std::uint64_t wait_id) {
    if (ThreadRecord *record = record_of_caller(); record != nullptr) {
        close_mutex_wait(*record);
        begin_acquisition(*record, kind, wait_id, true);
    }
}

void mutex_wait_over(MutexKind kind) {
    if (ThreadRecord *record = record_of_caller(); record != nullptr)
        end_acquisition(*record, kind);
}

void mutex_given_back(MutexKind kind) {
    if (ThreadRecord *record = record_of_caller(); record != nullptr)
        give_back(*record, kind);
}

void mutex_wanted(MutexKind kind, std::uint64_t wait_id, bool has_queue) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    if (record->front.may_combine() && kind == MutexKind::kCritical) [[unlikely]] {
        front::combine_until_told(record->front);
        return;
    }
    const bool must_wait =
        kind == MutexKind::kOrdered ? is_in_team(*record) : want_mutex(wait_id, *record, has_queue);
    begin_acquisition(*record, kind, wait_id, must_wait);
}

void mutex_acquired(MutexKind kind, std::uint64_t wait_id) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    if (kind != MutexKind::kOrdered)
        hold_mutex(wait_id, *record);
    end_acquisition(*record, kind);
}

void mutex_released(MutexKind kind, std::uint64_t wait_id) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    give_back(*record, kind);
    if (kind != MutexKind::kOrdered)
        release_mutex(wait_id, *record);
}

void nest_lock_reacquired() {
    if (ThreadRecord *record = own_record; record != nullptr)
        close_mutex_wait(*record);
}

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

void reduction_begins() {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    record->before_reduction = record->activity.get();
    leave_wait(*record, record->before_reduction);
    record->activity.set(Activity::kReduction);
}

void reduction_ends() {
    ThreadRecord *record = own_record;
    if (record == nullptr || record->activity.get() != Activity::kReduction)
        return;
    record->activity.set(record->before_reduction);
    enter_wait(*record, record->before_reduction);
}

namespace {

void note_tasks_of_part(const ThreadRecord &record) {
    const Frame *frame = record.frame.get();
    if (frame == nullptr || frame->region == nullptr)
        return;
    // Once per part: the first task tells the workers that their end will be reported in time.
    const std::uint64_t part = part_of(*frame);
    if (frame->region->part_with_tasks.load(std::memory_order_relaxed) != part)
        frame->region->part_with_tasks.store(part, std::memory_order_relaxed);
}

EventAnswers answers_for_task(const ThreadRecord &record, TaskWord task) {
    EventAnswers answers = answers_now(record);
    answers.task = ids_of(task);
    return answers;
}

void suspend_task(ThreadRecord &record, TaskWord task) {
    if (record.tasks_suspended == ThreadRecord::kMostSuspended)
        return;
    record.suspended[record.tasks_suspended++] = task;
    begin_event(record, OMP_EVENT_THR_BEGIN_SUSPEND_TASK, answers_for_task(record, task));
}

// The suspended tasks end to be so from the innermost down to `depth`.
void resume_tasks(ThreadRecord &record, std::uint32_t depth) {
    while (record.tasks_suspended > depth) {
        const TaskWord task = record.suspended[--record.tasks_suspended];
        end_event(record, OMP_EVENT_THR_END_SUSPEND_TASK, answers_for_task(record, task));
    }
}

// What the thread has suspended above the task that it enters is no longer its own: untied tasks
// that other threads may go on with. False for a task with an id that the thread has not suspended:
// it begins here, or goes on here.
bool resume_task(ThreadRecord &record, TaskWord task) {
    const Frame *frame = record.frame.get();
    const std::uint32_t bottom = frame != nullptr ? frame->tasks_suspended : 0;
    if (task_id(task) == 0) {
        if ((task & kTaskWasLeft) != 0) // the implicit task, below all of them
            resume_tasks(record, bottom);
        return true;
    }
    for (std::uint32_t depth = record.tasks_suspended; depth > bottom; --depth)
        if (task_id(record.suspended[depth - 1]) == task_id(task)) {
            resume_tasks(record, depth - 1);
            return true;
        }
    return false;
}

} // namespace

TaskWord task_created(bool is_deferred) {
    const bool gets_id = (runtime::wanted_needs() & kNeedTasks) != 0;
    ThreadRecord *record = gets_id ? record_of_caller() : own_record;
    if (record == nullptr)
        return 0;
    if (is_deferred)
        note_tasks_of_part(*record);
    if (!gets_id)
        return 0;
    close_mutex_wait(*record);
    const OMP_COLLECTORAPI_EVENT end =
        is_deferred ? OMP_EVENT_THR_END_CREATE_TASK_DEL : OMP_EVENT_THR_END_CREATE_TASK_IMM;
    begin_event(*record, OMP_EVENT_THR_BEGIN_CREATE_TASK, end, answers_now(*record));
    const TaskWord task = make_task_word(next_task_id(*record), task_id(record->task.get()));
    end_event(*record, end, answers_for_task(*record, task));
    return task;
}

TaskWord task_left(TaskWord word) {
    ThreadRecord *record = record_of_caller();
    if (record == nullptr)
        return word;
    close_mutex_wait(*record);
    const Activity activity = record->activity.get();
    leave_wait(*record, activity);
    record->activity.set(Activity::kUser);
    if (task_id(word) != 0)
        suspend_task(*record, word);
    return ids_of(word) | kTaskWasLeft | static_cast<TaskWord>(activity) |
           (record->front.is_in_runtime() ? 0 : kTaskLeftUnmarked);
}

void task_finished(TaskWord word) {
    ThreadRecord *record = own_record;
    if (record == nullptr || task_id(word) == 0)
        return;
    close_mutex_wait(*record);
    begin_event(*record, OMP_EVENT_THR_BEGIN_FINISH_TASK, answers_for_task(*record, word));
    end_event(*record, OMP_EVENT_THR_END_FINISH_TASK, answers_for_task(*record, word));
}

void task_entered(TaskWord word) {
    ThreadRecord *record = own_record;
    if (record == nullptr)
        return;
    close_mutex_wait(*record);
    const bool is_resumed = resume_task(*record, word);
    const bool goes_on = (word & kTaskWasLeft) != 0;
    const auto activity = goes_on ? static_cast<Activity>(word & kActivityOfTask) : Activity::kUser;
    if (goes_on && (word & kTaskLeftUnmarked) == 0)
        front::leave_program(record->front);
    else
        front::enter_program(record->front);
    // The barrier's id has been overwritten if the task took a mutex.
    if (const Frame *frame = record->frame.get(); frame != nullptr)
        record->wait_id.set(barrier_id(*frame));
    record->task.set(ids_of(word));
    order_for_handler();
    record->activity.set(activity);
    if (!is_resumed && session::wants(OMP_EVENT_THR_BEGIN_EXEC_TASK))
        deliver_as(*record, OMP_EVENT_THR_BEGIN_EXEC_TASK, answers_now(*record));
    enter_wait(*record, activity);
}

} // namespace ocb::tracker
