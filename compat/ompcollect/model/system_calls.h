// SPDX-License-Identifier: Apache-2.0
//
// The names of the kernel's system calls on this machine, of those in which a thread may sleep.
#pragma once

#include <string>

namespace ompcollect::report {

// "read"; "system call 999" for one that is not among them.
std::string system_call_name(long number);

} // namespace ompcollect::report
