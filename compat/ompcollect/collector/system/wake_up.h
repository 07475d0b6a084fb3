// SPDX-License-Identifier: Apache-2.0
//
// The sampling thread sleeps longer where its ticks find nothing to do. A thread that nearly fills
// a table wakes it, and it grows the table.
#pragma once

#include <cstdint>

namespace ompcollect {

// Any thread; async-signal-safe.
void wake_sampling_thread();

// The sampling thread's: how often it has been woken, and a sleep that ends with the next wake-up
// or when the time is over.
[[nodiscard]] int wake_ups_so_far();
void sleep_until_woken(int seen, uint64_t ns);

} // namespace ompcollect
