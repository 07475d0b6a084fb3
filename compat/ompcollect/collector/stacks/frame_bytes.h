// SPDX-License-Identifier: Apache-2.0
//
// Numbers in .eh_frame and in DWARF's expressions, as they lie in memory.
#pragma once

#include <cstdint>
#include <cstring>

namespace ompcollect {

// Encodings of pointers: the lower half is the form, the upper what it counts from.
inline constexpr uint8_t kAbsolute = 0x00;
inline constexpr uint8_t kUnsigned2 = 0x02;
inline constexpr uint8_t kUnsigned4 = 0x03;
inline constexpr uint8_t kUnsigned8 = 0x04;
inline constexpr uint8_t kSigned2 = 0x0a;
inline constexpr uint8_t kSigned4 = 0x0b;
inline constexpr uint8_t kSigned8 = 0x0c;
inline constexpr uint8_t kFromHere = 0x10;
inline constexpr uint8_t kFromTable = 0x30;
inline constexpr uint8_t kOmitted = 0xff;

struct Expression {
    const uint8_t *begin;
    const uint8_t *end;
};

// Reads on until `end`; past it everything is 0 and good() false.
class Bytes {
  public:
    Bytes(const uint8_t *begin, const uint8_t *end) : at_(begin), end_(end) {}

    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] bool more() const { return good_ && at_ < end_; }
    [[nodiscard]] const uint8_t *at() const { return at_; }
    [[nodiscard]] const uint8_t *end() const { return end_; }

    template <class T> T take() {
        T value = {};
        if (!has(sizeof value)) {
            return value;
        }
        memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    uint64_t take_uleb() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = take<uint8_t>();
            value |= uint64_t{byte & 0x7fu} << shift;
            if ((byte & 0x80u) == 0) {
                break;
            }
        }
        return value;
    }
    int64_t take_sleb() {
        uint64_t value = 0;
        unsigned shift = 0;
        uint8_t byte = 0x80;
        while ((byte & 0x80u) != 0 && shift < 64) {
            byte = take<uint8_t>();
            value |= uint64_t{byte & 0x7fu} << shift;
            shift += 7;
        }
        if ((byte & 0x40u) != 0 && shift < 64) {
            value |= ~uint64_t{0} << shift;
        }
        return static_cast<int64_t>(value);
    }
    void skip(uint64_t count) {
        if (has(count)) {
            at_ += count;
        }
    }
    Expression take_block() {
        const uint64_t length = take_uleb();
        const uint8_t *begin = at_;
        skip(length);
        return good_ ? Expression{begin, at_} : Expression{begin, begin};
    }
    // The number as it stands, not yet counted from anywhere.
    int64_t take_form(uint8_t encoding) {
        switch (encoding & 0x0fu) {
        case kAbsolute:
        case kUnsigned8:
        case kSigned8:
            return take<int64_t>();
        case kUnsigned2:
            return take<uint16_t>();
        case kUnsigned4:
            return take<uint32_t>();
        case kSigned2:
            return take<int16_t>();
        case kSigned4:
            return take<int32_t>();
        default:
            good_ = false;
            return 0;
        }
    }
    uintptr_t take_pointer(uint8_t encoding) {
        const auto here = reinterpret_cast<uintptr_t>(at_);
        const auto number = static_cast<uintptr_t>(take_form(encoding));
        switch (encoding & 0xf0u) {
        case 0:
            return number;
        case kFromHere:
            return here + number;
        default:
            good_ = false;
            return 0;
        }
    }

  private:
    bool has(uint64_t count) {
        if (static_cast<uint64_t>(end_ - at_) < count) {
            good_ = false;
            at_ = end_;
        }
        return good_;
    }

    const uint8_t *at_;
    const uint8_t *end_;
    bool good_ = true;
};

} // namespace ompcollect
