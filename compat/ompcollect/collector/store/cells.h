// SPDX-License-Identifier: Apache-2.0
//
// Where time goes: cells of (thread, node of the region tree, state). A thread's own time on the
// processor is charged by the thread, in its signal handler; the rest by the sampling thread. So
// every number has one writer, and charging is plain loads and stores.
#pragma once

#include "profile_file.h"

#include <cstdint>

namespace ompcollect {

struct Charge {
    uint64_t ns;
    uint64_t samples;
};

// Async-signal-safe. Without room the time is kept by state alone. `word` is a state_word().
void charge_on(uint32_t thread, uint32_t node, unsigned state, Charge charge);
void charge_off(uint32_t thread, uint32_t node, uint32_t word, Charge charge);

// The cell of a pseudo-state, such as kEntriesState; null without room. Not in a signal handler.
CellFileRow *pseudo_cell(uint32_t thread, uint32_t node, uint32_t state);

// Sees to room ahead. Not in a signal handler.
void grow_cells();
void restart_cells();

// Of a number that only the caller writes.
inline void add_to(std::atomic<uint64_t> &number, uint64_t amount) {
    number.store(number.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

} // namespace ompcollect
