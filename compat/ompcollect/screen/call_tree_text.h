// SPDX-License-Identifier: Apache-2.0
//
// The call paths as a text: the tree of functions and regions with the most expensive branches.
#pragma once

#include "run.h"
#include "verdict.h"

#include <string>

namespace ompcollect::report {

// Empty where no stacks were kept. Lines end in a newline.
std::string call_tree_text(const Process &process, const TextStyle &style);

} // namespace ompcollect::report
