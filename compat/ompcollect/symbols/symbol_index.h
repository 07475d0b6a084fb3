// SPDX-License-Identifier: Apache-2.0
//
// The symbols of one file by address. A file has ten thousand of them and a profile has hundreds of
// places, so they are read once and put in order; libdw looks at all of them for each place. The
// names stay the file's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct Dwfl_Module;

namespace ompcollect {

struct FileSymbol {
    uint64_t begin;
    uint64_t size; // 0: not known
    const char *name;
    bool is_global; // known to other files by this name
};

class SymbolIndex {
  public:
    // Of the file, of its debug file, or those for the dynamic linker: the most there are.
    void read(Dwfl_Module *module);

    // In any order, and before the first question.
    void add(const FileSymbol &symbol) { symbols_.push_back(symbol); }
    void put_in_order();

    // The symbol that this address belongs to: the innermost one, of several names one that other
    // files know, then one without an underscore in front, then the shortest. Its version is left
    // out. Empty: none, since the nearest one is only a guess.
    [[nodiscard]] std::string name_at(uint64_t address) const;

  private:
    std::vector<FileSymbol> symbols_;
    std::vector<uint64_t> furthest_end_; // of all symbols up to this one
};

} // namespace ompcollect
