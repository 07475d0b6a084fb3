// SPDX-License-Identifier: Apache-2.0
//
// The threads that take part in OpenMP: one slot per thread in memory, with its row in the profile.
// A slot is owned by its thread while that runs. Slots are never freed; once many threads have
// ended, a new one takes over the slot and the row of the thread that ended first, so that memory
// stays bounded and nothing is lost from the sums.
#pragma once

#include "module_map.h"
#include "omp_collector_bridge.h"
#include "profile_file.h"
#include "python_stack.h"

#include <atomic>
#include <cstdint>
#include <ctime>

namespace ompcollect {

// Written by one thread, which others look at meanwhile.
template <class T> class Seen {
  public:
    Seen() = default;
    Seen(T value) : value_(value) {}
    Seen(const Seen &other) : value_(static_cast<T>(other)) {}
    Seen &operator=(const Seen &other) { return *this = static_cast<T>(other); }
    Seen &operator=(T value) {
        value_.store(value, std::memory_order_release);
        return *this;
    }
    operator T() const { return value_.load(std::memory_order_acquire); }

  private:
    std::atomic<T> value_;
};

struct RunningRegion {
    Seen<uint64_t> id;
    Seen<uint32_t> node;      // behind the id: who finds that again has read the id's node
    uintptr_t address;        // the user's return address
    Seen<uintptr_t> fork_cfa; // of the frame that holds the fork; 0: not known
    bool outermost;
};

// The result of looking up a FORK from one address under one parent region.
struct ForkMemory {
    uintptr_t address;
    uint32_t parent;
    uint32_t node;
    uint64_t modules; // generation of the module map
    CellFileRow *entries;
};

// Frames of one walk, leaf first.
struct FrameList {
    static constexpr unsigned kMost = 256;
    uint32_t locations[kMost];
    unsigned count;
    unsigned base_run; // how many of the last are the C library's
    bool is_cut;
    unsigned cut_at; // where it is cut, by the number of frames inside of it
    // Of the thread's Python frames; null: it has none. How many of them have been met.
    const PythonStack *python;
    unsigned python_runs;
    unsigned python_frames;
};

// A copy of a part of another thread's stack.
using StackCopy = char[8192];

// The single or master part that a thread is in, and the cell of the last one's region.
struct SingleOfThread {
    uint64_t began_ns; // 0: it is in none
    uint64_t region;
    CellFileRow *cell; // null: none
};

struct ForkStack; // of a FORK before (fork_stacks.cpp)
struct ForkStacks;

// How a thread was found asleep, and where its time went.
struct FoundAsleep {
    uint64_t ran; // the thread's clock
    uint32_t node;
    uint32_t word; // of the cell; 0: it was not found so
    unsigned state;
    uint64_t wait_id;
};

// Of a thread: less time off the processor than this is not worth a charge.
inline constexpr uint64_t kSmallPending = 100000; // ns

// A thread that neither forks nor has samples uses one page of it.
struct alignas(4096) ThreadSlot {
    // Set-associative, as one loop may have dozens of forks: survives collisions of a few.
    static constexpr unsigned kForkSets = 64;
    static constexpr unsigned kForkWays = 4;
    static constexpr unsigned kFirstRegions = 4;
    static constexpr unsigned kRecentRegions = 64;

    // One cache line has what each FORK and JOIN reads.
    std::atomic<bool> runs; // between attach_thread() and detach_thread()
    // In the FORK callback, where the region has no node yet; fork_ns: time of samples in it.
    std::atomic<bool> in_fork;
    bool is_master;  // it is in the list of region_ids.cpp
    uint32_t number; // row in the file
    ThreadFileRow *row;
    std::atomic<const void *> handle;      // of omp_collector_bridge_own_thread; null: not known
    const omp_collector_bridge_fork *fork; // of FORK and JOIN; null: is to be asked for by lists
    ForkStack *last_fork_stack;            // of the owner alone, as is `running`
    Seen<RunningRegion *> running;         // stored before the count of what it has more
    Seen<unsigned> running_count;
    unsigned running_capacity;
    std::atomic<uint32_t> innermost; // node of the last region that it has forked and not joined
    std::atomic<uint32_t> outermost; // of the one that lies in no other; kNodeOutside: none
    std::atomic<uint64_t> fork_ns;

    RunningRegion first_regions[kFirstRegions]; // where `running` points at first

    Seen<int> tid;
    clockid_t clock;  // the thread's time on a processor
    ThreadSlot *next; // all slots; near what each tick looks at

    // The thread that swaps has_timer to false deletes the timer.
    std::atomic<bool> has_timer;
    // The timer goes by the clock, and its signals are the only source. Then the signal handler
    // owns the members below that else belong to the keeper.
    std::atomic<bool> by_wall;
    timer_t timer;
    // Of fine_timers.h. The first is written by the thread, the others by the sampling thread.
    std::atomic<bool> wants_fine;
    std::atomic<bool> has_fine;
    std::atomic<int> fine_is_open; // a futex
    std::atomic<int> fine_file;    // of the last one; -1: there was none
    std::atomic<int> fine_tid;     // whose it is
    // Of the handler, with a timer that goes by the clock: how often it has put off a long time, at
    // which look at the clock, and the context switches so far.
    unsigned postponed;
    unsigned postponed_at;
    long voluntary_switches;
    long involuntary_switches;
    uint64_t owed_ns; // the handler's: time on a processor that no sample stands for yet
    std::atomic<uint64_t> charged_on_ns; // time on a processor that is in a cell; who charges it
                                         // writes it
    // A lock: one thread at a time keeps the slot. That is the sampling thread, or the slot's own
    // thread at its begin and its end.
    std::atomic<bool> is_kept;
    // Guarded by is_kept.
    uint64_t seen_ns;           // when it looked last
    uint64_t seen_cpu_ns;       // the thread's clock then
    uint64_t pending_ns;        // time off the processor that no state has been charged with
    uint64_t looked_pending_ns; // what of it was left after the last look at the thread's state
    uint64_t wait_seen_ns; // time that the thread has waited for a processor, as of the last look
    uint64_t pending_wait_ns;    // what of the pending time is of that kind
    uint64_t known_off_ns;       // charged since that look, of whatever kind
    unsigned unproductive_ticks; // in a row in which the state could not be had from outside

