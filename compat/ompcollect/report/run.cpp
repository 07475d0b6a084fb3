// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace ompcollect::report {
namespace {

// In the order of Ending.
constexpr const char *kEndings[] = {"none", "exit", "quit_fast", "exec", "stopped"};

// In the order of OMP_COLLECTOR_API_THR_STATE. Empty: the state is not a leaf of its own.
constexpr const char *kStateFrames[kStateColumns] = {
    "<OMP-unknown>",
    "<OMP-overhead>",
    "",
    "<OMP-implicit_barrier>",
    "<OMP-explicit_barrier>",
    "<OMP-idle>",
    "",
    "<OMP-reduction>",
    "<OMP-lock_wait>",
    "<OMP-critical_section_wait>",
    "<OMP-ordered_section_wait>",
    "<OMP-atomic_wait>",
    "<OMP-state_12>",
    "<OMP-state_13>",
    "<OMP-state_14>",
    "<OMP-state_15>",
    "<OMP-state_16>",
};

NamedPlace named_place(const Place &place) {
    NamedPlace to = {text_of(place.symbol), text_of(place.source)};
    if (to.source.empty() && place.module) {
        char offset[32];
        snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(place.offset));
        (to.name.empty() ? to.name : to.source) = base_name(place.module) + offset;
    }
    return to;
}

Node node_from(const RegionRow &row, int parent) {
    Node node;
    node.parent = parent;
    node.function = text_of(row.place.symbol);
    node.source = text_of(row.place.source);
    node.module = text_of(row.place.module);
    node.offset = row.place.offset;
    node.entries = row.entries;
    return node;
}

// Rows come with the most time first; nodes have their parents first.
void take_nodes(const Profile &profile, Process &to, std::vector<int> &node_of_row) {
    const size_t count = profile.region_count;
    node_of_row.assign(count, -1);
    const auto is_row = [&](int row) { return row >= 0 && static_cast<size_t>(row) < count; };
    std::vector<size_t> chain;
    for (size_t row = 0; row < count; ++row) {
        chain.clear();
        size_t at = row;
        while (node_of_row[at] < 0 && chain.size() <= count) {
            chain.push_back(at);
            if (!is_row(profile.regions[at].parent)) {
                break;
            }
            at = static_cast<size_t>(profile.regions[at].parent);
        }
        for (; !chain.empty(); chain.pop_back()) {
            const RegionRow &from = profile.regions[chain.back()];
            if (node_of_row[chain.back()] < 0) {
                const int parent =
                    is_row(from.parent) ? node_of_row[static_cast<size_t>(from.parent)] : -1;
                node_of_row[chain.back()] = static_cast<int>(to.nodes.size());
                to.nodes.push_back(node_from(from, parent));
            }
        }
    }
}

void take_threads(const Profile &profile, Process &to) {
    for (size_t i = 0; i < profile.thread_count; ++i) {
        const ThreadRow &from = profile.threads[i];
        Thread thread;
        thread.number = from.number;
        thread.tid = from.tid;
        thread.is_initial = from.kind == ThreadKind::kInitial;
        thread.threads = from.threads;
        thread.begin = from.begin;
        thread.end = from.end;
        thread.samples = from.samples;
        thread.events.assign(from.events, from.events + kEventNumbers);
        to.threads.push_back(std::move(thread));
    }
}

void take_cells(const Profile &profile, const std::vector<int> &node_of_row, Process &to) {
    for (size_t i = 0; i < profile.cell_count; ++i) {
        const CellRow &from = profile.cells[i];
        if (from.thread >= to.threads.size() || from.state >= kStateColumns) {
            continue;
        }
        int node = from.region;
        if (node >= 0) {
            const auto row = static_cast<size_t>(node);
            node = row < node_of_row.size() ? node_of_row[row] : kUnknown;
        }
        to.cells.push_back({from.thread, node, from.state, from.wall, from.cpu, from.samples});
    }
}

void take_texts(const TextList &from, std::vector<std::string> &to) {
    for (size_t i = 0; i < from.count; ++i) {
        to.push_back(text_of(from.texts[i]));
    }
}

void take_locks(const Profile &profile, const std::vector<int> &node_of_path, Process &to) {
    to.knows_holders = profile.knows_holders;
    for (size_t i = 0; i < profile.lock_count; ++i) {
        const LockRow &from = profile.locks[i];
        Lock lock{from.state,
                  from.wait_id,
                  named_place(from.object),
                  named_place(from.first_wait),
                  from.waits,
                  from.samples,
                  from.wall,
                  from.cpu,
                  {}};
        for (size_t k = 0; k < from.holder_count; ++k) {
            const HolderRow &holder = from.holders[k];
            const auto path = static_cast<size_t>(holder.path);
            const int node = holder.path < 0              ? holder.path
                             : path < node_of_path.size() ? node_of_path[path]
                                                          : kUnknown;
            lock.holders.push_back({node, named_place(holder.place), holder.wall, holder.samples});
        }
        to.locks.push_back(std::move(lock));
    }
}

