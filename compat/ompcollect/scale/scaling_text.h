// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scaling.h"

#include <ostream>
#include <string>

namespace ompcollect::report {

// For people, in lines of at most `width` columns; `top` regions, 0: all.
std::string scaling_text(const Scaling &scaling, size_t top, size_t width);

// For programs. CSV: a row for each number of threads and region, thread seconds by cause.
// Extra-P: JSON Lines, one measurement of one run a line, as its manual describes them
// ("params", "callpath", "metric", "value").
void write_scaling_csv(const Scaling &scaling, std::ostream &out);
void write_scaling_json(const Scaling &scaling, std::ostream &out);
void write_extra_p(const std::vector<ScaleRun> &runs, std::ostream &out);

} // namespace ompcollect::report
