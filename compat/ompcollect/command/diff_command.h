// SPDX-License-Identifier: Apache-2.0
//
// ompcollect diff: what differs between two sets of saved runs, and whether rules about it hold.
#pragma once

#include "saved_runs.h"

#include <string>
#include <vector>

namespace ompcollect::report {

// Gives 0, or what rules.h has for rules that are broken or not decided. Throws Failure: exit code
// 2 for wrong words, before a file is read, and for runs that cannot be compared.
int diff_command(const std::vector<std::string> &words, const RawReader &read_raw);

} // namespace ompcollect::report
