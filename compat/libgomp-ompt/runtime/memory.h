// SPDX-License-Identifier: Apache-2.0
// Memory of records, a page for each and zeroed, for good. It is the kernel's: libgomp's threads
// allocate nothing, and with glibc a thread's first allocation takes 64 MB of addresses. Memory is
// all that is asked of the system; without it a program cannot go on either.
#pragma once

#include <cstddef>

namespace ocb::gomp {

inline constexpr std::size_t kPage = 4096; // or a part of one, on some machines

// Any thread; not in a signal handler.
void *take_page();

template <class Type> Type *make() {
    static_assert(sizeof(Type) <= kPage);
    return static_cast<Type *>(take_page());
}

} // namespace ocb::gomp
