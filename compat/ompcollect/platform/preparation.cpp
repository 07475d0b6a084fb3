// SPDX-License-Identifier: Apache-2.0
#include "preparation.h"

#include <cstdint>
#include <cstdlib>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

// Linux 5.14, glibc 2.35. Kernels before that refuse them.
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

namespace ompcollect {
namespace {

// The pages that the bytes have a part of.
void take_pages(uintptr_t begin, size_t size, int how) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t first = begin / page * page;
    madvise(reinterpret_cast<void *>(first), begin + size - first, how);
}

int take_code_of(struct dl_phdr_info *file, size_t, void *) {
    for (unsigned i = 0; i < file->dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = file->dlpi_phdr[i];
        if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
            take_pages(file->dlpi_addr + segment.p_vaddr, segment.p_memsz, MADV_POPULATE_READ);
        }
    }
    return 0;
}

} // namespace

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
    if (void *const memory = piece) {
        take_pages(reinterpret_cast<uintptr_t>(memory), kSize, MADV_POPULATE_WRITE);
    }
    free(piece);
}

void take_code_ahead() {
    dl_iterate_phdr(take_code_of, nullptr);
}

} // namespace ompcollect
