// SPDX-License-Identifier: Apache-2.0
// What the bridge knows of a thread. One record per OpenMP thread, in type-stable memory, found
// through one initial-exec thread-local pointer. Its thread writes it in the runtime's callbacks,
// the thread's own signal handlers read it. Other threads read `delivering` and `is_in_control`
// only (and what requests/thread_from_outside.cpp looks at). A thread without a record is unknown:
// runtime::facts_of_caller() answers for it.
//
// Glossary
//   region         what one parallel construct makes a team execute; has an id from 1
//   league         the initial teams of a host `teams` construct; no region, gets no id
//   team           the threads of a region: the master, which forked it, and workers
//   worker         a thread that the runtime recruited from its pool; between regions it is idle
//   implicit task  a thread's part in a region; they lie inside each other like the regions
//   explicit task  made by a task construct; a thread leaves one for another and comes back
//   part           what lies between two barriers of a region
//   key, word      a RegionKey names a region or league; a RegionWord is what the runtime keeps
//                  for us with a region, a TaskWord what it keeps with a task
//   activity       what a thread does in its task, mutexes aside
//   wait id        names the mutex or the barrier that a thread waits for
//   session        from a collector's START to its STOP
//   late           begun before the bridge observed; its record is made at first sight
//   client tool    another OMPT tool that the bridge serves beside itself
//
// Invariants, at each point where a signal handler can look
//   1. own_record is null or a complete record; it is set last and cleared first.
//   2. delivering != 0: the thread is in that event's callback. Its answers follow from event and
//      record (events/inside_callback.h) and do not change: where they would, `answers` holds them
//      before, and has_answers says so.
//   3. mutex != kNone: wait_id and mutex_is_taken are that mutex's; they are written before.
//   4. activity in a barrier, no mutex in hand: wait_id is the barrier's; it is written before.
//   5. implicit_task->key != kNone: implicit_task->region is the record that had this key at the
//      thread's entry. It may run for another key by now, but never becomes another type.
//   6. fork_awaits_task: innermost_fork is set and runs; the thread is in no task of it yet.
// And for the thread itself: `open` is valid for session `session` only. In another session all
// pairs are closed.
#pragma once

#include "base/compiler.h"
#include "base/handler_visible.h"
#include "base/ids.h"
#include "omp_collector_api.h"
#include "records/event.h"
#include "records/front.h"
#include "records/region.h"
#include "records/task_word.h"

#include <atomic>
#include <bit>
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

// Numbered like the kinds of OpenMP 5's OMPT, so that its reports need no map (callbacks.cpp
// asserts it). A test is an attempt to take a lock, and never waits.
enum class MutexKind : std::uint8_t {
    kNone,
    kLock,
    kTestLock,
    kNestLock,
    kTestNestLock,
    kCritical,
    kAtomic,
    kOrdered,
};

enum class ThreadKind : std::uint8_t { kUser, kWorker };

// The thread's part in a region. Outside of regions it is the runtime's initial task. Each has
// cache lines of its own, as all threads of a team write their parts at the same time.
struct alignas(64) ImplicitTask {
    ImplicitTask *outer = nullptr;
    RegionRecord *region = nullptr;
    RegionKey key = RegionKey::kNone; // kNone: serial code
    RegionId parent_id = RegionId::kNone;
    std::uint32_t thread_num = 0;
    std::uint32_t team_size = 0;
    std::uint32_t barriers = 0;        // met so far by this thread in this region
    std::uint32_t barriers_passed = 0; // and left again
    bool single_is_open = false;
    bool body_has_ended = false;      // the program's code in it; the thread has not left it yet
    bool barrier_is_reported = false; // the collector knows of the barrier that the thread is in
    // Where the runtime keeps the frame of the region's function; null: nobody has asked. Written
    // by the thread's handlers (function_frames.h).
    HandlerVisible<void *const *> function_frame;
    TaskWord word = 0; // for runtimes that keep no word with tasks (tr2/)
    Activity enclosing_activity = Activity::kUser;
    std::uintptr_t front_covered = 0;  // Front::covered when it began
    TaskWord enclosing_task = 0;       // in which its thread met the region
    std::uint32_t tasks_suspended = 0; // ThreadRecord::tasks_suspended when it began
    ImplicitTask *next_free = nullptr;

