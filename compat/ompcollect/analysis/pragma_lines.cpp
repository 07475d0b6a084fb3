// SPDX-License-Identifier: Apache-2.0
#include "pragma_lines.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace ompcollect::report {

namespace {

std::string in_small_letters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return std::tolower(letter); });
    return text;
}

std::string_view known_name(std::string_view function) {
    return function.starts_with('.') ? std::string_view() : function;
}

// False where a macro has the pragma: the loop may be on the same line. True without a source text.
bool is_pragma(const std::string &text) {
    const size_t begin = text.find_first_not_of(" \t");
    const std::string small = in_small_letters(text);
    return begin == std::string::npos || text[begin] == '#' ||
           small.find("$omp") != std::string::npos || small.find("omp::") != std::string::npos;
}

bool waits_for_tasks(const std::string &text) {
    const std::string small = in_small_letters(text);
    return is_pragma(text) &&
           (small.find("taskwait") != small.npos || small.find("taskgroup") != small.npos);
}

} // namespace

PragmaLines::PragmaLines(const Process &process)
    : process_(process), own_work_(own_work_of(process)) {
    for (const Line &line : process.lines) {
        if (!line.source.empty()) {
            lines_.try_emplace(line.source, line);
        }
    }
}

// A compiler puts the copies of a reduction, and their combination, on the line of the pragma,
// where nothing else of the program runs. The runtime does not know of them. Returns the line's
// work, if that and the runtime's part are much of what the region did on a processor. Other
// regions may be on the line, too, so it is bounded by the work of this one's own function.
std::optional<Line> PragmaLines::reduction_of(const RegionFigures &region) const {
    if (region.node < 0) {
        return {};
    }
    const Node &node = process_.nodes[static_cast<size_t>(region.node)];
    const auto found = lines_.find(node.source.str());
    const bool is_its =
        found != lines_.end() && is_pragma(found->second.text) &&
        (found->second.function == node.function.str() || found->second.function.starts_with('.'));
    Line line = is_its ? found->second : Line();
    const auto own = own_work_.find(region.node);
    const OwnWork here = own == own_work_.end() ? OwnWork() : own->second;
    line.times.wall[THR_WORK_STATE] = std::min(line.times.wall[THR_WORK_STATE], here.work);
    line.times.wall[kNoProcessorState] =
        std::min(line.times.wall[kNoProcessorState], here.no_processor);
    line.samples = std::min(line.samples, here.samples);
    const double seconds = line.times.wall[THR_WORK_STATE] + region.times.wall[THR_REDUC_STATE];
    return seconds > 0 && seconds >= limit(Limit::kMuch) * executed(region) ? std::optional(line)
                                                                            : std::nullopt;
}

// True where the threads ask for iterations again and again: the code around those calls is on the
// pragma's line, too.
bool hands_out_iterations(const RegionFigures &region, const Line &line) {
    return region.within.wall[THR_REDUC_STATE] + region.within.wall[THR_ATWT_STATE] <= 0 &&
           region.times.wall[THR_OVHD_STATE] >
               limit(Limit::kQuarter) * line.times.wall[THR_WORK_STATE];
}

TaskWaits::TaskWaits(const Process &process) : process_(process) {
    for (const Line &line : process.lines) {
        const double seconds = line.times.wall[THR_OVHD_STATE];
        Sum &to = functions_[known_name(line.function)];
        to.all += seconds;
        to.waits += waits_for_tasks(line.text) ? seconds : 0;
    }
}

double TaskWaits::part_of(const Cell &cell) const {
    if (cell.node < 0) {
        return 0;
    }
    const std::string_view name = process_.nodes[static_cast<size_t>(cell.node)].function.str();
    auto found = functions_.find(known_name(name));
    if (found == functions_.end() || found->second.all <= 0) {
        found = functions_.find({});
    }
    return found != functions_.end() && found->second.all > 0
               ? found->second.waits / found->second.all
               : 0;
}

int TaskWaits::place(int region) const {
    std::map<int, double> nodes;
    for (const Cell &cell : process_.cells) {
        if (state_within(cell) == THR_OVHD_STATE && region_of(process_, cell.node) == region) {
            nodes[cell.node] += part_of(cell) * cell.wall;
        }
    }
    const auto most =
        std::max_element(nodes.begin(), nodes.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == nodes.end() ? region : most->first;
}

} // namespace ompcollect::report
