// SPDX-License-Identifier: Apache-2.0
#include "bell.h"

#include "clocks.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constinit std::atomic<int> rings{0};

} // namespace

void ring_bell() {
    const int saved_errno = errno;
    rings.fetch_add(1, std::memory_order_release);
    syscall(SYS_futex, &rings, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
    errno = saved_errno;
}

int bell_rings() {
    return rings.load(std::memory_order_acquire);
}

void sleep_until_bell(int seen, uint64_t ns) {
    const timespec time = timespec_of(ns);
    syscall(SYS_futex, &rings, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
}

} // namespace ompcollect
