// SPDX-License-Identifier: Apache-2.0
//
// See shared.h: what belongs to no generation.
#include "shared.h"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace compliance {
namespace {

struct GenerationRow {
    Generation generation;
    const char *name;
    bool ids;
};
constexpr GenerationRow kGenerations[] = {
    {Generation::kNone, "none", false},
    {Generation::k5, "OpenMP 5.x", false},
    {Generation::kTr6, "TR6", false},
    {Generation::kTr4, "TR4", false},
    {Generation::kTr2, "TR2", true},
    {Generation::kTr2Last, "TR2, lookup last", true},
    {Generation::kTr2Draft, "TR2, draft chapter", true},
    {Generation::k2014, "2014", true},
};

const GenerationRow &row_of(Generation generation) {
    return kGenerations[static_cast<int>(generation)];
}

} // namespace

const char *generation_name(Generation generation) {
    return row_of(generation).name;
}

bool has_ids(Generation generation) {
    return row_of(generation).ids;
}

Shared &shared() {
    static Shared *const kMemory = [] {
        void *pages = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) {
            perror("ompt-compliance: mmap");
            _exit(1);
        }
        return new (pages) Shared();
    }();
    return *kMemory;
}

} // namespace compliance
