// SPDX-License-Identifier: Apache-2.0
//
// Collapsed stacks: "frame;frame;state count", one line per call path and state, all threads and
// processes together. Counts are samples.
#include "formats.h"
#include "frames.h"
#include "words.h"

#include <algorithm>
#include <ostream>

namespace ompcollect::report {

void write_collapsed(const Run &run, std::ostream &out) {
    std::map<std::string, uint64_t> counts;
    for (const Process &process : run.processes) {
        for (const Cell &cell : process.cells) {
            std::string line = base_name(process.program);
            for (std::string name : stack_names(process, cell.node, cell.state)) {
                std::replace(name.begin(), name.end(), ';', ':'); // ends a frame
                std::replace(name.begin(), name.end(), '\n', ' ');
                line += ";" + name;
            }
            counts[line] += weight_of(process, cell);
        }
    }
    for (const auto &[line, count] : counts) {
        if (count != 0) {
            out << line << ' ' << count << '\n';
        }
    }
}

} // namespace ompcollect::report
