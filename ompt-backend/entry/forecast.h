// SPDX-License-Identifier: Apache-2.0
// What START can know of a runtime without making it initialise: whether it will find the bridge
// when the program uses it. Owns nothing.
#pragma once

#include "attachment/runtime_search.h"

#include <cstdint>

namespace ocb::ompt {

enum class Forecast : std::uint8_t {
    kWillAttach,  // not initialised yet, and the bridge is what it will find
    kTooLate,     // initialised without the bridge, or it takes no tool
    kToolInFront, // it will ask another tool, which may hand the question on
    kUnknown,     // only its initialisation can show
};

// Any thread, not in a signal handler; takes the dynamic linker's lock.
[[nodiscard]] Forecast forecast_of(const RuntimeSearch &search);

// What a value of OMP_TOOL means by the documents, and whether LLVM's family takes a tool with it:
// blanks around "enabled" are too much for that.
[[nodiscard]] bool tool_is_disabled(const char *value);
[[nodiscard]] bool llvm_takes_tool(const char *value);

} // namespace ocb::ompt
