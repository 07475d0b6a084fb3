// SPDX-License-Identifier: Apache-2.0
// What tests ask a process that was read from a profile file, before places have names.
#pragma once

#include "live_reader.h"
#include "state_tables.h"

#include "omp_collector_api.h"

#include <string>
#include <vector>

namespace ocb_test {

using ompcollect::report::Process;
using ompcollect::report::RegionTimes;
using ompcollect::report::StateTables;

// Most time first.
inline std::vector<RegionTimes> regions_of(const Process &process) {
    return StateTables(process).regions;
}

inline const ompcollect::report::Node &node_of(const Process &process, const RegionTimes &region) {
    return process.nodes[static_cast<size_t>(region.node)];
}

inline uint64_t entries_of(const Process &process) {
    uint64_t entries = 0;
    for (const RegionTimes &region : regions_of(process)) {
        entries += node_of(process, region).entries;
    }
    return entries;
}

// Empty if the file could be read, else why not.
inline std::string why_not_read(const std::string &path, Process &to) {
    try {
        to = ompcollect::report::read_live_file(path);
    } catch (const std::runtime_error &error) {
        return error.what();
    }
    return {};
}

} // namespace ocb_test
