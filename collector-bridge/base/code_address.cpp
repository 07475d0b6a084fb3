// SPDX-License-Identifier: Apache-2.0
#include "base/code_address.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ocb {
namespace {

int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return -1;
}

// Reads "begin-end rwxp ..." one character at a time, so that a line may be cut anywhere.
class MapsReader {
  public:
    explicit MapsReader(std::uint64_t address) : address_(address) {}

    // True once a line has been seen that holds the address.
    bool take(char c) {
        if (c == '\n') {
            *this = MapsReader(address_);
            return false;
        }
        switch (field_) {
        case kBegin:
            accumulate(begin_, c, '-', kEnd);
            break;
        case kEnd:
            accumulate(end_, c, ' ', kPermissions);
            break;
        case kPermissions:
            if (permission_ == kReadPosition) {
                mapping.is_readable = c == 'r';
            }
            if (permission_++ != kExecutePosition) {
                break;
            }
            mapping.is_executable = c == 'x';
            field_ = kRest;
            mapping.begin = begin_;
            mapping.end = end_;
            return address_ >= begin_ && address_ < end_;
        case kRest:
            break;
        }
        return false;
    }

    // Past the fields that are read: the rest of the line is skipped.
    [[nodiscard]] bool is_behind() const { return field_ == kRest; }

    Mapping mapping;

  private:
    enum Field { kBegin, kEnd, kPermissions, kRest };
    static constexpr int kReadPosition = 0, kExecutePosition = 2;

    void accumulate(std::uint64_t &value, char c, char terminator, Field following) {
        if (const int digit = hex_digit(c); digit >= 0) {
            value = value * 16 + static_cast<unsigned>(digit);
        } else {
            field_ = c == terminator ? following : kRest;
        }
    }

    std::uint64_t address_;
    std::uint64_t begin_ = 0, end_ = 0;
    int permission_ = 0;
    Field field_ = kBegin;
};

} // namespace

Mapping mapping_of(std::uint64_t address) {
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return {};
    }
    MapsReader reader(address);
    bool is_mapped = false;
    char buffer[1024];
    for (ssize_t size = 0; !is_mapped && (size = read(file, buffer, sizeof buffer)) > 0;) {
        const char *const end = buffer + size;
        for (const char *at = buffer; !is_mapped && at != end;) {
            const auto rest = static_cast<std::size_t>(end - at);
            const void *line = reader.is_behind() ? std::memchr(at, '\n', rest) : at;
            if (line == nullptr) {
                break;
            }
            at = static_cast<const char *>(line);
            is_mapped = reader.take(*at++);
        }
    }
    close(file);
    Mapping mapping = is_mapped ? reader.mapping : Mapping{};
    mapping.is_known = true;
    return mapping;
}

namespace {

// A range of whole pages in one word, so that it is read and written at once: the number of the
// first page above, how many there are below. 0: none.
constexpr unsigned kPageBits = 12, kCountBits = 28;
constinit std::atomic<std::uint64_t> last_code{0};

bool holds(std::uint64_t range, std::uint64_t address) {
    const std::uint64_t count = range & ((1ULL << kCountBits) - 1);
    return (address >> kPageBits) - (range >> kCountBits) < count;
}

// 0 where the range is no such word.
std::uint64_t range_of(const Mapping &mapping) {
    const std::uint64_t first = mapping.begin >> kPageBits;
    const std::uint64_t count = (mapping.end - mapping.begin) >> kPageBits;
    const bool fits = first < 1ULL << (64 - kCountBits) && count < 1ULL << kCountBits;
    return fits ? first << kCountBits | count : 0;
}

} // namespace

bool is_code_address(std::uint64_t address) {
    if (holds(last_code.load(std::memory_order_relaxed), address)) {
        return true;
    }
    const Mapping mapping = mapping_of(address);
    if (mapping.is_known && mapping.is_executable) {
        last_code.store(range_of(mapping), std::memory_order_relaxed);
    }
    return !mapping.is_known || mapping.is_executable;
}

void forget_code() {
    last_code.store(0, std::memory_order_relaxed);
}

} // namespace ocb
