// SPDX-License-Identifier: Apache-2.0
//
// The text report's tables whose rows end with a place in the code: parallel regions and locks.
#include "named_place.h"
#include "report_parts.h"
#include "text_layout.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

constexpr size_t kRegionsShown = 15;
constexpr size_t kLocksShown = 5;
constexpr size_t kHoldersShown = 2;

constexpr int kEntriesWidth = 10;
// States get columns as long as this much is left for the place.
constexpr size_t kPlaceWidth = 28;
constexpr size_t kPlaceIndent = 12;

std::string spaces(size_t count) {
    return std::string(count, ' ');
}

std::string place_text(const NamedPlace &place, size_t columns) {
    return place.empty() ? "(not in any file)" : shortened_place(place.name, place.source, columns);
}

// Ends the line with the place or, where it does not fit behind `before` columns, with the next
// line, which it has for itself.
std::string place_beside(const NamedPlace &place, const std::string &lead, size_t before,
                         size_t width) {
    constexpr size_t kAny = 2000;
    std::string out = "  ";
    size_t room = width > before ? width - before : 0;
    if (lead.size() + columns_of(place_text(place, kAny)) > room) {
        out = "\n" + spaces(kPlaceIndent);
        room = width > kPlaceIndent ? width - kPlaceIndent : 1;
    }
    return out + lead + place_text(place, room > lead.size() ? room - lead.size() : 1) + "\n";
}

// Columns of a table that ends with a place.
struct PlaceTable {
    StateColumnChoice choice;
    size_t before; // columns before the place
};

PlaceTable place_table(const StateTimes &all, const TextStyle &style) {
    constexpr size_t kFixed = 1 + kEntriesWidth + kTimeWidth + 2;
    const size_t for_shares =
        style.width > kFixed + kPlaceWidth ? style.width - kFixed - kPlaceWidth : 0;
    PlaceTable table{choose_columns(all, std::max<size_t>(for_shares / kShareWidth, 2)), kFixed};
    const auto columns =
        std::count(std::begin(table.choice.shown), std::end(table.choice.shown), true) +
        (table.choice.has_rest ? 1 : 0);
    table.before += static_cast<size_t>(columns) * kShareWidth;
    return table;
}

std::string special_region(const StateTimes &times, const char *name) {
    if (total_wall(times) <= 0) {
        return {};
    }
    return format(" %*s%*.2f  %s\n", kEntriesWidth, "", kTimeWidth, total_wall(times), name);
}

std::string region_row(const Process &process, const RegionTimes &region, const PlaceTable &table,
                       const TextStyle &style) {
    const Node &node = process.nodes[static_cast<size_t>(region.node)];
    std::string out =
        format(" %*llu%*.2f", kEntriesWidth, static_cast<unsigned long long>(node.entries),
               kTimeWidth, total_wall(region.times)) +
        shares(region.times, table.choice) +
        place_beside(place_of(process, region.node), "", table.before, style.width);
    if (const int parent = region_of(process, node.parent); parent >= 0) {
        out += spaces(table.before - 2) +
               place_beside(place_of(process, parent), "inside ", table.before, style.width);
    }
    return out;
}

// Who kept the others waiting.
std::string holders_text(const Lock &lock, size_t before, const TextStyle &style) {
    std::string out;
    const size_t shown = rows_shown(style, kHoldersShown, lock.holders.size());
    for (size_t i = 0; i < shown; ++i) {
        const std::string time = format("%*s%10.2f  ", 11, "", lock.holders[i].wall);
        out += time + spaces(before - 2 - 11 - 10 - 2) +
               place_beside(lock.holders[i].place, "held by ", before, style.width);
    }
    return out;
}

} // namespace

std::string regions_text(const Process &process, const StateTables &tables,
                         const TextStyle &style) {
    if (tables.regions.empty() && total_wall(tables.unknown) <= 0) {
        return {};
    }
    StateTimes inside;
    for (const RegionTimes &region : tables.regions) {
        add_times(inside, region.times);
    }
    const PlaceTable table = place_table(inside, style);
    std::string out = format("\nParallel regions (shares of each one's time in percent)\n %*s%*s",
                             kEntriesWidth, "entries", kTimeWidth, time_heading(process)) +
                      share_heads(table.choice) + "  fork location\n";
    const size_t shown = rows_shown(style, kRegionsShown, tables.regions.size());
    for (size_t i = 0; i < shown; ++i) {
        out += region_row(process, tables.regions[i], table, style);
    }
    StateTimes outside = tables.outside;
    outside.wall[THR_SERIAL_STATE] = 0;
    return out + left_out(shown, tables.regions.size(), "regions") +
           special_region(tables.unknown, "in regions whose fork was not seen") +
           special_region(tables.several, "idle while several outermost regions ran") +
           special_region(outside, "outside any region, besides SERIAL");
}

std::string locks_text(const Process &process, const TextStyle &style) {
    if (process.locks.empty()) {
        return {};
    }
    std::string out =
        format("\nMost contended locks\n %10s%10s  kind  object, first wait at%s\n", "waits",
               time_heading(process), process.knows_holders ? ", who held it" : "");
    const size_t shown = rows_shown(style, kLocksShown, process.locks.size());
    constexpr size_t kBefore = 1 + 10 + 10 + 2 + 4 + 2;
    for (size_t i = 0; i < shown; ++i) {
        const Lock &lock = process.locks[i];
        out += format(" %10llu%10.2f  %-4s", static_cast<unsigned long long>(lock.waits), lock.wall,
                      state_name(lock.state));
        out += lock.object.empty()
                   ? format("  0x%llx\n", static_cast<unsigned long long>(lock.wait_id))
                   : place_beside(lock.object, "", kBefore, style.width);
        if (!lock.first_wait.empty()) {
            out += spaces(kBefore - 2) + place_beside(lock.first_wait, "", kBefore, style.width);
        }
        out += holders_text(lock, kBefore, style);
    }
    return out + left_out(shown, process.locks.size(), "locks");
}

} // namespace ompcollect::report
