// SPDX-License-Identifier: Apache-2.0
//
// Sampling a time t at a rate r gives t x r samples, whose number has the standard
// deviation of its square root.
#include "diff.h"

#include "words.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ompcollect::report {
namespace {

struct Sum {
    double seconds = 0;
    double variance = 0; // of sampling
};
using Sums = std::map<std::string, Sum>;

int key_of(const Process &process, const Cell &cell, DiffBy by) {
    switch (by) {
    case DiffBy::kState:
        return static_cast<int>(cell.state);
    case DiffBy::kRegion:
        return region_of(process, cell.node);
    case DiffBy::kFunction:
        break;
    }
    return cell.node;
}

std::string name_of(const Process &process, int key, DiffBy by) {
    if (by == DiffBy::kState) {
        return state_name(static_cast<unsigned>(key));
    }
    return key < 0 ? place_name(process, key) : node_name(process.nodes[static_cast<size_t>(key)]);
}

Sums sums_of(const Run &run, DiffBy by) {
    Sums sums;
    for (const Process &process : run.processes) {
        const double period = process.rate ? 1.0 / process.rate : 0;
        std::map<int, Sum> by_key; // names may be long
        for (const Cell &cell : process.cells) {
            Sum &sum = by_key[key_of(process, cell, by)];
            sum.seconds += cell.wall;
            sum.variance += static_cast<double>(cell.samples) * period * period;
        }
        for (const auto &[key, part] : by_key) {
            Sum &sum = sums[name_of(process, key, by)];
            sum.seconds += part.seconds;
            sum.variance += part.variance;
        }
    }
    return sums;
}

// Of the values of one row; a run without the row counts as 0.
Spread spread_of(const std::vector<Sum> &values) {
    Spread to;
    if (values.empty()) {
        return to;
    }
    to.least = values.front().seconds;
    double variance = 0;
    for (const Sum &value : values) {
        to.mean += value.seconds / static_cast<double>(values.size());
        to.least = std::min(to.least, value.seconds);
        to.most = std::max(to.most, value.seconds);
        variance += value.variance;
    }
    to.noise = 3 * std::sqrt(variance) / static_cast<double>(values.size());
    return to;
}

std::map<std::string, Spread> spreads_of(const std::vector<Run> &runs, DiffBy by) {
    std::map<std::string, std::vector<Sum>> values;
    for (size_t i = 0; i < runs.size(); ++i) {
        for (const auto &[name, sum] : sums_of(runs[i], by)) {
            std::vector<Sum> &row = values[name];
            row.resize(runs.size());
            row[i] = sum;
        }
    }
    std::map<std::string, Spread> to;
    for (const auto &[name, row] : values) {
        to[name] = spread_of(row);
    }
    return to;
}

// Processes of a run go side by side: the longest counts.
Spread elapsed_of(const std::vector<Run> &runs) {
    std::vector<Sum> values;
    for (const Run &run : runs) {
        Sum &longest = values.emplace_back();
        for (const Process &process : run.processes) {
            longest.seconds = std::max(longest.seconds, process.seconds);
        }
    }
    return spread_of(values);
}

std::string range(const Spread &spread, size_t runs) {
    return runs < 2 ? "" : format(" (%.2f..%.2f)", spread.least, spread.most);
}

const char *title_of(DiffBy by) {
    switch (by) {
    case DiffBy::kFunction:
        return "function";
    case DiffBy::kRegion:
        return "region";
    case DiffBy::kState:
        break;
    }
    return "state";
}

} // namespace

bool DiffRow::is_certain() const {
    const double apart = change() > 0 ? after.least - before.most : before.least - after.most;
    return apart > 0 &&
           std::fabs(change()) > std::sqrt(before.noise * before.noise + after.noise * after.noise);
}

Diff diff_of(const std::vector<Run> &before, const std::vector<Run> &after, DiffBy by) {
    Diff diff;
    diff.elapsed_before = elapsed_of(before);
    diff.elapsed_after = elapsed_of(after);
    std::map<std::string, DiffRow> rows;
    for (const auto &[name, spread] : spreads_of(before, by)) {
        rows[name].before = spread;
    }
    for (const auto &[name, spread] : spreads_of(after, by)) {
        rows[name].after = spread;
    }
    for (auto &[name, row] : rows) {
        row.name = name;
        diff.rows.push_back(std::move(row));
    }
    std::stable_sort(diff.rows.begin(), diff.rows.end(), [](const DiffRow &a, const DiffRow &b) {
        return std::fabs(a.change()) > std::fabs(b.change());
    });
    return diff;
}

std::string diff_text(const std::vector<Run> &before, const std::vector<Run> &after,
                      const std::vector<DiffBy> &tables, size_t top) {
    std::string text;
    for (const DiffBy by : tables) {
        const Diff diff = diff_of(before, after, by);
        if (text.empty()) {
            const double change = diff.elapsed_after.mean - diff.elapsed_before.mean;
            text += format(
                "Elapsed: %.2f s%s before, %.2f s%s after, %+.2f s", diff.elapsed_before.mean,
                range(diff.elapsed_before, before.size()).c_str(), diff.elapsed_after.mean,
                range(diff.elapsed_after, after.size()).c_str(), change);
            text += diff.elapsed_before.mean > 0
                        ? format(" (%+.0f %%)\n", 100 * change / diff.elapsed_before.mean)
                        : std::string("\n");
            text +=
                "Tables: seconds of thread time; * marks what neither sampling nor the spread of "
                "the runs explains.\n";
        }
        text += format("\n  %18s %18s %10s   %s\n", "before", "after", "change", title_of(by));
        size_t shown = 0;
        for (const DiffRow &row : diff.rows) {
            if (top != 0 && ++shown > top) {
                text += format("  and %zu more (--all)\n", diff.rows.size() - top);
                break;
            }
            text += format(
                "  %18s %18s %+10.2f %c %s\n",
                format("%.2f%s", row.before.mean, range(row.before, before.size()).c_str()).c_str(),
                format("%.2f%s", row.after.mean, range(row.after, after.size()).c_str()).c_str(),
                row.change(), row.is_certain() ? '*' : ' ', row.name.c_str());
        }
    }
    return text;
}

std::string diff_csv(const std::vector<Run> &before, const std::vector<Run> &after,
                     const std::vector<DiffBy> &tables) {
    std::string text = "by,name,before,before_min,before_max,after,after_min,after_max,change,"
                       "certain\r\n";
    for (const DiffBy by : tables) {
        for (const DiffRow &row : diff_of(before, after, by).rows) {
            text += format("%s,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\r\n", title_of(by),
                           csv_field(row.name).c_str(), row.before.mean, row.before.least,
                           row.before.most, row.after.mean, row.after.least, row.after.most,
                           row.change(), row.is_certain());
        }
    }
    return text;
}

} // namespace ompcollect::report
