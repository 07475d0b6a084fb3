// SPDX-License-Identifier: Apache-2.0
//
// Comma-separated values (RFC 4180): one row per thread, call path and state.
#include "formats.h"
#include "frames.h"
#include "words.h"

#include <ostream>

namespace ompcollect::report {

void write_csv(const Run &run, std::ostream &out) {
    out << "pid,rank,thread,tid,region,source,path,state,wall_seconds,cpu_seconds,samples,within,"
           "call\r\n";
    for (const Process &process : run.processes) {
        for (const Cell &cell : process.cells) {
            const Thread &thread = process.threads[cell.thread];
            const int region = region_of(process, cell.node);
            const std::string source =
                cell.node < 0 ? "" : process.nodes[static_cast<size_t>(cell.node)].source;
            out << process.pid << ',' << csv_field(bounded(process.rank)) << ',' << thread.number
                << ',' << thread.tid << ','
                << csv_field(region < 0 ? place_name(process, region)
                                        : node_name(process.nodes[static_cast<size_t>(region)]))
                << ',' << csv_field(bounded(source)) << ','
                << csv_field(joined(path_names(process, cell.node), ";")) << ','
                << state_name(cell.state) << ',' << format("%.9g", cell.wall) << ','
                << (is_known(cell.cpu) ? format("%.9g", cell.cpu) : "") << ',' << cell.samples
                << ',' << state_name(state_within(cell)) << ','
                << csv_field(bounded(call_name(process, cell))) << "\r\n";
        }
    }
}

} // namespace ompcollect::report
