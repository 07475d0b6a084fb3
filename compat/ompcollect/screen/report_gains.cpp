// SPDX-License-Identifier: Apache-2.0
//
// The text report's lists that stand behind the findings: what each region would gain, and whose
// code kept the others waiting.
#include "blame.h"
#include "named_place.h"
#include "people.h"
#include "report_parts.h"
#include "text_layout.h"
#include "words.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

// Columns from which on the table of regions is shown in full.
constexpr size_t kWideLine = 100;
constexpr size_t kBlamesShown = 5;

std::vector<const RegionFigures *> by_gain(const Figures &figures) {
    std::vector<const RegionFigures *> rows;
    for (const RegionFigures &region : figures.regions) {
        rows.push_back(&region);
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const auto *a, const auto *b) { return a->gain > b->gain; });
    return rows;
}

// What the columns have room for besides the place: a brief report names places rather than work.
enum class Columns { kFew, kUsual, kWide };

Columns columns_for(const TextStyle &style) {
    return style.parts == kBrief      ? Columns::kFew
           : style.width >= kWideLine ? Columns::kWide
                                      : Columns::kUsual;
}

std::string column_heads(const Process &process, Columns columns) {
    const std::string text =
        format("  %9s %6s %11s %9s %4s", "gain", "", "entries", "each", "team");
    // Processor time where it was measured: WORK in the tables of states is time by the clock.
    const bool is_cpu = process.has_cpu_times;
    const char *work = is_cpu ? "cpu work" : "work";
    return text +
           (columns == Columns::kWide
                ? format(" %9s %9s %9s", is_cpu ? "cpu min" : "work min", "mean", "max")
            : columns == Columns::kUsual ? format(" %9s", work)
                                         : "") +
           "  fork location\n";
}

std::string region_row(const Process &process, const RegionFigures &region, double elapsed,
                       const TextStyle &style) {
    const Columns columns = columns_for(style);
    const bool is_wide = columns == Columns::kWide;
    const uint64_t entries =
        region.node < 0 ? 0 : process.nodes[static_cast<size_t>(region.node)].entries;
    std::string row =
        format("  %9s %6s %11s %9s %4u", duration(region.gain).c_str(),
               percent(elapsed > 0 ? region.gain / elapsed : 0).c_str(), grouped(entries).c_str(),
               region.mean_length > 0 ? duration(region.mean_length).c_str() : "-", region.team);
    row += is_wide ? format(" %9s", duration(region.work_min).c_str()) : "";
    row += columns == Columns::kFew ? "" : format(" %9s", duration(region.work_mean).c_str());
    row += is_wide ? format(" %9s", duration(region.work_max).c_str()) : "";
    return row + "  " + place_in_line(process, region.node, style.width, row.size() + 2) + "\n";
}

// Names that do not fit into one line get a line each.
std::string blame_row(const Process &process, const Blame &blame, size_t width) {
    const int region = region_of(process, blame.node);
    const std::string head = format("  %9s  ", duration(blame.seconds).c_str());
    const std::string samples =
        format("(%s sample%s)", grouped(blame.samples).c_str(), blame.samples == 1 ? "" : "s");
    std::string words = place_name(process, blame.node);
    std::string where = region < 0 || region == blame.node
                            ? std::string()
                            : node_name(process.nodes[static_cast<size_t>(region)]);
    const size_t all = columns_of(head + words + where + samples) + 6;
    if (all > width) {
        words = place_in_line(process, blame.node, width, head.size() + samples.size() + 2);
        where = where.empty() ? where : place_in_line(process, region, width, head.size() + 3);
    }
    if (where.empty()) {
        return head + words + " " + samples + "\n";
    }
    return all > width ? head + words + " " + samples + "\n" + std::string(head.size(), ' ') +
                             "in " + where + "\n"
                       : head + words + ", in " + where + " " + samples + "\n";
}

} // namespace

std::string gains_text(const Process &process, const Figures &figures, const TextStyle &style) {
    if (figures.regions.empty()) {
        return {};
    }
    const std::vector<const RegionFigures *> rows = by_gain(figures);
    const size_t shown = style.top != 0 ? std::min(style.top, rows.size()) : rows.size();
    const bool is_brief = style.parts == kBrief;
    std::string title = "Regions by potential gain";
    title = style.colour ? kBoldBegin + title + kBoldEnd : title;
    title += is_brief && shown < rows.size()
                 ? format(", %zu of %s", shown, grouped(rows.size()).c_str())
                 : "";
    std::string out = "\n" + title + " (elapsed time saved if no thread waited)\n" +
                      column_heads(process, columns_for(style));
    for (size_t i = 0; i < shown; ++i) {
        out += region_row(process, *rows[i], figures.efficiency.elapsed, style);
    }
    return out + (is_brief ? "" : left_out(shown, rows.size(), "regions"));
}

std::string blame_text(const Process &process, const TextStyle &style) {
    const std::vector<Blame> blames = blame_of(process);
    if (blames.empty()) {
        return {};
    }
    const std::string title = "Who kept the others waiting";
    std::string out = "\n" + (style.colour ? kBoldBegin + title + kBoldEnd : title) +
                      " (thread seconds of their waiting)\n";
    const size_t shown = rows_shown(style, kBlamesShown, blames.size());
    for (size_t i = 0; i < shown; ++i) {
        out += blame_row(process, blames[i], style.width);
    }
    return out + left_out(shown, blames.size(), "places");
}

} // namespace ompcollect::report
