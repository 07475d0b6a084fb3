// SPDX-License-Identifier: Apache-2.0
#include "away_from_program.h"

namespace ompcollect {

AwayFromProgram::AwayFromProgram() {
    const int here = sched_getcpu();
    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof before_, &before_) != 0) {
        return;
    }
    cpu_set_t others = before_;
    CPU_CLR(here, &others);
    is_away_ = CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0;
}

AwayFromProgram::~AwayFromProgram() {
    if (is_away_) {
        sched_setaffinity(0, sizeof before_, &before_);
    }
}

} // namespace ompcollect
