// SPDX-License-Identifier: Apache-2.0
//
// Whether rates above the kernel's tick can be had here. Containers refuse perf events mostly, and
// filter system calls.
#pragma once

#include <ctime>
#include <fstream>
#include <linux/perf_event.h>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb_test {

inline bool has_fine_timers_here() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("Seccomp:") && line.back() != '0') {
            return false;
        }
    }
    perf_event_attr attributes = {};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.exclude_kernel = 1;
    const long file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (file >= 0) {
        close(static_cast<int>(file));
    }
    return file >= 0;
}

// The rate, or that of the kernel's tick, which is had anywhere.
inline std::string rate_here(const char *wanted) {
    static const bool kIsFine = has_fine_timers_here();
    timespec tick = {};
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    return kIsFine ? wanted : std::to_string(1'000'000'000 / tick.tv_nsec);
}

} // namespace ocb_test
