// SPDX-License-Identifier: Apache-2.0
// Loaded objects: their names, what they define, what they import. All is read from the objects'
// own tables inside dl_iterate_phdr, which lets no thread load or unload. So no other thread's
// dlclose unmaps what is being read. No allocation; not for signal handlers.
#pragma once

#include "base/object_list.h"

#include <climits>
#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <link.h>

namespace ocb::ompt {

struct Symbol {
    std::uintptr_t address = 0; // 0: not found
    std::size_t size = 0;

    [[nodiscard]] bool is_found() const { return address != 0; }
};

// One object, valid during the visit. A visit must not call the dynamic linker.
class LoadedObject {
  public:
    explicit LoadedObject(const dl_phdr_info &info);

    [[nodiscard]] bool holds(const void *address) const;
    // The part of it that is mapped around the address.
    [[nodiscard]] Symbol segment_of(const void *address) const;
    // Whether an aligned word of its own variables, under the mask, has the value.
    [[nodiscard]] bool has_variable(std::uint64_t value, std::uint64_t mask) const;
    // A definition of this object's own, not one that its dependencies bring.
    [[nodiscard]] Symbol definition_of(const char *name) const;
    [[nodiscard]] bool imports(const char *name) const;
    // Whether the table of its symbols' names has the text somewhere.
    [[nodiscard]] bool names_have(const char *text) const;
    // As the dynamic linker knows it; the program's is empty.
    [[nodiscard]] const char *path() const { return info_.dlpi_name; }

  private:
    const dl_phdr_info &info_;
    const ElfW(Sym) *symbols_ = nullptr;
    const char *names_ = nullptr;
    std::size_t names_size_ = 0;
    const std::uint32_t *gnu_hash_ = nullptr;
    const std::uint32_t *hash_ = nullptr;
};

// Calls `visit(const LoadedObject &)` for every loaded object, in the linker's order, until it is
// false.
template <class Visit> void for_each_loaded_object(Visit visit) {
    look_at_objects(
        [](dl_phdr_info *info, std::size_t, void *visitor) {
            return (*static_cast<Visit *>(visitor))(LoadedObject(*info)) ? 0 : 1;
        },
        &visit);
}

// Calls `visit(const LoadedObject &)` for the object that holds the address; false without one.
template <class Visit> bool visit_object_of(const void *address, Visit visit) {
    bool is_found = false;
    for_each_loaded_object([&](const LoadedObject &object) {
        is_found = object.holds(address);
        if (is_found) {
            visit(object);
        }
        return !is_found;
    });
    return is_found;
}

// A path that outlives the object. The program's is the name by which it was called.
struct ObjectPath {
    char text[PATH_MAX] = "";
    bool is_program = false;

    void keep(const LoadedObject &object);
};

// This very library, whatever name it was loaded by or linked into.
[[nodiscard]] bool is_own(const LoadedObject &object);
[[nodiscard]] bool is_in_own_object(const void *address);

// Keeps an object that is loaded from being unloaded, for a while.
class HeldObject {
  public:
    explicit HeldObject(const ObjectPath &path);
    ~HeldObject();
    HeldObject(const HeldObject &) = delete;
    HeldObject &operator=(const HeldObject &) = delete;

    [[nodiscard]] bool is_held() const { return handle_ != nullptr; }

  private:
    void *handle_;
};

// Keeps this library mapped for good, and makes its symbols global. However it was loaded, the
// runtime must find our entry points, and collectors must find the Collector API. Once per process.
void pin_and_make_global();

} // namespace ocb::ompt
