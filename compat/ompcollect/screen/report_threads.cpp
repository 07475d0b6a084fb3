// SPDX-License-Identifier: Apache-2.0
//
// The text report's tables of states and of threads. Many threads are condensed into groups whose
// shares are nearly equal.
#include "report_parts.h"
#include "text_layout.h"
#include "words.h"

#include <algorithm>
#include <cmath>

namespace ompcollect::report {
namespace {

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
        if (std::fabs(share(left, state) - share(right, state)) > tolerance) {
            return false;
        }
    }
    return true;
}

class Grouping {
  public:
    Grouping(const Process &process, const StateTables &tables)
        : process_(process), tables_(tables) {}

    // An initial thread stays alone, and so does each where there is no tolerance. False as soon as
    // there are more groups than `most`.
    bool make(double tolerance, size_t most);
    [[nodiscard]] const std::vector<Group> &groups() const { return groups_; }

  private:
    // The group that a thread joins; the number of groups where it begins one.
    [[nodiscard]] size_t group_for(size_t thread, double tolerance) const;

    const Process &process_;
    const StateTables &tables_;
    std::vector<Group> groups_;
    size_t alone_ = 0; // groups of an initial thread: they stand first
};

size_t Grouping::group_for(size_t thread, double tolerance) const {
    if (tolerance <= 0 || process_.threads[thread].is_initial) {
        return groups_.size();
    }
    size_t at = alone_;
    while (at < groups_.size() &&
           !are_alike(tables_.threads[groups_[at].first], tables_.threads[thread], tolerance)) {
        ++at;
    }
    return at;
}

bool Grouping::make(double tolerance, size_t most) {
    groups_.clear();
    alone_ = 0;
    for (size_t i = 0; i < process_.threads.size(); ++i) {
        const Thread &thread = process_.threads[i];
        const size_t at = group_for(i, tolerance);
        if (at == groups_.size()) {
            groups_.push_back({i, 0, 0, {}});
        }
        Group &group = groups_[at];
        ++group.members;
        group.threads += thread.threads;
        add_times(group.sum, tables_.threads[i]);
        if (tolerance > 0 && thread.is_initial) {
            std::swap(groups_[alone_++], groups_.back());
        }
        if (groups_.size() > most) {
            return false;
        }
    }
    return true;
}

std::string group_name(const Process &process, const Group &group) {
    const Thread &first = process.threads[group.first];
    if (group.members > 1) {
        return format("%llu threads like %u", static_cast<unsigned long long>(group.threads),
                      first.number);
    }
    if (first.threads > 1) {
        return format("%u (%llu, one by one)", first.number,
                      static_cast<unsigned long long>(first.threads));
    }
    return format("%u%s", first.number, first.is_initial ? " initial" : "");
}

// Where processors are short, the involuntary ones are many.
std::string switches_text(const Process &process, const TextStyle &style) {
    uint64_t voluntary = 0;
    uint64_t involuntary = 0;
    const Thread *most = nullptr;
    for (const Thread &thread : process.threads) {
        voluntary += thread.voluntary_switches;
        involuntary += thread.involuntary_switches;
        most = !most || thread.involuntary_switches > most->involuntary_switches ? &thread : most;
    }
    std::string out;
    if (voluntary + involuntary != 0) {
        const std::string where =
            involuntary == 0 ? ""
                             : format(" (%s of these in thread %u)",
                                      grouped(most->involuntary_switches).c_str(), most->number);
        WrappedLines(out, style.width, 2)
            .sentence(format("context switches: %s voluntary, %s involuntary%s",
                             grouped(voluntary).c_str(), grouped(involuntary).c_str(),
                             where.c_str()));
    }
    return out;
}

constexpr int kNameWidth = 22;

} // namespace

