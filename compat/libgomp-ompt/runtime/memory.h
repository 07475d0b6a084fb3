// SPDX-License-Identifier: Apache-2.0
// Memory of records, in whole pages and zeroed. It is the kernel's, as libgomp's threads allocate
// nothing: a thread's first malloc() takes 64 MB of addresses. Memory is all that is asked of the
// system; without it a program cannot go on either.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>

namespace ocb::gomp {

// What a record may have, that takes one of the smallest pages.
inline constexpr std::size_t kPage = 4096;

template <class Type> Type *make() {
    void *memory =
        mmap(nullptr, sizeof(Type), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        abort();
    }
    return static_cast<Type *>(memory);
}

} // namespace ocb::gomp
