// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace ocb::gomp {
namespace {

// As each mapping makes all threads of the process wait, many pages come at once.
constexpr std::size_t kChunkPages = 32;

// In its first page.
struct Chunk {
    std::atomic<std::size_t> taken; // pages; more than there are, once they were not enough
};

constinit std::atomic<Chunk *> current_chunk{nullptr};

Chunk *map_chunk() {
    void *memory = mmap(nullptr, kChunkPages * kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? new (memory) Chunk{1} : nullptr;
}

// Of two threads that replace the same one, one drops its own.
void replace(Chunk *used_up) {
    Chunk *chunk = map_chunk();
    if (chunk == nullptr) {
        abort();
    }
    if (!current_chunk.compare_exchange_strong(used_up, chunk, std::memory_order_release,
                                               std::memory_order_relaxed)) {
        munmap(chunk, kChunkPages * kPage);
    }
}

} // namespace

void *take_page() {
    for (;;) {
        Chunk *chunk = current_chunk.load(std::memory_order_acquire);
        if (chunk != nullptr) {
            const std::size_t page = chunk->taken.fetch_add(1, std::memory_order_relaxed);
            if (page < kChunkPages) {
                return reinterpret_cast<char *>(chunk) + page * kPage;
            }
        }
        replace(chunk);
    }
}

} // namespace ocb::gomp
