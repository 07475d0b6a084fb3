// SPDX-License-Identifier: Apache-2.0
//
// What the formats for viewers have in common: stacks with the state as their leaf, and the time
// line of a thread as stretches of one stack.
#pragma once

#include "run.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ompcollect::report {

// Numbers of rows in the order of first use.
template <class Row> class RowTable {
  public:
    int number(const Row &row) {
        const auto [found, is_new] = numbers_.try_emplace(row, static_cast<int>(rows_.size()));
        if (is_new) {
            rows_.push_back(row);
        }
        return found->second;
    }
    [[nodiscard]] const std::vector<Row> &rows() const { return rows_; }

  private:
    std::map<Row, int> numbers_;
    std::vector<Row> rows_;
};
using NameTable = RowTable<std::string>;

// Call path of a node with the state as leaf, root first. Never empty: time outside regions in a
// plain state has the frame "(serial)".
// The part of that which follows the names of the path.
std::vector<std::string> leaf_names(int node, unsigned state);
std::vector<std::string> stack_names(const Process &process, int node, unsigned state);

// A thread in one node and state without a break.
struct Stretch {
    unsigned thread = 0;
    double begin = 0;
    double end = 0;
    int node = kOutside;
    unsigned state = 0;
};
// By thread, then time. Empty without samples that have times. A gap of more than ten sampling
// periods stays a gap.
std::vector<Stretch> stretches_of(const Process &process);

// "program (pid 42)" and the rank, where there are several processes.
std::string process_name(const Process &process);

} // namespace ompcollect::report
