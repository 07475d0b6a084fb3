// SPDX-License-Identifier: Apache-2.0
#include "place_names.h"

#include "symbol_names.h"
#include "words.h"

namespace ompcollect {
namespace {

constexpr char kKernelsPage[] = "linux-vdso.so";

// A stripped file's functions go by where they begin.
std::string function_by_begin(const std::string &module, uint64_t offset, SourceLines &lines) {
    const uint64_t begin = lines.function_begin(module, offset);
    return begin == 0 ? "" : report::place_in_module(module, begin);
}

} // namespace

CodeAt PlaceNames::look_up(const std::string &module, uint64_t offset) {
    CodeAt to;
    // The kernel's page of code has no file: its entries are one.
    if (module.starts_with(kKernelsPage)) {
        to.function.name = "[vdso]";
        return to;
    }
    const SymbolAt found = lines_.look_up(module, offset);
    to.is_part = found.is_part;
    to.is_part_by_gcc = found.symbol.find("._omp_fn.") != std::string::npos;
    to.function.name = found.symbol.empty() ? function_by_begin(module, offset, lines_)
                                            : display_name(found.symbol);
    to.function.source = found.source;
    to.line = found.source;
    to.line_path = found.path;
    const std::vector<SymbolAt> inlined = lines_.inlined_at(module, offset);
    // Each function's line is where it calls the next one; the last one's is the place itself.
    for (size_t i = 0; i < inlined.size(); ++i) {
        to.inlined.push_back({display_name(inlined[i].symbol),
                              i + 1 < inlined.size() ? inlined[i + 1].source : found.source});
    }
    if (!inlined.empty()) {
        to.function.source = inlined.front().source;
    }
    return to;
}

const CodeAt &PlaceNames::code_at(const report::SharedText &module, uint64_t offset) {
    const auto [at, is_new] = known_.try_emplace({offset, module});
    if (is_new && !module.empty()) {
        at->second = look_up(module, offset);
    }
    return at->second;
}

uint64_t PlaceNames::begin(const report::SharedText &module, uint64_t offset) {
    return lines_.function_begin(module, offset);
}

std::string PlaceNames::begin_of(const report::SharedText &module, uint64_t offset) {
    const uint64_t at = begin(module, offset);
    return at == 0 ? "" : lines_.look_up(module, at).source;
}

int PlaceNames::first_line_from(const report::SharedText &module, uint64_t offset, int line) {
    const uint64_t at = begin(module, offset);
    return at == 0 ? 0 : lines_.first_line_from(module, at, line);
}

FunctionAt PlaceNames::called_at(const report::SharedText &module, uint64_t offset) {
    const SymbolAt found = module.empty() ? SymbolAt() : lines_.called_at(module, offset);
    return {display_name(found.symbol), found.source};
}

FunctionAt PlaceNames::place_at(const report::SharedText &module, uint64_t offset) {
    if (module.empty()) {
        return {};
    }
    const SymbolAt found = lines_.look_up(module, offset);
    std::string symbol = found.symbol;
    // In the source it is a place of the function that was inlined there.
    for (const SymbolAt &inlined : lines_.inlined_at(module, offset)) {
        symbol = is_nameless_part(inlined.symbol) ? symbol : inlined.symbol;
    }
    return {display_name(symbol), found.source};
}

} // namespace ompcollect
