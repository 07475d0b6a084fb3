// SPDX-License-Identifier: Apache-2.0
//
// How much other processes run on the processors that this process may use, by the kernel's
// account. That much of its threads' waits for a processor is due to them. For the sampling thread
// alone.
//
// Needed on any machine: with too many threads of its own a program waits as on a shared machine
// (OffTheProcessor.MoreThreadsThanProcessors, BoundToOneProcessorByTheProgram; `too-many` and
// `one-core` of tests/verdict/programs).
#pragma once

namespace ompcollect {

// Reads a file, so not at each tick.
void look_at_others();

// In a process that begins to sample, and in the child after fork().
void restart_machine_load();

} // namespace ompcollect
