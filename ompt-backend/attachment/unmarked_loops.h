// SPDX-License-Identifier: Apache-2.0
// Whether the runtime would print a warning if loops were reported. From libomp 14 on it prints
// "OMP: Warning #189 ... Cannot determine workshare type" once. It does so at a static loop whose
// compiler does not mark it as one in the call's ident_t. flang 19 does not.
#pragma once

namespace ocb::ompt {

// Looks at what the objects of the process hand to the runtime. Not for signal handlers.
void look_for_unmarked_loops();

// As of the last look.
bool some_loops_are_unmarked();

} // namespace ocb::ompt
