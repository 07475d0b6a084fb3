// SPDX-License-Identifier: Apache-2.0
#include "named_place.h"
#include "region_figures.h"
#include "report_parts.h"
#include "table_rows.h"
#include "warnings.h"
#include "words.h"

#include <algorithm>
#include <map>

namespace ompcollect::report {
namespace {

constexpr size_t kRoomForNames = 40; // beside columns of states

// The part of the row's own time that each state has.
void add_state_columns(Table &table, const std::vector<StateTimes> &times, size_t width) {
    size_t used = 0;
    for (const Column &column : table.columns) {
        used += column.width;
    }
    const size_t room = width - std::min(width, used + kRoomForNames);
    StateTimes all;
    for (const StateTimes &each : times) {
        add_times(all, each);
    }
    const StateColumnChoice choice = choose_columns(all, room / kStateWidth);
    for (const unsigned state : states_in_order()) {
        if (!choice.shown[state]) {
            continue;
        }
        table.columns.push_back({state_name(state), kStateWidth});
        for (size_t i = 0; i < times.size(); ++i) {
            const double sum = total_wall(times[i]);
            add_share(table.rows[i], sum > 0 ? times[i].wall[state] / sum : kNotKnown);
        }
    }
}

std::string of_work(const RegionFigures &region) {
    return "work of a thread: " + duration(region.work_min) + " least, " +
           duration(region.work_mean) + " mean, " + duration(region.work_max) + " most";
}

Row region_row(const Shown &shown, int node, const StateTimes &times,
               const RegionFigures *figures) {
    const Process &process = shown.process;
    const NamedPlace place = place_of(process, node);
    const uint64_t entries = node >= 0 ? process.nodes[static_cast<size_t>(node)].entries : 0;
    Row row;
    add_time(row, figures ? figures->gain : kNotKnown);
    add_time(row, total_wall(times));
    add_count(row, entries);
    add_count(row, figures ? figures->team : 0);
    row.name = place.name;
    row.source = place.source;
    row.region = node;
    row.detail = {place.text(), states_in_words(times)};
    if (figures) {
        row.detail.push_back(grouped(entries) + (entries == 1 ? " entry" : " entries") + " of " +
                             duration(figures->mean_length) + ", team of " +
                             std::to_string(figures->team) + "; " + of_work(*figures));
    }
    return row;
}

} // namespace

Table findings_table(const Shown &shown, const Choice &choice) {
    Table table;
    table.columns = {{"costs", kTimeColumn - 1}, {"share", kShareColumn - 1}};
    table.name_head = "why, and where most";
    for (const Finding &finding : shown.conclusions.findings) {
        const int region = region_of(shown.process, finding.node);
        if (choice.region && *choice.region != region) {
            continue;
        }
        Row &row = table.rows.emplace_back();
        add_time(row, finding.seconds);
        add_share(row, finding.share);
        const NamedPlace place = place_of(shown.process, finding.node);
        row.mark = cause_title(finding.cause) + std::string(", ");
        row.name = place.name;
        row.source = place.source;
        if (region >= 0) {
            row.region = region;
        }
        row.detail = {
            "at " + place.text() +
                (finding.places.size() > 1 ? ", " + percent(finding.places[0].share) + "; and " +
                                                 grouped(finding.places.size() - 1) + " more"
                                           : ""),
            "cause: " + finding.evidence, std::string("cure: ") + cause_cure(finding.cause)};
    }
    for (const Warning &warning : warnings_of(shown.process)) {
        Row &row = table.rows.emplace_back();
        add_time(row, kNotKnown);
        add_share(row, kNotKnown);
        row.mark = severity_name(warning.severity) + (": " + warning.text);
        row.detail = {warning.text};
    }
    table.if_empty = choice.region ? "No finding has its first place in this region."
                                   : no_finding(shown.process, shown.conclusions.figures);
    return table;
}

Table regions_table(const Shown &shown, const Choice &choice, size_t width) {
    const Process &process = shown.process;
    Choice others = choice; // the page from which a region is chosen shows all of them
    others.region.reset();
    std::map<int, StateTimes> sums;
    for (const Cell &cell : process.cells) {
        const int region = region_of(process, cell.node);
        if (region != kOutside && others.has(process, cell)) {
            sums[region].wall[cell.state] += cell.wall;
        }
    }
    std::map<int, const RegionFigures *> figures;
    for (const RegionFigures &each : shown.conclusions.figures.regions) {
        figures[each.node] = &each;
    }
    Table table;
    table.columns = {
        {"gain", kTimeColumn}, {"total", kTimeColumn}, {"entries", 10}, {"team", kCountColumn}};
    table.name_head = "fork location";
    table.if_empty = "No time of a region is selected.";
    std::vector<std::pair<Row, StateTimes>> rows;
    for (const auto &[node, sum] : sums) {
        const auto own = figures.find(node);
        rows.emplace_back(
            region_row(shown, node, sum, own == figures.end() ? nullptr : own->second), sum);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto &a, const auto &b) { return is_before(a.first, b.first, 0); });
    std::vector<StateTimes> times;
    for (auto &[row, own] : rows) {
        table.rows.push_back(std::move(row));
        times.push_back(own);
    }
    add_state_columns(table, times, width);
    return table;
}

} // namespace ompcollect::report
