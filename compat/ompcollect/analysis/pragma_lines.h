// SPDX-License-Identifier: Apache-2.0
//
// What compilers put on the line of a region's pragma: the copies of a reduction, or the code
// around the runtime's calls that hand out iterations; and waits at other pragmas.
#pragma once

#include "region_shape.h"

#include <map>
#include <optional>
#include <string_view>

namespace ompcollect::report {

class PragmaLines {
  public:
    explicit PragmaLines(const Process &process); // which outlives this
    // None: the region has little work on that line, or the line is not known.
    [[nodiscard]] std::optional<Line> reduction_of(const RegionFigures &region) const;

  private:
    const Process &process_;
    std::map<std::string_view, Line> lines_;
    std::map<int, OwnWork> own_work_; // by region
};

// The part of the runtime's own time that is waiting for tasks, by the lines that called the
// runtime.
class TaskWaits {
  public:
    explicit TaskWaits(const Process &process); // which outlives this
    // For a cell in the state OVHD.
    [[nodiscard]] double part_of(const Cell &cell) const;
    // Where the region's threads wait so most.
    [[nodiscard]] int place(int region) const;

  private:
    struct Sum {
        double waits = 0;
        double all = 0;
    };
    const Process &process_;
    std::map<std::string_view, Sum> functions_; // the nameless ones of clang are one
};

// The line's work is that around such calls.
bool hands_out_iterations(const RegionFigures &region, const Line &line);

} // namespace ompcollect::report
