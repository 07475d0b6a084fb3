// SPDX-License-Identifier: Apache-2.0
//
// The call tree as people read it: branches of functions, regions and states with their time.
// Thread seconds, idle threads left out. A state is a leaf of its own. Recursion is folded: a
// function that is on the path already, with no region in between, is the same branch again. So its
// time counts once.
#pragma once

#include "run.h"

#include <functional>
#include <string>
#include <vector>

namespace ompcollect::report {

inline constexpr char kRegionMark[] = " [region]"; // as path_name() has it

struct Branch {
    int node = -1;    // the first of its nodes; below 0: none, it has words
    SharedText words; // the program, a state, or what a special place is called
    double total = 0;
    double own = 0;
    std::vector<size_t> children;
    unsigned deepest = 1; // how often the function stands on one path
    int region = -1;      // of a region its first node
    size_t parent = 0;
};

// Its words, or the path_name() of its node.
std::string name_of(const Process &process, const Branch &branch);
// Of its node; else empty.
NamedPlace place_of(const Process &process, const Branch &branch);

// 0 is the root, the program; parents stand before their children. Of the process, which has the
// names. `counts`: whether a cell's time does; empty: all of it.
std::vector<Branch> call_branches(const Process &process,
                                  const std::function<bool(const Cell &)> &counts = {});

} // namespace ompcollect::report
