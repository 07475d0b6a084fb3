// SPDX-License-Identifier: Apache-2.0
#include "scaling.h"

#include "named_place.h"
#include "omp_collector_api.h"
#include "region_figures.h"
#include "verdict_limits.h"
#include "words.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cmath>
#include <cstdlib>

namespace ompcollect::report {
namespace {

// Of one run: by the region's name.
using Regions = std::map<std::string, RegionAt>;

std::string name_of_region(const Process &process, int node) {
    return node < 0 ? kOutsideName : place_of(process, node).text();
}

// On a processor, where that was measured.
double useful_outside(const Process &process) {
    double sum = 0;
    for (const Cell &cell : process.cells) {
        if (region_of(process, cell.node) < 0 && cell.state == THR_SERIAL_STATE) {
            sum += is_known(cell.cpu) ? cell.cpu : cell.wall;
        }
    }
    return sum;
}

Regions regions_of(const Process &process) {
    const Figures figures = figures_of(process);
    Regions to;
    for (const RegionFigures &region : figures.regions) {
        RegionAt &at = to[name_of_region(process, region.node)];
        at.elapsed += region.elapsed;
        for (const ThreadWork &work : region.work) {
            at.seconds.useful += work.seconds;
        }
    }
    RegionAt &outside = to[kOutsideName];
    outside.elapsed = figures.efficiency.serial;
    outside.seconds.useful = useful_outside(process);
    for (const Loss &loss : figures.losses) {
        const bool is_outside = cause_kind(loss.cause) == LossKind::kSerial;
        const int region = is_outside ? kOutside : region_of(process, loss.node);
        to[name_of_region(process, region)].seconds.lost[loss.cause] += loss.thread_seconds;
    }
    return to;
}

ThreadSeconds sum_of(const Regions &regions) {
    ThreadSeconds sum;
    for (const auto &[name, at] : regions) {
        sum.useful += at.seconds.useful;
        for (const auto &[cause, seconds] : at.seconds.lost) {
            sum.lost[cause] += seconds;
        }
    }
    return sum;
}

// Each value is the median of the runs; what a run has not is 0 there.
template <typename Value>
double median(const std::vector<const ScaleRun *> &runs, const Value &value) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (size_t i = 0; i < runs.size(); ++i) {
        values.push_back(value(i));
    }
    return middle_of(values).median;
}

ThreadSeconds median_of(const std::vector<const ScaleRun *> &runs,
                        const std::vector<ThreadSeconds> &values) {
    ThreadSeconds to;
    to.useful = median(runs, [&](size_t i) { return values[i].useful; });
    for (const ThreadSeconds &each : values) {
        for (const auto &[cause, ignored] : each.lost) {
            to.lost[cause] = median(runs, [&, cause = cause](size_t i) {
                const auto at = values[i].lost.find(cause);
                return at == values[i].lost.end() ? 0 : at->second;
            });
        }
    }
    return to;
}

unsigned usable_processors(const Process &process) {
    const double quota = process.quota > 0 ? process.quota : process.processors;
    return static_cast<unsigned>(std::ceil(std::min<double>(process.processors, quota)));
}

struct Group {
    std::vector<const ScaleRun *> runs;
    std::vector<Regions> regions;
};

ScaleRow row_of(unsigned threads, const Group &group, unsigned processors) {
    ScaleRow row;
    row.threads = threads;
    row.runs = group.runs.size();
    row.is_beyond = processors > 0 && threads > processors;
    std::vector<double> elapsed;
    std::vector<ThreadSeconds> seconds;
    for (size_t i = 0; i < group.runs.size(); ++i) {
        const Process &process = group.runs[i]->process;
        elapsed.push_back(process.seconds);
        row.seen_threads = std::max(row.seen_threads, process.most_threads);
        seconds.push_back(sum_of(group.regions[i]));
    }
    row.elapsed = middle_of(elapsed);
    row.seconds = median_of(group.runs, seconds);
    row.parallel =
        median(group.runs, [&](size_t i) { return seconds[i].useful / (elapsed[i] * threads); });
    return row;
}

std::vector<RegionScaling> region_rows(const std::map<unsigned, Group> &groups) {
    std::map<std::string, RegionScaling> by_name;
    size_t number = 0;
    for (const auto &[threads, group] : groups) {
        for (const Regions &run : group.regions) {
            for (const auto &[name, ignored] : run) {
                by_name[name].name = name;
            }
        }
        for (auto &[name, row] : by_name) {
            row.at.resize(number + 1);
            std::vector<ThreadSeconds> seconds;
            std::vector<double> elapsed;
            for (const Regions &run : group.regions) {
                const auto at = run.find(name);
                elapsed.push_back(at == run.end() ? 0 : at->second.elapsed);
                seconds.push_back(at == run.end() ? ThreadSeconds() : at->second.seconds);
            }
            row.at.back().elapsed = middle_of(elapsed).median;
            row.at.back().seconds = median_of(group.runs, seconds);
        }
        ++number;
    }
    std::vector<RegionScaling> rows;
    rows.reserve(by_name.size());
    for (auto &[name, row] : by_name) {
        rows.push_back(std::move(row));
    }
    return rows;
}

void judge(RegionScaling &region, const Scaling &scaling) {
    size_t last = 0;
    for (size_t i = 1; i < scaling.rows.size() && !scaling.rows[i].is_beyond; ++i) {
        const ScaleRow &row = scaling.rows[i];
        const double threads = static_cast<double>(scaling.rows[i - 1].threads) / row.threads;
        // Where the problem grows, the same time is what more threads are for.
        const double ideal = region.at[i - 1].elapsed * (scaling.grows ? 1 : threads);
        const bool matters = region.at[i].elapsed > limit(Limit::kWorthALine) * row.elapsed.median;
        if (region.stops_at < 0 && matters && ideal < kGoodStep * region.at[i].elapsed) {
            region.stops_at = static_cast<int>(i);
        }
        last = i;
    }
    region.more = region.at[last].elapsed * scaling.rows[last].threads -
                  scaling.growth_to(scaling.rows[last]) * region.at.front().elapsed *
                      scaling.rows.front().threads;
}

// The first row and the last one that is not beyond the processors.
WorkInflation inflation_of(const std::map<unsigned, Group> &groups, const Scaling &scaling) {
    const size_t rows = scaling.timings().size();
    if (rows < 2) {
        return {};
    }
    const ScaleRow &row = scaling.rows[rows - 1];
    InflationInput input;
    input.threads = row.threads;
    input.growth = scaling.growth_to(row);
    input.all = row.elapsed.median * row.threads;
    for (const RegionScaling &region : scaling.regions) {
        input.regions.push_back({region.name,
                                 input.growth * region.at.front().seconds.useful,
                                 region.at[rows - 1].seconds.useful,
                                 {}});
    }
    for (const ScaleRun *run : groups.begin()->second.runs) {
        input.first.push_back(&run->process);
    }
    for (const ScaleRun *run : groups.at(row.threads).runs) {
        input.last.push_back(&run->process);
    }
    return inflation_of(input);
}

// The text with one mark for each number that may differ, and one blank between words.
std::string without_measures(const std::string &text, unsigned threads) {
    std::string to;
    for (size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (std::isspace(byte)) {
            to += to.empty() || to.back() == ' ' ? "" : " ";
            ++i;
            continue;
        }
        size_t end = i;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) {
            ++end;
        }
        if (!std::isdigit(byte)) { // a name may end with digits
            end = std::max(end, i + 1);
            to.append(text, i, end - i);
            i = end;
            continue;
        }
        char *behind = nullptr;
        std::strtod(text.c_str() + i, &behind);
        const std::string number = text.substr(i, static_cast<size_t>(behind - text.c_str()) - i);
        const bool is_measure = number.find_first_of(".eE") != std::string::npos;
        to += is_measure ? "#" : number == std::to_string(threads) ? "@" : number;
        i += number.size();
    }
    return to;
}

} // namespace

