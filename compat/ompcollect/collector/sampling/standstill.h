// SPDX-License-Identifier: Apache-2.0
//
// When the whole process stood still: no thread of it had a processor, and the kernel kept them all
// from one, whatever they were doing. So it is with SIGSTOP, a frozen control group and a debugger.
// That the sampling thread is late shows none of it. It may wait for a processor, for a disk or for
// another thread's lock in the kernel, and a host may have taken the processor away.
//
// What shows it is that the kernel stops a thread by waking it up. A sleep of the sampling thread
// is one switch of its processor to others; one in which it was stopped is two or more. Behind a
// stop while it looked at threads, each thread has run for the moment of its stop: one that has not
// run at all since the last look at it slept on.
//
// A clock that jumped shows by the kernel's own beside it. Of the sampling thread alone.
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
