// SPDX-License-Identifier: Apache-2.0
#include "symbol_index.h"

#include "late_libdw.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace ompcollect {
namespace {

bool has_address(const GElf_Sym &symbol, GElf_Word section) {
    const auto type = GELF_ST_TYPE(symbol.st_info);
    return section != SHN_UNDEF && section != SHN_ABS && type != STT_SECTION && type != STT_FILE &&
           type != STT_TLS;
}

// Without an extent it is its first byte.
bool covers(const FileSymbol &symbol, uint64_t address) {
    const uint64_t distance = address - symbol.begin;
    return address >= symbol.begin && (symbol.size == 0 ? distance == 0 : distance < symbol.size);
}

// Of two that begin together, the later one is the better answer.
bool comes_before(const FileSymbol &one, const FileSymbol &other) {
    if (one.begin != other.begin) {
        return one.begin < other.begin;
    }
    if (one.is_global != other.is_global) {
        return other.is_global;
    }
    const bool is_plain = *other.name != '_';
    if ((*one.name != '_') != is_plain) {
        return is_plain;
    }
    return strlen(one.name) > strlen(other.name);
}

} // namespace

void SymbolIndex::read(Dwfl_Module *module) {
    const int count = libdw().dwfl_module_getsymtab(module);
    symbols_.reserve(count > 0 ? static_cast<size_t>(count) : 0);
    for (int i = 1; i < count; ++i) {
        GElf_Sym symbol;
        GElf_Addr begin = 0;
        GElf_Word section = SHN_UNDEF;
        const char *name =
            libdw().dwfl_module_getsym_info(module, i, &symbol, &begin, &section, nullptr, nullptr);
        if (name && *name && has_address(symbol, section)) {
            add({begin, symbol.st_size, name, GELF_ST_BIND(symbol.st_info) != STB_LOCAL});
        }
    }
    put_in_order();
}

void SymbolIndex::put_in_order() {
    std::stable_sort(symbols_.begin(), symbols_.end(), comes_before);
    furthest_end_.clear();
    furthest_end_.reserve(symbols_.size());
    uint64_t furthest = 0;
    for (const FileSymbol &symbol : symbols_) {
        furthest = std::max(furthest, symbol.begin + std::max<uint64_t>(symbol.size, 1));
        furthest_end_.push_back(furthest);
    }
}

std::string SymbolIndex::name_at(uint64_t address) const {
    const auto behind = std::upper_bound(
        symbols_.begin(), symbols_.end(), address,
        [](uint64_t value, const FileSymbol &symbol) { return value < symbol.begin; });
    for (auto i = static_cast<size_t>(behind - symbols_.begin()); i > 0; --i) {
        if (covers(symbols_[i - 1], address)) {
            const std::string_view name = symbols_[i - 1].name;
            return std::string(name.substr(0, name.find('@')));
        }
        if (furthest_end_[i - 1] <= address) {
            break; // nor does any before it
        }
    }
    return {};
}

} // namespace ompcollect
