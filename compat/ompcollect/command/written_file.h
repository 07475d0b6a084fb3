// SPDX-License-Identifier: Apache-2.0
//
// Files that are written whole or not at all: each gets its name when it is complete.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace ompcollect::report {

using Writing = std::function<void(std::ostream &out)>;

// Throws Failure; nobody sees half of the file.
void write_whole(const std::string &path, const Writing &write);

// The same for what -o names: "" and "-" are standard output, and a device is written as it is.
void write_to(const std::string &path, const Writing &write);

} // namespace ompcollect::report
