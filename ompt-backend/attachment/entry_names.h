// SPDX-License-Identifier: Apache-2.0
// The symbols of entry.cpp by which a runtime that initialises asks for a tool.
#pragma once

namespace ocb::ompt {

// One symbol for each form. In a static library this reference links entry.cpp into the program.
constexpr int kEntryCount = 3;
extern const char *const kEntryNames[kEntryCount];

} // namespace ocb::ompt
