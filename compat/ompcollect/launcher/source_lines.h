// SPDX-License-Identifier: Apache-2.0
//
// Names of places in files: functions and variables from symbol tables, lines from DWARF. Uses
// libdw, which also knows separate debug files. Owns what it has opened.
//
// It runs after each program, so it does not read what nobody looks at. Functions of system
// libraries have no lines: their debug information is large, compressed and not the user's code.
#pragma once

#include "symbol_index.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Dwfl;
struct Dwfl_Module;

namespace ompcollect {

struct SourcePlace {
    std::string symbol;   // as the file has it; empty: not known
    std::string source;   // "file:line"; empty: no debug information
    bool is_part = false; // the compiler has cut it out of another function, for a region or task
};

// The section .eh_frame_hdr of a file: where each function begins, in order. Empty: there is none,
// or it is written in another way than all linkers do.
struct FunctionTable {
    const unsigned char *entries = nullptr; // pairs of 32-bit numbers, counted from the section
    size_t count = 0;
    uint64_t section = 0;
};

class SourceLines {
  public:
    // ask_servers: debuginfod servers too, if DEBUGINFOD_URLS names some. Else nothing is loaded
    // that could ask them.
    explicit SourceLines(bool ask_servers = false);
    ~SourceLines();
    SourceLines(const SourceLines &) = delete;
    SourceLines &operator=(const SourceLines &) = delete;

    // offset: an address as the file counts it.
    SourcePlace look_up(const std::string &module, uint64_t offset);

    // Where the function begins that has this place, by the tables for unwinding, which a stripped
    // file keeps too. 0: not known.
    uint64_t function_begin(const std::string &module, uint64_t offset);

    // The functions that were inlined at this place, the outermost first, each with the line that
    // calls it.
    std::vector<SourcePlace> inlined_at(const std::string &module, uint64_t offset);

  private:
    struct Module {
        Dwfl *session = nullptr;
        Dwfl_Module *module = nullptr;
        uint64_t bias = 0;
        bool has_lines = false;
        SymbolIndex symbols;
        FunctionTable functions;
    };
    Module &open(const std::string &path);

    const bool asks_servers_;
    std::map<std::string, Module> modules_;
};

} // namespace ompcollect
