// SPDX-License-Identifier: Apache-2.0
//
// What kind of file a program is and which OpenMP runtime it needs.
#ifndef OMPCOLLECT_PROGRAM_FILE_H
#define OMPCOLLECT_PROGRAM_FILE_H

#include <string>

namespace ompcollect {

// The file that execvp(3) would run. Throws Failure with 126 or 127.
std::string find_program(const std::string &name);

enum class FileKind {
    kDynamic, // can be preloaded
    kStatic,  // has no dynamic linker that would preload anything
    kForeign, // an ELF file of another machine or word size
    kScript,  // begins with #!, or is no ELF file at all
};

struct ElfFacts {
    FileKind kind;
    std::string interpreter; // kDynamic: the program's dynamic linker
};

ElfFacts inspect_elf(const std::string &path);

// True for a shared library that this machine's 64-bit programs can load.
bool is_loadable_library(const std::string &path);

struct RuntimeNeeds {
    bool libomp = false;     // LLVM's runtime under one of its names
    bool libgomp = false;    // GNU's
    std::string libomp_path; // where the dynamic linker finds it; empty: nowhere
};

// Which OpenMP runtimes a dynamic program needs, itself or through its libraries, as its own
// dynamic linker sees it.
RuntimeNeeds runtime_needs(const std::string &interpreter, const std::string &path);

// The same from the text that the dynamic linker prints with --list.
RuntimeNeeds runtime_needs_in_list(const std::string &list);

} // namespace ompcollect

#endif
