// SPDX-License-Identifier: Apache-2.0
// Loaded objects: whose code an address is, what an object defines, what kind of runtime it is.
#pragma once

#include <cstdint>

namespace ocb::gomp {

std::uintptr_t base_of(const void *address); // 0: of no object

// A loaded object, found by an address in it. Held while this lives, for ever after keep().
class ObjectHandle {
  public:
    ObjectHandle() = default;
    explicit ObjectHandle(const void *address);
    ObjectHandle(ObjectHandle &&other) noexcept;
    ObjectHandle &operator=(ObjectHandle &&) = delete;
    ~ObjectHandle();
    explicit operator bool() const { return handle_ != nullptr; }
    [[nodiscard]] std::uintptr_t base() const { return base_; }
    // In the object or what it depends on.
    void *find(const char *name) const;
    void *keep();

  private:
    void *handle_ = nullptr;
    std::uintptr_t base_ = 0;
};

// The first loaded object, this library excepted, that defines the symbol itself.
ObjectHandle any_object_with(const char *name);

// GNU's runtime, and one that asks for no tool of its own. LLVM's has the same names for programs
// built by gcc, and GNU's of a later day may have OMPT: there is nothing to do then. That of gcc 17
// in development has omp_control_tool and no OMPT.
bool is_libgomp_without_ompt(std::uintptr_t base);

} // namespace ocb::gomp
