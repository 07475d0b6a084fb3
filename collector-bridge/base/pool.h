// SPDX-License-Identifier: Apache-2.0
// Type-stable memory for records that other threads or late events may still look at. An object
// stays readable as a T for the life of the process; after its release it is handed out again.
// Memory comes from mmap, never from malloc. So it works inside the runtime's own initialisation
// and under memory limits. Not async-signal-safe. Objects are zero at the first take.
#pragma once

#include "base/lock.h"

#include <cstddef>
#include <sys/mman.h>

namespace ocb {

// T needs a member `T *next_free`.
// On a line of its own: many threads write it.
template <class T, std::size_t kChunk> class alignas(64) Pool {
  public:
    constexpr Pool() = default;

    // Null where the system has no memory left; the caller goes on without the record.
    [[nodiscard]] T *take() {
        LockGuard guard(lock_);
        if (free_ == nullptr) {
            grow();
        }
        T *item = free_;
        if (item != nullptr) {
            free_ = item->next_free;
        }
        return item;
    }

    void give(T *item) {
        LockGuard guard(lock_);
        item->next_free = free_;
        free_ = item;
    }

    // In a child after fork: the lock may have been held by a thread that is gone.
    void reset_lock_after_fork() { lock_.reset_after_fork(); }

  private:
    void grow() {
        void *memory = mmap(nullptr, sizeof(T) * kChunk, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            return;
        }
        T *items = static_cast<T *>(memory);
        for (std::size_t i = kChunk; i-- > 0;) {
            items[i].next_free = free_;
            free_ = &items[i];
        }
    }

    Lock lock_;
    T *free_ = nullptr;
};

} // namespace ocb
