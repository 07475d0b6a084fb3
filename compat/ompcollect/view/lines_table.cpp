// SPDX-License-Identifier: Apache-2.0
#include "table_rows.h"

#include <algorithm>
#include <map>

namespace ompcollect::report {
namespace {

// By the nearest line at or above its place in the call tree, most time first.
std::vector<Line> chosen_lines(const Process &process, const Choice &choice) {
    const std::vector<Node> &nodes = process.nodes;
    std::vector<int> nearest(nodes.size(), -1); // at or above, that has a line
    for (size_t i = 0; i < nodes.size(); ++i) {
        const Node &node = nodes[i];
        nearest[i] = !node.source.empty() ? static_cast<int>(i)
                     : node.parent >= 0   ? nearest[static_cast<size_t>(node.parent)]
                                          : -1;
    }
    std::map<std::string, std::string> texts;
    for (const Line &line : process.lines) {
        texts.emplace(line.source, line.text);
    }
    std::map<std::string, Line> lines;
    for (const Cell &cell : process.cells) {
        const int at = cell.node >= 0 ? nearest[static_cast<size_t>(cell.node)] : -1;
        if (at < 0 || !choice.has(process, cell)) {
            continue;
        }
        const Node &node = nodes[static_cast<size_t>(at)];
        Line &line = lines[node.source];
        line.source = node.source;
        line.function = node.function;
        line.times.wall[cell.state] += cell.wall;
        line.samples += cell.samples;
    }
    std::vector<Line> to;
    for (auto &[source, line] : lines) {
        const auto text = texts.find(source);
        line.text = text == texts.end() ? std::string() : text->second;
        to.push_back(std::move(line));
    }
    std::stable_sort(to.begin(), to.end(), [](const Line &a, const Line &b) {
        return total_wall(a.times) > total_wall(b.times);
    });
    return to;
}

} // namespace

Table lines_table(const Shown &shown, const Choice &choice) {
    const Process &process = shown.process;
    Table table;
    table.columns = {{"total", kTimeColumn}, {"share", kShareColumn}};
    table.name_head = "line";
    table.if_empty = "No line is known of what is selected; programs need debug information (-g).";
    const std::vector<Line> lines =
        choice.is_all() && !process.lines.empty() ? process.lines : chosen_lines(process, choice);
    double sum = 0;
    for (const Line &line : lines) {
        sum += total_wall(line.times);
    }
    for (const Line &line : lines) {
        const double total = total_wall(line.times);
        Row &row = table.rows.emplace_back();
        add_time(row, total);
        add_share(row, sum > 0 ? total / sum : kNotKnown);
        row.source = line.source;
        row.text = line.text;
        row.detail = {line.source + " in " + line.function, line.text, states_in_words(line.times)};
    }
    return table;
}

} // namespace ompcollect::report