int first_of(const Process &process, int region) {
    const int first = process.nodes[static_cast<size_t>(region)].same_as;
    return first >= 0 ? first : region;
}

// How it was measured, and what was lost.
void take_measurement(const Profile &profile, Process &to) {
    to.rate = profile.rate;
    to.has_cpu_times = profile.off_processor == OffProcessor::kFromOutside;
    to.has_wall_times = profile.off_processor != OffProcessor::kNotMeasured;
    to.start_code = profile.start_code;
    to.late_samples = profile.late_samples;
    to.lost_samples = profile.lost_samples;
    to.signal = profile.signal;
    to.signal_taken = profile.signal_taken;
    to.threads_on_one_cpu = profile.threads_on_one_cpu;
    to.threads_without_timer = profile.threads_without_timer;
    to.unplaced = total_wall(profile.unplaced);
    to.unplaced_lock_waits = profile.unplaced_lock_waits;
    to.unplaced_lock_time = profile.unplaced_lock_time;
    to.forgotten_regions = profile.forgotten_regions;
    to.arguments_cut = profile.arguments_cut;
    to.stacks = stacks_name(profile.stacks);
    to.walks = profile.walks;
    to.cut_walks = profile.cut_walks;
    to.fork_stacks = profile.fork_stacks;
    to.fork_walks = profile.fork_walks;
    to.samples_missed = profile.samples_missed;
    to.samples_end_early = text_of(profile.samples_end_early);
    to.sample_step = profile.sample_step;
}

} // namespace

Process process_from(const Profile &profile) {
    Process to;
    to.pid = profile.pid;
    to.parent_pid = profile.parent_pid;
    to.program = text_of(profile.program);
    take_texts(profile.arguments, to.arguments);
    to.host = text_of(profile.host);
    to.rank = text_of(profile.rank);
    to.rank_variable = text_of(profile.rank_variable);
    to.begin = profile.begin_unix_seconds;
    to.begin_nanoseconds = profile.begin_nanoseconds;
    to.seconds = profile.seconds;
    to.cpu_seconds = profile.cpu_seconds;
    to.other_threads = profile.others.count;
    to.other_cpu_seconds = profile.others.cpu;
    to.ending = profile.ending;
    to.exit_code = profile.exit_code;
    to.is_partial = profile.is_partial;
    to.missing = text_of(profile.missing);
    take_texts(profile.environment, to.environment);
    to.processors = profile.processors_free;
    to.processors_online = profile.processors;
    to.affinity = text_of(profile.affinity);
    to.runtime = text_of(profile.runtime_version);
    to.runtime_file = text_of(profile.runtime_file);
    to.ompt_generation = text_of(profile.ompt_generation);
    to.omp_version = profile.omp_version;
    to.producer = text_of(profile.producer);
    to.most_threads = profile.most_threads;
    take_measurement(profile, to);
    for (const EventRow &event : profile.events) {
        to.events.push_back({event.registered, event.count});
    }
    take_threads(profile, to);
    std::vector<int> node_of_path;
    if (profile.path_count != 0 || profile.sample_count != 0) {
        node_of_path = take_paths(profile, to);
    } else {
        std::vector<int> node_of_row;
        take_nodes(profile, to, node_of_row);
        take_cells(profile, node_of_row, to);
    }
    take_locks(profile, node_of_path, to);
    take_lines(profile, to);
    return to;
}

const char *ending_name(Ending ending) {
    return kEndings[static_cast<unsigned>(ending)];
}

Ending ending_named(const std::string &name) {
    const auto *const found = std::find(std::begin(kEndings), std::end(kEndings), name);
    return found == std::end(kEndings) ? Ending::kNone
                                       : static_cast<Ending>(found - std::begin(kEndings));
}

bool used_openmp(const Process &process) {
    if (process.events.size() > OMP_EVENT_FORK && process.events[OMP_EVENT_FORK].count != 0) {
        return true;
    }
    return std::any_of(process.cells.begin(), process.cells.end(), [](const Cell &cell) {
        return cell.state != 0 && cell.state != THR_SERIAL_STATE && cell.wall > 0;
    });
}

SourcePlace source_place(const std::string &text) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos) {
        return {text, 0};
    }
    return {text.substr(0, colon),
            static_cast<unsigned>(strtoul(text.c_str() + colon + 1, nullptr, 10))};
}

std::string base_name(const std::string &path) {
    return path.substr(path.rfind('/') + 1);
}

std::string bounded(const std::string &name) {
    constexpr size_t kLongest = 1000;
    constexpr size_t kTail = 300;
    return name.size() <= kLongest
               ? name
               : name.substr(0, kLongest - kTail) + "..." + name.substr(name.size() - kTail);
}

std::string node_name(const Node &node) {
    if (!node.function.empty()) {
        return bounded(node.function);
    }
    if (!node.source.empty()) {
        return bounded(node.source);
    }
    if (node.module.empty()) {
        return "(unknown code)";
    }
    char offset[32];
    snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(node.offset));
    return bounded(base_name(node.module)) + offset;
}

