// SPDX-License-Identifier: Apache-2.0
// What a library that adds OMPT to a runtime (../libgomp-ompt) does for the front.
#pragma once

#include "objects.h"

namespace ocb::front {

// A runtime that objects of the process call, and the functions that they reach. For some of them
// another library may stand before the runtime.
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
    // Whether the object is a runtime that needs this provider.
    bool (*serves)(const Object &object);
    // Objects of the process call this runtime by the row's stubs. The provider puts its own
    // functions into their slots. Under the binder's lock, in the dynamic linker's: nothing may
    // wait here, or call the runtime.
    void (*begin_serving)(int row, const Runtime &runtime);
};

extern const Provider kProvider;

} // namespace ocb::front
