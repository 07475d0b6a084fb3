// SPDX-License-Identifier: Apache-2.0
// Threads: their begin, their end, and the end of those that the process takes with it.
#include "memory.h"
#include "records.h"
#include "tool.h"

#include <ctime>
#include <pthread.h>

namespace ocb::gomp {

__thread ThreadRecord *own_thread;
__thread ThreadRecord *marking_thread;
__thread std::uint64_t own_wait;

namespace {

constinit pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
constinit ThreadRecord *free_threads = nullptr;
constinit ThreadRecord *known_threads = nullptr;

constinit pthread_once_t key_once = PTHREAD_ONCE_INIT;
pthread_key_t key;

void make_key() {
    pthread_key_create(&key, [](void *) { end_thread(); });
}

class Locked {
  public:
    Locked() { pthread_mutex_lock(&threads_lock); }
    ~Locked() { pthread_mutex_unlock(&threads_lock); }
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;
};

ThreadRecord &take_thread() {
    const Locked locked;
    ThreadRecord *thread = free_threads;
    if (thread != nullptr) {
        free_threads = thread->next_free;
    } else {
        thread = make<ThreadRecord>();
        thread->next_known = known_threads;
        known_threads = thread;
    }
    thread->life = Life::kLiving;
    return *thread;
}

void begin_initial_task(ThreadRecord &thread) {
    RegionRecord &region = thread.initial_region;
    region.word.value = 0;
    region.team_size.store(1, std::memory_order_relaxed);
    TaskRecord &task = thread.initial_task;
    task.word.value = 0;
    task.frame = kNewFrame;
    task.marks.open_work = Work::kNone;
    task.region = &region;
    task.region_run = region.run.load(std::memory_order_relaxed);
    task.flags = ompt_task_initial;
    thread.task.store(&task, std::memory_order_relaxed);
}

// A thread that ends the process inside of a region leaves its tasks unended.
void report_end(ThreadRecord &thread) {
    if (thread.type == ompt_thread_initial && &task_of(thread) == &thread.initial_task) {
        thread.state.store(ompt_state_overhead, std::memory_order_relaxed);
        if (auto tell = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task)) {
            tell(ompt_scope_end, &thread.initial_region.word, &thread.initial_task.word, 0, 1,
                 ompt_task_initial);
        }
    }
    if (auto tell = callback<ompt_callback_thread_end_t>(ompt_callback_thread_end)) {
        tell(&thread.word);
    }
}

} // namespace

ThreadRecord &enter_thread(ompt_thread_t type) {
    pthread_once(&key_once, make_key);
    ThreadRecord &thread = take_thread();
    thread.type = type;
    thread.word.value = 0;
    thread.left_region.store(nullptr, std::memory_order_relaxed);
    thread.state.store(ompt_state_overhead, std::memory_order_relaxed);
    thread.task.store(nullptr, std::memory_order_relaxed);
    if (type == ompt_thread_initial) {
        begin_initial_task(thread);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    own_thread = &thread;
    pthread_setspecific(key, &thread);
    if (auto tell = callback<ompt_callback_thread_begin_t>(ompt_callback_thread_begin)) {
        tell(type, &thread.word);
    }
    if (type == ompt_thread_initial) {
        if (auto tell = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task)) {
            tell(ompt_scope_begin, &thread.initial_region.word, &thread.initial_task.word, 1, 1,
                 ompt_task_initial);
        }
        thread.state.store(ompt_state_work_serial, std::memory_order_relaxed);
    }
    return thread;
}

void enter_calling_thread(const Runtime &runtime) {
    const bool is_worker = function_of<int (*)()>(runtime, k_omp_get_thread_num)() != 0;
    ThreadRecord &thread = enter_thread(is_worker ? ompt_thread_worker : ompt_thread_initial);
    if (is_worker) {
        begin_initial_task(thread);
    }
    if (function_of<int (*)()>(runtime, k_omp_get_num_threads)() > 1) {
        thread.state.store(ompt_state_work_parallel, std::memory_order_relaxed);
    }
}

