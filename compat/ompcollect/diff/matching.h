// SPDX-License-Identifier: Apache-2.0
//
// Which region and function of one build is which of another. By name first; lines may move, files
// may be renamed. Then by who is around it: a function with another name, in the same region, with
// the same callers or callees and about the same time is the same one. What is left may be part of
// its caller now (inlined), or no longer; the rest is new or gone.
#pragma once

#include "compared_run.h"

#include <map>
#include <string>
#include <vector>

namespace ompcollect::report {

// The runs of one side, an item's times by run: what a run does not have is 0 there.
struct Side {
    std::vector<ComparedRun> runs;
    std::map<ItemKey, std::vector<ItemTime>> items;
    std::map<ItemKey, Neighbours> neighbours;

    explicit Side(std::vector<ComparedRun> from);
    // Median thread seconds, without idle time.
    [[nodiscard]] double seconds_of(const ItemKey &key) const;
    [[nodiscard]] double seconds() const; // of all
};

struct Pair {
    const ItemKey *before = nullptr; // null: it is new
    const ItemKey *after = nullptr;  // null: it is gone
    // Items of one side that are compared with this pair, as the other side has them in its one.
    std::vector<const ItemKey *> folded_before;
    std::vector<const ItemKey *> folded_after;
    [[nodiscard]] const ItemKey &key() const { return after ? *after : *before; }
    [[nodiscard]] bool is_renamed() const { return before && after && before->name != after->name; }
};

// All items of both sides, each in one pair. Regions stand first. The sides outlive them.
std::vector<Pair> pairs_of(const Side &before, const Side &after);

} // namespace ompcollect::report
