// SPDX-License-Identifier: Apache-2.0
//
// Names for places in the code: functions as people know them, their lines, and the functions that
// were inlined there. Each place is looked up once.
#pragma once

#include "run.h"
#include "source_lines.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ompcollect {

// A function, with the line in it that runs or that calls the next one.
struct FunctionAt {
    std::string name;   // empty: not known
    std::string source; // "file:line"; empty: not known
};

struct CodeAt {
    FunctionAt function;             // that the file has
    std::vector<FunctionAt> inlined; // in it, the outermost first
    std::string line;                // "file:line" of the place itself; empty: not known
    std::string line_path;           // the same with the file's folder
    bool is_part = false;            // the compiler has cut it out: a region's or a task's body
    bool is_part_by_gcc = false;

    [[nodiscard]] const std::string &innermost() const {
        return inlined.empty() ? function.name : inlined.back().name;
    }
};

class PlaceNames {
  public:
    explicit PlaceNames(SourceLines &lines) : lines_(lines) {}

    // Of a frame of a call path. Lives as long as this.
    const CodeAt &code_at(const report::SharedText &module, uint64_t offset);

    // The offset where the function begins that has this place; 0: not known.
    uint64_t begin(const report::SharedText &module, uint64_t offset);

    // The same as "file:line"; empty: not known.
    std::string begin_of(const report::SharedText &module, uint64_t offset);

    // The first line from the given one on, in the file where the function at this place begins, of
    // which the function has code. 0: none.
    int first_line_from(const report::SharedText &module, uint64_t offset, int line);

    // Of a fork, a lock or a call that waited: what is not known stays empty.
    FunctionAt place_at(const report::SharedText &module, uint64_t offset);

    // As of SourceLines.
    FunctionAt called_at(const report::SharedText &module, uint64_t offset);

  private:
    CodeAt look_up(const std::string &module, uint64_t offset);

    SourceLines &lines_;
    std::map<std::tuple<uint64_t, std::string>, CodeAt> known_; // by offset and module
};

} // namespace ompcollect