    [[nodiscard]] RegionId region_id() const { return visible_id(key); }
    // True if a question has found the frame before, and it is there. On its own thread only.
    [[nodiscard]] OCB_ALWAYS_INLINE bool function_executes() const {
        void *const *frame = function_frame.get();
        return frame != nullptr && __atomic_load_n(frame, __ATOMIC_RELAXED) != nullptr;
    }
    [[nodiscard]] OCB_ALWAYS_INLINE bool has_ended() const {
        return region != nullptr && !region->is_running(key);
    }
};

// The answers that hold inside a callback.
struct EventAnswers {
    WaitId wait_id = WaitId::kNone;
    RegionId region_id = RegionId::kNone;
    RegionId parent_id = RegionId::kNone;
    std::int32_t state = 0;
    bool is_master = false;
    TaskWord task = 0;
};

// What the collector knows of a thread's open pairs of one kind (OpenPair in events/pairs.h).
struct OpenPairs {
    std::uint64_t stack = 0; // of the outermost ones, two bits each
    // Pairs inside of a full stack: how many have begun for the collector, and how many pairs
    // inside of those have not.
    std::uint32_t begun_beyond = 0;
    std::uint32_t silent_beyond = 0;

    [[nodiscard]] bool is_beyond() const { return (begun_beyond | silent_beyond) != 0; }
};

// Why a thread's events cannot take the fast path (events/pairs.h).
enum SlowPath : std::uint8_t {
    kMissesWaits = 1, // its barriers and mutexes are not all reported yet
    kDeepPairs = 2,   // some of its open pairs are counted only
    kCombines = 4,    // it is in a critical region that combines a reduction (front.h)
    kWaitIsOpen = 8,  // BEGIN of its wait for the mutex was met; the END is still to come
};

// The lower half of a state word: in the program's code, and no reason for the slow path.
constexpr std::uint32_t kHalfInCode = 0;

constexpr std::uint32_t kNoSession = ~0U; // which no START has

// What the thread does, in two words. In the program's code, outside mutexes and callbacks and
// without a slow path, the first word is the session alone. So one comparison decides most events.
// OpenMP inside a callback changes these two words and a wait id, and nothing else for good.
struct alignas(16) StateWord {
    constexpr StateWord() = default;
    constexpr StateWord(std::uint8_t slow, std::uint32_t of_session)
        : slow_paths(slow), session(of_session) {}

    HandlerVisible<Activity> activity;
    HandlerVisible<MutexKind> mutex;         // acquisition under way
    HandlerVisible<std::uint8_t> slow_paths; // bits of SlowPath
    std::atomic<std::uint8_t> delivering{0}; // the event in whose callback the thread is, or 0
    std::uint32_t session = 0;               // the session that `open` belongs to

    HandlerVisible<bool> mutex_is_taken; // so that the thread will wait for it
    HandlerVisible<bool> has_answers;    // `answers` holds inside this callback
    bool is_disturbed = false;           // the callback uses OpenMP; `undisturbed` has the rest

