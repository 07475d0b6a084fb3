// SPDX-License-Identifier: Apache-2.0
//
// What compilers put on the line of a region's pragma: the copies of a reduction, or the code
// around the runtime's calls that hand out iterations.
#pragma once

#include "region_shape.h"

#include <map>
#include <optional>
#include <string_view>

namespace ompcollect::report {

class PragmaLines {
  public:
    explicit PragmaLines(const Process &process); // which outlives this
    // None: it has little on that line, or is not known.
    [[nodiscard]] std::optional<Line> reduction_of(const RegionFigures &region) const;

  private:
    const Process &process_;
    std::map<std::string_view, Line> lines_;
    std::map<int, OwnWork> own_work_; // by region
};

// The line's work is that around such calls.
bool hands_out_iterations(const RegionFigures &region, const Line &line);

} // namespace ompcollect::report
