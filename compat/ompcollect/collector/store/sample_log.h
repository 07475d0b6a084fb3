// SPDX-License-Identifier: Apache-2.0
//
// Samples with their time. They go through a ring in the profile file, so that a process that is
// killed loses none; the sampling thread moves them to a file beside it. A run of hours costs disk
// and no memory. Where that file cannot grow any more the rest is counted, and the cells are right
// all the same. Without a profile file there is no log.
#pragma once

#include <cstdint>

namespace ompcollect {

// When the store has been opened.
void open_sample_log();

// The thread is in this node and state now. Async-signal-safe. Samples of others may come before.
// `ago`: how long ago it was, in nanoseconds.
void log_sample(uint32_t thread, uint32_t node, unsigned state, uint64_t ago = 0);

// Moves what has come to the file. Not in a signal handler. Cheap when the ring is nearly empty,
// unless everything is wanted.
void flush_sample_log(bool everything);

// In the child after fork().
void restart_sample_log();

} // namespace ompcollect