    // The lower half with this activity and mutex, and the word with this session; all else is 0.
    static constexpr std::uint32_t half_of(Activity activity, MutexKind mutex) {
        static_assert(std::endian::native == std::endian::little);
        return static_cast<std::uint32_t>(activity) | static_cast<std::uint32_t>(mutex) << 8;
    }
    static constexpr std::uint64_t word_of(std::uint32_t session) {
        return std::uint64_t{session} << 32;
    }
    // For its own thread, the only writer. The fast path, too, stores the whole word: where one
    // byte was stored, the processor delays the next load of all of it.
    [[nodiscard]] std::uint64_t first_word() const {
        using Word __attribute__((may_alias)) = std::uint64_t;
        return *reinterpret_cast<const Word *>(this);
    }
    void set_first_word(std::uint64_t word) {
        show_delivering(static_cast<std::uint32_t>(word));
        using Word __attribute__((may_alias)) = std::uint64_t;
        __atomic_store_n(reinterpret_cast<Word *>(this), word, __ATOMIC_RELEASE);
    }
    [[nodiscard]] std::uint32_t first_half() const {
        return static_cast<std::uint32_t>(first_word());
    }
    void set_first_half(std::uint32_t half) {
        show_delivering(half);
        using Half __attribute__((may_alias)) = std::uint32_t;
        __atomic_store_n(reinterpret_cast<Half *>(this), half, __ATOMIC_RELEASE);
    }
    // The thread sanitizer treats a byte and the word around it as two variables.
    void show_delivering([[maybe_unused]] std::uint32_t half) {
#ifdef OCB_THREAD_SANITIZER
        delivering.store(static_cast<std::uint8_t>(half >> 24), std::memory_order_release);
#endif
    }
    // Sets the activity by a store of the whole word, as the next event may come soon.
    void set_activity_by_word(Activity now) {
        constexpr std::uint64_t kOfActivity = 0xFF;
        set_first_word((first_word() & ~kOfActivity) | static_cast<std::uint64_t>(now));
    }
    [[nodiscard]] bool is_in_code() const {
        return first_half() == kHalfInCode;
    }
    // The activity is all that is not 0, so the half is the activity.
    [[nodiscard]] static bool is_plain(std::uint32_t half) {
        return (half & ~half_of(Activity{0xFF}, MutexKind::kNone)) == 0;
    }
    [[nodiscard]] bool is_plain() const {
        return is_plain(first_half());
    }
    // Plain, except that some of its waits may not be reported.
    [[nodiscard]] bool is_plain_but_for_waits() const {
        constexpr std::uint32_t kThese =
            half_of(Activity{0xFF}, MutexKind::kNone) | std::uint32_t{kMissesWaits} << 16;
        return (first_half() & ~kThese) == 0;
    }
    // Plain, except for a mutex that it may have in hand.
    [[nodiscard]] static bool is_plain_but_for_mutex(std::uint32_t half) {
        constexpr std::uint32_t kThese =
            half_of(Activity{0xFF}, MutexKind{0xFF}) | std::uint32_t{kWaitIsOpen} << 16;
        return (half & ~kThese) == 0;
    }
    [[nodiscard]] static MutexKind mutex_of(std::uint32_t half) {
        return static_cast<MutexKind>(half >> 8);
    }
    [[nodiscard]] bool takes_slow_path(SlowPath reason) const {
        return (slow_paths.own() & reason) != 0;
    }
    [[nodiscard]] bool sees_waits() const {
        return !takes_slow_path(kMissesWaits);
    }
    void set_slow_path(SlowPath reason) {
        slow_paths.set(static_cast<std::uint8_t>(slow_paths.get() | reason));
    }
    void clear_slow_path(SlowPath reason) {
        slow_paths.set(static_cast<std::uint8_t>(slow_paths.get() & ~reason));
    }
    [[nodiscard]] bool is_in_callback() const {
        return load_in_place(delivering) != 0;
    }
    [[nodiscard]] Event event() const {
        return Event{delivering.load(std::memory_order_relaxed)};
    }
};
static_assert(sizeof(StateWord) == 16);

// The code of the region that a worker serves. It is kept from the first question for it until the
// thread's next region, as the region's record may be reused before the thread's end is reported.
// The thread's own questions write it, also in its signal handlers.
struct ServedCode {
    HandlerVisible<RegionKey> key; // written last; kNone: nobody has asked
    HandlerVisible<const void *> fork_address, function;
};

// What OpenMP inside a callback changes, as it was before.
struct Undisturbed {
    WaitId wait_id = WaitId::kNone;
    Activity activity = Activity::kUser;
    MutexKind mutex = MutexKind::kNone;
    bool mutex_is_taken = false;
    bool wait_is_open = false;
};

struct ThreadRecord;

