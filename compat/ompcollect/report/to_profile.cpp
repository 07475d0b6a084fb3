// SPDX-License-Identifier: Apache-2.0
#include "to_profile.h"

#include <algorithm>
#include <map>
#include <new>
#include <set>

namespace ompcollect::report {
namespace {

const char *text_or_null(const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
}

template <class Row> void require(LoadedProfile &to, RowArray<Row> &array, size_t count) {
    if (!to.make(array, count) && count != 0) {
        throw std::bad_alloc();
    }
}

void add_cell(StateTimes &times, const Cell &cell) {
    times.wall[cell.state] += cell.wall;
    times.cpu[cell.state] += cell.cpu;
}

void list(LoadedProfile &to, const std::vector<std::string> &from, TextList &texts) {
    RowArray<const char *> rows;
    require(to, rows, from.size());
    for (size_t i = 0; i < from.size(); ++i) {
        rows[i] = from[i].c_str();
    }
    texts = {rows.rows, rows.count};
}

void make_threads(const Process &process, LoadedProfile &to) {
    require(to, to.threads, process.threads.size());
    for (size_t i = 0; i < process.threads.size(); ++i) {
        const Thread &from = process.threads[i];
        ThreadRow &row = to.threads[i];
        row.number = from.number;
        row.tid = from.tid;
        row.kind = from.is_initial ? ThreadKind::kInitial : ThreadKind::kOpenMP;
        row.threads = from.threads;
        row.begin = from.begin;
        row.end = from.end;
        row.samples = from.samples;
        std::copy_n(from.events.begin(), std::min<size_t>(from.events.size(), kEventNumbers),
                    row.events);
    }
}

// Regions only, most time first. Gives the row of each node.
std::vector<int> make_regions(const Process &process, LoadedProfile &to) {
    std::vector<double> time(process.nodes.size(), 0);
    for (const Cell &cell : process.cells) {
        const int region = region_of(process, cell.node);
        if (region >= 0) {
            time[static_cast<size_t>(region)] += cell.wall;
        }
    }
    std::vector<size_t> order;
    for (size_t node = 0; node < process.nodes.size(); ++node) {
        if (region_of(process, static_cast<int>(node)) == static_cast<int>(node)) {
            order.push_back(node);
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return time[a] > time[b]; });
    std::vector<int> row_of_node(process.nodes.size(), -1);
    for (size_t row = 0; row < order.size(); ++row) {
        row_of_node[order[row]] = static_cast<int>(row);
    }
    require(to, to.regions, order.size());
    for (size_t i = 0; i < order.size(); ++i) {
        const Node &from = process.nodes[order[i]];
        const int parent = region_of(process, from.parent);
        RegionRow &row = to.regions[i];
        row.entries = from.entries;
        row.parent = parent < 0 ? -1 : row_of_node[static_cast<size_t>(parent)];
        row.place = {text_or_null(from.module), from.offset, text_or_null(from.function),
                     text_or_null(from.source)};
    }
    return row_of_node;
}

void make_cells(const Process &process, const std::vector<int> &row_of_node, LoadedProfile &to) {
    require(to, to.cells, process.cells.size());
    std::set<std::pair<int, unsigned>> seen; // thread in region
    for (size_t i = 0; i < process.cells.size(); ++i) {
        const Cell &cell = process.cells[i];
        int region = region_of(process, cell.node);
        add_cell(to.threads[cell.thread].times, cell);
        if (region >= 0) {
            region = row_of_node[static_cast<size_t>(region)];
            RegionRow &row = to.regions[static_cast<size_t>(region)];
            add_cell(row.times, cell);
            row.samples += cell.samples;
            row.threads += seen.emplace(region, cell.thread).second ? 1 : 0;
        } else {
            add_cell(region == kOutside   ? to.profile.serial
                     : region == kSeveral ? to.profile.several
                                          : to.profile.unknown_region,
                     cell);
        }
        to.cells[i] = {cell.thread, region, cell.state, cell.wall, cell.cpu, cell.samples};
    }
}

Place place_of(const NamedPlace &from) {
    Place to;
    to.symbol = text_or_null(from.name);
    to.source = text_or_null(from.source);
    return to;
}

void make_locks(const Process &process, LoadedProfile &to) {
    require(to, to.locks, process.locks.size());
    size_t holders = 0;
    for (const Lock &lock : process.locks) {
        holders += lock.holders.size();
    }
    require(to, to.holders, holders);
    to.profile.knows_holders = process.knows_holders;
    HolderRow *next = to.holders.rows;
    for (size_t i = 0; i < process.locks.size(); ++i) {
        const Lock &from = process.locks[i];
        LockRow &row = to.locks[i];
        row.state = from.state;
        row.wait_id = from.wait_id;
        row.waits = from.waits;
        row.samples = from.samples;
        row.wall = from.wall;
        row.cpu = from.cpu;
        row.object = place_of(from.object);
        row.first_wait = place_of(from.first_wait);
        row.holders = next;
        row.holder_count = from.holders.size();
        for (const Holder &holder : from.holders) {
            next->place = place_of(holder.place);
            next->wall = holder.wall;
            next->samples = holder.samples;
            ++next;
        }
    }
}

void make_facts(const Process &process, LoadedProfile &to) {
    Profile &profile = to.profile;
    profile.pid = process.pid;
    profile.parent_pid = process.parent_pid;
    profile.program = process.program.c_str();
    list(to, process.arguments, profile.arguments);
    profile.host = process.host.c_str();
    profile.rank = text_or_null(process.rank);
    profile.begin_unix_seconds = process.begin;
    profile.begin_nanoseconds = process.begin_nanoseconds;
    profile.seconds = process.seconds;
    profile.cpu_seconds = process.cpu_seconds;
    profile.others = {process.other_threads, process.other_cpu_seconds};
    profile.ending = process.ending;
    profile.exit_code = process.exit_code;
    list(to, process.environment, profile.environment);
    profile.processors = process.processors_online;
    profile.processors_free = process.processors;
    profile.affinity = process.affinity.c_str();
    profile.runtime_version = process.runtime.c_str();
    profile.runtime_file = process.runtime_file.c_str();
    profile.omp_version = process.omp_version;
    profile.producer = process.producer.c_str();
    profile.most_threads = process.most_threads;
    profile.rate = process.rate;
    profile.off_processor = !process.has_wall_times ? OffProcessor::kNotMeasured
                            : process.has_cpu_times ? OffProcessor::kFromOutside
                                                    : OffProcessor::kBySignals;
    profile.start_code = process.start_code;
    profile.late_samples = process.late_samples;
    profile.lost_samples = process.lost_samples;
    profile.walks = process.walks;
    profile.cut_walks = process.cut_walks;
    profile.fork_stacks = process.fork_stacks;
    profile.fork_walks = process.fork_walks;
    profile.samples_missed = process.samples_missed;
    profile.sample_step = process.sample_step;
    profile.samples_end_early = text_or_null(process.samples_end_early);
    profile.missing = text_or_null(process.missing);
    profile.is_partial = process.is_partial;
    for (size_t i = 0; i < process.events.size() && i < kEventNumbers; ++i) {
        profile.events[i] = {process.events[i].registered, process.events[i].count};
    }
}

} // namespace

void to_profile(const Process &process, LoadedProfile &to) {
    make_facts(process, to);
    make_threads(process, to);
    make_cells(process, make_regions(process, to), to);
    make_locks(process, to);
    Profile &profile = to.profile;
    profile.threads = to.threads.rows;
    profile.thread_count = to.threads.count;
    profile.regions = to.regions.rows;
    profile.region_count = to.regions.count;
    profile.cells = to.cells.rows;
    profile.cell_count = to.cells.count;
    profile.locks = to.locks.rows;
    profile.lock_count = to.locks.count;
}

} // namespace ompcollect::report
