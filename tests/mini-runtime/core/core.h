// SPDX-License-Identifier: Apache-2.0
// The core of the mini-runtime: threads, teams, tasks and what they wait for. It knows no
// generation of OMPT: it tells events.h what happens, and inquiry.h reads what is kept here.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

namespace mini {

// What a tool keeps with a thread, a region or a task (5.x), or its id (the older documents).
using Word = std::uint64_t;

// The frames where a task left the runtime and where it came back. The first two members are the
// whole structure of the older documents, all four are that of 5.x.
struct Frame {
    void *exit = nullptr;
    void *enter = nullptr;
    int exit_flags = 0;
    int enter_flags = 0;
};

// Who called an entry point: the return address and the frame of the caller.
struct Entry {
    const void *caller = nullptr;
    void *frame = nullptr;
    bool has_frame_pointer = false;
};
Entry entry_of(const void *caller, void *own_frame);
#define MINI_ENTRY ::mini::entry_of(__builtin_return_address(0), __builtin_frame_address(0))

enum class State {
    kSerial,
    kParallel,
    kReduction,
    kIdle,
    kOverhead,
    kBarrierParallel,  // at a region's end
    kBarrierWorkshare, // at the end of a loop, sections or single
    kBarrierExplicit,
    kBarrierImplementation, // the runtime's own
    kTaskwait,
    kTaskgroup,
    kLock,
    kNestLock,
    kCritical,
    kAtomic,
    kOrdered,
    kUndefined,
};

enum class ThreadKind { kInitial, kWorker };
enum class TaskKind { kInitial, kImplicit, kExplicit };
enum class SyncKind {
    kBarrierParallel,
    kBarrierWorkshare,
    kBarrierExplicit,
    kBarrierImplementation,
    kTaskwait,
    kTaskgroup
};
enum class MutexKind { kLock, kNestLock, kCritical, kAtomic, kOrdered };
enum class WorkKind { kLoop, kSections, kSingleExecutor, kSingleOther, kDistribute };

struct Team;
struct Thread;

struct Taskgroup {
    Taskgroup *outer = nullptr;
    std::atomic<int> unfinished{0};
    std::atomic<bool> is_cancelled{false};
};

struct Task {
    TaskKind kind = TaskKind::kImplicit;
    bool is_undeferred = false;
    Team *team = nullptr;
    Task *parent = nullptr; // that created it, or that encountered the region
    int thread_num = 0;
    int threads_wanted = 0; // by omp_set_num_threads
    Word word = 0;
    Frame frame;
    std::atomic<int> unfinished_children{0};
    std::atomic<int> references{1};        // explicit tasks: itself and its children
    Taskgroup *group = nullptr;            // the innermost that is open in it
    Taskgroup *own_group = nullptr;        // the one that it belongs to
    State state_before = State::kOverhead; // undeferred ones: of their creator
    void (*body)(Thread &thread, Task &task) = nullptr;
    void *argument = nullptr;
    const void *function = nullptr; // the program's, as tools see it
};

// A loop that deals out its iterations; shared by the team.
struct Loop {
    std::atomic<unsigned> number{0}; // of the loop that may use this place
    std::atomic<int> left{0};        // threads that are done with it
    std::atomic<bool> is_ready{false};
    std::atomic<std::uint64_t> next{0};
    std::atomic<std::uint64_t> ordered_next{0}; // whose turn it is
    std::uint64_t count = 0, chunk = 1;
    bool is_static = false, is_ordered = false, is_guided = false;
    std::mutex mutex; // of the first who comes
    // Doacross: one mark per iteration.
    std::unique_ptr<std::atomic<bool>[]> marks;
};
constexpr unsigned kLoops = 8;

// One thread's part in a team: its implicit task and its place in the team's worksharing.
struct Member {
    Task task;
    unsigned singles = 0, loops = 0;
    Loop *loop = nullptr;
    std::uint64_t loop_begin = 0, loop_step = 0; // of the loop's own numbers, not normalised
    std::uint64_t chunk_index = 0;
    std::uint64_t ordered_turn = 0;
    bool is_bumped = false;
    unsigned work_count = 0;
    std::atomic<void *> reduced{nullptr}; // its own copy
    bool reduces_in_critical = false;
};

constexpr int kMaxThreads = 256;

struct Team {
    Team(int size, Team *parent, Task *parent_task);

    Team *parent;
    Task *parent_task;
    int size;
    int level, active_level;
    bool is_serialized = false; // by the program's own calls: if(0)
    Word word = 0;
    std::unique_ptr<Member[]> members;
    std::unique_ptr<Thread *[]> threads;
    void (*body)(void *argument, int thread_num) = nullptr;
    void *argument = nullptr;
    std::atomic<int> references; // threads that still look at it

    std::atomic<int> arrived{0};
    std::atomic<unsigned> phase{0};

    std::mutex task_mutex;
    std::deque<Task *> tasks;
    std::atomic<int> unfinished_tasks{0};

