// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

namespace ompcollect {

// For the launcher's work while the program runs. As long as it lives, the calling thread stays
// away from the processor that it was on. The program has begun there, and the kernel may leave
// both there, to take turns, though others are idle.
class AwayFromProgram {
  public:
    AwayFromProgram();
    ~AwayFromProgram();
    AwayFromProgram(const AwayFromProgram &) = delete;
    AwayFromProgram &operator=(const AwayFromProgram &) = delete;

  private:
    cpu_set_t before_;
    bool is_away_ = false; // not where there is one processor, or more than the set can hold
};

} // namespace ompcollect
