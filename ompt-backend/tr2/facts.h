// SPDX-License-Identifier: Apache-2.0
// What a runtime of before OpenMP 5 reports of the calling thread when it is asked. Of a thread
// that we know it is asked only for what its events may have left out: waiting for a mutex
// (libomp 3.8 to 5.0 accept those events and never send them) and reductions, which have a state
// and no event. Of others all.
#pragma once

#include "runtime.h"

namespace ocb::ompt_tr2 {

[[nodiscard]] ThreadFacts facts_of_caller(FactsFor what); // async-signal-safe
void register_caller_late();

// The runtime has reported the calling thread's end, or a new beginning. libomp 3.7 still knows a
// thread that has ended and crashes when it is asked for its region.
void record_thread_has_ended(bool has_ended);

// Of a thread that we know and that executes the program's code. Its number is the runtime's, far
// from those that we deal and within the 31 bits that old clients keep.
[[nodiscard]] RegionId unreported_region(int level); // async-signal-safe

// Not null where the runtime has shown a thread waiting for a mutex and has never called us for
// any.
[[nodiscard]] const char *silence_of_mutexes();
void record_mutex_event();

} // namespace ocb::ompt_tr2
