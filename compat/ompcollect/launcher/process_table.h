// SPDX-License-Identifier: Apache-2.0
//
// Which processes live, as /proc says.
#ifndef OMPCOLLECT_PROCESS_TABLE_H
#define OMPCOLLECT_PROCESS_TABLE_H

#include <cstdint>
#include <sys/types.h>

namespace ompcollect {

// Clock ticks from the machine's start to the process's; 0 for one that is no more, or a zombie.
uint64_t process_begin(pid_t pid);

} // namespace ompcollect

#endif
