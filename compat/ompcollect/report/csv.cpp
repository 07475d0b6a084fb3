// SPDX-License-Identifier: Apache-2.0
//
// Comma-separated values (RFC 4180): one row per thread, call path and state.
#include "formats.h"
#include "frames.h"
#include "words.h"

#include <ostream>

namespace ompcollect::report {
namespace {

std::string quoted(const std::string &text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) {
        return text;
    }
    std::string to = "\"";
    for (const char c : text) {
        to += c == '"' ? "\"\"" : std::string(1, c);
    }
    return to + "\"";
}

std::string joined(const std::vector<std::string> &names) {
    std::string to;
    for (const std::string &name : names) {
        to += (to.empty() ? "" : ";") + name;
    }
    return to;
}

} // namespace

void write_csv(const Run &run, std::ostream &out) {
    out << "pid,rank,thread,tid,region,source,path,state,wall_seconds,cpu_seconds,samples\r\n";
    for (const Process &process : run.processes) {
        for (const Cell &cell : process.cells) {
            const Thread &thread = process.threads[cell.thread];
            const int region = region_of(process, cell.node);
            const std::string source =
                cell.node < 0 ? "" : process.nodes[static_cast<size_t>(cell.node)].source;
            out << process.pid << ',' << quoted(process.rank) << ',' << thread.number << ','
                << thread.tid << ','
                << quoted(region < 0 ? place_name(process, region)
                                     : node_name(process.nodes[static_cast<size_t>(region)]))
                << ',' << quoted(source) << ',' << quoted(joined(path_names(process, cell.node)))
                << ',' << state_name(cell.state) << ',' << format("%.9g", cell.wall) << ','
                << format("%.9g", cell.cpu) << ',' << cell.samples << "\r\n";
        }
    }
}

} // namespace ompcollect::report