// The slot of no mutex, for threads that have met none.
struct MutexSlot;
extern MutexSlot no_mutex_slot;

// The region whose code a callback gets, where that is not the innermost task's: in FORK, JOIN and
// END_IDLE. In FORK and JOIN it has the answers too, with this key. The layout is that of
// omp_collector_bridge_fork.
struct EventRegion {
    const ThreadRecord *thread = nullptr;
    RegionKey key = RegionKey::kNone;
    const RegionRecord *region = nullptr;   // null: in no such callback
    const front::CallFrame *call = nullptr; // that forks, where a front marks it
};
static_assert(sizeof(EventRegion) == sizeof(omp_collector_bridge_fork));
static_assert(offsetof(EventRegion, key) == offsetof(omp_collector_bridge_fork, id));
static_assert(offsetof(EventRegion, region) == offsetof(omp_collector_bridge_fork, region));
static_assert(offsetof(EventRegion, call) == offsetof(omp_collector_bridge_fork, call));

struct alignas(64) ThreadRecord : StateWord {
    using StateWord::StateWord;

    HandlerVisible<ImplicitTask *> implicit_task; // the innermost
    Front front;                                  // inside of a call into the runtime?
    HandlerVisible<WaitId> wait_id; // of the barrier or of the mutex, whichever was met last
    HandlerVisible<TaskWord> task;  // ids of the explicit task that it executes
    std::uint64_t word_in_code = 0; // the first word in the program's code, in the record's session
    std::uint64_t *counts = nullptr; // the collector's, of events that are counted; null: none
    ThreadKind kind = ThreadKind::kUser;
    Activity before_reduction = Activity::kUser;
    bool idle_is_announced = false; // BEGIN_IDLE belongs before what comes next
    OpenPairs open[static_cast<int>(Pair::kCount)] = {};

    // Explicit tasks that the thread has left and not finished, the innermost last; more are not
    // kept, and get no events.
    static constexpr std::uint32_t kMostSuspended = 32;
    std::uint32_t tasks_suspended = 0;
    TaskWord suspended[kMostSuspended] = {};

    int *own_errno = nullptr;                // of this thread
    const volatile void *callback = nullptr; // where on the stack the last callback was called
    MutexSlot *mutex_slot = nullptr; // of the last mutex (held_mutexes.h); never null in use

    EventAnswers answers; // where has_answers is set
    Undisturbed undisturbed;
    EventRegion event_of;
    ServedCode served_code;
    std::atomic<bool> is_in_control{false}; // waits for other threads' callbacks itself

    RegionIds region_ids;
    std::uint64_t next_task = 0, end_task = 0; // task ids dealt to this thread
    RegionRecord *innermost_fork = nullptr;    // that this thread has forked and not joined
    std::uint32_t forks_without_record = 0;    // inside and around those
    bool fork_awaits_task = false;             // its implicit task is the next to begin here
    RegionRecord *spare_regions = nullptr;
    ImplicitTask *spare_implicit_tasks = nullptr;

    ThreadRecord *next_free = nullptr;
    ThreadRecord *next_known = nullptr; // all records ever, for in-flight waits
    bool is_known = false;
};

// The calling thread's record or null. Async-signal-safe.
extern constinit thread_local ThreadRecord *own_record __attribute__((tls_model("initial-exec")));
// The same for the fast path (events/pairs.h), without a check for null. For a thread without a
// record it is a record that is never plain and of no session. Not for signal handlers.
extern constinit thread_local ThreadRecord *record_or_never_ready
    __attribute__((tls_model("initial-exec")));
void set_own_record(ThreadRecord *record);

// Whether the calling thread is the process's first, once somebody has asked; a forked child's
// thread becomes it. Async-signal-safe.
[[nodiscard]] bool is_initial_thread();

