// SPDX-License-Identifier: Apache-2.0
//
// From raw profiles to the report: reads them, adds names and lines, prints.
#ifndef OMPCOLLECT_PROFILE_PRINTER_H
#define OMPCOLLECT_PROFILE_PRINTER_H

#include "child_process.h"

#include <string>

namespace ompcollect {

// Prints the profiles of all processes that left one in the directory, the child's first, to the
// descriptor. Says so where there is none.
void print_profiles(const std::string &directory, const ChildResult &child, int fd);

} // namespace ompcollect

#endif
