// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ompcollect {

// A line with the cause. `start_code`: the answer to START, an error.
void say_why_start_was_refused(int start_code);

} // namespace ompcollect
