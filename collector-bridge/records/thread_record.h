// SPDX-License-Identifier: Apache-2.0
// What the bridge knows of a thread. One record per OpenMP thread, in type-stable memory, found
// through one initial-exec thread-local pointer; written by its thread in the runtime's callbacks,
// read by the thread's own signal handlers. Other threads read `delivering` and `is_in_control`
// only. A thread without a record is unknown: answers then come from runtime::facts_of_caller().
#pragma once

#include "base/handler_visible.h"
#include "omp_collector_api.h"
#include "records/front.h"
#include "records/region.h"
#include "records/task_word.h"

#include <cstdint>

namespace ocb {

// What a thread does in the task it executes, as far as barriers and the runtime are concerned.
// Waiting for a mutex lies on top of it (ThreadRecord::mutex).
enum class Activity : std::uint8_t {
    kUser,            // the program's code
    kOverhead,        // the runtime's fork and join, waiting in taskwait and taskgroup
    kImplicitBarrier, // all but a worker's last in a region
    kExplicitBarrier,
    kRegionEnd, // a worker in the barrier that ends its region: barrier wait, then idle
    kIdle,
    kReduction,
};

enum class MutexKind : std::uint8_t { kNone, kLock, kNestLock, kCritical, kAtomic, kOrdered };

enum class ThreadKind : std::uint8_t { kUser, kWorker };

// One level of regions that the thread takes part in, the innermost first. The runtime's initial
// task is a frame without a region.
struct Frame {
    Frame *outer = nullptr;
    RegionRecord *region = nullptr;
    RegionKey key = 0; // 0: no region (serial code)
    std::uint64_t parent_id = 0;
    std::uint32_t thread_num = 0;
    std::uint32_t team_size = 0;
    std::uint32_t barriers = 0;        // met so far by this thread in this region
    std::uint32_t barriers_passed = 0; // and left again
    bool single_is_open = false;
    bool body_has_ended = false;  // of the implicit task, which the thread has not left yet
    bool barrier_is_told = false; // the collector knows of the barrier that the thread is in
    TaskWord implicit_task = 0;   // for runtimes that have no word for tasks (tr2/)
    Activity enclosing_activity = Activity::kUser;
    std::uintptr_t front_covered = 0;  // Front::covered when it began
    TaskWord enclosing_task = 0;       // in which its thread met the region
    std::uint32_t tasks_suspended = 0; // ThreadRecord::tasks_suspended when it began
    Frame *next_free = nullptr;

    bool has_ended() const { return region != nullptr && !region->is_running(key); }
};

// The answers that hold inside a callback.
struct EventAnswers {
    std::uint64_t wait_id = 0;
    std::uint64_t region_id = 0;
    std::uint64_t parent_id = 0;
    std::int32_t state = 0;
    bool is_master = false;
    TaskWord task = 0;
};

// Events that come as BEGIN and END, except FORK and JOIN, which are paired in the region.
enum class Pair : std::uint8_t {
    kIdle,
    kImplicitBarrier,
    kExplicitBarrier,
    kLock,
    kCritical,
    kOrderedWait,
    kMaster,
    kSingle,
    kOrdered,
    kAtomic,
    kTaskCreate,
    kTaskSuspend,
    kTaskFinish,
    kCount
};

struct alignas(64) ThreadRecord {
    OwnerCell<Frame *> frame;
    Front front;                      // inside of a call into the runtime?
    OwnerCell<std::uint64_t> wait_id; // of the barrier or of the mutex, whichever was met last
    OwnerCell<TaskWord> task;         // ids of the explicit task that it executes
    OwnerCell<Activity> activity;
    OwnerCell<MutexKind> mutex;     // acquisition under way
    OwnerCell<bool> mutex_is_taken; // so that the thread will wait for it
    OwnerCell<bool> sees_waits;     // its barriers and mutexes have been reported from here on
    ThreadKind kind = ThreadKind::kUser;
    Activity before_reduction = Activity::kUser;
    bool mutex_event_is_open = false;
    bool idle_is_announced = false; // BEGIN_IDLE belongs before what comes next
    std::uint32_t session = 0;      // the session that `open` belongs to
    // Per pair a stack of what the collector knows of its BEGIN (OpenPair in events/pairs.h).
    std::uint64_t open[static_cast<int>(Pair::kCount)] = {};

    // Explicit tasks that the thread has left and not finished, the innermost last; more are not
    // kept, and get no events.
    static constexpr std::uint32_t kMostSuspended = 32;
    std::uint32_t tasks_suspended = 0;
    TaskWord suspended[kMostSuspended] = {};

    EventAnswers answers;
    // Whose code a callback is told where that is not the innermost frame's: FORK, JOIN, END_IDLE.
    const RegionRecord *event_region = nullptr;
    std::atomic<std::uint32_t> delivering{0}; // the event in whose callback the thread is, or 0
    std::atomic<bool> is_in_control{false};   // waits for other threads' callbacks itself

    std::uint64_t next_id = 0, end_id = 0;     // region ids dealt to this thread
    std::uint64_t next_task = 0, end_task = 0; // the same for task ids
    RegionRecord *innermost_fork = nullptr;    // that this thread has forked and not joined
    std::uint32_t forks_without_record = 0;    // inside and around those
    bool fork_awaits_task = false;             // its implicit task is the next to begin here
    RegionRecord *spare_regions = nullptr;
    Frame *spare_frames = nullptr;

    ThreadRecord *next_free = nullptr;
    ThreadRecord *next_known = nullptr; // all records ever, for in-flight waits
    bool is_known = false;

    bool is_in_callback() const { return delivering.load(std::memory_order_relaxed) != 0; }
};

// The calling thread's record or null. Async-signal-safe.
extern constinit thread_local ThreadRecord *own_record __attribute__((tls_model("initial-exec")));

// Gives the calling thread a record in its first state. Null without memory.
ThreadRecord *create_own_record(ThreadKind kind);
void release_own_record();

// Brings a record back to its first state (a forked child's thread).
void reset_record(ThreadRecord &record, ThreadKind kind);

// The next task id, taken from the thread's own block.
std::uint32_t next_task_id(ThreadRecord &record);

// False without memory: the thread's record is then given up, it becomes unknown.
Frame *push_frame(ThreadRecord &record);
void pop_frame(ThreadRecord &record);

// The head of the list of all records ever made (ThreadRecord::next_known).
ThreadRecord *known_records();

// In a forked child: only the calling thread is left.
void reset_records_after_fork();

} // namespace ocb
