// SPDX-License-Identifier: Apache-2.0
#include "own_process.h"

#include <cstdio>
#include <new>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constinit std::atomic<Stage> before_claim{Stage::kOff};
constinit std::atomic<pid_t> owner{0};

constexpr size_t kPage = 4096;

} // namespace

constinit std::atomic<Stage> *stage_of_process = &before_claim;

void claim_process() {
    owner.store(getpid(), std::memory_order_relaxed);
    if (stage_of_process != &before_claim) {
        return;
    }
    void *page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return;
    }
    madvise(page, kPage, MADV_WIPEONFORK); // an older kernel leaves it as it is
    stage_of_process = new (page) std::atomic<Stage>(Stage::kOff);
}

bool is_own_process() {
    return owner.load(std::memory_order_relaxed) == getpid();
}

void name_own_program(char *path, size_t size) {
    const ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = 0;
    const auto *given = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
    if (length <= 0 && given) {
        snprintf(path, size, "%s", given);
    }
}

} // namespace ompcollect
