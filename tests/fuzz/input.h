// SPDX-License-Identifier: Apache-2.0
// What the fuzz targets share: the bytes of an input as decisions, and the system calls of the
// library that an input may let fail. Each target is one function with libFuzzer's name, called by
// libFuzzer (preset fuzz) or by replay.cpp (any compiler); a failed check aborts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace ocb::test {

// Once used up, an input goes on as zeros.
class Input {
  public:
    Input(const std::uint8_t *data, std::size_t size) : data_(data), size_(size) {}

    [[nodiscard]] bool is_used_up() const { return size_ == 0; }
    [[nodiscard]] std::size_t left() const { return size_; }
    [[nodiscard]] const std::uint8_t *rest() const { return data_; }

    unsigned byte() {
        if (size_ == 0) {
            return 0;
        }
        --size_;
        return *data_++;
    }

  private:
    const std::uint8_t *data_;
    std::size_t size_;
};

inline void require(bool holds, const char *what) {
    if (holds) {
        return;
    }
    std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
}

// How the library finds the system (system.cpp stands between them).
struct System {
    enum class Maps { kReal, kNoFile, kWritten };
    Maps maps = Maps::kReal;
    unsigned read_size = 64;    // what one read() of the written maps gives at most
    unsigned failing_mmaps = 0; // so many of the next
    unsigned failed_mmaps = 0;  // since the input began
};
extern System the_system;

} // namespace ocb::test
