// SPDX-License-Identifier: Apache-2.0
// Rows for a list of any length that a callback or an answer needs for a moment: on the stack where
// they are few, else in memory from the system.
#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace ocb::gomp {

template <class Row, std::size_t kFew> class Room {
  public:
    // Null where `count` is 0, or where the system has no memory.
    explicit Room(std::size_t count) : bytes_(count * sizeof(Row)) {
        if (count != 0 && count <= kFew) {
            rows = few_;
        } else if (count != 0) {
            void *memory =
                mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            rows = memory != MAP_FAILED ? static_cast<Row *>(memory) : nullptr;
        }
    }
    ~Room() {
        if (rows != nullptr && rows != few_) {
            munmap(rows, bytes_);
        }
    }
    Room(const Room &) = delete;
    Room &operator=(const Room &) = delete;

    Row *rows = nullptr;

  private:
    std::size_t bytes_;
    Row few_[kFew];
};

} // namespace ocb::gomp
