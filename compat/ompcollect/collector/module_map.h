// SPDX-License-Identifier: Apache-2.0
//
// Which file an address belongs to, and whether that file is part of the machinery (OpenMP runtime,
// producer, this collector) or the user's. A table of the mapped files that only grows; entries
// stay after a dlclose, so that places recorded earlier keep their names. Readers take no lock.
#ifndef OMPCOLLECT_MODULE_MAP_H
#define OMPCOLLECT_MODULE_MAP_H

#include "profile.h"

#include <cstdint>

namespace ompcollect {

struct Module {
    uintptr_t begin; // [begin, end) of its segments
    uintptr_t end;
    uintptr_t base; // what the loader added to the addresses in the file
    bool machinery;
    char path[512];
};

// Looks at what is mapped now and adds what is new. Not async-signal-safe.
void refresh_modules();

// Null for an address in no known file; the file may have been mapped since the last refresh.
const Module *find_module(uintptr_t address);

// The return address of the innermost frame of the calling thread that is user code, 0 if there is
// none. `depth` is the caller's memory of how deep that was; it keeps the next walk short. Not
// async-signal-safe.
uintptr_t find_user_frame(unsigned &depth);

// The first walk of a process loads the unwinder and may allocate: done in advance.
void warm_up_unwinder();

// After fork() in the child: another thread may have held the lock.
void reset_module_lock();

// The place as the report wants it; the symbol is the one that the dynamic loader knows.
// return_address: name the call, not what follows it.
Place place_of(uintptr_t address, bool return_address);

} // namespace ompcollect

#endif
