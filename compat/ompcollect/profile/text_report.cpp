// SPDX-License-Identifier: Apache-2.0
//
// The order of rows is that of the profile: most time first. Tables and columns
// without content are left out.
#include "text_report.h"

#include "report_parts.h"
#include "text_layout.h"

#include "omp_collector_api.h"

#include <cstdio>
#include <cstring>

namespace ompcollect {
namespace {

constexpr size_t kRegionsShown = 15;
constexpr size_t kLocksShown = 5;

constexpr size_t kEntriesWidth = 10;
// States get columns as long as this much is left for the place.
constexpr size_t kPlaceWidth = 28;
constexpr size_t kPlaceIndent = 12;

// The name of the place in at most `columns`: function and line, or module and offset.
void append_place(Text &to, const Place &place, size_t columns) {
    Text source;
    if (place.source) {
        append_printable(source, place.source);
    } else if (place.module) {
        append_printable(source, file_name_of(place.module));
        source.appendf("+0x%llx", static_cast<unsigned long long>(place.offset));
    }
    if (!place.symbol) {
        append_shortened(to, source.size() ? source.c_str() : "(not in any file)", columns);
        return;
    }
    Text symbol;
    append_printable(symbol, place.symbol);
    // The function tells more than the line, but a name of few letters tells nothing.
    constexpr size_t kFewest = 12;
    const size_t wanted = symbol.columns() < kFewest ? symbol.columns() : kFewest;
    size_t source_room = source.columns();
    if (source_room + 1 + wanted > columns) {
        source_room = columns > wanted + 1 ? columns - wanted - 1 : 0;
    }
    append_shortened_name(to, symbol.c_str(), source_room ? columns - source_room - 1 : columns);
    if (source_room) {
        to.append(" ");
        append_shortened(to, source.c_str(), source_room);
    }
}

// Columns of a table that ends with a place.
struct PlaceTable {
    StateColumnChoice choice;
    size_t before; // columns before the place
};

// Ends the line with the place or, where it does not fit behind `before` columns, with the next
// line, which it has for itself.
void print_place_beside(TextOutput &out, const Place &place, const char *lead, size_t before,
                        size_t width) {
    constexpr size_t kAny = 2000;
    Text whole;
    append_place(whole, place, kAny);
    size_t room = width > before ? width - before : 0;
    if (strlen(lead) + whole.columns() > room) {
        out.print("\n%*s", static_cast<int>(kPlaceIndent), "");
        room = width > kPlaceIndent ? width - kPlaceIndent : 1;
    } else {
        out.print("  ");
    }
    Text fit;
    append_place(fit, place, room > strlen(lead) ? room - strlen(lead) : 1);
    out.print("%s%s\n", lead, fit.c_str());
}

PlaceTable place_table(const StateTimes &all, const ReportStyle &style) {
    const size_t fixed = 1 + kEntriesWidth + kTimeWidth + 2;
    const size_t for_shares =
        style.width > fixed + kPlaceWidth ? style.width - fixed - kPlaceWidth : 0;
    unsigned columns = static_cast<unsigned>(for_shares / kShareWidth);
    columns = columns < 2 ? 2 : columns;
    PlaceTable table{choose_columns(all, columns), fixed};
    for (const bool shown : table.choice.shown) {
        table.before += shown ? kShareWidth : 0;
    }
    table.before += table.choice.has_rest ? kShareWidth : 0;
    return table;
}

void print_row_begin(TextOutput &out, const char *entries, const StateTimes &times,
                     const PlaceTable &table) {
    out.print(" %*s%*.2f", static_cast<int>(kEntriesWidth), entries, static_cast<int>(kTimeWidth),
              total_wall(times));
    print_shares(out, times, table.choice);
}

void print_special_region(TextOutput &out, const StateTimes &times, const char *name) {
    if (total_wall(times) <= 0) {
        return;
    }
    out.print(" %*s%*.2f  %s\n", static_cast<int>(kEntriesWidth), "", static_cast<int>(kTimeWidth),
              total_wall(times), name);
}

void print_regions(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    if (profile.region_count == 0 && total_wall(profile.unknown_region) <= 0) {
        return;
    }
    StateTimes inside;
    for (size_t i = 0; i < profile.region_count; ++i) {
        add_times(inside, profile.regions[i].times);
    }
    const PlaceTable table = place_table(inside, style);
    out.print("\nParallel regions (shares of each one's time in percent)\n"
              " %*s%*s",
              static_cast<int>(kEntriesWidth), "entries", static_cast<int>(kTimeWidth), "wall s");
    print_share_heads(out, table.choice);
    out.print("  fork location\n");
    const size_t shown = rows_shown(style, kRegionsShown, profile.region_count);
    for (size_t i = 0; i < shown; ++i) {
        const RegionRow &region = profile.regions[i];
        char entries[24];
        snprintf(entries, sizeof entries, "%llu", static_cast<unsigned long long>(region.entries));
        print_row_begin(out, entries, region.times, table);
        print_place_beside(out, region.place, "", table.before, style.width);
        if (region.parent >= 0 && static_cast<size_t>(region.parent) < profile.region_count) {
            out.print("%*s", static_cast<int>(table.before - 2), "");
            print_place_beside(out, profile.regions[region.parent].place, "inside ", table.before,
                               style.width);
        }
    }
    print_left_out(out, style, shown, profile.region_count, "regions");
    print_special_region(out, profile.unknown_region, "in regions whose fork was not seen");
    print_special_region(out, profile.several, "idle while several outermost regions ran");
    StateTimes outside = profile.serial;
    outside.wall[THR_SERIAL_STATE] = 0;
    print_special_region(out, outside, "outside any region, besides SERIAL");
}

constexpr size_t kHoldersShown = 2;

// Who kept the others waiting.
void print_holders(TextOutput &out, const LockRow &lock, size_t before, const ReportStyle &style) {
    const size_t shown = rows_shown(style, kHoldersShown, lock.holder_count);
    for (size_t i = 0; i < shown; ++i) {
        const HolderRow &holder = lock.holders[i];
        out.print("%*s%10.2f  ", 11, "", holder.wall);
        out.print("%*s", static_cast<int>(before - 11 - 10 - 2 - 2), "");
        print_place_beside(out, holder.place, "held by ", before, style.width);
    }
}

void print_locks(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    if (profile.lock_count == 0) {
        return;
    }
    out.print("\nMost contended locks\n %10s%10s  kind  object, first wait at%s\n", "waits",
              "wall s", profile.knows_holders ? ", who held it" : "");
    const size_t shown = rows_shown(style, kLocksShown, profile.lock_count);
    const size_t before = 1 + 10 + 10 + 2 + 4 + 2;
    for (size_t i = 0; i < shown; ++i) {
        const LockRow &lock = profile.locks[i];
        out.print(" %10llu%10.2f  %-4s", static_cast<unsigned long long>(lock.waits), lock.wall,
                  state_name(lock.state));
        if (lock.object.symbol || lock.object.module) {
            print_place_beside(out, lock.object, "", before, style.width);
        } else {
            out.print("  0x%llx\n", static_cast<unsigned long long>(lock.wait_id));
        }
        if (lock.first_wait.symbol || lock.first_wait.module) {
            out.print("%*s", static_cast<int>(before - 2), "");
            print_place_beside(out, lock.first_wait, "", before, style.width);
        }
        print_holders(out, lock, before, style);
    }
    print_left_out(out, style, shown, profile.lock_count, "locks");
}

void print_events(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    out.print("\nEvents\n");
    WrappedLines lines(out, style.width, 2);
    Text word;
    for (unsigned event = 1; event < kEventNumbers; ++event) {
        const EventRow &row = profile.events[event];
        if (row.registered == OMP_ERRCODE_OK && row.count != 0) {
            word.clear();
            lines.piece(word.appendf("%s %llu", event_name(event),
                                     static_cast<unsigned long long>(row.count))
                            .c_str());
        }
    }
    for (unsigned event = 1; event < kEventNumbers; ++event) {
        const EventRow &row = profile.events[event];
        if (row.registered > OMP_ERRCODE_OK) {
            word.clear();
            lines.piece(
                word.appendf("%s not offered (%s)", event_name(event), error_name(row.registered))
                    .c_str());
        }
    }
}

const char *clock_text(OffProcessor how) {
    switch (how) {
    case OffProcessor::kNotMeasured:
        return "processor time only";
    case OffProcessor::kFromOutside:
    case OffProcessor::kBySignals:
        return "by the clock";
    }
    return "?";
}

void print_sampling(TextOutput &out, const Profile &profile, const ReportStyle &style) {
    uint64_t samples = 0;
    for (size_t i = 0; i < profile.thread_count; ++i) {
        samples += profile.threads[i].samples;
    }
    Text text;
    text.appendf("%llu, late %llu, lost %llu; %u a second per thread, %s",
                 static_cast<unsigned long long>(samples),
                 static_cast<unsigned long long>(profile.late_samples),
                 static_cast<unsigned long long>(profile.lost_samples), profile.rate,
                 clock_text(profile.off_processor));
    out.print("Samples\n");
    WrappedLines(out, style.width, 2).sentence(text.c_str());
    if (profile.sample_step > 1) {
        Text thinned;
        thinned.appendf("the time line has one in %u of them, as their file has a limit "
                        "(OMPCOLLECT_SAMPLES_MB); the tables have all",
                        profile.sample_step);
        WrappedLines(out, style.width, 2).sentence(thinned.c_str());
    }
    if (profile.samples_missed != 0 || profile.samples_end_early) {
        Text missing;
        missing.appendf("the time line is not whole: %llu samples had no room%s%s; the tables have "
                        "all of them",
                        static_cast<unsigned long long>(profile.samples_missed),
                        profile.samples_end_early ? ", " : "",
                        profile.samples_end_early ? profile.samples_end_early : "");
        WrappedLines(out, style.width, 2).sentence(missing.c_str());
    }
}

} // namespace

void print_lines(TextOutput &out, const char *lines) {
    if (lines && *lines) {
        out.print("\n");
        out.lines(lines, strlen(lines));
    }
}

size_t rows_shown(const ReportStyle &style, size_t standard, size_t count) {
    const size_t most = style.rows ? style.rows : standard;
    return style.all || count < most ? count : most;
}

void print_left_out(TextOutput &out, const ReportStyle &style, size_t shown, size_t count,
                    const char *what) {
    if (shown < count && !style.all) {
        out.print("  and %zu more %s (--top N or --all shows them)\n", count - shown, what);
    }
}

void write_text_report(const Profile &profile, TextOutput &out, const ReportStyle &style) {
    print_header(out, profile, style);
    if (profile.start_code != OMP_ERRCODE_OK) {
        out.print("No profile: %s%s.\n",
                  profile.start_code < 0 ? "no library in the process serves the Collector API"
                                         : "the request START was refused with ",
                  profile.start_code < 0 ? "" : error_name(profile.start_code));
        return;
    }
    print_warnings(out, style);
    if (!used_openmp(profile)) {
        out.print(
            "  no parallel region was forked, and no thread was seen in the OpenMP runtime\n");
        return;
    }
    StateTimes all;
    for (size_t i = 0; i < profile.thread_count; ++i) {
        add_times(all, profile.threads[i].times);
    }
    if (total_wall(all) <= 0) {
        out.print("  no samples: the program ended before the first one (see --rate)\n");
    } else {
        print_lines(out, style.verdict);
        print_states(out, profile, all, style);
        print_threads(out, profile, all, style);
    }
    print_regions(out, profile, style);
    print_lines(out, style.call_tree);
    print_locks(out, profile, style);
    print_events(out, profile, style);
    print_sampling(out, profile, style);
}

} // namespace ompcollect
