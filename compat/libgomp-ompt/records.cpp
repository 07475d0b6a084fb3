// SPDX-License-Identifier: Apache-2.0
#include "records.h"

#include "task.h"
#include "tool.h"

#include <cstdlib>
#include <cstring>
#include <pthread.h>

namespace ocb::gomp {

__thread ThreadRecord *own_thread;
__thread std::uint64_t own_wait;

namespace {

constexpr ompt_frame_t kNewFrame{{}, {}, kFrameIsFramePointer, kFrameIsCfa};

constinit pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
constinit ThreadRecord *free_threads = nullptr;
constinit std::atomic<int> workers{0};

constinit pthread_once_t key_once = PTHREAD_ONCE_INIT;
pthread_key_t key;

void make_key() {
    pthread_key_create(&key, [](void *) { end_thread(); });
}

// Memory is all that is asked of the system; without it a program cannot go on either.
template <class Type> Type *make() {
    void *memory = aligned_alloc(64, (sizeof(Type) + 63) / 64 * 64);
    if (memory == nullptr) {
        abort();
    }
    return static_cast<Type *>(memset(memory, 0, sizeof(Type)));
}

ThreadRecord &take_thread() {
    pthread_mutex_lock(&threads_lock);
    ThreadRecord *thread = free_threads;
    if (thread != nullptr) {
        free_threads = thread->next_free;
    }
    pthread_mutex_unlock(&threads_lock);
    return thread != nullptr ? *thread : *make<ThreadRecord>();
}

void begin_initial_task(ThreadRecord &thread) {
    RegionRecord &region = thread.initial_region;
    region.word.value = 0;
    region.team_size.store(1, std::memory_order_relaxed);
    TaskRecord &task = thread.initial_task;
    task.word.value = 0;
    task.frame = kNewFrame;
    task.open_work = Work::kNone;
    task.region = &region;
    task.region_run = region.run.load(std::memory_order_relaxed);
    task.flags = ompt_task_initial;
    thread.task.store(&task, std::memory_order_relaxed);
}

void tell_end(ThreadRecord &thread) {
    if (thread.type == ompt_thread_initial) {
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
    } else {
        workers.fetch_add(1, std::memory_order_relaxed);
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

void end_thread() {
    ThreadRecord *thread = own_thread;
    if (thread == nullptr) {
        return;
    }
    end_left_region(*thread);
    tell_end(*thread);
    own_thread = nullptr;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (thread->type == ompt_thread_worker) {
        workers.fetch_sub(1, std::memory_order_release);
    }
    pthread_setspecific(key, nullptr);
    pthread_mutex_lock(&threads_lock);
    thread->next_free = free_threads;
    free_threads = thread;
    pthread_mutex_unlock(&threads_lock);
}

int living_workers() {
    return workers.load(std::memory_order_acquire);
}

void forget_other_threads() {
    threads_lock = PTHREAD_MUTEX_INITIALIZER;
    restart_expecting_after_fork();
    const bool is_worker = own_thread != nullptr && own_thread->type == ompt_thread_worker;
    workers.store(is_worker ? 1 : 0, std::memory_order_relaxed);
}

RegionRecord &take_region(ThreadRecord &thread) {
    RegionRecord *region = thread.free_regions;
    if (region != nullptr) {
        thread.free_regions = region->next_free;
    } else {
        region = make<RegionRecord>();
    }
    region->word.value = 0;
    region->copyprivate = nullptr;
    region->master_task = nullptr;
    region->first_word = nullptr;
    return *region;
}

void give_back(ThreadRecord &thread, RegionRecord &region) {
    region.next_free = thread.free_regions;
    thread.free_regions = &region;
}

namespace {

void add_block(ThreadRecord &thread) {
    TaskBlock *block = make<TaskBlock>();
    for (TaskRecord &task : block->tasks) {
        task.owner = &thread;
        task.next = thread.free_tasks;
        thread.free_tasks = &task;
    }
    block->next = thread.task_blocks;
    thread.task_blocks = block;
    ++thread.block_count;
}

// libgomp drops the tasks of a cancelled taskgroup or region that have not begun, and says nothing.
// Their records are found when their regions are over.
void take_back_dropped(ThreadRecord &thread) {
    constexpr unsigned kFirstSearch = 16;
    if (thread.block_count < thread.next_search) {
        return;
    }
    unsigned living = 0;
    for (TaskBlock *block = thread.task_blocks; block != nullptr; block = block->next) {
        for (TaskRecord &task : block->tasks) {
            const bool is_dropped = task.is_in_use && !task.is_started &&
                                    (task.flags & ompt_task_explicit) != 0 &&
                                    is_over(*task.region, task.region_run);
            if (is_dropped) {
                release(task);
            }
            living += task.is_in_use ? 1 : 0;
        }
    }
    // Not before at least half of the records can be expected to come back.
    thread.next_search = living / TaskBlock::kTasks * 2 + kFirstSearch;
}

} // namespace

TaskRecord &take_task(ThreadRecord &thread) {
    if (thread.free_tasks == nullptr) {
        thread.free_tasks = thread.returned_tasks.exchange(nullptr, std::memory_order_acquire);
    }
    if (thread.free_tasks == nullptr) {
        take_back_dropped(thread);
    }
    if (thread.free_tasks == nullptr) {
        add_block(thread);
    }
    TaskRecord &task = *thread.free_tasks;
    thread.free_tasks = task.next;
    task.word.value = 0;
    task.frame = kNewFrame;
    task.parent = nullptr;
    task.event = nullptr;
    task.references.store(1, std::memory_order_relaxed);
    task.open_work = Work::kNone;
    task.is_in_use = true;
    task.is_started = task.body_is_done = task.is_fulfilled = false;
    task.has_created = task.has_ended = false;
    return task;
}

// A complete task goes when its children have gone: they name it as their parent.
void release(TaskRecord &first) {
    TaskRecord *task = &first;
    while (task != nullptr && (task->flags & ompt_task_initial) == 0 &&
           (task->references.load(std::memory_order_acquire) == 1 ||
            task->references.fetch_sub(1, std::memory_order_acq_rel) == 1)) {
        // An implicit task outlives its children, they do not count with it.
        TaskRecord *parent = (task->flags & ompt_task_explicit) != 0 && task->parent != nullptr &&
                                     (task->parent->flags & ompt_task_explicit) != 0
                                 ? task->parent
                                 : nullptr;
        ThreadRecord *owner = task->owner;
        task->is_in_use = false;
        if (owner == own_thread) {
            task->next = owner->free_tasks;
            owner->free_tasks = task;
        } else {
            TaskRecord *head = owner->returned_tasks.load(std::memory_order_relaxed);
            do {
                task->next = head;
            } while (!owner->returned_tasks.compare_exchange_weak(
                head, task, std::memory_order_release, std::memory_order_relaxed));
        }
        task = parent;
    }
}

} // namespace ocb::gomp
