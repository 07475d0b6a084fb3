// SPDX-License-Identifier: Apache-2.0
//
// Where libraries are: our own beside the launcher, and libomp wherever the system has one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ompcollect {

// A library of this project: in ../lib (or the library directory of the installation) seen from
// the launcher's own file, or there in the folder of what no user names (ompcollect/). Throws
// Failure if it is not there.
std::string own_library(const std::string &name);
// The same; empty if it is not there.
std::string own_library_if_there(const std::string &name);
// One line for a library of this project that is not there: which, what is lost thereby, the cure.
std::string library_missing_message(const std::string &name, const std::string &loss);

// The launcher's own executable, an absolute path. Throws Failure where it cannot be known.
std::filesystem::path own_file();

// The places where libomp is looked for, in this order. A struct, so that tests can point it
// elsewhere.
struct LibompPlaces {
    std::vector<std::string> directories; // of LD_LIBRARY_PATH
    bool linker_cache = true;             // what dlopen finds
    std::string llvm_root = "/usr/lib";   // llvm-*/lib below it, highest version first
};

LibompPlaces usual_libomp_places();

// Empty: found nowhere.
std::string find_libomp(const LibompPlaces &places);

// One line for a program that cannot have libomp.
std::string libomp_missing_message(const std::string &program);

} // namespace ompcollect
