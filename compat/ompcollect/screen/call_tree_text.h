// SPDX-License-Identifier: Apache-2.0
//
// The call paths as a text: the tree of functions and regions with the most expensive branches.
#pragma once

#include "call_branches.h"
#include "run.h"
#include "text_style.h"

#include <string>
#include <vector>

namespace ompcollect::report {

// Empty where no stacks were kept. Lines end in a newline.
std::string call_tree_text(const Process &process, const TextStyle &style);

// Its most expensive rows, of one tree for any number of them. The process outlives it.
class HotPaths {
  public:
    explicit HotPaths(const Process &process);
    // At most `rows`. A branch and the only one below it share a row. Empty where no stacks were
    // kept.
    [[nodiscard]] std::string text(const TextStyle &style, size_t rows) const;

  private:
    const Process &process_;
    std::vector<Branch> branches_; // none: no stacks
};

} // namespace ompcollect::report
