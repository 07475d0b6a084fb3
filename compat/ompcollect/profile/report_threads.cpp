// SPDX-License-Identifier: Apache-2.0
//
// The text report's tables of states and of threads. Many threads are condensed into groups whose
// shares are nearly equal.
#include "report_parts.h"
#include "text_layout.h"

#include <cmath>
#include <cstdlib>

namespace ompcollect {
namespace {

struct StateLegend {
    unsigned state;
    const char *meaning;
};
constexpr StateLegend kLegends[] = {
    {THR_SERIAL_STATE, "outside any parallel region"},
    {THR_WORK_STATE, "the program's own code in a region"},
    {THR_REDUC_STATE, "combining a reduction"},
    {THR_IBAR_STATE, "waiting in an implicit barrier"},
    {THR_EBAR_STATE, "waiting in an explicit barrier"},
    {THR_LKWT_STATE, "waiting for a lock"},
    {THR_CTWT_STATE, "waiting for a critical region"},
    {THR_ODWT_STATE, "waiting for its turn (ordered)"},
    {THR_ATWT_STATE, "waiting for an atomic"},
    {THR_OVHD_STATE, "the runtime's own work"},
    {THR_IDLE_STATE, "a worker without a region"},
};

const char *meaning_of(unsigned state) {
    for (const StateLegend &row : kLegends) {
        if (row.state == state) {
            return row.meaning;
        }
    }
    return state == 0 ? "no state was given" : "";
}

constexpr size_t kThreadsShown = 12;

// Percentage points by which threads of one group may differ in each state.
constexpr double kFirstTolerance = 2;

// One row of the table: threads that are alike.
struct Group {
    size_t first;   // index of its first thread
    size_t members; // rows
    uint64_t threads;
    StateTimes sum;
};

double share(const StateTimes &times, unsigned state) {
    const double sum = total_wall(times);
    return sum > 0 ? 100 * times.wall[state] / sum : 0;
}

bool are_alike(const StateTimes &left, const StateTimes &right, double tolerance) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        if (fabs(share(left, state) - share(right, state)) > tolerance) {
            return false;
        }
    }
    return true;
}

void join(Group &group, const ThreadRow &row) {
    ++group.members;
    group.threads += row.threads;
    add_times(group.sum, row.times);
}

// The group of threads that are alike and that a row belongs to; `count` where there is none.
size_t group_of(const Profile &profile, const ThreadRow &row, double tolerance, const Group *groups,
                size_t count) {
    size_t at = 0;
    while (at < count &&
           !are_alike(profile.threads[groups[at].first].times, row.times, tolerance)) {
        ++at;
    }
    return at;
}

// An initial thread stays alone, and so does each where there is no tolerance. `groups` has room
// for all threads. Returns their number, or one above `most` as soon as there are more.
size_t group_threads(const Profile &profile, double tolerance, size_t most, Group *groups) {
    size_t count = 0;
    size_t alone = 0; // groups of an initial thread: they stand first
    for (size_t i = 0; i < profile.thread_count; ++i) {
        const ThreadRow &row = profile.threads[i];
        const bool is_alone = tolerance <= 0 || row.kind == ThreadKind::kInitial;
        const size_t at =
            is_alone ? count
                     : alone + group_of(profile, row, tolerance, groups + alone, count - alone);
        if (at == count && count > most) {
            return count;
        }
        if (at == count) {
            groups[count++] = {i, 0, 0, {}};
        }
        join(groups[at], row);
        if (is_alone && tolerance > 0) {
            const Group own = groups[count - 1];
            groups[count - 1] = groups[alone];
            groups[alone++] = own;
        }
    }
    return count;
}

void append_group_name(Text &to, const Profile &profile, const Group &group) {
    const ThreadRow &first = profile.threads[group.first];
    if (group.members > 1) {
        to.appendf("%llu threads like %u", static_cast<unsigned long long>(group.threads),
                   first.number);
    } else if (first.threads > 1) {
        to.appendf("%u (%llu, one by one)", first.number,
                   static_cast<unsigned long long>(first.threads));
    } else {
        to.appendf("%u%s", first.number, first.kind == ThreadKind::kInitial ? " initial" : "");
    }
}

constexpr int kNameWidth = 22;

} // namespace

