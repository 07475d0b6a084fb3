// SPDX-License-Identifier: Apache-2.0
// What is known of threads, regions and tasks. A thread writes its own record; its signal handlers
// read it. Regions are written by their master, tasks by the thread that executes them. Records are
// never freed, only used again: a handler that holds an old one compares its run.
//
//   ThreadRecord   task: the task that the thread executes, or has left for its region's end
//   TaskRecord     parent: the task that generated it; references: itself and its
//                  children; below: that on whose stack it runs, or that met its region
//   RegionRecord   encountering: the task that met the construct; run: odd while the region runs
#pragma once

#include "entry.h"
#include "ompt_types.h"
#include "order.h"

#include <atomic>
#include <cstddef>

namespace ocb::gomp {

struct ThreadRecord;
struct TaskRecord;

using Outlined = void (*)(void *);

enum class Work : std::uint8_t { kNone, kLoop, kSections, kSingle, kDistribute };

// Three cache lines. The first is all that a region needs: its master writes it before the region's
// start and at its end, so that each worker fetches it once. The second is written where it
// changes, the third by whoever is named there.
struct alignas(64) RegionRecord {
    // libgomp gets this record as the region's data and reads the reductions from the first word.
    void *first_word;
    Outlined function;
    void *data;
    const Runtime *runtime;
    const void *code;
    TaskRecord *encountering;
    ompt_data_t word; // the tool's
    std::atomic<std::uint64_t> run;

    std::uint64_t work_count;
    RegionRecord *outer;
    std::atomic<int> team_size; // the last run's until a thread of the team has begun
    int flags;
    Work work; // the worksharing construct that the region begins with

