// SPDX-License-Identifier: Apache-2.0
//
// One message of a saved run in memory of its own: what was checked cannot change, and a file that
// gets shorter is no SIGBUS. Large ones give pages back while their rows are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <flatbuffers/flatbuffers.h>
#include <istream>
#include <memory>
#include <stdexcept>

namespace ompcollect::report {

// A number of a column that has the row. How numbers of eight bytes lie the verifier does not
// check: a damaged offset leads it to any place.
template <class Value> Value value_at(const flatbuffers::Vector<Value> *column, size_t row) {
    Value value{};
    std::memcpy(&value, column->Data() + row * sizeof value, sizeof value);
    return flatbuffers::EndianScalar(value);
}

struct MessageFreed {
    size_t mapped = 0; // 0: on the heap
    void operator()(uint8_t *bytes) const;
};

class Message {
  public:
    // Throws std::runtime_error where the file ends before the message does.
    explicit Message(std::istream &in);

    // The message's table, after the check of every offset and length in it. Columns: value_at().
    template <class Table> const Table &checked(const char *identifier) const {
        flatbuffers::Verifier::Options options;
        options.max_tables = static_cast<flatbuffers::uoffset_t>(size_ / kLeastTable + 1);
        flatbuffers::Verifier verifier(bytes(), size_, options);
        if (size_ < kLeastMessage || !verifier.VerifySizePrefixedBuffer<Table>(identifier)) {
            throw std::runtime_error("a part of it is not as the format has it");
        }
        return *flatbuffers::GetSizePrefixedRoot<Table>(bytes());
    }

    [[nodiscard]] const uint8_t *bytes() const { return memory_.get(); }
    [[nodiscard]] size_t size() const { return size_; }

    // Rows `from` up to `to` of the column are not needed any more.
    template <class Value>
    void drop(const flatbuffers::Vector<Value> *column, size_t from, size_t to) const {
        if (column) {
            drop_bytes(column->Data() + from * sizeof(Value), column->Data() + to * sizeof(Value));
        }
    }

  private:
    static constexpr size_t kLeastTable = 8; // bytes, with the offset that leads there
    static constexpr size_t kLeastMessage = 16;
    void drop_bytes(const uint8_t *begin, const uint8_t *end) const;

    size_t size_ = 0;
    std::unique_ptr<uint8_t, MessageFreed> memory_;
};

} // namespace ompcollect::report