StateColumnChoice choose_columns(const StateTimes &times, unsigned columns) {
    StateColumnChoice choice;
    unsigned present = 0;
    for (const double seconds : times.wall) {
        present += seconds > 0 ? 1 : 0;
    }
    choice.has_rest = present > columns;
    unsigned room = choice.has_rest && columns > 0 ? columns - 1 : columns;
    for (; room > 0; --room) {
        unsigned most = kStateColumns;
        for (unsigned state = 0; state < kStateColumns; ++state) {
            if (!choice.shown[state] && times.wall[state] > 0 &&
                (most == kStateColumns || times.wall[state] > times.wall[most])) {
                most = state;
            }
        }
        if (most == kStateColumns) {
            break;
        }
        choice.shown[most] = true;
    }
    return choice;
}

void print_share_heads(TextOutput &out, const StateColumnChoice &choice) {
    for (const unsigned state : kStateOrder) {
        if (choice.shown[state]) {
            out.print("%*s", static_cast<int>(kShareWidth), state_name(state));
        }
    }
    if (choice.has_rest) {
        out.print("%*s", static_cast<int>(kShareWidth), "rest");
    }
}

void print_shares(TextOutput &out, const StateTimes &times, const StateColumnChoice &choice) {
    double rest = total_wall(times) > 0 ? 100 : 0;
    for (const unsigned state : kStateOrder) {
        if (choice.shown[state]) {
            out.print("%*.1f", static_cast<int>(kShareWidth), share(times, state));
            rest -= share(times, state);
        }
    }
    if (choice.has_rest) {
        out.print("%*.1f", static_cast<int>(kShareWidth), fabs(rest));
    }
}

void print_states(TextOutput &out, const Profile &profile, const StateTimes &all,
                  const ReportStyle &style) {
    const bool has_meanings = style.width >= 72;
    const double sum = total_wall(all);
    const bool has_cpu = profile.off_processor == OffProcessor::kFromOutside;
    out.print("\nTime of all threads\n  state       wall s%s   share\n",
              has_cpu ? "     cpu s" : "");
    for (const unsigned state : kStateOrder) {
        if (all.wall[state] <= 0) {
            continue;
        }
        out.print("  %-6s  %10.2f", state_name(state), all.wall[state]);
        if (has_cpu) {
            out.print("%10.2f", all.cpu[state]);
        }
        out.print("%7.1f%%%s%s\n", 100 * all.wall[state] / sum, has_meanings ? "  " : "",
                  has_meanings ? meaning_of(state) : "");
    }
    out.print("  %-6s  %10.2f", "all", sum);
    if (has_cpu) {
        out.print("%10.2f", total_cpu(all));
    }
    out.print("\n");
    if (profile.others.count != 0) {
        out.print("  outside of these sums: %llu thread%s without OpenMP, processor %.2f s\n",
                  static_cast<unsigned long long>(profile.others.count),
                  profile.others.count == 1 ? "" : "s", profile.others.cpu);
    }
}

void print_threads(TextOutput &out, const Profile &profile, const StateTimes &all,
                   const ReportStyle &style) {
    auto *groups = static_cast<Group *>(calloc(profile.thread_count, sizeof(Group)));
    if (!groups) {
        return;
    }
    const size_t most = style.rows ? style.rows : kThreadsShown;
    double tolerance = 0;
    size_t count =
        group_threads(profile, tolerance, style.all ? profile.thread_count : most, groups);
    while (!style.all && count > most && tolerance < 100) {
        tolerance = tolerance > 0 ? 2 * tolerance : kFirstTolerance;
        const bool is_last = tolerance >= 100; // then all are alike, but for initial threads
        count = group_threads(profile, tolerance, is_last ? profile.thread_count : most, groups);
    }
    const unsigned fixed = 2 + kNameWidth + kTimeWidth;
    const StateColumnChoice choice =
        choose_columns(all, style.width > fixed ? (style.width - fixed) / kShareWidth : 1);
    out.print("\nThreads (shares of each one's time in percent%s)\n  %-*s%*s",
              tolerance > 0 ? "; alike ones in one row" : "", kNameWidth, "thread",
              static_cast<int>(kTimeWidth), "wall s");
    print_share_heads(out, choice);
    out.print("\n");
    for (size_t i = 0; i < count; ++i) {
        Text name;
        append_group_name(name, profile, groups[i]);
        out.print("  %-*s%*.2f", kNameWidth, name.c_str(), static_cast<int>(kTimeWidth),
                  total_wall(groups[i].sum));
        print_shares(out, groups[i].sum, choice);
        out.print("\n");
    }
    if (count > 1) {
        out.print("  %-*s%*.2f", kNameWidth, "all", static_cast<int>(kTimeWidth), total_wall(all));
        print_shares(out, all, choice);
        out.print("\n");
    }
    free(groups);
}

} // namespace ompcollect
