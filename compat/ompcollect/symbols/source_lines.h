// SPDX-License-Identifier: Apache-2.0
//
// Names of places in files: functions and variables from symbol tables, lines from DWARF. Uses
// libdw, which also knows separate debug files. Owns what it has opened.
//
// It runs after each program, so debug information is loaded lazily. Functions of system
// libraries have no lines: their debug information is large, compressed and not the user's code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ompcollect {

struct SymbolAt {
    std::string symbol;   // as the file has it; empty: not known
    std::string source;   // "file:line"; empty: no debug information
    std::string path;     // the same with the file's folder, where it was when it was compiled
    bool is_part = false; // the compiler has cut it out of another function, for a region or task
};

class SourceLines {
  public:
    // ask_servers: debuginfod servers too, if DEBUGINFOD_URLS names some. Else nothing is loaded
    // that could ask them.
    explicit SourceLines(bool ask_servers = false);
    ~SourceLines();
    SourceLines(const SourceLines &) = delete;
    SourceLines &operator=(const SourceLines &) = delete;

    // Opens libdw, which takes a while. Where that is missing nothing has a name.
    static void prepare() noexcept;

    // offset: an address as the file counts it.
    SymbolAt look_up(const std::string &module, uint64_t offset);

    // Where the function begins that has this place, by the tables for unwinding, which a stripped
    // file keeps too. 0: not known.
    uint64_t function_begin(const std::string &module, uint64_t offset);

    // The functions that were inlined at this place, the outermost first, each with the line that
    // calls it.
    std::vector<SymbolAt> inlined_at(const std::string &module, uint64_t offset);

    // The function that is called at this place, which is the last byte of the call, with the line
    // where it begins. Without a name: not known, or not of the place's own unit.
    SymbolAt called_at(const std::string &module, uint64_t offset);

    // Of the function that has this place: the first line from the given one on, in the place's own
    // file, of which it has code. 0: none.
    int first_line_from(const std::string &module, uint64_t offset, int line);

    // Why files that have been looked up have no lines, where they would have had some: a sentence
    // without its end. Empty: there is no such file.
    [[nodiscard]] std::string why_lines_are_missing() const;

  private:
    struct Module;
    Module &open(const std::string &path);

    const bool asks_servers_;
    std::map<std::string, std::unique_ptr<Module>> modules_;
    std::string why_no_libdw_;         // empty: it is there, or nothing has been looked up
    std::set<std::string> compressed_; // by zstd: names of files, which libdw could not read
};

} // namespace ompcollect
