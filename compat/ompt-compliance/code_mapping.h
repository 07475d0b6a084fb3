// SPDX-License-Identifier: Apache-2.0
#ifndef OMPT_COMPLIANCE_CODE_MAPPING_H
#define OMPT_COMPLIANCE_CODE_MAPPING_H

#include <cstdint>

namespace compliance {

// Whether the address lies in memory that is mapped executable.
bool is_code(std::uintptr_t address);

} // namespace compliance

#endif
