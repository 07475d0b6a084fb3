// SPDX-License-Identifier: Apache-2.0
//
// The call paths as a text: the tree of functions and regions with the most expensive branches.
#pragma once

#include "run.h"
#include "text_style.h"

#include <string>

namespace ompcollect::report {

// Empty where no stacks were kept. Lines end in a newline.
std::string call_tree_text(const Process &process, const TextStyle &style);
// The most expensive rows of it, at most `rows`. A branch and the only one below it share a row.
std::string hot_paths_text(const Process &process, const TextStyle &style, size_t rows);

} // namespace ompcollect::report
