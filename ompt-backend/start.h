// SPDX-License-Identifier: Apache-2.0
// How entry.cpp begins each generation, once it knows which one the runtime speaks. False: refused,
// with a line in the log; the runtime goes on without us.
#pragma once

#include "spec/ompt5.h"

namespace ocb::ompt {

// The symbols of entry.cpp, one generation after the other. In a static library it is this
// reference that brings them into the program.
constexpr int kEntryCount = 3;
extern const char *const kEntryNames[kEntryCount];

} // namespace ocb::ompt

namespace ocb::ompt5 {
bool start(ompt_function_lookup_t lookup, int initial_device_num);
}

namespace ocb::ompt_tr6 {
bool start(ompt5::ompt_function_lookup_t lookup);
}

namespace ocb::ompt_tr2 {
enum class Registration { kTool, k2014 };
bool start(ompt5::ompt_function_lookup_t lookup, Registration registration);
} // namespace ocb::ompt_tr2
