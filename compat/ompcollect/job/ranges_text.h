// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ompcollect::report {

// "0-3, 7" of sorted numbers; at most so many parts.
std::string ranges_text(const std::vector<int> &numbers, size_t most_parts = 6);

} // namespace ompcollect::report
