// SPDX-License-Identifier: Apache-2.0
//
// Clocks in nanoseconds. All async-signal-safe, but for the process's first look at one. They are
// the system's, whoever stands in front of clock_gettime: under faketime the program's clock may be
// in another year, or jump, and two of its times have no difference.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <dlfcn.h>

namespace ompcollect {

inline constexpr uint64_t kSecond = 1000000000;

inline timespec timespec_of(uint64_t ns) {
    return {static_cast<time_t>(ns / kSecond), static_cast<long>(ns % kSecond)};
}

using ClockFunction = int (*)(clockid_t, timespec *);
int find_clock_function(clockid_t clock, timespec *time);

// The C library's own, from the first look on.
inline constinit std::atomic<ClockFunction> clock_function{find_clock_function};

inline int find_clock_function(clockid_t clock, timespec *time) {
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *own = libc ? dlsym(libc, "clock_gettime") : nullptr;
    if (!own) {
        dlerror(); // the program would take the message for its own
    }
    const auto function = own ? reinterpret_cast<ClockFunction>(own) : clock_gettime;
    clock_function.store(function, std::memory_order_relaxed);
    return function(clock, time);
}

// 0 where the clock is of a thread that is gone.
inline uint64_t clock_ns(clockid_t clock) {
    timespec time;
    if (clock_function.load(std::memory_order_relaxed)(clock, &time) != 0) {
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
