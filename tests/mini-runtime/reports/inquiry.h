// SPDX-License-Identifier: Apache-2.0
// What the inquiry functions of all generations have in common. Async-signal-safe.
#pragma once

#include "core.h"

namespace mini::inquiry {

// A defect of what comes after the first region.
extern std::atomic<bool> region_has_ended;

Thread *thread();
State state(std::uint64_t *wait_id);
bool is_listed(State state); // among those that the runtime tells

struct RegionView {
    bool exists = false;
    Word *word = nullptr; // null: it has none
    int size = -1;
};
// Around an initial thread's serial code there is a region of its own, by OpenMP 5; for the older
// documents there is none.
enum class Outermost { kCounts, kDoesNot };
RegionView region(int ancestor_level, Outermost outermost);

struct TaskView {
    const Task *task = nullptr; // null: there is no such level
    Word *word = nullptr;
    Frame *frame = nullptr;
};
TaskView task(int ancestor_level);

void *idle_frame();

} // namespace mini::inquiry
