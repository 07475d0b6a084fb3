// SPDX-License-Identifier: Apache-2.0
//
// The sampling thread sleeps longer where its ticks find nothing to do. Who leaves little room in a
// table rings, and it comes at once.
#pragma once

#include <cstdint>

namespace ompcollect {

// Any thread; async-signal-safe.
void ring_bell();

// The sampling thread's: how often the bell has rung, and a sleep until it rings once more or the
// time is over.
[[nodiscard]] int bell_rings();
void sleep_until_bell(int rings, uint64_t ns);

} // namespace ompcollect
