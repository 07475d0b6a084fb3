// SPDX-License-Identifier: Apache-2.0
#include "debug_units.h"

#include <algorithm>
#include <cstdlib>
#include <dwarf.h>

namespace ompcollect {
namespace {

// Functions stand in the unit itself, in the namespaces and modules in it, and in each other and
// their blocks.
void collect_functions(Dwarf_Die &parent, std::vector<Dwarf_Die> &functions) {
    Dwarf_Die at;
    find_child(parent, at, [&](Dwarf_Die &child) {
        const int tag = libdw().dwarf_tag(&child);
        if (tag == DW_TAG_subprogram) {
            functions.push_back(child);
        }
        if (tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module ||
            tag == DW_TAG_lexical_block) {
            collect_functions(child, functions);
        }
        return false; // all of them
    });
}

// False: no child has this address.
bool descend(Dwarf_Die &at, uint64_t address) {
    Dwarf_Die child;
    const bool is_found = find_child(at, child, [address](Dwarf_Die &each) {
        const int tag = libdw().dwarf_tag(&each);
        const bool has_code = tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                              tag == DW_TAG_subprogram || tag == DW_TAG_try_block ||
                              tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
        return has_code && libdw().dwarf_haspc(&each, address) == 1;
    });
    if (is_found) {
        at = child;
    }
    return is_found;
}

// Calls stand in a function, its blocks and what is inlined there.
bool find_call(Dwarf_Die &around, uint64_t address, Dwarf_Die &callee) {
    Dwarf_Die at;
    return find_child(around, at, [&](Dwarf_Die &child) {
        const int tag = libdw().dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) {
            return find_call(child, address, callee);
        }
        const bool is_call = tag == DW_TAG_call_site;
        if (!is_call && tag != DW_TAG_GNU_call_site) {
            return false;
        }
        Dwarf_Attribute attribute;
        Dwarf_Addr back = 0;
        return libdw().dwarf_formaddr(
                   libdw().dwarf_attr(&child, is_call ? DW_AT_call_return_pc : DW_AT_low_pc,
                                      &attribute),
                   &back) == 0 &&
               back == address &&
               libdw().dwarf_formref_die(
                   libdw().dwarf_attr(&child, is_call ? DW_AT_call_origin : DW_AT_abstract_origin,
                                      &attribute),
                   &callee) != nullptr;
    });
}

int add_declared(Dwarf_Die *function, void *list) {
    int line = 0;
    const char *name = libdw().dwarf_diename(function);
    const char *file = libdw().dwarf_decl_file(function);
    if (name && file && libdw().dwarf_decl_line(function, &line) == 0) {
        static_cast<std::vector<DebugUnits::Declared> *>(list)->push_back(
            {*function, name, file, line});
    }
    return DWARF_CB_OK;
}

} // namespace

void CodeRanges::add_all_of(Dwarf_Die &die, uint64_t bias, size_t owner) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    ptrdiff_t next = 0;
    while ((next = libdw().dwarf_ranges(&die, next, &base, &begin, &end)) > 0) {
        if (begin < end) {
            ranges_.push_back({begin + bias, end + bias, owner});
        }
    }
}

void CodeRanges::put_in_order() {
    std::stable_sort(
        ranges_.begin(), ranges_.end(),
        [](const CodeRange &one, const CodeRange &other) { return one.begin < other.begin; });
}

const CodeRange *CodeRanges::at(uint64_t address) const {
    const auto behind = std::upper_bound(
        ranges_.begin(), ranges_.end(), address,
        [](uint64_t value, const CodeRange &range) { return value < range.begin; });
    return behind != ranges_.begin() && address < std::prev(behind)->end ? &*std::prev(behind)
                                                                         : nullptr;
}

void DebugUnits::read_units() {
    has_units_ = true;
    Dwarf_Addr bias = 0;
    for (Dwarf_Die *unit = nullptr; (unit = libdw().dwfl_module_nextcu(module_, unit, &bias));) {
        unit_code_.add_all_of(*unit, bias, units_.size());
        units_.push_back({unit, bias});
    }
    unit_code_.put_in_order();
}

// clang writes no .debug_aranges, without which libdw up to 0.190 finds no unit for an address.
Dwarf_Die *DebugUnits::unit_at(uint64_t &address) {
    Dwarf_Addr bias = 0;
    if (Dwarf_Die *unit = libdw().dwfl_module_addrdie(module_, address, &bias)) {
        address -= bias;
        return unit;
    }
    if (!has_units_) {
        read_units();
    }
    const CodeRange *range = unit_code_.at(address);
    if (!range) {
        return nullptr;
    }
    const Unit &unit = units_[range->owner];
    address -= unit.bias;
    return unit.die;
}

const DebugUnits::Functions &DebugUnits::functions_of(Dwarf_Die &unit) {
    const auto [entry, is_new] = functions_.try_emplace(libdw().dwarf_dieoffset(&unit));
    Functions &functions = entry->second;
    if (is_new) {
        collect_functions(unit, functions.dies);
        for (size_t i = 0; i < functions.dies.size(); ++i) {
            functions.code.add_all_of(functions.dies[i], 0, i);
        }
        functions.code.put_in_order();
    }
    return functions;
}

std::vector<Dwarf_Die> DebugUnits::inlined_around(Dwarf_Die &unit, uint64_t address) {
    std::vector<Dwarf_Die> inlined;
    const Functions &functions = functions_of(unit);
    const CodeRange *range = functions.code.at(address);
    if (!range) {
        return inlined;
    }
    for (Dwarf_Die at = functions.dies[range->owner]; descend(at, address);) {
        if (libdw().dwarf_tag(&at) == DW_TAG_inlined_subroutine) {
            inlined.push_back(at);
        } else if (libdw().dwarf_tag(&at) == DW_TAG_subprogram) {
            inlined.clear(); // a function of its own
        }
    }
    return inlined;
}

bool DebugUnits::are_of_one_function(Dwarf_Die &unit, uint64_t one, uint64_t other) {
    const CodeRanges &code = functions_of(unit).code;
    const CodeRange *of_one = code.at(one);
    const CodeRange *of_other = code.at(other);
    return of_one && of_other && of_one->owner == of_other->owner;
}

bool DebugUnits::called_before(Dwarf_Die &unit, uint64_t address, Dwarf_Die &callee) {
    const Functions &functions = functions_of(unit);
    const CodeRange *range = functions.code.at(address - 1);
    Dwarf_Addr code = 0;
    Dwarf_Die function = range ? functions.dies[range->owner] : Dwarf_Die{};
    return range && find_call(function, address, callee) &&
           libdw().dwarf_lowpc(&callee, &code) == 0;
}

const std::vector<DebugUnits::Declared> &DebugUnits::declared_in(Dwarf_Die &unit) {
    const auto [entry, is_new] = declared_.try_emplace(libdw().dwarf_dieoffset(&unit));
    if (is_new) {
        libdw().dwarf_getfuncs(&unit, add_declared, &entry->second, 0);
    }
    return entry->second;
}

} // namespace ompcollect
