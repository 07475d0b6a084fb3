// SPDX-License-Identifier: Apache-2.0
// The runtimes that objects of the process call, a row of stubs each. A row is taken when an object
// is found that calls the runtime. It is kept, and its runtime is never unloaded. The first row is
// for the first runtime that the provider serves. The binder owns the rows, under its lock.
#pragma once

#include "objects.h"
#include "stubs.h"

#include <cstdint>

namespace ocb::front {

// The entry of that name and version (null: any); kStubCount: none.
Stub stub_of(const char *name, const char *version);

// The address of the stub for a call that the dynamic linker leads to `definition`; 0 where the
// call is to stay as it is: the program itself has the runtime, there is no place for one more, the
// runtime is to be called directly, or another definition is in the slot.
std::uintptr_t stub_for(const ObjectList &objects, Stub stub, const void *definition);

bool is_stub(std::uintptr_t address);
// The function behind the stub, if the stub is of this row; else 0.
std::uintptr_t behind_stub_of(int row, std::uintptr_t address);

// From now on no object is bound to the row.
void close_row(int row);

} // namespace ocb::front
