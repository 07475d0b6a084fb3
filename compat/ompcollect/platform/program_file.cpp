// SPDX-License-Identifier: Apache-2.0
#include "program_file.h"

#include "elf_file.h"
#include "failure.h"
#include "needed_libraries.h"
#include "words.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr std::string_view kLibompNames[] = {"libomp.so.5", "libomp.so", "libiomp5.so"};

// libgomp.so.1, and the names that wheels give it: libgomp-a34b3233.so.1.0.0.
bool is_libgomp(std::string_view name) {
    return name.starts_with("libgomp.so") ||
           (name.starts_with("libgomp-") && !name.starts_with("libgomp-plugin") &&
            !name.starts_with("libgomp-ompt"));
}

bool is_libomp(std::string_view name) {
    for (const std::string_view known : kLibompNames) {
        if (name == known) {
            return true;
        }
    }
    return false;
}

// What only an OpenMP runtime defines.
bool is_runtime_entry(std::string_view name) {
    return name.starts_with("GOMP_") || name.starts_with("GOACC_") || name.starts_with("omp_");
}

bool is_regular_file(const std::string &path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// Where a filter refuses the question, exec will tell.
bool has_access(const std::string &path, int mode) {
    return access(path.c_str(), mode) == 0 || errno == EPERM || errno == ENOSYS;
}

} // namespace

std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) {
        if (!has_access(name, F_OK)) {
            throw Failure(name + ": " + strerror(errno) + "; check the path", kExitNotFound);
        }
        if (!is_regular_file(name) || !has_access(name, X_OK)) {
            throw Failure(name + ": not an executable file; check the path and its mode",
                          kExitNotExecutable);
        }
        return name;
    }
    const char *path = getenv("PATH");
    std::istringstream directories(path ? path : "/usr/local/bin:/usr/bin:/bin");
    bool found_unusable = false;
    for (std::string directory; std::getline(directories, directory, ':');) {
        std::string candidate = (directory.empty() ? "." : directory) + "/" + name;
        if (!is_regular_file(candidate)) {
            continue;
        }
        if (has_access(candidate, X_OK)) {
            return candidate;
        }
        found_unusable = true;
    }
    if (found_unusable) {
        throw Failure(name + ": found in PATH, but not executable; check its mode",
                      kExitNotExecutable);
    }
    throw Failure(name + ": not found in PATH; give the program's path", kExitNotFound);
}

FileKind kind_of_file(const std::string &path) {
    const ElfFile file(path);
    if (!file.is_elf()) {
        return FileKind::kScript;
    }
    if (!file.is_for_this_machine()) {
        return FileKind::kForeign;
    }
    return file.interpreter().empty() ? FileKind::kStatic : FileKind::kDynamic;
}

bool is_openmp_runtime(const std::string &name) {
    return is_libomp(name) || is_libgomp(name);
}

RuntimeNeeds runtime_needs(const std::string &program) {
    RuntimeNeeds needs;
    for (const NeededLibrary &library : needed_libraries(program)) {
        const std::string name = report::base_name(library.name);
        if (is_libomp(name)) {
            needs.libomp = true;
            needs.libomp_path = library.path;
        } else if (is_libgomp(name)) {
            needs.libgomp = true;
            needs.libgomp_path = library.path;
        } else if (name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan")) {
            needs.libasan_path = library.path;
        }
    }
    return needs;
}

std::vector<std::string> entries_missing_in(const std::string &runtime,
                                            const std::string &program) {
    std::set<std::string> wanted;
    std::set<std::string> defined;
    const auto gather = [&](const std::string &path) {
        const ElfFile file(path);
        if (!file.is_elf()) {
            return;
        }
        file.for_each_symbol(ElfFile::Symbols::kDynamic, [&](const char *name, bool here) {
            if (is_runtime_entry(name)) {
                (here ? defined : wanted).insert(name);
            }
        });
    };
    gather(program);
    for (const NeededLibrary &library : needed_libraries(program)) {
        if (!is_libgomp(report::base_name(library.name))) {
            gather(library.path);
        }
    }
    gather(runtime);
    std::vector<std::string> missing;
    for (const std::string &name : wanted) {
        if (!defined.contains(name)) {
            missing.push_back(name);
        }
    }
    return missing;
}

namespace {

bool defines_one_of(const std::string &program, std::initializer_list<const char *> names) {
    const ElfFile file(program);
    bool found = false;
    if (file.is_elf()) {
        file.for_each_symbol(ElfFile::Symbols::kAll, [&](const char *name, bool defined) {
            for (const char *one : names) {
                found = found || (defined && strcmp(name, one) == 0);
            }
        });
    }
    return found;
}

} // namespace

bool contains_runtime(const std::string &program) {
    return defines_one_of(program, {"GOMP_parallel", "__kmpc_fork_call"});
}

bool contains_place_for_tool(const std::string &program) {
    return defines_one_of(program, {"ompt_start_tool"});
}

std::string interpreter_of_script(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    char mark[2] = {};
    if (!in.read(mark, sizeof mark) || mark[0] != '#' || mark[1] != '!') {
        return {};
    }
    std::string line(256, '\0');
    in.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<size_t>(in.gcount()));
    std::istringstream words(line.substr(0, line.find('\n')));
    std::string word;
    words >> word;
    if (report::base_name(word) == "env") { // `#!/usr/bin/env -S python3 -x`
        while (words >> word && (word.starts_with("-") || word.find('=') != std::string::npos)) {
        }
    }
    return report::base_name(word);
}

} // namespace ompcollect
