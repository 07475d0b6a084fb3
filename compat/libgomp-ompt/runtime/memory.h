// SPDX-License-Identifier: Apache-2.0
// Memory of records, in lines of the cache and zeroed. Memory is all that is asked of the system;
// without it a program cannot go on either.
#pragma once

#include <cstdlib>
#include <cstring>

namespace ocb::gomp {

template <class Type> Type *make() {
    void *memory = aligned_alloc(64, (sizeof(Type) + 63) / 64 * 64);
    if (memory == nullptr) {
        abort();
    }
    return static_cast<Type *>(memset(memory, 0, sizeof(Type)));
}

} // namespace ocb::gomp
