// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ompcollect {

// What the report of a small run takes, as malloc() hands it out later. The kernel gives memory
// page by page where it is first touched: while the program runs nobody waits for that.
void take_memory_ahead();

} // namespace ompcollect
