// SPDX-License-Identifier: Apache-2.0
#include "stack_memory.h"

#include <algorithm>
#include <sys/uio.h>
#include <unistd.h>

namespace ompcollect {

bool ask_kernel(uintptr_t address, uintptr_t &value) {
    const iovec to = {&value, sizeof value};
    const iovec from = {reinterpret_cast<void *>(address), sizeof value};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(sizeof value);
}

// Page by page, as the kernel reads a part whole or not at all.
size_t copy_memory(uintptr_t address, void *to, size_t size) {
    constexpr uintptr_t kPage = 4096;
    constexpr size_t kMostParts = 8;
    iovec parts[kMostParts];
    size_t count = 0;
    size_t listed = 0;
    for (; listed < size && count < kMostParts; ++count) {
        const uintptr_t begin = address + listed;
        const size_t length = std::min(size - listed, kPage - begin % kPage);
        parts[count] = {reinterpret_cast<void *>(begin), length};
        listed += length;
    }
    const iovec whole = {to, listed};
    const ssize_t copied = process_vm_readv(getpid(), &whole, 1, parts, count, 0);
    return copied > 0 ? static_cast<size_t>(copied) : 0;
}

} // namespace ompcollect