// libgomp does not say when a worker leaves the barrier at a region's end. As in LLVM's runtime the
// worker's next region, or its end, is the moment for that.
void end_left_region(ThreadRecord &thread) {
    if (thread.left_region.load(std::memory_order_relaxed) == nullptr) {
        return;
    }
    TaskRecord &task = task_of(thread);
    thread.state.store(ompt_state_overhead, std::memory_order_relaxed);
    auto wait = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region_wait);
    if (wait != nullptr) {
        wait(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, nullptr, &task.word,
             nullptr);
    }
    auto sync = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region);
    if (sync != nullptr) {
        sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, nullptr, &task.word,
             nullptr);
    }
    if (auto tell = callback<ompt_callback_implicit_task_t>(ompt_callback_implicit_task)) {
        tell(ompt_scope_end, nullptr, &task.word, 0, static_cast<unsigned>(task.thread_num),
             ompt_task_implicit);
    }
    thread.task.store(nullptr, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread.left_region.store(nullptr, std::memory_order_relaxed);
    release(task);
}

namespace {

// False: the end has been told, or another thread is about to.
bool claim_end(ThreadRecord &thread) {
    const Locked locked;
    const bool is_ours = thread.life == Life::kLiving;
    if (is_ours) {
        thread.life = Life::kEnding;
    }
    return is_ours;
}

} // namespace

void end_thread() {
    ThreadRecord *thread = own_thread;
    if (thread == nullptr || !claim_end(*thread)) {
        return;
    }
    end_left_region(*thread);
    report_end(*thread);
    marking_thread = nullptr;
    own_thread = nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    pthread_setspecific(key, nullptr);
    const Locked locked;
    thread->life = Life::kNone;
    thread->next_free = free_threads;
    free_threads = thread;
}

// ---- The end of the process --------------------------------------------------------------------

namespace {

// In a region with others, which may be about to begin it.
bool leads_a_team(const ThreadRecord &thread) {
    const RegionRecord *region = task_of(thread).region;
    while (region != nullptr && region != &thread.initial_region) {
        if (region->owner == &thread && region->team_size.load(std::memory_order_relaxed) > 1) {
            return true;
        }
        region = region->outer;
    }
    return false;
}

// Under the lock. Whether no region can begin on the worker any more: it waits for one of `ender`,
// who is in none, or it was of a nested team or of a thread that is gone, and is about to end by
// itself.
bool will_stay_idle(const ThreadRecord &worker, const ThreadRecord *ender) {
    const RegionRecord *left = worker.left_region.load(std::memory_order_relaxed);
    if (worker.life != Life::kLiving || worker.type != ompt_thread_worker || left == nullptr) {
        return false;
    }
    seen_behind(left);
    if (!is_over(*left, worker.left_run)) {
        return false;
    }
    const ThreadRecord &master = *left->owner;
    return (&master == ender && !leads_a_team(master)) || master.type == ompt_thread_worker ||
           master.life == Life::kNone;
}

ThreadRecord *claim_idle_worker(const ThreadRecord *ender) {
    const Locked locked;
    for (ThreadRecord *thread = known_threads; thread != nullptr; thread = thread->next_known) {
        if (will_stay_idle(*thread, ender)) {
            thread->life = Life::kEnding;
            return thread;
        }
    }
    return nullptr;
}

bool threads_are_ending() {
    const Locked locked;
    const ThreadRecord *thread = known_threads;
    while (thread != nullptr && thread->life != Life::kEnding) {
        thread = thread->next_known;
    }
    return thread != nullptr;
}

// As the worker, so that what the tool asks in the callbacks is answered of the worker. Its record
// is not used again: the thread itself lives on.
void end_on_behalf(ThreadRecord &worker) {
    ThreadRecord *ender = own_thread;
    own_thread = &worker;
    end_left_region(worker);
    report_end(worker);
    own_thread = ender;
    worker.state.store(ompt_state_idle, std::memory_order_relaxed);
    const Locked locked;
    worker.life = Life::kNone;
}

// Threads that tell their ends themselves right now, in the tool. Not for ever: they may need what
// the thread that ends the process holds.
void wait_for_ending_threads() {
    constexpr int kSteps = 10000; // of 0.1 ms: a second
    const timespec step{0, 50000};
    for (int steps = 0; steps < kSteps && threads_are_ending(); ++steps) {
        nanosleep(&step, nullptr);
    }
}

} // namespace

void end_idle_workers() {
    while (ThreadRecord *worker = claim_idle_worker(own_thread)) {
        end_on_behalf(*worker);
    }
    wait_for_ending_threads();
}

void forget_other_threads() {
    threads_lock = PTHREAD_MUTEX_INITIALIZER;
    for (ThreadRecord *thread = known_threads; thread != nullptr; thread = thread->next_known) {
        if (thread != own_thread) {
            thread->life = Life::kNone;
        }
    }
}

} // namespace ocb::gomp
