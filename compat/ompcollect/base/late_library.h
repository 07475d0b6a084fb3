// SPDX-License-Identifier: Apache-2.0
//
// A library that is opened where its first function is called. What is linked is opened at each
// start: that took a program of one region 0.5 ms for SQLite and ncurses, which it does not use.
#pragma once

namespace ompcollect::report {

class LateLibrary {
  public:
    // Throws Failure, with cause and cure, where the library is missing.
    LateLibrary(const char *soname, const char *package);
    // Throws Failure where the library has no such function or variable.
    template <class Pointer> [[nodiscard]] Pointer found(const char *name) const {
        return reinterpret_cast<Pointer>(look_up(name));
    }

  private:
    [[nodiscard]] void *look_up(const char *name) const;

    const char *soname_;
    void *library_;
};

} // namespace ompcollect::report

// A member of a struct with a LateLibrary `library`: the function's own name and type.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator
#define OMPCOLLECT_LATE(name) decltype(&::name) name = library.found<decltype(&::name)>(#name)
