// SPDX-License-Identifier: Apache-2.0
#include "scope.h"

#include <dlfcn.h>

namespace ocb::front {
namespace {

constexpr int kMostNeeded = 512; // further libraries of one scope are not looked at
constinit int first_objects = 0;

class Scope {
  public:
    Scope(const ObjectList &objects, const Object &first) : objects_(objects) {
        add(&first);
        for (int i = 0; i < count_; ++i) {
            objects_.dynamic_of(*members_[i]).for_each_needed([this](const char *name) {
                add(objects_.needed_as(name));
            });
        }
    }
    [[nodiscard]] const void *definition_of(const SymbolName &name, const char *version) const {
        for (int i = 0; i < count_; ++i) {
            if (const void *found =
                    objects_.dynamic_of(*members_[i]).definition_of(name, version)) {
                return found;
            }
        }
        return nullptr;
    }

  private:
    void add(const Object *object) {
        bool is_new = object != nullptr && count_ < kMostNeeded;
        for (int i = 0; i < count_ && is_new; ++i) {
            is_new = members_[i] != object;
        }
        if (is_new) {
            members_[count_++] = object;
        }
    }

    const ObjectList &objects_;
    const Object *members_[kMostNeeded];
    int count_ = 0;
};

} // namespace

const void *definition_in_scope_of(const ObjectList &objects, const Object &object,
                                   const SymbolName &name, const char *version) {
    return Scope(objects, object).definition_of(name, version);
}

// dlvsym is stricter than the linker, which also takes a definition without a version. dlsym takes
// a definition of any version.
const void *definition_in_global_scope(const ObjectList &objects, const SymbolName &name,
                                       const char *version) {
    for (int i = 0; i < first_objects && i < objects.count(); ++i) {
        if (const void *found = objects.dynamic_of(objects[i]).definition_of(name, version)) {
            return found;
        }
    }
    if (version != nullptr) {
        if (const void *found = dlvsym(RTLD_DEFAULT, name.text, version)) {
            return found;
        }
    }
    const void *found = dlsym(RTLD_DEFAULT, name.text);
    const Object *object = objects.holding(found);
    const bool is_its_own =
        object != nullptr && objects.dynamic_of(*object).definition_of(name, version) == found;
    return is_its_own ? found : nullptr;
}

void record_first_objects(int count) {
    first_objects = count;
}

bool is_first_object(const ObjectList &objects, const Object &object) {
    return &object < &objects[0] + first_objects;
}

const void *definition_for(const ObjectList &objects, const Caller &caller,
                           const Reference &reference) {
    const auto in_global = [&] {
        return definition_in_global_scope(objects, reference.name, reference.version);
    };
    const void *found = caller.is_deep ? nullptr : in_global();
    if (found == nullptr && caller.opened != nullptr) {
        found = definition_in_scope_of(objects, *caller.opened, reference.name, reference.version);
    }
    if (found == nullptr) {
        found = definition_in_scope_of(objects, caller.object, reference.name, reference.version);
    }
    return found == nullptr && caller.is_deep ? in_global() : found;
}

} // namespace ocb::front
