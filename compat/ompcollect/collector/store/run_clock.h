// SPDX-License-Identifier: Apache-2.0
//
// The process's clock: the monotonic one without the time in which the whole process stood still,
// as it was stopped (SIGSTOP) or frozen, or as the clock jumped. Nobody waits meanwhile. The
// sampling thread finds such a time behind it (standstill.h). Until it has looked, other threads'
// times have a jump in them: who takes the difference of two has none where the later one is the
// smaller.
#pragma once

#include <cstdint>

namespace ompcollect {

// Async-signal-safe.
uint64_t run_ns();
// 0 where the clock was set back between the two.
inline uint64_t passed_between(uint64_t before, uint64_t after) {
    return after > before ? after - before : 0;
}

// What was taken out so far.
uint64_t stood_still_ns();

// How often the sampling thread has looked for such a time. Async-signal-safe.
unsigned looks_at_clock();

// Of the sampling thread.
void count_look_at_clock();
void take_out_stillness(uint64_t ns);
void put_in_set_back(uint64_t ns);

// In the child after fork(): its clock begins anew.
void restart_run_clock();

} // namespace ompcollect
