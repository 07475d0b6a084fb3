// SPDX-License-Identifier: Apache-2.0
// What is reported and what is not: the answers of ompt_set_callback, the states, the mutexes.
#pragma once

namespace ocb::gomp {

int support_of(int event); // ompt_set_result_t

int enumerate_states(int current, int *next, const char **name);
int enumerate_mutex_impls(int current, int *next, const char **name);

// libgomp's mutexes are one word on which threads sleep in the kernel.
constexpr unsigned kFutex = 1;

} // namespace ocb::gomp
