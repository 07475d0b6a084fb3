// SPDX-License-Identifier: Apache-2.0
#include "ranges.h"

#include <cstdio>

namespace ompcollect {

void RangeCheck::describe(char *to, size_t size) const {
    if (wrong_) {
        snprintf(to, size, "%s is %.10g, which is not from %.10g to %.10g", wrong_->what, value_,
                 wrong_->least, wrong_->most);
    }
}

} // namespace ompcollect