    std::atomic<unsigned> singles{0};
    std::array<Loop, kLoops> loops;
    std::atomic<void *> copied{nullptr};
    std::atomic<int> cancelled{0};
    std::atomic<unsigned> reductions{0};
};

struct Thread {
    int id = 0;
    bool is_told_idle = false; // since its region's last barrier
    ThreadKind kind = ThreadKind::kInitial;
    std::atomic<State> state{State::kOverhead};
    std::atomic<std::uint64_t> wait_id{0};
    Word word = 0;
    Task *volatile task = nullptr; // null: idle
    void *idle_frame = nullptr;
    int pushed_threads = 0; // by a num_threads clause
    std::unique_ptr<Team> initial_team;
    // Workers only.
    std::atomic<Team *> assignment{nullptr};
    std::atomic<int> assigned_num{0};
    std::atomic<int> wake{0};
    std::atomic<bool> must_end{false};
    pthread_t handle{};
};

inline Member &member_of(Thread &thread) {
    return thread.task->team->members[thread.task->thread_num];
}

// Sets a thread's state for a while.
class InState {
  public:
    InState(Thread &thread, State state, std::uint64_t wait_id = 0)
        : thread_(thread), before_(thread.state.load(std::memory_order_relaxed)),
          wait_before_(thread.wait_id.load(std::memory_order_relaxed)) {
        thread.wait_id.store(wait_id, std::memory_order_relaxed);
        thread.state.store(state, std::memory_order_relaxed);
    }
    ~InState() {
        thread_.state.store(before_, std::memory_order_relaxed);
        thread_.wait_id.store(wait_before_, std::memory_order_relaxed);
    }
    InState(const InState &) = delete;
    InState &operator=(const InState &) = delete;

  private:
    Thread &thread_;
    State before_;
    std::uint64_t wait_before_;
};

// Waiting: a few turns at once, then politely; the machine may have two processors.
class Patience {
  public:
    void wait();

  private:
    int turns_ = 0;
};

// frames.cpp: where a task leaves the runtime for the program's code, and comes back.
constexpr int kFrameOfRuntime = 0x20; // 5.x: runtime, frame pointer
void leave_runtime(Task &task, void *frame, int flags = kFrameOfRuntime);
void enter_runtime(Task &task, const Entry &entry);
int frame_flags(const Entry &entry);

// runtime.cpp: settings and life.
struct Settings {
    int threads = 1;                // OMP_NUM_THREADS
    int thread_limit = kMaxThreads; // OMP_THREAD_LIMIT
    std::atomic<int> max_active_levels{1};
    bool allows_cancellation = false;
    bool is_like_libomp = false; // MINI_OMP_MANNER=libomp
};
extern Settings settings;
Thread &current();                 // of the calling thread, which becomes known
Thread *current_if_any() noexcept; // async-signal-safe
void set_current(Thread *thread);
bool runtime_is_up();
void shut_down();

// pool.cpp
int take_workers(int wanted, Thread **workers); // how many there are
void assign(Thread &worker, Team &team, int thread_num);
void give_back(Thread *const *workers, int count);
void end_workers();
void forget_workers(); // in a forked child
int next_thread_id();
void lock_pool();
void unlock_pool();

// team.cpp
struct Region {
    int threads_wanted = 0; // 0: no clause
    bool is_serialized = false;
    bool is_invoked_by_program = false;
    const void *function = nullptr;
    void (*body)(void *argument, int thread_num) = nullptr;
    void *argument = nullptr;
};
void run_region(const Region &region, const Entry &entry);
void begin_serialized(Thread &thread, const Entry &entry);
void end_serialized(Thread &thread, const Entry &entry);
void run_member(Thread &thread, Team &team, int thread_num);
void release(Team &team);
void barrier(SyncKind kind, const Entry &entry);
State state_of(SyncKind kind);

// mutex.cpp
class Mutex {
  public:
    bool try_lock() { return !is_held_.exchange(true, std::memory_order_acquire); }
    void unlock() { is_held_.store(false, std::memory_order_release); }

  private:
    std::atomic<bool> is_held_{false};
};
void acquire(Mutex &mutex, MutexKind kind, std::uint64_t wait_id, unsigned hint,
             const Entry &entry);
bool try_acquire(Mutex &mutex, MutexKind kind, std::uint64_t wait_id, const Entry &entry);
void release(Mutex &mutex, MutexKind kind, std::uint64_t wait_id, const Entry &entry);
extern Mutex atomic_mutex;

// worksharing.cpp
bool single_begin(const Entry &entry); // is it for the caller?
void single_end(const Entry &entry);
bool masked_begin(int filter, const Entry &entry);
void masked_end(const Entry &entry);
void work_begin(WorkKind kind, std::uint64_t count, const Entry &entry);
void work_end(WorkKind kind, std::uint64_t count, const Entry &entry);
struct LoopPlan {
    std::uint64_t count = 0, chunk = 1;
    bool is_static = false, is_ordered = false, is_guided = false;
};
void loop_begin(const LoopPlan &plan, const Entry &entry);
bool loop_next(std::uint64_t *begin, std::uint64_t *end, const Entry &entry);
void loop_iteration_done();
void ordered_begin(const Entry &entry);
void ordered_end(const Entry &entry);
void doacross_begin(std::uint64_t iterations);
void doacross_wait(std::uint64_t iteration);
void doacross_post(std::uint64_t iteration);
void doacross_end();
// A reduction: 1: the caller combines its copy with the original, 2: with atomic operations, 0:
// done.
int reduce_begin(void *own, void (*combine)(void *, void *), bool can_be_atomic,
                 const Entry &entry);
void reduce_end(const Entry &entry);

// tasks.cpp
Task *new_task(Thread &thread, void (*body)(Thread &, Task &), void *argument);
void submit(Thread &thread, Task *task, bool is_deferred, const Entry &entry);
void undeferred_begin(Thread &thread, Task *task, const Entry &entry);
void undeferred_end(Thread &thread, const Entry &entry);
enum class Which { kAny, kDescendants };
bool run_one_task(Thread &thread, Which which);
void taskwait(const Entry &entry);
void taskgroup_begin(const Entry &entry);
void taskgroup_end(const Entry &entry);
bool team_has_tasks(Team &team);

} // namespace mini
