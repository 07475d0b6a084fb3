// SPDX-License-Identifier: Apache-2.0
// Where nothing will ever be told, calls need not come here: what loaded objects have bound to a
// function of ours is bound to libgomp's own.
#pragma once

#include <cstdint>

namespace ocb::gomp {

// A function of this library, and the one that is called in its place.
struct Shortcut {
    std::uintptr_t from;
    std::uintptr_t to; // 0: stays
};

// Writes the second of each pair where an object calls the first through its procedure linkage
// table. What objects bind later, and addresses that a program has taken, still lead through the
// first. Waits for nobody but the dynamic linker's list of objects.
void take_shortcuts(const Shortcut *shortcuts, int count);

// In a constructor: the objects that are loaded now are relocated.
void note_relocated_objects();

} // namespace ocb::gomp
