// SPDX-License-Identifier: Apache-2.0
//
// What matters less is left out: the meanings of the states first, then regions, then cures of the
// smaller findings, call paths last.
#include "brief_report.h"

#include "call_tree_text.h"
#include "report_parts.h"
#include "text_layout.h"
#include "words.h"

namespace ompcollect::report {
namespace {

struct Level {
    bool has_meanings; // of the states
    BriefForm verdict; // cures, lines of a cause; 0: all
    size_t regions;
    size_t paths;
};
constexpr Level kLevels[] = {
    {true, {3, 0}, 8, 10},  {true, {3, 0}, 5, 10},  {true, {3, 0}, 3, 10},  {false, {3, 0}, 5, 10},
    {false, {3, 0}, 3, 10}, {false, {3, 0}, 2, 10}, {false, {2, 0}, 3, 10}, {false, {1, 0}, 3, 10},
    {false, {1, 0}, 2, 10}, {false, {1, 0}, 1, 10}, {false, {1, 3}, 1, 8},  {false, {1, 2}, 1, 8},
    {false, {1, 2}, 1, 5},  {false, {0, 2}, 1, 5},  {false, {0, 1}, 1, 5},  {false, {0, 1}, 1, 3},
    {false, {0, 1}, 1, 1},
};

std::string counted(size_t count, const char *what) {
    return grouped(count) + " " + what + (count == 1 ? "" : "s");
}

// What the reader does not see here, and how to.
std::string more_text(const Process &process, const Conclusions &from, size_t regions) {
    std::vector<std::string> left;
    if (from.findings.size() > kFindingsShown) {
        left.push_back(counted(from.findings.size() - kFindingsShown, "finding"));
    }
    if (from.figures.regions.size() > regions) {
        left.push_back(counted(from.figures.regions.size() - regions, "region"));
    }
    const char *locks = process.locks.empty() ? "" : "locks,";
    return "More" + (left.empty() ? "" : " (" + joined(left, ", ") + ")") +
           format(": --all, or --show threads,paths,%sevents\n", locks);
}

} // namespace

std::string brief_text(const Process &process, const StateTables &tables, const Conclusions &from,
                       const TextStyle &style, size_t head_lines) {
    const bool has_own_rows = style.rows != 0; // as many as the reader wants
    std::string text;
    const HotPaths hot_paths(process);
    for (const Level &level : kLevels) {
        TextStyle here = style;
        here.top = has_own_rows ? style.rows : level.regions;
        text = "\n" + brief_verdict_text(process, from, style, level.verdict);
        text += level.has_meanings
                    ? states_text(process, tables, style)
                    : brief_states_text(process, tables, from.figures.samples, style);
        text += gains_text(process, from.figures, here);
        text += hot_paths.text(style, has_own_rows ? style.rows : level.paths);
        text += more_text(process, from, here.top);
        if (head_lines + line_count(text) <= kScreen) {
            break;
        }
    }
    return text;
}

} // namespace ompcollect::report