double ThreadSeconds::sum() const {
    double sum = useful;
    for (const auto &[cause, seconds] : lost) {
        sum += seconds;
    }
    return sum;
}

std::vector<Timing> Scaling::timings() const {
    std::vector<Timing> timings;
    for (const ScaleRow &row : rows) {
        if (!row.is_beyond) {
            timings.push_back({static_cast<double>(row.threads), row.elapsed.median});
        }
    }
    return timings;
}

Scaling scaling_of(const std::vector<ScaleRun> &runs, bool grows) {
    Scaling scaling;
    scaling.grows = grows;
    std::map<unsigned, Group> groups;
    for (const ScaleRun &run : runs) {
        if (!run.fault.empty()) {
            scaling.faults.push_back(std::to_string(run.threads) + " threads, run " +
                                     std::to_string(run.number) + ": " + run.fault);
            continue;
        }
        Group &group = groups[run.threads];
        group.runs.push_back(&run);
        group.regions.push_back(regions_of(run.process));
        scaling.processors = std::max(scaling.processors, usable_processors(run.process));
        scaling.command = joined(run.process.arguments, " ");
    }
    for (const auto &[threads, group] : groups) {
        scaling.rows.push_back(row_of(threads, group, scaling.processors));
    }
    for (ScaleRow &row : scaling.rows) {
        const ScaleRow &first = scaling.rows.front();
        row.speedup = scaling.growth_to(row) * first.elapsed.median / row.elapsed.median;
        row.scalability = scaling.growth_to(row) * first.seconds.useful / row.seconds.useful;
    }
    if (scaling.rows.empty()) {
        return scaling;
    }
    scaling.regions = region_rows(groups);
    for (RegionScaling &region : scaling.regions) {
        judge(region, scaling);
    }
    scaling.inflation = inflation_of(groups, scaling);
    std::stable_sort(scaling.regions.begin(), scaling.regions.end(),
                     [](const RegionScaling &a, const RegionScaling &b) {
                         const auto when = [](const RegionScaling &region) {
                             return region.stops_at < 0 ? INT_MAX : region.stops_at;
                         };
                         return std::pair(when(a), -a.more) < std::pair(when(b), -b.more);
                     });
    return scaling;
}

bool is_same_output(const std::string &one, unsigned threads, const std::string &other,
                    unsigned other_threads) {
    return without_measures(one, threads) == without_measures(other, other_threads);
}

} // namespace ompcollect::report
