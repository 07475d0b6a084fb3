// SPDX-License-Identifier: Apache-2.0
#include "table_rows.h"
#include "words.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

enum class Part : unsigned { kWork, kBarrier, kMutex, kRuntime, kNoProcessor, kAsleep, kIdle };
constexpr size_t kParts = 7;

Part part_of(unsigned state) {
    switch (kind_of_state(state)) {
    case StateKind::kUseful:
        return Part::kWork;
    case StateKind::kBarrier:
        return Part::kBarrier;
    case StateKind::kMutex:
        return Part::kMutex;
    case StateKind::kReduction:
    case StateKind::kRuntime:
    case StateKind::kOther:
        return Part::kRuntime;
    case StateKind::kNoProcessor:
        return Part::kNoProcessor;
    case StateKind::kAsleep:
        return Part::kAsleep;
    case StateKind::kIdle:
        return Part::kIdle;
    }
    return Part::kRuntime;
}

} // namespace

Table threads_table(const Shown &shown, const Choice &choice, size_t width) {
    const Process &process = shown.process;
    Choice others = choice;
    others.thread.reset();
    std::vector<StateTimes> times(process.threads.size());
    for (const Cell &cell : process.cells) {
        if (others.has(process, cell)) {
            times[cell.thread].wall[cell.state] += cell.wall;
        }
    }
    constexpr size_t kWide = 90;
    const bool has_more = width >= kWide;
    Table table;
    table.columns = {{"work", 9},    {"barrier", 9}, {"mutex", 9}, {"runtime", 9},
                     {"no proc", 9}, {"asleep", 9},  {"total", 9}};
    if (has_more) {
        table.columns.insert(table.columns.end() - 1, {"idle", 9});
    }
    table.name_head = "thread";
    table.if_empty = "There is no thread.";
    for (unsigned i = 0; i < process.threads.size(); ++i) {
        const Thread &thread = process.threads[i];
        double sums[kParts] = {};
        for (unsigned state = 0; state < kStateColumns; ++state) {
            sums[static_cast<size_t>(part_of(state))] += times[i].wall[state];
        }
        Row &row = table.rows.emplace_back();
        for (size_t part = 0; part < kParts; ++part) {
            if (has_more || part != static_cast<size_t>(Part::kIdle)) {
                add_time(row, sums[part]);
            }
        }
        add_time(row, total_wall(times[i]));
        row.name = thread_name(thread);
        row.thread = i;
        row.detail = {row.name + ", number " + std::to_string(thread.tid) + " of the system, " +
                          grouped(thread.samples) + " samples",
                      states_in_words(times[i])};
    }
    return table;
}

Table states_table(const Shown &shown, const Choice &choice) {
    const Process &process = shown.process;
    Choice others = choice;
    others.state.reset();
    StateTimes times;
    for (const Cell &cell : process.cells) {
        if (others.has(process, cell)) {
            times.wall[cell.state] += cell.wall;
            times.cpu[cell.state] += cell.cpu;
        }
    }
    const double sum = total_wall(times);
    Table table;
    table.columns = {{"wall", kTimeColumn}, {"share", kShareColumn}, {"processor", 11}};
    table.name_head = "state";
    table.if_empty = "No time is selected.";
    for (const unsigned state : states_in_order()) {
        if (times.wall[state] <= 0) {
            continue;
        }
        Row &row = table.rows.emplace_back();
        add_time(row, times.wall[state]);
        add_share(row, times.wall[state] / sum);
        add_time(row, process.has_cpu_times ? times.cpu[state] : kNotKnown);
        row.name = state_name(state) + std::string("  ") + state_at(state).words;
        row.state = state;
        row.detail = {state_name(state) + std::string(": ") + state_at(state).meaning};
    }
    return table;
}

} // namespace ompcollect::report
