// SPDX-License-Identifier: Apache-2.0
//
// Names of the contract's numbers (omp_collector_api.h). Needs libc alone; async-signal-safe.
#pragma once

namespace ompcollect {

// "FORK", "BEGIN_IDLE", ...; "?" for what is no event.
const char *event_name(unsigned event);
// "OK", "SEQUENCE_ERR", ...; "?" for what is no code.
const char *error_name(int code);

// True for the states that wait for a mutex: lock, critical, ordered, atomic.
bool is_mutex_wait(unsigned state);
// For the states of the program's own code, in a region or outside.
bool is_own_code(unsigned state);

} // namespace ompcollect
