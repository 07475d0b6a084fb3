// SPDX-License-Identifier: Apache-2.0
#include "printable.h"

#include <cstdint>
#include <cstring>

namespace ompcollect {
namespace {

struct Range {
    uint32_t first;
    uint32_t last;
};

// Characters of Unicode that are not shown: controls, marks of direction, separators of lines, what
// has no width, and tags.
constexpr Range kHidden[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad},   {0x061c, 0x061c},     {0x180e, 0x180e},
    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfeff, 0xfeff},     {0xfff9, 0xfffb},
    {0xd800, 0xdfff}, {0xfffe, 0xffff}, {0xe0000, 0xe007f}, {0x110000, 0x1fffff},
};

bool is_hidden(uint32_t character) {
    for (const Range &range : kHidden) {
        if (character >= range.first && character <= range.last) {
            return true;
        }
    }
    return false;
}

// Bytes of the character, by its first one; 0: none begins so.
size_t size_by(unsigned char first) {
    if (first < 0x80) {
        return 1;
    }
    return first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf8 ? 4 : 0;
}

} // namespace

size_t shown_bytes(const char *text, size_t size) {
    const size_t length = size != 0 ? size_by(static_cast<unsigned char>(*text)) : 0;
    if (length == 0 || length > size) {
        return 0;
    }
    constexpr unsigned char kValueBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t character = static_cast<unsigned char>(*text) & kValueBits[length];
    for (size_t i = 1; i < length; ++i) {
        const auto next = static_cast<unsigned char>(text[i]);
        if ((next & 0xc0) != 0x80) {
            return 0;
        }
        character = character << 6 | (next & 0x3f);
    }
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000}; // a longer form is none
    return character < kLeast[length] || is_hidden(character) ? 0 : length;
}

void write_escape(char *to, char byte) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto number = static_cast<unsigned char>(byte);
    to[0] = '\\';
    to[1] = 'x';
    to[2] = kDigits[number >> 4];
    to[3] = kDigits[number & 0xf];
}

size_t printable_into(char *to, size_t capacity, const char *text) {
    size_t used = 0;
    size_t left = strlen(text);
    while (left != 0) {
        const size_t shown = shown_bytes(text, left);
        const size_t needed = shown != 0 ? shown : kEscapeSize;
        if (used + needed >= capacity) {
            break;
        }
        if (shown != 0) {
            memcpy(to + used, text, shown);
        } else {
            write_escape(to + used, *text);
        }
        used += needed;
        text += shown != 0 ? shown : 1;
        left -= shown != 0 ? shown : 1;
    }
    if (capacity != 0) {
        to[used] = 0;
    }
    return used;
}

} // namespace ompcollect
