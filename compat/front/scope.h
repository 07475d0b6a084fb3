// SPDX-License-Identifier: Apache-2.0
// What the dynamic linker would find for a reference that is bound at its first call.
#pragma once

#include "objects.h"
#include "references.h"

namespace ocb::front {

// Searches the object and its DT_NEEDED libraries, breadth first, as the linker orders the scope of
// an opened library.
const void *definition_in_scope_of(const ObjectList &objects, const Object &object,
                                   const SymbolName &name, const char *version);
const void *definition_in_global_scope(const ObjectList &objects, const SymbolName &name,
                                       const char *version);

// The first objects of the linker's list came with the program: they are the global scope, in that
// order, but for what was opened into it later.
void record_first_objects(int count);
bool is_first_object(const ObjectList &objects, const Object &object);

// An object whose references are looked at.
struct Caller {
    const Object &object;
    const Object *opened; // the library that was opened when it came; null: with the program
    bool is_deep;         // by RTLD_DEEPBIND
};

// Searches as the linker will: the global scope, then that of the opened library, then the object's
// own. The global one comes last with RTLD_DEEPBIND. Null: there is no definition.
const void *definition_for(const ObjectList &objects, const Caller &caller,
                           const Reference &reference);

} // namespace ocb::front
