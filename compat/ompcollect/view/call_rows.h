// SPDX-License-Identifier: Apache-2.0
//
// The call tree as rows: branches that are open show what is below them.
#pragma once

#include "call_branches.h"
#include "table.h"

#include <string>
#include <vector>

namespace ompcollect::report {

class CallRows {
  public:
    // Of the selected time. Branches with much of it are open.
    CallRows(const Process &process, const Choice &choice);

    [[nodiscard]] Table table() const;
    [[nodiscard]] bool is_open(size_t branch) const { return is_open_[branch]; }
    [[nodiscard]] bool has_more(size_t branch) const { return !branches_[branch].children.empty(); }
    [[nodiscard]] size_t parent_of(size_t branch) const { return branches_[branch].parent; }
    void open(size_t branch, bool is_open) { is_open_[branch] = is_open; }
    void open_below(size_t branch);
    // Each above it, so that its row is there.
    void open_to(size_t branch);

    // All branches in the order of their rows, open or not.
    [[nodiscard]] const std::vector<size_t> &order() const { return order_; }
    [[nodiscard]] std::string name_of(size_t branch) const;
    [[nodiscard]] std::vector<std::string> detail_of(size_t branch) const;

  private:
    [[nodiscard]] Row row_of(size_t branch) const;
    // The branch and those below it in the order of their rows; without time: none.
    [[nodiscard]] std::vector<size_t> from(size_t top, bool only_open) const;

    const Process *process_;
    std::vector<Branch> branches_; // children with time alone, most first
    std::vector<size_t> order_;
    std::vector<unsigned> depths_;
    std::vector<bool> is_open_;
};

} // namespace ompcollect::report
