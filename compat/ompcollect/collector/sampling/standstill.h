// SPDX-License-Identifier: Apache-2.0
//
// When the whole process stood still: the kernel kept all its threads from a processor, whatever
// they were doing. SIGSTOP, a frozen control group and a debugger do that. A late sampling thread
// does not prove it: it may wait for a processor, for a disk or for a lock in the kernel, and a
// host may have taken the processor away.
//
// The proof: the kernel stops a thread by waking it up. A sleep of the sampling thread is one
// context switch; a sleep in which it was stopped is two or more. If the stop came while it looked
// at threads, each thread has run for the moment of its stop. A thread that has not run since its
// last look was not stopped.
//
// A jump of the clock shows by comparison with the kernel's own clock. For the sampling thread
// alone.
#pragma once

#include <cstdint>

namespace ompcollect {

// At its begin.
void restart_standstill();

// Around a sleep of so many ns at most.
void pause_begins(uint64_t asked_ns);
void pause_ends();

// Before each look at a thread, as the process may also be stopped while it looks.
void look_at_clock();

} // namespace ompcollect
