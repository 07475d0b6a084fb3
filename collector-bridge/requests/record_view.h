// SPDX-License-Identifier: Apache-2.0
// One record of a request list, in the collector's memory: typed access to its packed fields. The
// memory may be 4-byte aligned only (as every second record of a batch of 28-byte ones), so words
// are copied. Another thread of the collector may change it meanwhile. So size and request, which
// decide where memory is read and written, are read once. omp_collector_api.h has the layouts.
#pragma once

#include "omp_collector_api.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ocb {

class RecordView {
  public:
    explicit RecordView(void *memory)
        : bytes_(static_cast<unsigned char *>(memory)), size_(load_once(bytes_)) {}

    [[nodiscard]] int size() const { return static_cast<int>(size_); }
    // At the end of the list there is none.
    [[nodiscard]] int request() const { return load_once(bytes_ + sizeof(int)); }
    [[nodiscard]] int mem_size() const { return size() - OMP_COLLECTOR_HEADER_SIZE; }
    [[nodiscard]] RecordView next() const { return RecordView(bytes_ + size_); }

    // The same record, whose size is known to be this.
    template <int kSize> [[nodiscard]] RecordView of_size() const {
        RecordView same = *this;
        same.size_ = kSize;
        return same;
    }

    // True for a record that can be carried out. Size 0 is the end of the list, and no record.
    [[nodiscard]] bool is_well_formed() const {
        const int bytes = size();
        return bytes >= OMP_COLLECTOR_HEADER_SIZE && bytes % 4 == 0 &&
               bytes <= OMP_COLLECTOR_MAX_RECORD;
    }

    void answer(OMP_COLLECTORAPI_EC error, int return_size) {
        store<int>(8, error);
        store<int>(12, return_size);
    }

    [[nodiscard]] int int_at_start() const { return load_once(bytes_ + kMem); }
    void put_int_at_start(int value) { store<int>(kMem, value); }
    [[nodiscard]] std::uint64_t word_behind_int() const {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes_ + word_offset(), sizeof value);
        return value;
    }
    void put_word_behind_int(std::uint64_t value) { store(word_offset(), value); }
    void put_word_at_start(std::uint64_t value) { store(kMem, value); }

    // The size of {int, 8-byte word} in the layout that this record has.
    [[nodiscard]] int pair_size() const { return is_natural() ? kNaturalPair : kPackedPair; }

    static constexpr int kInt = 4;
    static constexpr int kWord = 8;
    static constexpr int kPackedPair = 12;
    static constexpr int kNaturalPair = 16;

  private:
    static constexpr std::size_t kMem = OMP_COLLECTOR_HEADER_SIZE;

    [[nodiscard]] bool is_natural() const { return mem_size() >= kNaturalPair; }
    [[nodiscard]] std::size_t word_offset() const { return kMem + (is_natural() ? 8 : 4); }

    // One load, which the compiler must not repeat.
    [[nodiscard]] static int load_once(const unsigned char *at) {
        using Int __attribute__((may_alias)) = const volatile int;
        return *static_cast<Int *>(static_cast<const void *>(at));
    }
    template <class T> void store(std::size_t offset, T value) {
        std::memcpy(bytes_ + offset, &value, sizeof value);
    }

    unsigned char *bytes_;
    std::int64_t size_; // an int; as wide as a register, which spares the copies their padding
};

} // namespace ocb