StateColumnChoice choose_columns(const StateTimes &times, size_t columns) {
    StateColumnChoice choice;
    size_t present = 0;
    for (const double seconds : times.wall) {
        present += seconds > 0 ? 1 : 0;
    }
    choice.has_rest = present > columns;
    size_t room = choice.has_rest && columns > 0 ? columns - 1 : columns;
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

std::string share_heads(const StateColumnChoice &choice) {
    std::string out;
    for (const unsigned state : states_in_order()) {
        out += choice.shown[state] ? format("%*s", kShareWidth, state_name(state)) : "";
    }
    return out + (choice.has_rest ? format("%*s", kShareWidth, "rest") : "");
}

std::string shares(const StateTimes &times, const StateColumnChoice &choice) {
    std::string out;
    double rest = total_wall(times) > 0 ? 100 : 0;
    for (const unsigned state : states_in_order()) {
        if (choice.shown[state]) {
            out += format("%*.1f", kShareWidth, share(times, state));
            rest -= share(times, state);
        }
    }
    return out + (choice.has_rest ? format("%*.1f", kShareWidth, std::fabs(rest)) : "");
}

const char *time_heading(const Process &process) {
    return process.has_wall_times ? "wall s" : "cpu s";
}

std::string states_text(const Process &process, const StateTables &tables, const TextStyle &style) {
    const bool has_meanings = style.width >= 72;
    const double sum = total_wall(tables.all);
    const bool has_cpu = process.has_cpu_times;
    std::string out = format("\nTime of all threads\n  state  %*s%s   share\n", kTimeWidth + 1,
                             time_heading(process), has_cpu ? "     cpu s" : "");
    for (const unsigned state : states_in_order()) {
        const double wall = tables.all.wall[state];
        if (wall <= 0) {
            continue;
        }
        out += format("  %-6s  %10.2f", state_name(state), wall);
        out += has_cpu ? format("%10.2f", tables.all.cpu[state]) : "";
        out += format("%7.1f%%%s%s\n", 100 * wall / sum, has_meanings ? "  " : "",
                      has_meanings ? state_at(state).meaning : "");
    }
    out += format("  %-6s  %10.2f", "all", sum);
    out += has_cpu ? format("%10.2f", total_cpu(tables.all)) : "";
    out += "\n";
    if (process.other_threads != 0) {
        out += format("  outside of these sums: %llu thread%s without OpenMP, processor %.2f s\n",
                      static_cast<unsigned long long>(process.other_threads),
                      process.other_threads == 1 ? "" : "s", process.other_cpu_seconds);
    }
    return out;
}

std::string brief_states_text(const Process &process, const StateTables &tables, uint64_t samples,
                              const TextStyle &style) {
    const double sum = total_wall(tables.all);
    std::string out = "\n";
    WrappedLines line(out, style.width, 0);
    line.sentence(format("Time of all threads, %s %s, each +-%s at most:", duration(sum).c_str(),
                         process.has_wall_times ? "by the clock" : "of processors",
                         percent(most_error(samples)).c_str()));
    size_t left = 0;
    for (const double seconds : tables.all.wall) {
        left += seconds > 0 ? 1 : 0;
    }
    for (const unsigned state : states_in_order()) {
        const double wall = tables.all.wall[state];
        if (wall > 0) {
            const char *comma = --left == 0 ? "" : ",";
            line.piece(format("%s %.1f %%%s", state_name(state), 100 * wall / sum, comma));
        }
    }
    return out;
}

std::string threads_text(const Process &process, const StateTables &tables,
                         const TextStyle &style) {
    const size_t most = rows_shown(style, kThreadsShown, process.threads.size());
    double tolerance = 0;
    Grouping grouping(process, tables);
    while (!grouping.make(tolerance, tolerance >= 100 ? process.threads.size() : most)) {
        tolerance = tolerance > 0 ? 2 * tolerance : kFirstTolerance; // then all are alike
    }
    const size_t fixed = 2 + kNameWidth + kTimeWidth;
    const StateColumnChoice choice =
        choose_columns(tables.all, style.width > fixed ? (style.width - fixed) / kShareWidth : 1);
    const auto row = [&](const std::string &name, const StateTimes &times) {
        return format("  %-*s%*.2f", kNameWidth, name.c_str(), kTimeWidth, total_wall(times)) +
               shares(times, choice) + "\n";
    };
    std::string out = format("\nThreads (shares of each one's time in percent%s)\n  %-*s%*s",
                             tolerance > 0 ? "; alike ones in one row" : "", kNameWidth, "thread",
                             kTimeWidth, time_heading(process)) +
                      share_heads(choice) + "\n";
    for (const Group &group : grouping.groups()) {
        out += row(group_name(process, group), group.sum);
    }
    out += grouping.groups().size() > 1 ? row("all", tables.all) : "";
    return out + switches_text(process, style);
}

size_t rows_shown(const TextStyle &style, size_t standard, size_t count) {
    return style.top == 0 ? count : std::min(style.rows != 0 ? style.rows : standard, count);
}

std::string left_out(size_t shown, size_t count, const char *what) {
    return shown < count
               ? format("  and %zu more %s (--top N or --all shows them)\n", count - shown, what)
               : "";
}

} // namespace ompcollect::report
