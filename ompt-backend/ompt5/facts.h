// SPDX-License-Identifier: Apache-2.0
// What the runtime reports of the calling thread when it is asked; also of TR6.
#pragma once

#include "runtime.h"

namespace ocb::ompt5 {

[[nodiscard]] ThreadFacts facts_of_caller(FactsFor what); // async-signal-safe
[[nodiscard]] runtime::FunctionFrame function_frame_of_caller();
[[nodiscard]] runtime::TaskPlace task_of_caller(std::uintptr_t call_frame); // async-signal-safe
[[nodiscard]] runtime::TaskPlace task_in_barrier(std::uintptr_t call_frame);
void register_caller_late();

} // namespace ocb::ompt5
