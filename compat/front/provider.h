// SPDX-License-Identifier: Apache-2.0
// What the front asks of a library that gives a runtime the OMPT that it lacks (../libgomp-ompt).
#pragma once

#include "objects.h"

namespace ocb::front {

// A runtime that objects of the process call, and where its functions are found for them: another
// library may stand before it for some.
class Runtime {
  public:
    // `definition`: one of the functions that they call. The name is that of a function.
    Runtime(const ObjectList &objects, const void *definition, const SymbolName &name);
    [[nodiscard]] const Object *object() const { return object_; } // null: none is found
    [[nodiscard]] const void *function(const SymbolName &name, const char *version) const;

  private:
    const ObjectList &objects_;
    const Object *callee_;
    const Object *object_;
    bool is_for_all_; // in the global scope
};

struct Provider {
    // Is the object a runtime that needs this provider?
    bool (*serves)(const Object &object);
    // Objects of the process call this runtime by the row's stubs. The provider puts its own
    // functions into their slots. Under the binder's lock, in the dynamic linker's: nothing may
    // wait here, or call the runtime.
    void (*adopt)(int row, const Runtime &runtime);
};

extern const Provider kProvider;

} // namespace ocb::front
