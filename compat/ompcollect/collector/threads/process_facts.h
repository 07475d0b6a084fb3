// SPDX-License-Identifier: Apache-2.0
//
// What the profile's header has of the process: its program and ids, its host and runtime, how long
// it ran, and how it ended. Not async-signal-safe, except for record_end().
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

// The runtime, once it has attached. False: it has not yet. Do not call this while the process
// exits: the bridge uses dlopen, which would run the constructors of a library again after its
// destructors.
bool describe_runtime();

// The process is alive. With `count`, also the threads that never use OpenMP.
void record_heartbeat(bool count);
// The calling thread is the sampling thread.
void record_sampling_thread();
// An OpenMP thread that ran for `cpu_ns` has ended.
void record_ended_thread(uint64_t cpu_ns);

// How it ends. Async-signal-safe. kNone clears it.
void record_end(Ending ending, int code);

// The processors that the process might run on at its begin.
bool may_run_on(unsigned long processor);
void set_initial_affinity(pthread_attr_t &attributes);

} // namespace ompcollect
