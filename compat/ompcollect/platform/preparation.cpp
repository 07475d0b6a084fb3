// SPDX-License-Identifier: Apache-2.0
#include "preparation.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

// Linux 5.14, glibc 2.35. Kernels before that refuse it.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompcollect {

AwayFromProgram::AwayFromProgram() {
    const int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof before_, &before_) != 0) {
        return;
    }
    cpu_set_t others = before_;
    CPU_CLR(here, &others);
    is_away_ = CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0;
}

AwayFromProgram::~AwayFromProgram() {
    if (is_away_) {
        sched_setaffinity(0, sizeof before_, &before_);
    }
}

void take_memory_ahead() {
    constexpr size_t kSize = 512 << 10;
    // Once a piece of this size has been given back, glibc takes such pieces from its heap and does
    // not map each of them anew.
    void *volatile piece = malloc(kSize);
    free(piece);
    piece = malloc(kSize);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    if (const auto begin = reinterpret_cast<uintptr_t>(piece)) {
        const uintptr_t first = begin / page * page;
        madvise(reinterpret_cast<void *>(first), begin + kSize - first, MADV_POPULATE_WRITE);
    }
    free(piece);
}

} // namespace ompcollect
