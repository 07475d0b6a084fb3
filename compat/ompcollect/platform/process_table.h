// SPDX-License-Identifier: Apache-2.0
//
// Which processes live, as /proc says.
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace ompcollect {

// Clock ticks from the machine's start to the process's; 0 for one that is no more, or a zombie.
uint64_t process_begin(pid_t pid);

} // namespace ompcollect
