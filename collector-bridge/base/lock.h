// SPDX-License-Identifier: Apache-2.0
// A lock for the rare paths (control requests, growth of pools). A thread that finds it taken
// sleeps in the kernel. So a real-time thread never keeps the holder from the processor that both
// need. Constant-initialised, can be reset in a forked child, keeps errno. Never taken in a signal
// handler, but tried there.
#pragma once

#include "base/compiler.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb {

class Lock {
  public:
    constexpr Lock() = default;

    bool try_lock() {
        std::uint32_t expected = kFree;
        return word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }
    void lock() {
        if (!try_lock()) {
            sleep_until_held();
        }
    }
    void unlock() {
        if (word_.exchange(kFree, std::memory_order_release) == kWanted) {
            wake_one();
        }
    }
    void reset_after_fork() { word_.store(kFree, std::memory_order_relaxed); }

  private:
    static constexpr std::uint32_t kFree = 0, kHeld = 1, kWanted = 2; // kWanted: held, and wanted

    OCB_NEVER_INLINE void sleep_until_held() {
        const int saved_errno = errno;
        while (word_.exchange(kWanted, std::memory_order_acquire) != kFree) {
            syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, kWanted, nullptr, nullptr, 0);
        }
        errno = saved_errno;
    }
    OCB_NEVER_INLINE void wake_one() {
        const int saved_errno = errno;
        syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
        errno = saved_errno;
    }

    std::atomic<std::uint32_t> word_{kFree};
    static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
};

class LockGuard {
  public:
    explicit LockGuard(Lock &lock) : lock_(lock) { lock_.lock(); }
    ~LockGuard() { lock_.unlock(); }
    LockGuard(const LockGuard &) = delete;
    LockGuard &operator=(const LockGuard &) = delete;

  private:
    Lock &lock_;
};

} // namespace ocb