std::string path_name(const Node &node) {
    return node_name(node) + (node.kind == NodeKind::kRegion ? " [region]" : "");
}

std::string place_name(const Process &process, int node) {
    switch (node) {
    case kOutside:
        return "(outside any region)";
    case kSeveral:
        return "(idle while several outermost regions ran)";
    case kUnknown:
        return "(region whose fork was not seen)";
    default:
        break;
    }
    if (node < 0 || static_cast<size_t>(node) >= process.nodes.size()) {
        return "(unknown code)";
    }
    const Node &at = process.nodes[static_cast<size_t>(node)];
    const std::string name = node_name(at);
    return at.source.empty() || name == at.source ? name : name + " " + bounded(at.source);
}

std::string thread_name(const Thread &thread) {
    return "thread " + std::to_string(thread.number);
}

std::string state_frame(unsigned state) {
    return kStateFrames[state < kStateColumns ? state : 0];
}

size_t PathBound::most_names(const Process &process) {
    if (most_ != 0) {
        return most_;
    }
    constexpr double kManyBytes = 3e8;
    constexpr size_t kFew = 50;
    std::vector<double> sizes; // of the names on the path to each node
    sizes.reserve(process.nodes.size());
    for (const Node &node : process.nodes) {
        const double above = node.parent < 0 ? 0 : sizes[static_cast<size_t>(node.parent)];
        sizes.push_back(above + static_cast<double>(path_name(node).size() + 1));
    }
    double all = 0;
    for (const Cell &cell : process.cells) {
        all += cell.node < 0 ? 0 : sizes[static_cast<size_t>(cell.node)];
    }
    for (const Sample &sample : process.samples) {
        all += sample.node < 0 ? 0 : sizes[static_cast<size_t>(sample.node)];
    }
    most_ = all > kManyBytes ? kFew : std::max<size_t>(process.nodes.size(), 1);
    return most_;
}

std::vector<std::string> path_names(const Process &process, int at) {
    std::vector<std::string> names;
    if (at == kUnknown) {
        names.push_back("(region whose fork was not seen)");
    }
    const size_t most = process.path_bound.most_names(process);
    for (; at >= 0; at = process.nodes[static_cast<size_t>(at)].parent) {
        if (names.size() == most) {
            names.emplace_back("...");
            break;
        }
        names.push_back(path_name(process.nodes[static_cast<size_t>(at)]));
    }
    std::reverse(names.begin(), names.end());
    return names;
}

const NodeIndex::Row &NodeIndex::row(const std::vector<Node> &nodes, size_t node) {
    while (rows_.size() <= node) {
        const int own = static_cast<int>(rows_.size());
        const Node &at = nodes[rows_.size()];
        Row to = at.parent < 0 ? Row{-1, -1} : rows_[static_cast<size_t>(at.parent)];
        if (at.kind == NodeKind::kRegion) {
            to = {own, to.outermost < 0 ? own : to.outermost};
        }
        rows_.push_back(to);
    }
    return rows_[node];
}

int region_of(const Process &process, int node) {
    if (node < 0) {
        return node;
    }
    const int region = process.node_index.region(process.nodes, static_cast<size_t>(node));
    return region < 0 ? kOutside : first_of(process, region);
}

int outermost_of(const Process &process, int node) {
    int outermost = region_of(process, node);
    if (outermost < 0) {
        return node < 0 ? node : kOutside;
    }
    outermost = process.node_index.outermost(process.nodes, static_cast<size_t>(outermost));
    return first_of(process, outermost);
}

bool is_system_library(const std::string &module) {
    constexpr std::string_view kNames[] = {"libc.so",     "libm.so",    "libpthread.so",
                                           "librt.so",    "ld-linux",   "linux-vdso",
                                           "libgcc_s.so", "libmvec.so", "libstdc++.so"};
    const std::string name = base_name(module);
    return std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view each) {
        return name.compare(0, each.size(), each) == 0;
    });
}

constexpr int kNotMade = -100;

Responsible::Responsible(const Process &process)
    : process_(process), made_(process.nodes.size(), kNotMade) {
    own_.reserve(process.nodes.size());
    for (const Node &node : process.nodes) {
        const bool is_own = node.kind == NodeKind::kRegion || !is_system_library(node.module);
        const int above = node.parent < 0 ? -1 : own_[static_cast<size_t>(node.parent)];
        own_.push_back(is_own ? static_cast<int>(own_.size()) : above);
    }
}

int Responsible::at(int node) {
    if (node < 0) {
        return node;
    }
    int &made = made_[static_cast<size_t>(node)];
    if (made == kNotMade) {
        made = made_for(node);
    }
    return made;
}

int Responsible::made_for(int node) {
    const int own = own_[static_cast<size_t>(node)];
    if (own < 0) {
        return node;
    }
    const Node &here = process_.nodes[static_cast<size_t>(own)];
    const uint64_t offset = here.function.empty() ? here.offset : 0;
    return first_.try_emplace({region_of(process_, own), here.function, here.module, offset}, own)
        .first->second;
}

} // namespace ompcollect::report
