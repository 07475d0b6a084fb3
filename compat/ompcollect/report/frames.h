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

// Numbers of names in the order of first use.
class NameTable {
  public:
    int number(const std::string &name) {
        const auto [found, is_new] = numbers_.try_emplace(name, static_cast<int>(names_.size()));
        if (is_new) {
            names_.push_back(name);
        }
        return found->second;
    }
    [[nodiscard]] const std::vector<std::string> &names() const { return names_; }

  private:
    std::map<std::string, int> numbers_;
    std::vector<std::string> names_;
};

// Call path of a node with the state as leaf, root first. Never empty: time outside regions in a
// plain state has the frame "(serial)".
std::vector<std::string> stack_names(const Process &process, int node, unsigned state);

// Samples of a cell; from its time where samples were not counted.
uint64_t weight_of(const Process &process, const Cell &cell);

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
