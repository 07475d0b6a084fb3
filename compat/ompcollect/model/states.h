// SPDX-License-Identifier: Apache-2.0
//
// The one table of what is known of a state: what it is called, what it means, how it is drawn.
// Every output takes its words and colours from here; the HTML page gets the table as data.
#pragma once

#include "kinds.h"

#include <string>

namespace ompcollect::report {

// What a state means for the question where the time goes.
enum class StateKind : unsigned {
    kUseful,
    kBarrier,
    kMutex,
    kReduction,
    kRuntime,
    kIdle,
    kNoProcessor,
    kAsleep,
    kOther
};

struct State {
    const char *name;           // of the contract, short: "WORK"; "?" for number 0
    const char *words;          // in a legend: "implicit barrier"
    const char *meaning;        // a sentence's part: "waiting in an implicit barrier"
    const char *frame;          // leaf of a call path: "<OMP-idle>"; empty: no leaf of its own
    const char *colour;         // of the web, "#4cae7f"
    const char *firefox_colour; // one that the Firefox profiler knows
    StateKind kind;
};

// Number 0 for a number that is no state.
const State &state_at(unsigned number);

// Numbers in reading order: work, waits, the runtime's own work, nothing to do, the unnamed ones.
const unsigned (&states_in_order())[kStateColumns];

// The name alone: "WORK", ...
inline const char *state_name(unsigned number) {
    return state_at(number).name;
}

inline StateKind kind_of_state(unsigned number) {
    return state_at(number).kind;
}

// Seconds by state number. `wall` is time by the clock; `cpu` is the part of it in which a
// processor executed the thread. The difference is time asleep or waiting for a processor.
struct StateTimes {
    double wall[kStateColumns] = {};
    double cpu[kStateColumns] = {};
};
double total_wall(const StateTimes &times);
double total_cpu(const StateTimes &times);
void add_times(StateTimes &sum, const StateTimes &part);

} // namespace ompcollect::report
