// SPDX-License-Identifier: Apache-2.0
//
// See profile_reader.h.
#include "profile_reader.h"

#include <cstdlib>
#include <cstring>

namespace ompcollect {

LoadedProfile::~LoadedProfile() {
    while (blocks_) {
        Block *next = blocks_->next;
        free(blocks_);
        blocks_ = next;
    }
}

void *LoadedProfile::allocate(size_t size) {
    constexpr size_t kHead = 16; // keeps what follows aligned
    static_assert(sizeof(Block) <= kHead);
    auto *block = static_cast<Block *>(calloc(1, kHead + size));
    if (!block) {
        return nullptr;
    }
    block->next = blocks_;
    blocks_ = block;
    return reinterpret_cast<char *>(block) + kHead;
}

const char *LoadedProfile::keep(const char *text) {
    if (!text || !*text) {
        return nullptr;
    }
    const size_t size = strlen(text) + 1;
    auto *copy = static_cast<char *>(allocate(size));
    return copy ? static_cast<char *>(memcpy(copy, text, size)) : nullptr;
}

} // namespace ompcollect
