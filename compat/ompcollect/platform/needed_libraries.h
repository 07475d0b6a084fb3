// SPDX-License-Identifier: Apache-2.0
//
// The libraries that a program will load at its start, as ld.so would find them, without running
// anything of the program. (`ldd` runs the interpreter that the file names.)
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ompcollect {

struct NeededLibrary {
    std::string name; // as the file that needs it states it
    std::string path; // empty: not found
};

// What the program and its libraries need, each name once, nearest first. The search is ld.so's:
// RPATH, LD_LIBRARY_PATH, RUNPATH, cache, system folders. Folders of hardware variants are not
// searched.
std::vector<NeededLibrary> needed_libraries(const std::string &program);

// The paths of a library's name in the text of /etc/ld.so.cache, which has a thousand others. None
// in a text that is no such cache.
std::vector<std::string> paths_in_linker_cache(const std::string &text, std::string_view name);

} // namespace ompcollect
