// SPDX-License-Identifier: Apache-2.0
#include "library_search.h"

#include "elf_file.h"
#include "failure.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <link.h>
#include <sstream>
#include <sys/auxv.h>
#include <system_error>

#ifndef OMPCOLLECT_LIBDIR_FROM_BINDIR
#define OMPCOLLECT_LIBDIR_FROM_BINDIR "../lib"
#endif

namespace ompcollect {
namespace {

namespace fs = std::filesystem;

// Debian's name first: it is the one that programs need there.
constexpr const char *kLibompNames[] = {"libomp.so.5", "libomp.so", "libiomp5.so"};

// A relative place would be another one for each process of the job.
std::string libomp_in(const fs::path &directory) {
    if (!directory.is_absolute()) {
        return {};
    }
    for (const char *name : kLibompNames) {
        const fs::path candidate = directory / name;
        if (is_loadable_library(candidate)) {
            return fs::absolute(candidate);
        }
    }
    return {};
}

std::string libomp_in_linker_cache() {
    for (const char *name : kLibompNames) {
        void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (!handle) {
            continue;
        }
        struct link_map *map = nullptr;
        std::string path;
        if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map) {
            path = map->l_name;
        }
        dlclose(handle);
        if (!path.empty()) {
            return path;
        }
    }
    return {};
}

// The number in "llvm-14"; -1 for other names.
int llvm_version(const fs::path &directory) {
    const std::string name = directory.filename();
    constexpr std::string_view kPrefix = "llvm-";
    if (!name.starts_with(kPrefix) || name.size() == kPrefix.size() ||
        !isdigit(static_cast<unsigned char>(name[kPrefix.size()]))) {
        return -1;
    }
    return atoi(name.c_str() + kPrefix.size());
}

std::string libomp_of_newest_llvm(const std::string &root) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(root, ignored)) {
        if (llvm_version(entry.path()) >= 0) {
            found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end(), [](const fs::path &left, const fs::path &right) {
        return llvm_version(left) > llvm_version(right);
    });
    for (const fs::path &directory : found) {
        std::string library = libomp_in(directory / "lib");
        if (!library.empty()) {
            return library;
        }
    }
    return {};
}

} // namespace

std::filesystem::path own_file() {
    std::error_code error;
    fs::path file = fs::read_symlink("/proc/self/exe", error);
    if (error) { // no /proc: the name that exec got
        const auto *name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
        file = fs::canonical(name ? name : "", error);
        if (error && name && *name) { // nor may links be read
            file = fs::absolute(name, error);
        }
    }
    if (error || !file.is_absolute()) {
        throw Failure("the place of the launcher's own file is not known; mount /proc, or start it "
                      "by its full path");
    }
    return file;
}

std::string own_library_if_there(const std::string &name) {
    static const fs::path kBin = own_file().parent_path();
    std::error_code ignored;
    for (const fs::path directory : {"../lib", OMPCOLLECT_LIBDIR_FROM_BINDIR}) {
        for (const fs::path &place : {directory, directory / "ompcollect"}) {
            const fs::path candidate = (kBin / place / name).lexically_normal();
            if (fs::exists(candidate, ignored)) {
                return candidate;
            }
        }
    }
    return {};
}

std::string own_library(const std::string &name) {
    std::string library = own_library_if_there(name);
    if (library.empty()) {
        throw Failure(library_missing_message(name, "nothing can be measured"));
    }
    return library;
}

std::string library_missing_message(const std::string &name, const std::string &loss) {
    const fs::path folder = (own_file().parent_path() / "../lib").lexically_normal();
    return name + " is not in " + folder.string() + ": " + loss +
           "; build the target ompcollect, or install the whole project";
}

LibompPlaces usual_libomp_places() {
    LibompPlaces places;
    const char *variable = getenv("LD_LIBRARY_PATH");
    std::string list = variable ? variable : "";
    std::replace(list.begin(), list.end(), ';', ':');
    std::istringstream directories(list);
    for (std::string directory; std::getline(directories, directory, ':');) {
        places.directories.push_back(directory);
    }
    return places;
}

std::string find_libomp(const LibompPlaces &places) {
    for (const std::string &directory : places.directories) {
        std::string library = libomp_in(directory);
        if (!library.empty()) {
            return library;
        }
    }
    std::string library = places.linker_cache ? libomp_in_linker_cache() : std::string();
    return library.empty() ? libomp_of_newest_llvm(places.llvm_root) : library;
}

std::string libomp_missing_message(const std::string &program) {
    return program + " needs libomp to be profiled, and there is none on this system; install it "
                     "(Debian: apt-get install libomp5-14) or name one with --libomp PATH";
}

} // namespace ompcollect
