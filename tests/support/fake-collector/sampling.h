// SPDX-License-Identifier: Apache-2.0
// Samples by a timer of each thread, which its signal handler takes.
#pragma once

#include "records.h"

namespace ocb_fake {

// None, if `per_second` is 0.
void prepare_sampling(long per_second);
// Begins to sample the calling thread, until it ends.
void start_sampling();
void stop_sampling(ThreadLog *log);

} // namespace ocb_fake