    // The row's counts when the thread took it over.
    uint64_t counts_before[kThreadCounts];
    uint64_t cpu_before;
    uint64_t waited_before;

    // Where its own handler last found it; state 0: not yet, or being written.
    std::atomic<uint32_t> last_state;
    std::atomic<uint32_t> last_node;
    std::atomic<uint64_t> last_region;
    std::atomic<bool> last_in_task;    // in a wait or a call, unreported
    std::atomic<uint64_t> last_ran_ns; // how long it had run then

    // The cell of its last sample; state 0: there was none.
    std::atomic<uint32_t> sampled_node;
    std::atomic<uint32_t> sampled_state;

    // Of the sampling thread: when the counts of the kernel's files were read.
    uint64_t counted_ran_ns;

    // Of the sampling thread: the registers with which it sleeps (0: not known), and how long it
    // had run when they were read.
    uint64_t sleep_ran_ns;
    uint32_t sleep_call; // system call, plus 1; 0: not known
    bool is_ready;       // it did not sleep, but waited for a processor
    bool sleep_code_is_known;
    CodeKind sleep_code; // whose code sleeps there
    uintptr_t sleep_pc;
    uintptr_t sleep_sp;
    uintptr_t sleep_bp; // found by the stack; 0: not found, or not needed

    // Guarded by is_kept.
    FoundAsleep slept;

    // Of the sampling thread: where it is off the processor, and how long it had run then.
    uint64_t rest_ran_ns;
    uint64_t rest_region;
    uint32_t rest_state;
    uint32_t rest_node;

    // Of the slot's own thread alone, its signal handler included.
    uintptr_t stack_low; // [low, high): its stack; 0: not known
    uintptr_t stack_high;
    ForkStacks *fork_stacks;

    // Of the slot's own thread alone.
    SingleOfThread single;
    unsigned next_fork; // the way that is given up next

    ThreadSlot *next_ended;  // in the order of their end
    ThreadSlot *next_master; // of the list of region_ids.cpp

    std::atomic<uintptr_t> python_state; // the interpreter's, where it has been found

    // The pages below are touched only once the thread forks or has samples.
    ForkMemory forks[kForkSets][kForkWays];
    std::atomic<uint64_t> recent_regions[kRecentRegions]; // region_ids.h
    FrameList frames;                                     // of the handler
    FrameList fork_frames;                                // of the FORK callback
    StackCopy handler_copy;
    StackCopy fork_copy;
    PythonStack handler_python;
    PythonStack fork_python;
};

// True if its own handler finds its state; else the sampling thread reads it from outside.
inline bool samples_itself(const ThreadSlot &slot) {
    return slot.has_timer.load(std::memory_order_relaxed) ||
           slot.has_fine.load(std::memory_order_relaxed);
}

// The calling thread's slot, null before attach_thread() and after detach_thread().
// Async-signal-safe: initial-exec, so it is not allocated on first touch.
extern constinit thread_local ThreadSlot *own_slot __attribute__((tls_model("initial-exec")));
inline ThreadSlot *current_slot() {
    return own_slot;
}

// Gives the calling thread a slot if it has none; null once the thread is ending, or without room.
// Not in a signal handler.
ThreadSlot *attach_thread();

// The processors on which the thread may run now.
void record_processors(ThreadSlot &slot);

// How long it ran since it began, and how long it waited for a processor.
void record_run_time(ThreadSlot &slot, uint64_t ns);
void record_waited(ThreadSlot &slot, uint64_t ns);

// The counts of thread_counts.h that are in the kernel's status file of the thread.
void record_counts(ThreadSlot &slot, const char *status);
// The same of the calling thread, whose slot it is.
void record_own_counts(ThreadSlot &slot);

// The thread ends. From here on current_slot() is null and attach_thread() gives null.
void detach_thread();

// The thread of the slot has ended without an event.
void reap_thread(ThreadSlot &slot);

// All slots that have ever been in use, the newest first; look at `runs`.
ThreadSlot *first_slot();

// Keeps the slot for a look, if its thread runs and no other thread keeps it; else false. For the
// sampling thread.
template <class Look> bool look_if_it_runs(ThreadSlot &slot, Look look) {
    if (!slot.runs.load(std::memory_order_acquire) ||
        slot.is_kept.exchange(true, std::memory_order_acquire)) {
        return false;
    }
    const bool result = slot.runs.load(std::memory_order_acquire) && look(slot);
    slot.is_kept.store(false, std::memory_order_release);
    return result;
}

// In the child after fork(): forgets all threads; the calling thread gets a slot at its next event,
// and with it the regions that it is master of.
void restart_slots();

} // namespace ompcollect
