// SPDX-License-Identifier: Apache-2.0
//
// What an ELF file asks to be mapped, for formats that speak in addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ompcollect::report {

struct Segment {
    uint64_t address = 0; // as the file counts it
    uint64_t size = 0;
    uint64_t offset = 0; // in the file
    bool can_read = false;
    bool can_write = false;
    bool can_execute = false;
};

struct ElfSegments {
    bool is_fixed = false; // linked for its addresses (ET_EXEC)
    uint64_t entry = 0;
    std::vector<Segment> segments; // empty: not an ELF file of 64 bits that can be read
};

ElfSegments segments_of(const std::string &path);

} // namespace ompcollect::report
