// SPDX-License-Identifier: Apache-2.0
//
// An ELF file, read and never run: its kind, what it needs, what it imports and defines. Every size
// that the file states is bounded by the file itself. Owns the descriptor. The launcher looks into
// each library of a program before that begins: to load libelf for it takes longer than the looks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>
#include <functional>
#include <string>
#include <vector>

namespace ompcollect {

// The dynamic section, as far as the search for libraries needs it.
struct DynamicNeeds {
    std::vector<std::string> needed;
    std::string rpath;
    std::string runpath;
};

// What the file asks to be mapped.
struct Segment {
    uint64_t address = 0; // as the file counts it
    uint64_t size = 0;
    uint64_t offset = 0; // in the file
    bool can_read = false;
    bool can_write = false;
    bool can_execute = false;
};

struct Image {
    bool is_fixed = false; // linked for its addresses (ET_EXEC)
    uint64_t entry = 0;
    std::vector<Segment> segments; // empty: no ELF file that can be read
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
    [[nodiscard]] Image image() const;
    // Of the linker, in hexadecimal digits: another build has another one. Empty if there is none.
    [[nodiscard]] std::string build_id() const;

    enum class Symbols { kDynamic, kAll }; // .dynsym; .symtab
    // Calls `found` with each name and whether the file itself defines it.
    void for_each_symbol(Symbols table,
                         const std::function<void(const char *name, bool defined)> &found) const;

  private:
    // Rows of the file; none where it does not hold them all.
    template <class Row> [[nodiscard]] std::vector<Row> rows(uint64_t offset, uint64_t count) const;
    [[nodiscard]] std::string text_at(uint64_t offset, uint64_t most) const;
    [[nodiscard]] const Elf64_Phdr *segment_of_type(uint32_t type) const;
    // Where the file holds what is mapped at the address, and how much of it; 0: nowhere.
    [[nodiscard]] uint64_t offset_of_address(uint64_t address, uint64_t &rest) const;
    [[nodiscard]] std::vector<Elf64_Shdr> sections() const;

    uint64_t size_ = 0;
    int fd_ = -1;
    Elf64_Ehdr header_ = {}; // of another kind of ELF file its first bytes alone
    std::vector<Elf64_Phdr> segments_;
};

// True for a shared library that this machine's 64-bit programs can load.
bool is_loadable_library(const std::string &path);

} // namespace ompcollect
