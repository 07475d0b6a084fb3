// SPDX-License-Identifier: Apache-2.0
//
// What the profile's header has of the process: who it is, where and on what it runs, how long,
// and how it ended. Not async-signal-safe, but for record_end().
#pragma once

#include "kinds.h"

#include <cstdint>
#include <pthread.h>

namespace ompcollect {

// Early in the process, and again in the child after fork().
void record_begin();
uint64_t begin_ns();

// Fills in the fixed part of the header of a store that has just been opened.
void describe_process(int start_code, const int (&registered)[kEventNumbers],
                      OffProcessor off_processor);

// The runtime, once it has attached. False: it has not yet. Not while the process exits: the bridge
// looks through the loaded objects with dlopen, which would run the constructors of a library again
// whose destructors have run.
bool describe_runtime();

// The process is alive. With `count`, also the threads that never use OpenMP.
void record_heartbeat(bool count);
// The calling thread is the sampling thread.
void record_sampling_thread();
// An OpenMP thread that ran so long has ended.
void record_ended_thread(uint64_t cpu_ns);

// How it ends. Async-signal-safe. kNone clears it.
void record_end(Ending ending, int code);

// The processors that the process might run on at its begin.
bool may_run_on(unsigned long processor);
void set_initial_affinity(pthread_attr_t &attributes);

} // namespace ompcollect
