// SPDX-License-Identifier: Apache-2.0
//
// The compilation units of one file's debug information, and the functions in them, by address.
// libdw looks through all units, and through all that a unit declares, for each address. Here both
// are put in order once. Owns the lists; what they point to belongs to libdw.
#pragma once

#include "late_libdw.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ompcollect {

// The first child for which `is_it(child)` is true, as `child`; false: there is none.
template <class IsIt> bool find_child(Dwarf_Die &parent, Dwarf_Die &child, IsIt is_it) {
    for (int found = libdw().dwarf_child(&parent, &child); found == 0;
         found = libdw().dwarf_siblingof(&child, &child)) {
        if (is_it(child)) {
            return true;
        }
    }
    return false;
}

// A piece of code, and which of a list it belongs to.
struct CodeRange {
    uint64_t begin;
    uint64_t end;
    size_t owner;
};

class CodeRanges {
  public:
    void add_all_of(Dwarf_Die &die, uint64_t bias, size_t owner);
    void put_in_order();
    // Null: nobody's.
    [[nodiscard]] const CodeRange *at(uint64_t address) const;

  private:
    std::vector<CodeRange> ranges_;
};

class DebugUnits {
  public:
    void set_module(Dwfl_Module *module) { module_ = module; }

    // Null: no unit has code there. `address` comes to count as the unit does.
    Dwarf_Die *unit_at(uint64_t &address);

    // The inlined functions around an address of the unit, the outermost first, as they lie in each
    // other's code.
    std::vector<Dwarf_Die> inlined_around(Dwarf_Die &unit, uint64_t address);

    // Whether both addresses are the same function's code.
    bool are_of_one_function(Dwarf_Die &unit, uint64_t one, uint64_t other);

    // The function that the call before this address calls, if the unit has its code. False: not
    // known.
    bool called_before(Dwarf_Die &unit, uint64_t address, Dwarf_Die &callee);

    // A function where its source declares it.
    struct Declared {
        Dwarf_Die die;
        const char *name;
        const char *file;
        int line;
    };
    // All of the unit's, in its order. Read once: libdw walks over every entry for it.
    const std::vector<Declared> &declared_in(Dwarf_Die &unit);

  private:
    struct Unit {
        Dwarf_Die *die;
        uint64_t bias;
    };
    struct Functions {
        std::vector<Dwarf_Die> dies;
        CodeRanges code;
    };
    void read_units();
    const Functions &functions_of(Dwarf_Die &unit);

    Dwfl_Module *module_ = nullptr;
    bool has_units_ = false;
    std::vector<Unit> units_;
    CodeRanges unit_code_;
    // By the unit's place in the file.
    std::map<uint64_t, Functions> functions_;
    std::map<uint64_t, std::vector<Declared>> declared_;
};

} // namespace ompcollect
