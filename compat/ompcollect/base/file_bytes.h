// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ompcollect::report {

// All of a file; nothing of one that cannot be read.
std::string bytes_of(const std::string &path);

} // namespace ompcollect::report
