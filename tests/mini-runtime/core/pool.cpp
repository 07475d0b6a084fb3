// SPDX-License-Identifier: Apache-2.0
// The workers: made when a region needs them, idle between regions, ended with the runtime.
#include "core.h"
#include "events.h"

#include <algorithm>
#include <pthread.h>
#include <unistd.h>
#include <vector>

namespace mini {
namespace {

using event::Endpoint;

// Not destroyed at exit: workers may still look at them.
std::mutex &mutex = *new std::mutex;
std::vector<Thread *> &free_workers = *new std::vector<Thread *>; // lowest id last
std::atomic<int> worker_count{0};
std::atomic<int> id_count{0};

bool is_called(const Thread &worker) {
    return worker.assignment.load(std::memory_order_acquire) != nullptr ||
           worker.must_end.load(std::memory_order_acquire);
}

void wait_for_call(Thread &worker) {
    for (;;) {
        const int seen = worker.wake.load(std::memory_order_acquire);
        if (is_called(worker)) {
            return;
        }
        worker.wake.wait(seen, std::memory_order_acquire);
    }
}

void wake_up(Thread &worker) {
    worker.wake.fetch_add(1, std::memory_order_release);
    worker.wake.notify_one();
}

// The lowest frame in which the worker waits for work.
[[gnu::noinline]] void serve(Thread &worker) {
    worker.idle_frame = __builtin_frame_address(0);
    bool is_new = true; // and has work already
    for (;;) {
        if (!is_new) {
            worker.state.store(State::kIdle, std::memory_order_relaxed);
            if (!worker.is_told_idle) {
                event::idle(Endpoint::kBegin, worker);
            }
            worker.is_told_idle = false;
            wait_for_call(worker);
            event::idle(Endpoint::kEnd, worker);
            worker.state.store(State::kOverhead, std::memory_order_relaxed);
        }
        is_new = false;
        Team *team = worker.assignment.exchange(nullptr, std::memory_order_acq_rel);
        if (team == nullptr) {
            return;
        }
        run_member(worker, *team, worker.assigned_num.load(std::memory_order_relaxed));
    }
}

void *watch(void *) {
    for (;;) {
        pause();
    }
}

void *worker_main(void *argument) {
    Thread &worker = *static_cast<Thread *>(argument);
    set_current(&worker);
    event::thread_begins(worker);
    serve(worker);
    event::thread_ends(worker);
    worker.state.store(State::kUndefined, std::memory_order_relaxed);
    set_current(nullptr);
    return nullptr;
}

// libomp 3.7 and 3.8 have such a thread, which no callback reports and no inquiry knows.
void begin_monitor() {
    static std::atomic<bool> is_there{false};
    pthread_t monitor{};
    if (event::is_like_old_libomp() && !is_there.exchange(true) &&
        pthread_create(&monitor, nullptr, watch, nullptr) == 0) {
        pthread_detach(monitor);
    }
}

} // namespace

int next_thread_id() {
    return id_count.fetch_add(1, std::memory_order_relaxed);
}

void lock_pool() {
    mutex.lock();
}

void unlock_pool() {
    mutex.unlock();
}

int take_workers(int wanted, Thread **workers) {
    const std::lock_guard lock(mutex);
    int taken = 0;
    for (; taken < wanted && !free_workers.empty(); ++taken) {
        workers[taken] = free_workers.back();
        free_workers.pop_back();
    }
    for (; taken < wanted && worker_count.load() + 1 < settings.thread_limit; ++taken) {
        worker_count.fetch_add(1);
        begin_monitor();
        Thread *worker = new Thread;
        worker->id = next_thread_id();
        worker->kind = ThreadKind::kWorker;
        workers[taken] = worker;
    }
    return taken;
}

// A worker that is new has no thread yet: it begins with its first work in hand.
void assign(Thread &worker, Team &team, int thread_num) {
    worker.assigned_num.store(thread_num, std::memory_order_relaxed);
    worker.assignment.store(&team, std::memory_order_release);
    if (worker.handle != pthread_t{}) {
        wake_up(worker);
        return;
    }
    if (pthread_create(&worker.handle, nullptr, worker_main, &worker) != 0) {
        std::abort();
    }
}

void give_back(Thread *const *workers, int count) {
    const std::lock_guard lock(mutex);
    for (int i = 0; i < count; ++i) {
        free_workers.push_back(workers[i]);
    }
    std::sort(free_workers.begin(), free_workers.end(),
              [](const Thread *a, const Thread *b) { return a->id > b->id; });
}

// Those of regions that still run stay as they are: the process ends under them.
void end_workers() {
    std::vector<Thread *> workers;
    {
        const std::lock_guard lock(mutex);
        workers.swap(free_workers);
    }
    for (auto worker = workers.rbegin(); worker != workers.rend(); ++worker) {
        (*worker)->must_end.store(true, std::memory_order_release);
        wake_up(**worker);
        pthread_join((*worker)->handle, nullptr);
        worker_count.fetch_sub(1);
        delete *worker;
    }
}

void forget_workers() {
    free_workers.clear();
    worker_count.store(0);
}

} // namespace mini