    alignas(64) TaskRecord *master_task; // the master's
    RegionRecord *next_free;             // the master's
    void *copyprivate;                   // of the executor of a single construct
    const ThreadRecord *owner;           // the master: in whose list it is when it is free
    void *enter_frame_before;            // of the encountering task
};
static_assert(offsetof(RegionRecord, work_count) == 64);
static_assert(offsetof(RegionRecord, master_task) == 128);

// What is so of a task at some time, as one word: a new task clears it by one store.
struct alignas(8) TaskMarks {
    Work open_work;
    std::uint8_t open_scopes : 4; // constructs whose begin is told, and whose end has a call
    std::uint8_t open_masked : 4;
    bool is_in_use;
    bool is_started;
    bool body_is_done;
    bool is_fulfilled;
    bool has_created; // an implicit one: tasks, which its team may execute behind it
    bool has_ended;   // told already
};
static_assert(sizeof(TaskMarks) == 8); // and nothing between them

struct TaskRecord {
    ompt_data_t word; // the tool's
    ompt_frame_t frame;
    TaskRecord *parent; // null: none, or not known
    TaskRecord *below;
    RegionRecord *region;
    std::uint64_t region_run;
    ThreadRecord *owner; // whose list it goes back to
    void *event;         // of a detachable task
    std::atomic<int> references;
    int flags;
    int thread_num; // 0: the region's master
    int team_size;  // of an implicit task
    TaskMarks marks;
    TaskRecord *next; // free, or with an event
    // Kept for tasks that run on this one's stack: those of which nothing is told, as long as this
    // record is the same task's, and those that it creates and libgomp runs at once.
    TaskRecord *above;
    TaskRecord *in_place;
};

struct TaskBlock {
    static constexpr int kTasks = 31;
    TaskRecord tasks[kTasks];
    TaskBlock *next;
};

// Whether its end is still to be told. Written under the lock of threads.cpp.
enum class Life : unsigned char { kNone, kLiving, kEnding };

struct ThreadRecord {
    ompt_data_t word;       // the tool's
    std::atomic<int> state; // but for waits, own_wait, and for explicit tasks, which work
    std::atomic<TaskRecord *> task;
    // Behind its last region's code: that region, and its run. The ends are told later.
    std::atomic<RegionRecord *> left_region;
    std::uint64_t left_run;
    const RegionRecord *forked; // the last region that it has begun as master
    ompt_thread_t type;
    RegionRecord *free_regions;
    TaskRecord *free_tasks;
    std::atomic<TaskRecord *> returned_tasks; // by other threads
    TaskBlock *task_blocks;                   // all records of this thread
    unsigned block_count;
    unsigned next_search; // at this count of blocks: for tasks that were dropped
    TaskRecord initial_task;
    RegionRecord initial_region;
    ThreadRecord *next_free;
    ThreadRecord *next_known; // all that were ever made
    Life life;
};

constexpr TaskMarks kNewMarks{.open_work = Work::kNone,
                              .open_scopes = 0,
                              .open_masked = 0,
                              .is_in_use = true,
                              .is_started = false,
                              .body_is_done = false,
                              .is_fulfilled = false,
                              .has_created = false,
                              .has_ended = false};
// Of a record that is kept for tasks that run at once: never one that libgomp has dropped.
constexpr TaskMarks kRunningMarks = [] {
    TaskMarks marks = kNewMarks;
    marks.is_started = true;
    return marks;
}();
constexpr ompt_frame_t kNewFrame{{}, {}, kFrameIsFramePointer, kFrameIsCfa};

extern __thread ThreadRecord *own_thread;
// The same where the bridge alone asks and each call of the thread is marked: then nobody asks for
// the frames by which it enters the runtime, or needs its waits for tasks reported. Else null.
extern __thread ThreadRecord *marking_thread;

// What the thread waits for, a state in the upper byte and its wait id below; 0: it does not wait.
// One word of its own, so that a wait costs two stores and nothing else.
extern __thread std::uint64_t own_wait;
constexpr unsigned kWaitStateShift = 56;

inline void set_wait(std::uint64_t wait) {
    __atomic_store_n(&own_wait, wait, __ATOMIC_RELAXED);
}

// In the state of a worker that has left its region's code: barrier while it runs, then idle.
constexpr int kStateLeftRegion = 0x1000;

ThreadRecord &enter_thread(ompt_thread_t type);
// A thread that is met in a call: the program's own, or one that began while the tool wanted
// nothing, which goes on as if its region were the initial one.
void enter_calling_thread(const Runtime &runtime);
template <class CallType> void know_thread(const CallType &call) {
    if (__builtin_expect(own_thread == nullptr, 0)) {
        enter_calling_thread(*call.runtime);
    }
}
// The thread of an observed call.
template <class CallType> ThreadRecord &this_thread(const CallType &) {
    return *own_thread;
}
// Tells the end of the region that the thread has left.
void end_left_region(ThreadRecord &thread);
void end_thread(); // the calling one
// At the end of the process, on the thread that ends it. No region begins there any more, so the
// workers that its regions have left behind will never tell their own ends: libgomp lets the
// process take them away. (A worker's thread is not made to end. It would run destructors that no
// program expects to be run, and libgomp may still look at what it has freed.)
void end_idle_workers();
void forget_other_threads(); // in a forked child

RegionRecord &take_region(ThreadRecord &thread);
void give_back(ThreadRecord &thread, RegionRecord &region);
void find_free_tasks(ThreadRecord &thread);
void let_task_above_go(TaskRecord &task);
// `parent` and `below` may be null.
OCB_INLINE TaskRecord &take_task(ThreadRecord &thread, TaskRecord *parent, TaskRecord *below) {
    if (__builtin_expect(thread.free_tasks == nullptr, 0)) {
        find_free_tasks(thread);
    }
    TaskRecord &task = *thread.free_tasks;
    thread.free_tasks = task.next;
    if (__builtin_expect(task.above != nullptr, 0)) {
        let_task_above_go(task);
    }
    task.word.value = 0;
    task.frame = kNewFrame;
    task.parent = parent;
    task.below = below;
    task.event = nullptr;
    task.references.store(1, std::memory_order_relaxed);
    task.marks = kNewMarks;
    return task;
}
// The task's own reference, when it is complete. It goes when its children have gone, too: they
// name it as their parent.
void release_any(TaskRecord &task);
OCB_INLINE void release(TaskRecord &task) {
    // The commonest: this thread's own, without children, and no reference of an explicit parent's.
    if (task.owner == own_thread && (task.flags & ompt_task_initial) == 0 &&
        task.references.load(std::memory_order_acquire) == 1 &&
        (task.parent == nullptr || (task.parent->flags & ompt_task_explicit) == 0)) {
        task.marks.is_in_use = false;
        task.next = task.owner->free_tasks;
        task.owner->free_tasks = &task;
    } else {
        release_any(task);
    }
}
inline bool is_over(const RegionRecord &region, std::uint64_t run) {
    return region.run.load(std::memory_order_acquire) != run;
}

// A wait for the time of a scope. No wait is directly inside another: a task that is executed in
// one puts it aside.
class InWait {
  public:
    InWait(int state, std::uint64_t wait_id) {
        set_wait(static_cast<std::uint64_t>(state) << kWaitStateShift |
                 (wait_id & ((std::uint64_t{1} << kWaitStateShift) - 1)));
    }
    ~InWait() { set_wait(0); }
    InWait(const InWait &) = delete;
    InWait &operator=(const InWait &) = delete;
};

// Work in an explicit task, for the time of a scope: the wait in which it runs is put aside.
class InTask {
  public:
    InTask() : wait_before_(own_wait) { set_wait(0); }
    ~InTask() { set_wait(wait_before_); }
    InTask(const InTask &) = delete;
    InTask &operator=(const InTask &) = delete;

  private:
    std::uint64_t wait_before_;
};

inline TaskRecord &task_of(const ThreadRecord &thread) {
    return *thread.task.load(std::memory_order_relaxed);
}
inline std::uint64_t id_of(const void *address) {
    return reinterpret_cast<std::uint64_t>(address);
}

// The time for which a task is inside the runtime: its frame says where it went in. It may be
// inside already: a target task, which has no record, runs in a wait of its parent.
class InRuntime {
  public:
    template <class CallType>
    InRuntime(TaskRecord &task, const CallType &call)
        : task_(task), before_(task.frame.enter_frame.ptr) {
        task.frame.enter_frame.ptr = call.frame;
    }
    ~InRuntime() { task_.frame.enter_frame.ptr = before_; }
    InRuntime(const InRuntime &) = delete;
    InRuntime &operator=(const InRuntime &) = delete;

  private:
    TaskRecord &task_;
    void *before_;
};

} // namespace ocb::gomp
