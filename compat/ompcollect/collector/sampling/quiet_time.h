// SPDX-License-Identifier: Apache-2.0
//
// Whether any thread of the process has run since the last looks at them, by the process's clock:
// one system call for all. Where nobody has, each thread rests as it was found, and a look would
// find nothing else; the next one charges it with the whole time. So looks at threads that all
// sleep are rare, and nothing is lost. Of the sampling thread alone.
//
// Needed on any machine: 8, 32 and 128 threads that sleep cost 0.63, 1.09 and 2.38 % of a processor
// without it, and 0.25, 0.56 and 1.25 % with it (tests/bench/sampling.py; Resting.AsleepByTurns).
#pragma once

#include <cstdint>

namespace ompcollect {

// At the begin of a tick, before its looks. True, but not for long: they can be spared. The last
// looks must have been at all threads.
bool nobody_has_run(bool must_look, bool looked_at_all);

// As it was found there, whether or not the looks can be spared.
bool has_anybody_run();

// By run_ns(): a thread that has run since its last look rested until then as it was found.
uint64_t quiet_until();

void restart_quiet_time();

} // namespace ompcollect
