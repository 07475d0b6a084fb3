// SPDX-License-Identifier: Apache-2.0
// What a program says to its tool: omp_control_tool of OpenMP 5 and TR6, ompt_control before them,
// with the same commands.
#pragma once

#include <cstdint>

namespace ocb::ompt {

// The answer for the program, where its generation has one: 0 done, 1 ignored.
int control(std::uint64_t command);

} // namespace ocb::ompt