// What is known of a thread without a record. It was found out when the thread's next report could
// not be missed, so it holds until the thread gets a record. Async-signal-safe.
enum class UnknownThreadKind : std::uint8_t {
    kUnknown,        // or it must be asked each time
    kForeign,        // the runtime knows nothing of it
    kForeignInitial, // the same, and it is the process's first
    kIdle,           // a worker whose region's master has left it behind
    kKnown,          // `unknown_thread` has all that is to be answered
};
extern constinit thread_local HandlerVisible<UnknownThreadKind> unknown_thread_kind
    __attribute__((tls_model("initial-exec")));
struct UnknownThread {
    HandlerVisible<bool> is_known;
    HandlerVisible<bool> is_worker, is_master, region_ended;
    HandlerVisible<RegionId> region_id, parent_id;
    // Of UnknownThreadKind::kKnown: its state, unless it is a worker that its region's master has
    // left.
    HandlerVisible<std::int32_t> state;
    HandlerVisible<WaitId> wait_id;
    HandlerVisible<const RegionRecord *> served_region; // a worker's

    [[nodiscard]] OCB_ALWAYS_INLINE bool is_left_behind() const {
        const RegionRecord *region = served_region.get();
        return region != nullptr && !region->is_running(RegionKey{number_of(region_id.get())});
    }
};
extern constinit thread_local UnknownThread unknown_thread
    __attribute__((tls_model("initial-exec")));
void forget_unknown_thread();

// Gives the calling thread a record in its first state. Null without memory.
[[nodiscard]] ThreadRecord *create_own_record(ThreadKind kind);
void release_own_record();

// Brings a record back to its first state (a forked child's thread).
void reset_record(ThreadRecord &record, ThreadKind kind);

// The next task id, taken from the thread's own block.
[[nodiscard]] std::uint32_t next_task_id(ThreadRecord &record);

// Where the thread has no spare one. Null without memory.
[[nodiscard]] ImplicitTask *new_implicit_task();

// Inline, as they are on the path of every region, and on the calling thread's record alone.

// The part's first state: in no region, and no barrier met.
OCB_ALWAYS_INLINE void begin_part(ImplicitTask &part) {
    part.region = nullptr;
    part.key = RegionKey::kNone;
    part.parent_id = RegionId::kNone;
    part.barriers = 0;
    part.barriers_passed = 0;
    part.single_is_open = false;
    part.body_has_ended = false;
    part.barrier_is_reported = false;
    part.function_frame.set(nullptr);
    part.word = 0;
}

// A new innermost implicit task, in no region, which the caller fills and then enters. Null without
// memory.
[[nodiscard]] OCB_ALWAYS_INLINE ImplicitTask *push_implicit_task(ThreadRecord &record) {
    ImplicitTask *implicit_task = record.spare_implicit_tasks;
    if (implicit_task != nullptr) [[likely]] {
        record.spare_implicit_tasks = implicit_task->next_free;
    } else if (implicit_task = new_implicit_task(); implicit_task == nullptr) {
        return nullptr;
    }
    begin_part(*implicit_task);
    implicit_task->outer = record.implicit_task.get();
    implicit_task->enclosing_activity = record.activity.get();
    implicit_task->front_covered = record.front.covered.get();
    implicit_task->enclosing_task = record.task.get();
    implicit_task->tasks_suspended = record.tasks_suspended;
    return implicit_task;
}

// The innermost one, which this is.
OCB_ALWAYS_INLINE void pop_implicit_task(ThreadRecord &record, ImplicitTask &implicit_task) {
    record.task.set(implicit_task.enclosing_task);
    record.tasks_suspended = implicit_task.tasks_suspended;
    record.front.covered.set(implicit_task.front_covered);
    record.implicit_task.set(implicit_task.outer);
    order_for_handler();
    implicit_task.next_free = record.spare_implicit_tasks;
    record.spare_implicit_tasks = &implicit_task;
}
OCB_ALWAYS_INLINE void pop_implicit_task(ThreadRecord &record) {
    pop_implicit_task(record, *record.implicit_task.get());
}

// The head of the list of all records ever made (ThreadRecord::next_known).
[[nodiscard]] ThreadRecord *known_records();

// In a forked child: only the calling thread is left.
void reset_records_after_fork();

} // namespace ocb
