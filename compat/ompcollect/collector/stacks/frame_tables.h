// SPDX-License-Identifier: Apache-2.0
//
// Where a mapped file's frame descriptions are, and the one of a function. Owns the address of the
// dynamic linker's look-up, which find_frame_tables() writes once.
#pragma once

#include "frame_bytes.h"

#include <cstdint>

namespace ompcollect {

// A mapped file's table, and where the file ends.
struct Tables {
    const uint8_t *index; // PT_GNU_EH_FRAME
    const uint8_t *begin;
    const uint8_t *end;
};

// Once, not in a signal handler.
void find_frame_tables();

// False: the file has no index, or is not known yet.
bool tables_of(uintptr_t address, Tables &tables);

// The description of the function that the address would be in; null: the index has none.
const uint8_t *find_description(const Tables &tables, uintptr_t address);

// One entry of .eh_frame without its length.
bool open_entry(const uint8_t *at, const Tables &tables, Bytes &entry);

// What several functions have in common.
struct Common {
    uint64_t code_unit;
    int64_t data_unit;
    uint8_t encoding;
    bool has_extra;
    bool is_signal_frame;
    const uint8_t *begin; // of the instructions
    const uint8_t *end;
};

// A function's description in its file's tables; `entry` goes on with what is its own.
struct Described {
    Common common = {};
    Bytes entry{nullptr, nullptr};
    uintptr_t begin = 0;
    uintptr_t end = 0;
};

// False: the index has none of the function at this address of code.
bool find_described(uintptr_t address, Described &found);

} // namespace ompcollect
