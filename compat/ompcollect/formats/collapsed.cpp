// SPDX-License-Identifier: Apache-2.0
//
// Collapsed stacks: "frame;frame;state count", one line per call path and state, all threads and
// processes together. Counts are microseconds by the clock, as the tables have them.
#include "formats.h"
#include "frames.h"
#include "nearest.h"
#include "words.h"

#include <algorithm>
#include <ostream>

namespace ompcollect::report {

void write_collapsed(const Run &run, std::ostream &out) {
    std::map<std::string, double> seconds;
    for (const Process &process : run.processes) {
        for (const Cell &cell : process.cells) {
            std::string line = base_name(process.program);
            for (std::string name : stack_names(process, cell.node, cell.state)) {
                std::replace(name.begin(), name.end(), ';', ':'); // ends a frame
                std::replace(name.begin(), name.end(), '\n', ' ');
                line += ";" + name;
            }
            seconds[line] += std::max(0.0, cell.wall);
        }
    }
    for (const auto &[line, wall] : seconds) {
        const auto micros = nearest(wall * 1e6);
        if (micros != 0) {
            out << line << ' ' << micros << '\n';
        }
    }
}

} // namespace ompcollect::report
