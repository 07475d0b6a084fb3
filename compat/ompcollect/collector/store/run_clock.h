// SPDX-License-Identifier: Apache-2.0
//
// The process's clock: the monotonic one without the time in which the whole process stood still,
// as it was stopped (SIGSTOP) or frozen, or as the clock jumped. Nobody waits meanwhile. The
// sampling thread finds such a time behind its own pause: that was longer than it asked for, the
// kernel does not count the rest as waiting for a processor, and no thread has run for as long.
// Until it has looked, other threads' times have a jump in them: who takes the difference of two
// has none where the later one is the smaller.
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

// Of the sampling thread: before a pause of so many ns at most, and behind it before each look at a
// thread, as the process may also be stopped while it looks.
// The process's clock was `process_cpu_ns` at `read_ns` of the monotonic one.
void pause_begins(uint64_t asked_ns, uint64_t process_cpu_ns, uint64_t read_ns);
void look_at_clock();

// In the child after fork(): its clock begins anew.
void restart_run_clock();

} // namespace ompcollect
