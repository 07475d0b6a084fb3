// SPDX-License-Identifier: Apache-2.0
//
// What a command runs besides its first word, as far as its words tell: in `taskset -c 1 ./x` it is
// ./x. Only what is preloaded depends on it, never whether a program is run.
#pragma once

#include <string>
#include <vector>

namespace ompcollect {

struct CommandContents {
    std::vector<std::string> programs; // dynamic ELF files, the command's own first
    std::vector<std::string> static_programs;
    std::vector<std::string> foreign_programs; // of another machine or word size
    bool runs_unknown = false;                 // a script, or a host of plugins: more may come
    bool starts_ranks = false;                 // a launcher of jobs is among the words
};

// `program`: the file of the command's first word.
CommandContents contents_of(const std::string &program, const std::vector<std::string> &command);

} // namespace ompcollect
