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

std::string place_text(const Place &place) {
    std::string words = text_of(place.symbol);
    if (place.source) {
        words += (words.empty() ? "" : " ") + text_of(place.source);
    } else if (words.empty() && place.module) {
        char offset[32];
        snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(place.offset));
        words = base_name(place.module) + offset;
    }
    return words;
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
                  place_text(from.object),
                  place_text(from.first_wait),
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
            lock.holders.push_back({node, place_text(holder.place), holder.wall, holder.samples});
        }
        to.locks.push_back(std::move(lock));
    }
}

int first_of(const Process &process, int region) {
    const int first = process.nodes[static_cast<size_t>(region)].same_as;
    return first >= 0 ? first : region;
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
    to.begin = profile.begin_unix_seconds;
    to.begin_nanoseconds = profile.begin_nanoseconds;
    to.seconds = profile.seconds;
    to.cpu_seconds = profile.cpu_seconds;
    to.other_threads = profile.others.count;
    to.other_cpu_seconds = profile.others.cpu;
    to.exit_code = profile.exit_code;
    to.is_partial = profile.is_partial;
    to.missing = text_of(profile.missing);
    take_texts(profile.environment, to.environment);
    to.processors = profile.processors_free;
    to.affinity = text_of(profile.affinity);
    to.runtime = text_of(profile.runtime_version);
    to.runtime_file = text_of(profile.runtime_file);
    to.omp_version = profile.omp_version;
    to.producer = text_of(profile.producer);
    to.most_threads = profile.most_threads;
    to.rate = profile.rate;
    to.has_cpu_times = profile.off_processor == OffProcessor::kFromOutside;
    to.has_wall_times = profile.off_processor != OffProcessor::kNotMeasured;
    to.start_code = profile.start_code;
    to.late_samples = profile.late_samples;
    to.lost_samples = profile.lost_samples;
    for (const EventRow &event : profile.events) {
        to.events.push_back({event.registered, event.count});
    }
    to.stacks = stacks_name(profile.stacks);
    to.walks = profile.walks;
    to.cut_walks = profile.cut_walks;
    to.fork_stacks = profile.fork_stacks;
    to.fork_walks = profile.fork_walks;
    to.samples_missed = profile.samples_missed;
    to.samples_end_early = text_of(profile.samples_end_early);
    to.sample_step = profile.sample_step;
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

std::string node_name(const Node &node) {
    if (!node.function.empty()) {
        return node.function;
    }
    if (!node.source.empty()) {
        return node.source;
    }
    if (node.module.empty()) {
        return "(unknown code)";
    }
    char offset[32];
    snprintf(offset, sizeof offset, "+0x%llx", static_cast<unsigned long long>(node.offset));
    return base_name(node.module) + offset;
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
    return at.source.empty() || name == at.source ? name : name + " " + at.source;
}

std::string thread_name(const Thread &thread) {
    return "thread " + std::to_string(thread.number);
}

std::string state_frame(unsigned state) {
    return kStateFrames[state < kStateColumns ? state : 0];
}

std::vector<std::string> path_names(const Process &process, int at) {
    std::vector<std::string> names;
    if (at == kUnknown) {
        names.push_back("(region whose fork was not seen)");
    }
    for (; at >= 0; at = process.nodes[static_cast<size_t>(at)].parent) {
        const Node &node = process.nodes[static_cast<size_t>(at)];
        names.push_back(node_name(node) + (node.kind == NodeKind::kRegion ? " [region]" : ""));
    }
    std::reverse(names.begin(), names.end());
    return names;
}

int region_of(const Process &process, int node) {
    while (node >= 0 && process.nodes[static_cast<size_t>(node)].kind != NodeKind::kRegion) {
        node = process.nodes[static_cast<size_t>(node)].parent;
    }
    return node >= 0 ? first_of(process, node) : node;
}

int outermost_of(const Process &process, int node) {
    int outermost = region_of(process, node);
    if (outermost < 0) {
        return node < 0 ? node : kOutside;
    }
    for (int at = outermost; at >= 0; at = process.nodes[static_cast<size_t>(at)].parent) {
        if (process.nodes[static_cast<size_t>(at)].kind == NodeKind::kRegion) {
            outermost = at;
        }
    }
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

int Responsible::at(int node) {
    int own = node;
    while (own >= 0) {
        const Node &here = process_.nodes[static_cast<size_t>(own)];
        if (here.kind == NodeKind::kRegion || !is_system_library(here.module)) {
            break;
        }
        own = here.parent;
    }
    if (own < 0) {
        return node;
    }
    const Node &here = process_.nodes[static_cast<size_t>(own)];
    const uint64_t offset = here.function.empty() ? here.offset : 0;
    return first_.try_emplace({region_of(process_, own), here.function, here.module, offset}, own)
        .first->second;
}

} // namespace ompcollect::report
