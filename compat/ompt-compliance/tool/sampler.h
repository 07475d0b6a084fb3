// SPDX-License-Identifier: Apache-2.0
//
// Asks one thread for its state a thousand times a second, from a signal handler, and keeps what it
// answers by phase of the program. How long a phase lasts is a matter of samples, not of time: a
// thread that a loaded machine does not let run takes none.
#pragma once

#include "interface.h"

#include <string>
#include <vector>

namespace compliance {

constexpr int kPhases = 4; // 1 to 3; 0 is between them

// Begins to sample the calling thread.
void start_sampling();
void stop_sampling();
// The states for which a phase is held; when they have been seen it ends early.
void expect_in_phase(int phase, const std::vector<State> &states);

// Hooks of the workload.
void arrive(int phase);
void hold(int phase);
void patience(const char *awaited);

// Results.
bool seen(int phase, State state);
bool seen_expected(int phase);
// "wait_lock and work_parallel", the most frequent first.
std::string seen_states(int phase);
// The states of a phase in the order in which they came, repetitions left out: one sequence for
// each time that the program has arrived in it.
std::vector<std::vector<State>> sequences(int phase);

} // namespace compliance
