// SPDX-License-Identifier: Apache-2.0
#include "ompt5/first_thread.h"

#include "ompt5/entry_points.h"
#include "ompt5/own_threads.h"
#include "tracker/tracker.h"

#include <atomic>

namespace ocb::ompt5::first_thread {
namespace {

// A thread is identified by the address of a thread-local variable. Null: no thread is watched.
using Thread = const void *;
constinit std::atomic<Thread> first{nullptr};
constinit std::atomic<bool> has_ended{false};
constinit bool is_awaited = false; // in a child: it has not begun yet
constinit bool has_defect = false;

Thread caller() {
    return &is_runtimes_own;
}

} // namespace

void watch(ompt_callback_t on_thread_end) {
    has_defect = reads_first_thread;
    first.store(has_defect ? caller() : nullptr, std::memory_order_relaxed);
    if (has_defect) {
        set_callback(ompt_callback_thread_end, on_thread_end);
    }
}

void thread_begins() {
    Thread nobody = nullptr;
    if (is_awaited && first.compare_exchange_strong(nobody, caller(), std::memory_order_relaxed)) {
        is_awaited = false;
    }
}

// Other threads may be entering the callback, so its function stays registered.
void thread_ends() {
    if (first.load(std::memory_order_relaxed) != caller()) {
        return;
    }
    first.store(nullptr, std::memory_order_relaxed);
    has_ended.store(true, std::memory_order_relaxed);
    tracker::releases_end();
    entry_points.set_callback(ompt_callback_mutex_released, nullptr);
}

int set_callback(ompt_callbacks_t id, ompt_callback_t callback) {
    if (id == ompt_callback_mutex_released && has_ended.load(std::memory_order_relaxed)) {
        return ompt_set_never;
    }
    return entry_points.set_callback(id, callback);
}

const char *silence_of_releases() {
    return has_ended.load(std::memory_order_relaxed)
               ? "the runtime's first thread has ended, and it cannot report a release without it"
               : nullptr;
}

void reset_after_fork() {
    is_awaited = has_defect;
    first.store(nullptr, std::memory_order_relaxed);
}

} // namespace ocb::ompt5::first_thread
