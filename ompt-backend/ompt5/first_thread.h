// SPDX-License-Identifier: Apache-2.0
// The runtime's first thread: the one in which it initialises itself. libomp reports the release of
// each critical region with an address that it keeps in that thread's descriptor, whoever releases;
// once the thread has ended there is none, and the report is a read of address 0 (libomp 8 to 19).
// So the callback is taken back when the first thread ends. Until the process ends no release is
// known then: who wants a mutex counts as waiting until he has it, and ordered regions are no
// events. That is less than before, and the program lives.
//
// What is here belongs to the runtime that we are attached to. Nothing where it is not libomp.
#pragma once

#include "spec/ompt5.h"

namespace ocb::ompt5::first_thread {

// In the runtime's initializer. From here on the end of threads is reported to `on_thread_end`,
// session or none.
void watch(ompt_callback_t on_thread_end);

// Callbacks, on the thread that begins or ends. After fork the first to begin is the first.
void thread_begins();
void thread_ends();

// ompt_set_callback of the runtime. ompt_set_never for what it must not call any more.
int set_callback(ompt_callbacks_t id, ompt_callback_t callback);

// Why releases are not reported; null while they are.
const char *silence_of_releases();

void reset_after_fork();

} // namespace ocb::ompt5::first_thread
