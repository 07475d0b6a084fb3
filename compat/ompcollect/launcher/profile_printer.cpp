// SPDX-License-Identifier: Apache-2.0
//
// See profile_printer.h.
#include "profile_printer.h"

#include "profile_file.h"
#include "profile_reader.h"
#include "source_lines.h"
#include "text_report.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sys/wait.h>
#include <system_error>
#include <vector>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;

void name_place(Place &place, LoadedProfile &profile, SourceLines &lines) {
    if (!place.module) {
        return;
    }
    const SourcePlace found = lines.look_up(place.module, place.offset);
    if (!found.symbol.empty()) {
        place.symbol = profile.keep(found.symbol.c_str());
    } else if (place.symbol) {
        place.symbol = profile.keep(demangled(place.symbol).c_str());
    }
    place.source = profile.keep(found.source.c_str());
}

void name_places(LoadedProfile &profile, SourceLines &lines) {
    for (RegionRow &region : profile.regions) {
        name_place(region.place, profile, lines);
    }
    for (LockRow &lock : profile.locks) {
        name_place(lock.object, profile, lines);
        name_place(lock.first_wait, profile, lines);
    }
}

std::vector<std::unique_ptr<LoadedProfile>> load_all(const std::string &directory,
                                                     TextOutput &out) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (const auto &entry : fs::directory_iterator(directory, ignored)) {
        if (entry.path().extension() == kProfileSuffix) {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<std::unique_ptr<LoadedProfile>> profiles;
    for (const fs::path &file : files) {
        auto loaded = std::make_unique<LoadedProfile>();
        if (const char *why = read_profile_file(file.c_str(), *loaded)) {
            out.print("ompcollect: %s: %s\n", file.filename().c_str(), why);
        } else {
            profiles.push_back(std::move(loaded));
        }
    }
    return profiles;
}

// Why the child's own profile is missing, as far as its end tells.
const char *reason_without_profile(int status) {
    if (WIFSIGNALED(status)) {
        return "it was killed by a signal";
    }
    return "no OpenMP runtime that has a tools interface was used";
}

} // namespace

void print_profiles(const std::string &directory, const ChildResult &child, int fd) {
    TextOutput out(fd);
    auto profiles = load_all(directory, out);
    std::stable_partition(profiles.begin(), profiles.end(),
                          [&](const auto &loaded) { return loaded->profile.pid == child.pid; });
    const bool any = std::any_of(profiles.begin(), profiles.end(),
                                 [](const auto &loaded) { return used_openmp(loaded->profile); });
    SourceLines lines;
    for (const auto &loaded : profiles) {
        // A shell around the program has nothing to tell, unless nobody has.
        if (any && !used_openmp(loaded->profile)) {
            continue;
        }
        name_places(*loaded, lines);
        write_text_report(loaded->profile, out);
    }
    if (profiles.empty()) {
        out.print("ompcollect: the program left no profile: %s\n",
                  reason_without_profile(child.status));
    }
}

} // namespace ompcollect
