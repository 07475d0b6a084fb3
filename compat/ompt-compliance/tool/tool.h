// SPDX-License-Identifier: Apache-2.0
//
// The tool of this suite: the entry points of all generations. Whichever the runtime calls first
// tells its generation.
#pragma once

#include "interface.h"

namespace compliance {

// What a check wants done inside the initializer, and when the runtime shuts down; null: nothing.
struct ToolPlan {
    void (*in_initializer)(Lookup lookup) = nullptr;
    void (*at_shutdown)() = nullptr;
};
ToolPlan &tool_plan();

// What the tool answers to omp_control_tool.
constexpr int kControlAnswer = 42;

// For the adapters: shutdown has been reported, by event or finalizer.
void on_shutdown();

} // namespace compliance
