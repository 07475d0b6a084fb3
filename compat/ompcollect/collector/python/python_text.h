// SPDX-License-Identifier: Apache-2.0
//
// Texts of Python as UTF-8, in rows of the profile. Async-signal-safe but for growth.
#pragma once

#include "python_layout.h"

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// Of several words, one after the other.
inline uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

// How a text's characters lie behind its head.
struct TextShape {
    size_t head;
    size_t width; // bytes of a character; 0: they are elsewhere, or this is no text
    size_t length;
    [[nodiscard]] size_t bytes() const { return width * length; }
};
TextShape text_shape(const PythonLayout &layout, uint64_t length, uint32_t state);

// At most `size` bytes of UTF-8 and no part of a character; how many.
size_t to_utf8(const char *from, size_t width, size_t length, char *to, size_t size);

// The row of the text's first piece, a new one if there is none; kNoRow without room.
uint32_t python_text_row(const char *text, size_t length);
// The row of the code, by rows of texts.
uint32_t python_code_row(uint32_t file, uint32_t name, uint32_t first_line);

// As many names are there as are kept.
bool python_rows_are_full();

void grow_python_rows();
void restart_python_rows();

} // namespace ompcollect
