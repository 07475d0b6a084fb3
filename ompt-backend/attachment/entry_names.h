// SPDX-License-Identifier: Apache-2.0
// START's second step: the runtime, asked to initialise, asks for a tool. The symbols of entry.cpp
// by which runtimes do so.
#pragma once

namespace ocb::ompt {

// One generation after the other. In a static library it is this reference that brings entry.cpp
// into the program.
constexpr int kEntryCount = 3;
extern const char *const kEntryNames[kEntryCount];

} // namespace ocb::ompt
