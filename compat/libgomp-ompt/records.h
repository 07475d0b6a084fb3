// SPDX-License-Identifier: Apache-2.0
// What is known of threads, regions and tasks. A thread writes its own record; its signal handlers
// read it. Regions are written by their master, tasks by the thread that executes them. Records are
// never freed, only used again: a handler that holds an old one compares its run.
//
//   ThreadRecord   task: the task that the thread executes, or has left for its region's end
//   TaskRecord     parent: the task that generated it; references: itself and its children
//   RegionRecord   encountering: the task that met the construct; run: odd while the region runs
#pragma once

#include "entry.h"
#include "ompt_types.h"

#include <atomic>

namespace ocb::gomp {

struct ThreadRecord;
struct TaskRecord;

using Outlined = void (*)(void *);

enum class Work : unsigned char { kNone, kLoop, kSections, kSingle };

struct RegionRecord {
    // libgomp gets this record as the region's data and reads the reductions from the first word.
    void *first_word;
    Outlined function;
    void *data;
    const Runtime *runtime;
    const void *code;
    ThreadRecord *master;
    TaskRecord *encountering;
    TaskRecord *master_task;
    RegionRecord *outer;
    ompt_data_t word; // the tool's
    std::uint64_t work_count;
    void *copyprivate;
    std::atomic<std::uint64_t> run;
    std::atomic<int> team_size;
    int flags;
    Work work; // the worksharing construct that the region begins with
    RegionRecord *next_free;
};

struct TaskRecord {
    ompt_data_t word; // the tool's
    TaskFrame frame;
    TaskRecord *parent;
    RegionRecord *region;
    std::uint64_t region_run;
    ThreadRecord *owner; // whose list it goes back to
    void *event;         // of a detachable task
    std::atomic<int> references;
    int flags;
    int thread_num;
    Work open_work;
    bool is_in_use;
    bool is_started;
    bool body_is_done;
    bool is_fulfilled;
    TaskRecord *next; // free, or with an event
};

struct TaskBlock {
    static constexpr int kTasks = 32;
    TaskRecord tasks[kTasks];
    TaskBlock *next;
};

struct ThreadRecord {
    ompt_data_t word; // the tool's
    std::atomic<int> state;
    std::atomic<std::uint64_t> wait_id;
    std::atomic<TaskRecord *> task;
    // Behind its last region's code: that region, and its run. The ends are told later.
    std::atomic<RegionRecord *> left_region;
    std::uint64_t left_run;
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
};

extern __thread ThreadRecord *own_thread;

// In the state of a worker that has left its region's code: barrier while it runs, then idle.
constexpr int kStateLeftRegion = 0x1000;

ThreadRecord &enter_thread(ompt_thread_t type);
// A thread that is not known is the program's own.
inline void know_thread() {
    if (__builtin_expect(own_thread == nullptr, 0)) {
        enter_thread(ompt_thread_initial);
    }
}
// The thread of an observed call.
inline ThreadRecord &this_thread(const Call &) {
    return *own_thread;
}
// Tells the end of the region that the thread has left.
void end_left_region(ThreadRecord &thread);
void end_thread(); // the calling one
int living_workers();
void forget_other_threads(); // in a forked child

RegionRecord &take_region(ThreadRecord &thread);
void give_back(ThreadRecord &thread, RegionRecord &region);
TaskRecord &take_task(ThreadRecord &thread);
// The task's own reference, when it is complete.
void release(TaskRecord &task);
inline bool is_over(const RegionRecord &region, std::uint64_t run) {
    return region.run.load(std::memory_order_acquire) != run;
}

// A state and its wait id for the time of a scope.
class InState {
  public:
    InState(ThreadRecord &thread, int state, std::uint64_t wait_id)
        : thread_(thread), state_before_(thread.state.load(std::memory_order_relaxed)),
          wait_id_before_(thread.wait_id.load(std::memory_order_relaxed)) {
        set(state, wait_id);
    }
    ~InState() { set(state_before_, wait_id_before_); }
    InState(const InState &) = delete;
    InState &operator=(const InState &) = delete;

  private:
    void set(int state, std::uint64_t wait_id) {
        thread_.wait_id.store(wait_id, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        thread_.state.store(state, std::memory_order_relaxed);
    }
    ThreadRecord &thread_;
    int state_before_;
    std::uint64_t wait_id_before_;
};

inline TaskRecord &task_of(const ThreadRecord &thread) {
    return *thread.task.load(std::memory_order_relaxed);
}
inline std::uint64_t id_of(const void *address) {
    return reinterpret_cast<std::uint64_t>(address);
}
inline const ompt_frame_t *public_frame(const TaskRecord &task) {
    return reinterpret_cast<const ompt_frame_t *>(&task.frame);
}

// The time for which a task is inside the runtime: its frame says where it went in.
class InRuntime {
  public:
    InRuntime(TaskRecord &task, const Call &call) : task_(task) {
        task.frame.enter.ptr = call.frame;
        task.frame.enter_flags = kFrameIsCfa;
    }
    ~InRuntime() { task_.frame.enter.ptr = nullptr; }
    InRuntime(const InRuntime &) = delete;
    InRuntime &operator=(const InRuntime &) = delete;

  private:
    TaskRecord &task_;
};

} // namespace ocb::gomp
