// SPDX-License-Identifier: Apache-2.0
// Memory of records, in whole pages and zeroed, for good. It is the kernel's: libgomp's threads
// allocate nothing, and with glibc a thread's first allocation takes 64 MB of addresses. Memory is
// all that is asked of the system; without it a program cannot go on either.
#pragma once

#include <cstddef>

namespace ocb::gomp {

inline constexpr std::size_t kPage = 4096; // or a part of one, on some machines

// For one to kMostPages pages. Any thread; not in a signal handler.
inline constexpr std::size_t kMostPages = 4;
void *take_pages(std::size_t count);

template <class Type> Type *make() {
    constexpr std::size_t kPages = (sizeof(Type) + kPage - 1) / kPage;
    static_assert(kPages <= kMostPages);
    return static_cast<Type *>(take_pages(kPages));
}

} // namespace ocb::gomp
