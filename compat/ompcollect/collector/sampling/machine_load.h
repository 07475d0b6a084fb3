// SPDX-License-Identifier: Apache-2.0
//
// What others on the machine run on the processors that the process's threads may use, by the
// kernel's account. As far as they do, its threads' waits for a processor are due to them. Of the
// sampling thread alone.
//
// Needed on any machine: too many threads of the program's own wait as those beside others do
// (Resting.MoreThreadsThanProcessors, BoundToOneProcessorByTheProgram; `too-many` and `one-core` of
// tests/verdict/programs).
#pragma once

namespace ompcollect {

// Reads a file, so not at each tick.
void look_at_others();

// In a process that begins to sample, and in the child after fork().
void restart_machine_load();

} // namespace ompcollect
