// SPDX-License-Identifier: Apache-2.0
#include "memory_ahead.h"

#include <cstdint>
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

// Linux 5.14, glibc 2.35. Kernels before that refuse it.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace ompcollect {

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
