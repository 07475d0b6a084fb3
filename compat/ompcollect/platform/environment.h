// SPDX-License-Identifier: Apache-2.0
//
// What the program's environment gets in addition to the launcher's own.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ompcollect {

using Variables = std::vector<std::pair<std::string, std::string>>;

// The value of LD_PRELOAD: what was set already, then our libraries. Paths that cannot stand there
// are replaced by links in link_directory; with that empty they are left as they are.
std::string preload_value(const std::string &already_set, const std::vector<std::string> &libraries,
                          const std::string &link_directory);

// As a word of a shell command.
std::string shell_quoted(const std::string &text);

} // namespace ompcollect
