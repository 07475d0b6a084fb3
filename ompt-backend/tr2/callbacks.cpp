// SPDX-License-Identifier: Apache-2.0
// The events of TR2, its draft successor and the form of 2014, as calls of tracker.h. A callback
// names only the arguments that all forms have: one more or less at the end is the caller's matter.
//
// Differently from OpenMP 5, ids stand for regions and tasks (ids.h); idle workers are reported, so
// that nothing is concluded from a region's end; a mutex is reported only when the thread does
// wait, so that the table of held mutexes is not needed; and barriers have no kind but in the
// thread's state.
#include "tr2/callbacks.h"

#include "attachment/attached_runtime.h"
#include "attachment/attachment.h"
#include "ompt5/own_threads.h"
#include "spec/tr2.h"
#include "tr2/entry_points.h"
#include "tr2/facts.h"
#include "tr2/ids.h"
#include "tracker/before_openmp5.h"

#include <atomic>

namespace ocb::ompt_tr2 {

namespace {

using tracker::BarrierKind;
using tracker::RegionWord;
using tracker::TaskWord;

// ---- threads and regions -----------------------------------------------------------------------

// Some runtimes alone report initial tasks; each thread that is no worker has one.
void on_thread_begin(ompt_thread_type_t type) {
    record_thread_has_ended(false);
    if (type == ompt_thread_other) { // a monitor, say: no thread of the program's
        ompt5::is_runtimes_own = true;
        return;
    }
    if (type == ompt_thread_worker) {
        return tracker::thread_begins(ThreadKind::kWorker);
    }
    tracker::thread_begins(ThreadKind::kUser);
    tracker::implicit_task_begins(nullptr, tracker::kInitialPlace);
}

// From before the record goes: a signal may come between.
void on_thread_end() {
    record_thread_has_ended(true);
    tracker::thread_ends();
}

void on_idle_begin() {
    tracker::idle_begins();
}

// END_IDLE names the region that the thread enters: it is delivered when that is known, which is
// the next thing that happens.
void on_idle_end() {}

// What a region without memory for its id goes by.
RegionWord &word_of(IdNode *node, RegionWord &nowhere) {
    return node != nullptr ? node->word : nowhere;
}

void on_parallel_begin(ompt_task_id_t, const ompt_frame_t *, ompt_parallel_id_t parallel,
                       std::uint32_t, const void *codeptr_ofn) {
    record_thread_has_ended(false); // a thread of the program's may come back
    runtime::register_caller_late();
    RegionWord nowhere{0};
    IdNode *node = regions.insert(parallel, entry_points.get_thread_id());
    tracker::fork(word_of(node, nowhere), tracker::ForkKind::kRegion, {nullptr, codeptr_ofn});
}

void on_parallel_end(ompt_parallel_id_t parallel) {
    RegionWord nowhere{0};
    IdNode *node = regions.find(parallel);
    tracker::leave_and_join(word_of(node, nowhere));
    if (node != nullptr) {
        regions.erase(*node);
    }
}

// Numbers in the team are not reported: the master is the one that forked.
void on_implicit_task_begin(ompt_parallel_id_t parallel) {
    IdNode *node = regions.find(parallel);
    const bool is_master = tracker::caller_awaits_implicit_task();
    constexpr std::uint32_t kTeamSize = 2;
    tracker::implicit_task_begins(node != nullptr ? &node->word : nullptr,
                                  {is_master ? 0U : 1U, kTeamSize});
}

// libomp 3.7 and 3.8 report it before the region's last barrier, whose events still are the
// region's. So it is left when the worker is idle and when the master joins.
void on_implicit_task_end() {
    tracker::implicit_task_body_ends();
    if (!ompt::is_served(ompt_event_idle_begin)) {
        tracker::idle_begins();
    }
}

// ---- waiting -----------------------------------------------------------------------------------

BarrierKind barrier_kind() {
    ompt_wait_id_t wait_id = 0;
    const int state = entry_points.get_state(&wait_id);
    if (state == ompt_state_wait_barrier) {
        ompt::record_barrier_without_kind();
    }
    return state == ompt_state_wait_barrier_explicit ? BarrierKind::kExplicit
                                                     : BarrierKind::kImplicit;
}

void on_barrier_begin() {
    tracker::barrier_entered();
}

void on_wait_barrier_begin() {
    tracker::barrier_wait_begins(barrier_kind());
}

// There may be more than one wait in a barrier, with tasks between them or without; the barrier's
// end, or the switch to a task, ends what the collector sees.
void on_wait_barrier_end() {}

void on_barrier_end() {
    tracker::barrier_left();
}

void on_wait_task_begin() {
    tracker::barrier_begins(BarrierKind::kTaskWait);
}
void on_wait_task_end() {
    tracker::barrier_ends(tracker::EndReport::kInTime);
}

// Where the waiting inside is not reported.
void on_taskwait_begin() {
    if (!ompt::is_served(ompt_event_wait_taskwait_begin)) {
        on_wait_task_begin();
    }
}
void on_taskwait_end() {
    if (!ompt::is_served(ompt_event_wait_taskwait_begin)) {
        on_wait_task_end();
    }
}

// A wait whose end is not reported (libomp 3.7) has no begin either: STATE asks the runtime.
template <MutexKind kKind, ompt_event_t kEnd> void on_wait_mutex(ompt_wait_id_t wait_id) {
    record_mutex_event();
    if (!ompt::is_served(kEnd)) {
        return;
    }
    tracker::mutex_wait_begins(kKind, WaitId{wait_id});
}
template <MutexKind kKind> void on_acquired() {
    record_mutex_event();
    tracker::mutex_wait_ends(kKind);
}

// libomp reports every acquisition so. Where its state does not show the wait too, the table of
// held mutexes decides.
void on_wait_atomic(ompt_wait_id_t wait_id) {
    record_mutex_event();
    if (!ompt::is_served(ompt_event_acquired_atomic)) {
        return;
    }
    ompt_wait_id_t ignored = 0;
    if (entry_points.get_state(&ignored) == ompt_state_wait_atomic) {
        tracker::mutex_wait_begins(MutexKind::kAtomic, WaitId{wait_id});
    } else {
        tracker::mutex_wanted(MutexKind::kAtomic, WaitId{wait_id}, tracker::MutexOrder::kNone);
    }
}
void on_acquired_atomic(ompt_wait_id_t wait_id) {
    record_mutex_event();
    tracker::mutex_acquired(MutexKind::kAtomic, WaitId{wait_id});
}
void on_release_atomic(ompt_wait_id_t wait_id) {
    record_mutex_event();
    tracker::mutex_released(MutexKind::kAtomic, WaitId{wait_id});
}

// Alone in a team there is nobody to wait for; libomp reports a wait there too.
void on_wait_ordered(ompt_wait_id_t wait_id) {
    record_mutex_event();
    if (ompt::is_served(ompt_event_acquired_ordered) && team_size() != 1) {
        tracker::mutex_wait_begins(MutexKind::kOrdered, WaitId{wait_id});
    }
}
template <MutexKind kKind> void on_released() {
    record_mutex_event();
    tracker::mutex_hold_ends(kKind);
}

// ---- tasks -------------------------------------------------------------------------------------

// A runtime may report a task's end after the thread's switch to another task (libomp); by the
// document it is the other way round. Once seen, leaving a task for the one below
// it is its end.
constinit std::atomic<bool> ends_follow_switches{false};
constexpr std::uint64_t kEndIsReported = 1; // IdNode::owner of a task

TaskWord word_of(const IdNode &node) {
    return node.word.load(std::memory_order_relaxed);
}

void end_switched_task(IdNode &node) {
    if ((word_of(node) & kTaskWasLeft) != 0) {
        ends_follow_switches.store(true, std::memory_order_relaxed);
    }
    if (node.owner.load(std::memory_order_relaxed) != kEndIsReported) {
        tracker::task_finished(word_of(node));
    }
    tasks.erase(node);
}

// Whether the task that is entered lies below the one that is left: the implicit one, or one that
// the thread itself has left.
bool goes_down(ompt_task_id_t second) {
    const IdNode *node = tasks.find(second);
    return node == nullptr || (word_of(*node) & kTaskWasLeft) != 0;
}

// Not every task has a node: the implicit one, whose word the tracker keeps, and an explicit one
// that has ended and is still what the thread shows.
void leave_task(ompt_task_id_t task, ompt_task_id_t next) {
    IdNode *node = tasks.find(task);
    if (node == nullptr) {
        return tracker::implicit_task_left();
    }
    if (!tracker::is_task_of_caller(word_of(*node))) {
        return;
    }
    if (ends_follow_switches.load(std::memory_order_relaxed) && goes_down(next)) {
        tracker::task_finished(word_of(*node));
        node->owner.store(kEndIsReported, std::memory_order_relaxed);
        return;
    }
    node->word.store(tracker::task_left(word_of(*node)), std::memory_order_relaxed);
}

void enter_task(ompt_task_id_t task) {
    IdNode *node = tasks.find(task);
    if (node == nullptr) {
        return tracker::implicit_task_entered();
    }
    const TaskWord word = word_of(*node);
    node->word.store(ids_of(word), std::memory_order_relaxed);
    tracker::task_entered(word);
}

// libomp 3.7 reports no switches, and begin and end of a task where the thread enters and leaves
// it.
constinit thread_local ompt_task_id_t task_of_thread __attribute__((tls_model("initial-exec"))) =
    ompt_id_none; // explicit; in IdNode::owner the one below

void enter_created_task(IdNode &node, ompt_task_id_t task) {
    node.owner.store(task_of_thread, std::memory_order_relaxed);
    leave_task(task_of_thread, task);
    task_of_thread = task;
    enter_task(task);
}

void end_entered_task(IdNode &node) {
    tracker::task_finished(word_of(node));
    task_of_thread = node.owner.load(std::memory_order_relaxed);
    tasks.erase(node);
    enter_task(task_of_thread);
}

void on_task_begin(ompt_task_id_t, const ompt_frame_t *, ompt_task_id_t task) {
    const TaskWord word = tracker::task_created(tracker::TaskKind::kDeferred);
    if (word == 0) {
        return;
    }
    IdNode *node = tasks.insert(task, 0);
    if (node == nullptr) {
        return;
    }
    node->word.store(word, std::memory_order_relaxed);
    if (!ompt::is_served(ompt_event_task_switch)) {
        enter_created_task(*node, task);
    }
}

void on_task_end(ompt_task_id_t task) {
    IdNode *node = tasks.find(task);
    if (node == nullptr) {
        return;
    }
    if (ompt::is_served(ompt_event_task_switch)) {
        end_switched_task(*node);
    } else {
        end_entered_task(*node);
    }
}

void on_task_switch(ompt_task_id_t first, ompt_task_id_t second) {
    runtime::register_caller_late();
    if (!tracker::caller_is_known()) {
        return;
    }
    // The implicit task of an idle worker has lost its id in libomp 3.9 to 5.0.
    if (first != ompt_id_none || tracker::caller_is_idle()) {
        leave_task(first, second);
    }
    enter_task(second);
}

// ---- the program's and the runtime's life ------------------------------------------------------

void on_control(std::uint64_t command) {
    tracker::control_tool(command);
}

void on_runtime_shutdown() {
    ompt::detach();
}

} // namespace

const ompt::CallbackRow kCallbacks[kCallbackCount] = {
    {ompt_event_thread_begin, "thread_begin", OCB_OMPT_FUNCTION(on_thread_begin), kNeedRegions},
    {ompt_event_thread_end, "thread_end", OCB_OMPT_FUNCTION(on_thread_end), kNeedRegions},
    {ompt_event_parallel_begin, "parallel_begin", OCB_OMPT_FUNCTION(on_parallel_begin),
     kNeedRegions},
    {ompt_event_parallel_end, "parallel_end", OCB_OMPT_FUNCTION(on_parallel_end), kNeedRegions},
    {ompt_event_implicit_task_begin, "implicit_task_begin",
     OCB_OMPT_FUNCTION(on_implicit_task_begin), kNeedRegions},
    {ompt_event_implicit_task_end, "implicit_task_end", OCB_OMPT_FUNCTION(on_implicit_task_end),
     kNeedRegions},
    {ompt_event_idle_begin, "idle_begin", OCB_OMPT_FUNCTION(on_idle_begin), kNeedRegions},
    {ompt_event_idle_end, "idle_end", OCB_OMPT_FUNCTION(on_idle_end), kNeedRegions},
    {ompt_event_control, "control", OCB_OMPT_FUNCTION(on_control), kNeedRegions},
    {ompt_event_runtime_shutdown, "runtime_shutdown", OCB_OMPT_FUNCTION(on_runtime_shutdown),
     kNeedRegions},
    {ompt_event_task_begin, "task_begin", OCB_OMPT_FUNCTION(on_task_begin), kNeedTasks},
    {ompt_event_task_end, "task_end", OCB_OMPT_FUNCTION(on_task_end), kNeedTasks},
    {ompt_event_task_switch, "task_switch", OCB_OMPT_FUNCTION(on_task_switch),
     kNeedWaits | kNeedTasks},
    {ompt_event_barrier_begin, "barrier_begin", OCB_OMPT_FUNCTION(on_barrier_begin), kNeedWaits},
    {ompt_event_barrier_end, "barrier_end", OCB_OMPT_FUNCTION(on_barrier_end), kNeedWaits},
    {ompt_event_wait_barrier_begin, "wait_barrier_begin", OCB_OMPT_FUNCTION(on_wait_barrier_begin),
     kNeedWaits},
    {ompt_event_wait_barrier_end, "wait_barrier_end", OCB_OMPT_FUNCTION(on_wait_barrier_end),
     kNeedWaits},
    {ompt_event_wait_taskwait_begin, "wait_taskwait_begin", OCB_OMPT_FUNCTION(on_wait_task_begin),
     kNeedWaits},
    {ompt_event_wait_taskwait_end, "wait_taskwait_end", OCB_OMPT_FUNCTION(on_wait_task_end),
     kNeedWaits},
    {ompt_event_taskwait_begin, "taskwait_begin", OCB_OMPT_FUNCTION(on_taskwait_begin), kNeedWaits},
    {ompt_event_taskwait_end, "taskwait_end", OCB_OMPT_FUNCTION(on_taskwait_end), kNeedWaits},
    {ompt_event_wait_taskgroup_begin, "wait_taskgroup_begin", OCB_OMPT_FUNCTION(on_wait_task_begin),
     kNeedWaits},
    {ompt_event_wait_taskgroup_end, "wait_taskgroup_end", OCB_OMPT_FUNCTION(on_wait_task_end),
     kNeedWaits},
    {ompt_event_wait_lock, "wait_lock",
     OCB_OMPT_FUNCTION(on_wait_mutex<MutexKind::kLock, ompt_event_acquired_lock>), kNeedMutexes},
    {ompt_event_wait_nest_lock, "wait_nest_lock",
     OCB_OMPT_FUNCTION(on_wait_mutex<MutexKind::kNestLock, ompt_event_acquired_nest_lock_first>),
     kNeedMutexes},
    {ompt_event_wait_critical, "wait_critical",
     OCB_OMPT_FUNCTION(on_wait_mutex<MutexKind::kCritical, ompt_event_acquired_critical>),
     kNeedMutexes},
    {ompt_event_wait_atomic, "wait_atomic", OCB_OMPT_FUNCTION(on_wait_atomic), kNeedMutexes},
    {ompt_event_wait_ordered, "wait_ordered", OCB_OMPT_FUNCTION(on_wait_ordered), kNeedMutexes},
    {ompt_event_acquired_lock, "acquired_lock", OCB_OMPT_FUNCTION(on_acquired<MutexKind::kLock>),
     kNeedMutexes},
    {ompt_event_acquired_nest_lock_first, "acquired_nest_lock_first",
     OCB_OMPT_FUNCTION(on_acquired<MutexKind::kNestLock>), kNeedMutexes},
    {ompt_event_acquired_critical, "acquired_critical",
     OCB_OMPT_FUNCTION(on_acquired<MutexKind::kCritical>), kNeedMutexes},
    {ompt_event_acquired_atomic, "acquired_atomic", OCB_OMPT_FUNCTION(on_acquired_atomic),
     kNeedMutexes},
    {ompt_event_acquired_ordered, "acquired_ordered",
     OCB_OMPT_FUNCTION(on_acquired<MutexKind::kOrdered>), kNeedMutexes},
    {ompt_event_release_lock, "release_lock", OCB_OMPT_FUNCTION(on_released<MutexKind::kLock>),
     kNeedMutexes},
    {ompt_event_release_nest_lock_last, "release_nest_lock_last",
     OCB_OMPT_FUNCTION(on_released<MutexKind::kNestLock>), kNeedMutexes},
    {ompt_event_release_critical, "release_critical",
     OCB_OMPT_FUNCTION(on_released<MutexKind::kCritical>), kNeedMutexes},
    {ompt_event_release_atomic, "release_atomic", OCB_OMPT_FUNCTION(on_release_atomic),
     kNeedMutexes},
    {ompt_event_release_ordered, "release_ordered",
     OCB_OMPT_FUNCTION(on_released<MutexKind::kOrdered>), kNeedMutexes},
    {ompt_event_single_in_block_begin, "single_in_block_begin",
     OCB_OMPT_FUNCTION(tracker::single_begins), kNeedSingle},
    {ompt_event_single_in_block_end, "single_in_block_end", OCB_OMPT_FUNCTION(tracker::single_ends),
     kNeedSingle},
    {ompt_event_master_begin, "master_begin", OCB_OMPT_FUNCTION(tracker::master_begins),
     kNeedMaster},
    {ompt_event_master_end, "master_end", OCB_OMPT_FUNCTION(tracker::master_ends), kNeedMaster},
};

} // namespace ocb::ompt_tr2
