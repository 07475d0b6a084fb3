// SPDX-License-Identifier: Apache-2.0
// Whether an address can be called: clients exist that register callbacks they never wrote
// (OpenUH's validation client sends uninitialised bytes), and a call there would end the program.
#pragma once

#include <cstdint>

namespace ocb {

// The memory around an address. All false where it is not mapped; `is_known` is false where that
// cannot be found out. Reads /proc/self/maps: not for event paths, not for signal handlers. No
// allocation.
struct Mapping {
    bool is_known = false;
    bool is_readable = false;
    bool is_executable = false;
    std::uint64_t begin = 0, end = 0;
};
Mapping mapping_of(std::uint64_t address);

// Whether `address` lies in memory that is mapped executable; true where that cannot be found out.
// Remembers the last such mapping, as a collector's callbacks lie in one. forget_code() clears it.
// Each START and each end of a registration calls that: the collector may be unloaded afterwards.
bool is_code_address(std::uint64_t address);
void forget_code();

} // namespace ocb
