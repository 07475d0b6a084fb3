// SPDX-License-Identifier: Apache-2.0
// The runtime's first thread: the one in which it initialises itself. libomp reports the release of
// each critical region with an address that it keeps in that thread's descriptor, whichever thread
// releases. Once that thread has ended, the report reads address 0 (libomp 8 to 19). So the
// callback is no longer registered when the first thread ends. From then on no release is known: a
// thread that wants a mutex counts as waiting until it has it, and ordered regions are no events.
// The program survives.
//
// What is here belongs to the runtime that we are attached to. Nothing where it is not libomp.
#pragma once

#include "spec/ompt5.h"

namespace ocb::ompt5::first_thread {

// In the runtime's initializer. From here on the end of threads is reported to `on_thread_end`,
// also without a session.
void watch(ompt_callback_t on_thread_end);

// Called on the thread that begins or ends. In a forked child the first thread to begin is the
// first.
void thread_begins();
void thread_ends();

// ompt_set_callback of the runtime. ompt_set_never for what it must not call any more.
int set_callback(ompt_callbacks_t id, ompt_callback_t callback);

// Why releases are not reported; null while they are.
const char *silence_of_releases();

void reset_after_fork();

} // namespace ocb::ompt5::first_thread
