// SPDX-License-Identifier: Apache-2.0
// Tells whether an address can be called: clients exist that register callbacks they never wrote
// (OpenUH's validation client sends uninitialised bytes), and a call there would end the program.
#pragma once

#include <cstdint>

namespace ocb {

// Whether `address` lies in memory that is mapped executable; true where that cannot be found out.
// Reads /proc/self/maps: not for event paths, not for signal handlers. No allocation.
bool is_code_address(std::uint64_t address);

} // namespace ocb
