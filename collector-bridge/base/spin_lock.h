// SPDX-License-Identifier: Apache-2.0
// A lock for the rare paths (control requests, growth of pools). Constant-initialised, needs
// nothing from libc but sched_yield, can be reset in a forked child. Never taken in a signal
// handler and never on an event path.
#pragma once

#include <atomic>
#include <sched.h>

namespace ocb {

class SpinLock {
  public:
    constexpr SpinLock() = default;

    bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
    void lock() {
        while (!try_lock()) {
            sched_yield();
        }
    }
    void unlock() { held_.store(false, std::memory_order_release); }
    void reset_after_fork() { held_.store(false, std::memory_order_relaxed); }

  private:
    std::atomic<bool> held_{false};
};

class SpinGuard {
  public:
    explicit SpinGuard(SpinLock &lock) : lock_(lock) { lock_.lock(); }
    ~SpinGuard() { lock_.unlock(); }
    SpinGuard(const SpinGuard &) = delete;
    SpinGuard &operator=(const SpinGuard &) = delete;

  private:
    SpinLock &lock_;
};

} // namespace ocb
