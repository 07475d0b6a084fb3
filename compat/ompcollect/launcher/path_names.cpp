// SPDX-License-Identifier: Apache-2.0
#include "path_names.h"

#include "symbol_names.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace ompcollect {
namespace {

constexpr char kKernelsPage[] = "linux-vdso.so";

// A stripped file's functions go by where they begin.
std::string function_by_begin(const Place &place, SourceLines &lines) {
    const uint64_t begin = lines.function_begin(place.module, place.offset);
    if (begin == 0) {
        return {};
    }
    char offset[32];
    snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(begin));
    return std::filesystem::path(place.module).filename().string() + offset;
}

void name_path_place(PathPlace &at, LoadedProfile &profile, SourceLines &lines) {
    if (!at.place.module) {
        return;
    }
    // The kernel's page of code has no file: its entries are one.
    if (strncmp(at.place.module, kKernelsPage, strlen(kKernelsPage)) == 0) {
        at.place.symbol = profile.keep("[vdso]");
        return;
    }
    const SourcePlace found = lines.look_up(at.place.module, at.place.offset);
    at.is_part = found.is_part;
    at.place.symbol = profile.keep(found.symbol.empty() ? function_by_begin(at.place, lines).c_str()
                                                        : display_name(found.symbol).c_str());
    at.place.source = profile.keep(found.source.c_str());
    at.line = at.place.source;
    at.line_path = profile.keep(found.path.c_str());
    const std::vector<SourcePlace> inlined = lines.inlined_at(at.place.module, at.place.offset);
    RowArray<Place> rows;
    if (inlined.empty() || !profile.make(rows, inlined.size())) {
        return;
    }
    // Each function's line is where it calls the next one; the last one's is the place itself.
    for (size_t i = 0; i < rows.size(); ++i) {
        rows[i] = at.place;
        rows[i].symbol = profile.keep(display_name(inlined[i].symbol).c_str());
        rows[i].source =
            i + 1 < rows.size() ? profile.keep(inlined[i + 1].source.c_str()) : at.place.source;
    }
    at.place.source = profile.keep(inlined.front().source.c_str());
    at.inlined = rows.rows;
    at.inlined_count = rows.count;
}

} // namespace

void name_paths(LoadedProfile &profile, SourceLines &lines) {
    std::vector<bool> is_used(profile.places.size(), false);
    for (const PathRow &path : profile.paths) {
        const auto place = static_cast<size_t>(path.place);
        if (path.kind == PathKind::kFrame && place < is_used.size()) {
            is_used[place] = true;
        }
    }
    for (size_t place = 0; place < is_used.size(); ++place) {
        if (is_used[place]) {
            name_path_place(profile.places[place], profile, lines);
        }
    }
}

} // namespace ompcollect
