// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace compliance {

// Whether the address lies in memory that is mapped executable.
bool is_code(std::uintptr_t address);

} // namespace compliance
