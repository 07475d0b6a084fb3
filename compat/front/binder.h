// SPDX-License-Identifier: Apache-2.0
// Binds the calls of the process's objects to the stubs, in place of the runtime's functions that
// the dynamic linker has found for them. So a call goes to the runtime that its object is bound to.
// No name of a runtime is exported, and a weak reference to a function that no runtime defines
// stays null. A caller's return address plays no part.
//
// An object calls another one's function through a slot, whose address is in one of its
// relocations. A bound slot has the linker's own answer. For a slot that is bound at its first
// call, scope.h finds what the linker would find. Where that is uncertain the slot stays as it is.
//
// When: at the process's begin, and each time objects have been opened, before their constructors.
// For that this library defines __gmon_start__, which the C library's start-up code (crti.o) calls
// where it is defined, first of all in each object that has been linked with it. At that time the
// linker has relocated all objects, and its lock is held.
#pragma once

namespace ocb::front {

// Leads the calls of all objects that are bound to the row's stubs to the runtime itself.
void unbind(int row);

} // namespace ocb::front
