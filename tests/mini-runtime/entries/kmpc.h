// SPDX-License-Identifier: Apache-2.0
// What the parts of the front end for clang's code share.
#pragma once

#include "core.h"

// Where a construct stands; the flags tell barriers and worksharing apart.
struct ident_t {
    std::int32_t reserved_1;
    std::int32_t flags;
    std::int32_t reserved_2;
    std::int32_t reserved_3;
    const char *source;
};

namespace mini::kmpc {

constexpr int kFlagAtomicReduce = 0x10;
constexpr int kFlagExplicitBarrier = 0x20;
constexpr int kFlagSections = 0x400;
constexpr int kFlagDistribute = 0x800;

// A name of a critical region: the compiler gives 32 zeroed bytes.
Mutex &mutex_of(void *name);
std::uint64_t id_of(const void *address);

} // namespace mini::kmpc
