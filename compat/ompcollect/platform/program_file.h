// SPDX-License-Identifier: Apache-2.0
//
// What kind of file a program is and which OpenMP runtime it needs. Files are read, never run.
#pragma once

#include <string>
#include <vector>

namespace ompcollect {

// The file that execvp(3) would run. Throws Failure with 126 or 127.
std::string find_program(const std::string &name);

enum class FileKind {
    kDynamic, // can be preloaded
    kStatic,  // has no dynamic linker that would preload anything
    kForeign, // an ELF file of another machine or word size
    kScript,  // begins with #!, or is no ELF file at all
};

FileKind kind_of_file(const std::string &path);

struct RuntimeNeeds {
    bool libomp = false;     // LLVM's runtime under one of its names
    bool libgomp = false;    // GNU's, under its name or a wheel's
    std::string libomp_path; // where ld.so finds it; empty: nowhere
    std::string libgomp_path;
    std::string
        libasan_path; // AddressSanitizer's shared runtime, gcc's or clang's; empty: not needed
};

// By its file's name.
bool is_openmp_runtime(const std::string &name);

// Which runtimes a dynamic program needs, itself or through its libraries.
RuntimeNeeds runtime_needs(const std::string &program);

// The entries of libgomp that the program or its libraries import and that the runtime, standing in
// libgomp's place, does not have.
std::vector<std::string> entries_missing_in(const std::string &runtime, const std::string &program);

// An OpenMP runtime is linked into the program itself, as its symbol table says.
bool contains_runtime(const std::string &program);
// That is one which looks for a tool, as LLVM's own archive does; or the program is a tool.
bool contains_place_for_tool(const std::string &program);

// "python3" for a file that begins with #!/usr/bin/env python3; empty for one without #!.
std::string interpreter_of_script(const std::string &path);

} // namespace ompcollect
