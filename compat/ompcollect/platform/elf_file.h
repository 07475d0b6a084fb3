// SPDX-License-Identifier: Apache-2.0
//
// An ELF file, read and never run: its kind, what it needs, what it imports and defines. Every size
// that the file states is bounded by the file itself. Owns descriptor and libelf handle.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

struct Elf;

namespace ompcollect {

// The dynamic section, as far as the search for libraries needs it.
struct DynamicNeeds {
    std::vector<std::string> needed;
    std::string rpath;
    std::string runpath;
};

class ElfFile {
  public:
    explicit ElfFile(const std::string &path);
    ~ElfFile();
    ElfFile(const ElfFile &) = delete;
    ElfFile &operator=(const ElfFile &) = delete;

    [[nodiscard]] bool is_elf() const;
    // Also 64-bit, like this launcher.
    [[nodiscard]] bool is_for_this_machine() const;
    [[nodiscard]] bool is_shared_object() const;
    // Empty if there is none.
    [[nodiscard]] std::string interpreter() const;
    [[nodiscard]] DynamicNeeds dynamic_needs() const;

    enum class Symbols { kDynamic, kAll }; // .dynsym; .symtab
    // Calls `found` with each name and whether the file itself defines it.
    void for_each_symbol(Symbols table,
                         const std::function<void(const char *name, bool defined)> &found) const;

  private:
    int fd_ = -1;
    Elf *elf_ = nullptr;
};

} // namespace ompcollect
