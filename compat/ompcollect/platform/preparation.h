// SPDX-License-Identifier: Apache-2.0
//
// What makes the end of a run short, done while the program runs. The kernel hands out memory page
// by page where it is first used: a tenth of what the report of a short run takes. With code it is
// the same, but what is taken ahead is more than what is used, and given back at the end.
#pragma once

#include <sched.h>

namespace ompcollect {

// While it lives the calling thread stays away from the processor that it was on. The program has
// begun there, and the kernel may leave both there, to take turns, though others are idle.
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

// What the report of a small run takes, as malloc() hands it out later.
void take_memory_ahead();

} // namespace ompcollect
