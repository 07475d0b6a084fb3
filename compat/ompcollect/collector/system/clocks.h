// SPDX-License-Identifier: Apache-2.0
//
// Clocks in nanoseconds. All async-signal-safe.
#pragma once

#include <cstdint>
#include <ctime>

namespace ompcollect {

inline constexpr uint64_t kSecond = 1000000000;

inline timespec timespec_of(uint64_t ns) {
    return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}

// 0 where the clock is of a thread that is gone.
inline uint64_t clock_ns(clockid_t clock) {
    timespec time;
    if (clock_gettime(clock, &time) != 0) {
        return 0;
    }
    return static_cast<uint64_t>(time.tv_sec) * kSecond + static_cast<uint64_t>(time.tv_nsec);
}

inline uint64_t now_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

// The clock of a thread's time on a processor, by its tid: the kernel's encoding, as in
// pthread_getcpuclockid(), which takes a pthread_t that we do not have.
inline clockid_t thread_clock(int tid) {
    constexpr unsigned kPerThread = 4;
    constexpr unsigned kSchedulers = 2;
    return static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 | kPerThread | kSchedulers);
}

} // namespace ompcollect
