// SPDX-License-Identifier: Apache-2.0
#include "wake_up.h"

#include "clocks.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constinit std::atomic<int> wake_ups{0};

} // namespace

void wake_sampling_thread() {
    const int saved_errno = errno;
    wake_ups.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &wake_ups, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    errno = saved_errno;
}

int wake_ups_so_far() {
    return wake_ups.load(std::memory_order_acquire);
}

void sleep_until_woken(int seen, uint64_t ns) {
    const timespec time = timespec_of(ns);
    syscall(SYS_futex, &wake_ups, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

} // namespace ompcollect
