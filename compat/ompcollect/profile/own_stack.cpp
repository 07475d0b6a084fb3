// SPDX-License-Identifier: Apache-2.0
#include "own_stack.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// In glibc's descriptor of a thread these words lie in a row. Stack and descriptor lie in the
// block, behind the pages that guard it.
struct StackBlock {
    uintptr_t low;
    uintptr_t size;
    uintptr_t guard_size;
};

// Their offset in the descriptor. Other C libraries have another one, or no such words.
constexpr ptrdiff_t kNotSought = 0;
constexpr ptrdiff_t kNotThere = -1;
constinit std::atomic<ptrdiff_t> block_place{kNotSought};

uintptr_t descriptor_of(pthread_t thread) {
    return reinterpret_cast<uintptr_t>(thread);
}

StackBlock block_of(pthread_t thread, ptrdiff_t place) {
    StackBlock block;
    memcpy(&block, reinterpret_cast<const char *>(descriptor_of(thread)) + place, sizeof block);
    return block;
}

bool holds(const StackBounds &bounds, uintptr_t address) {
    return address >= bounds.low && address < bounds.high;
}

StackBounds bounds_of(const StackBlock &block) {
    return {block.low + block.guard_size, block.low + block.size};
}

// Searches for the one offset at which the words equal the library's answer for the thread.
ptrdiff_t find_block(pthread_t thread, const StackBounds &answer) {
    constexpr ptrdiff_t kLongest = 4096;
    constexpr ptrdiff_t kWord = sizeof(uintptr_t);
    const uintptr_t descriptor = descriptor_of(thread);
    if (!holds(answer, descriptor)) {
        return kNotSought;
    }
    const auto room = std::min(kLongest, static_cast<ptrdiff_t>(answer.high - descriptor));
    ptrdiff_t found = kNotThere;
    for (ptrdiff_t place = kWord; place + ptrdiff_t{sizeof(StackBlock)} <= room; place += kWord) {
        const StackBlock block = block_of(thread, place);
        const StackBounds bounds = bounds_of(block);
        if (bounds.low == answer.low && bounds.high == answer.high && block.low != 0) {
            if (found != kNotThere) {
                return kNotThere;
            }
            found = place;
        }
    }
    return found;
}

StackBounds ask_library(pthread_t thread) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(thread, &attributes) != 0) {
        return {0, 0};
    }
    void *low = nullptr;
    size_t size = 0;
    const int error = pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    const auto bottom = reinterpret_cast<uintptr_t>(low);
    const StackBounds answer = error == 0 ? StackBounds{bottom, bottom + size} : StackBounds{0, 0};
    if (block_place.load(std::memory_order_relaxed) == kNotSought) {
        block_place.store(find_block(thread, answer), std::memory_order_relaxed);
    }
    return answer;
}

// The initial thread's stack, as far as the kernel lets it grow.
StackBounds initial_stack() {
    void *const end = dlsym(RTLD_DEFAULT, "__libc_stack_end"); // by the dynamic linker
    if (!end) {
        return {0, 0};
    }
    constexpr uintptr_t kMost = uintptr_t{1} << 30;
    struct rlimit limit = {};
    const bool is_limited =
        getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < kMost && limit.rlim_cur != 0;
    const uintptr_t high = *static_cast<const uintptr_t *>(end);
    const uintptr_t size = is_limited ? limit.rlim_cur : kMost;
    return {high > size ? high - size : 0, high};
}

} // namespace

StackBounds own_stack() {
    if (syscall(SYS_gettid) == getpid()) {
        return initial_stack();
    }
    const pthread_t self = pthread_self();
    if (const ptrdiff_t place = block_place.load(std::memory_order_relaxed); place > 0) {
        const StackBounds bounds = bounds_of(block_of(self, place));
        if (holds(bounds, descriptor_of(self))) {
            return bounds;
        }
    }
    return ask_library(self);
}

void learn_from_stack_of(pthread_t thread) {
    if (block_place.load(std::memory_order_relaxed) == kNotSought) {
        ask_library(thread);
    }
}

} // namespace ompcollect
