// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string_view>

namespace ompcollect::report {
namespace {

// In the order of Ending.
constexpr const char *kEndings[] = {"none", "exit", "quit_fast", "exec", "stopped"};

int first_of(const Process &process, int region) {
    const int first = process.nodes[static_cast<size_t>(region)].same_as;
    return first >= 0 ? first : region;
}

// One that begins as another one ends is beside it.
unsigned most_at_one_time(const std::vector<Thread> &threads, const std::vector<unsigned> &chosen) {
    std::vector<std::pair<double, int>> changes; // a begin before an end
    for (const unsigned thread : chosen) {
        changes.emplace_back(threads[thread].begin, -1);
        changes.emplace_back(std::max(threads[thread].begin, threads[thread].end), 1);
    }
    std::sort(changes.begin(), changes.end());
    int most = 0;
    int there = 0;
    for (const auto &[time, change] : changes) {
        there -= change;
        most = std::max(most, there);
    }
    return static_cast<unsigned>(most);
}

} // namespace

void merge_cells(std::vector<Cell> &cells) {
    const auto key = [](const Cell &cell) {
        return std::tie(cell.thread, cell.node, cell.state, cell.within, cell.call);
    };
    std::stable_sort(cells.begin(), cells.end(),
                     [&](const Cell &a, const Cell &b) { return key(a) < key(b); });
    size_t kept = 0;
    for (const Cell &cell : cells) {
        if (kept == 0 || key(cells[kept - 1]) != key(cell)) {
            cells[kept++] = cell;
            continue;
        }
        cells[kept - 1].wall += cell.wall;
        cells[kept - 1].cpu += cell.cpu;
        cells[kept - 1].samples += cell.samples;
    }
    cells.resize(kept);
}

void count_masters(Process &process) {
    std::map<int, std::vector<unsigned>> threads;
    std::sort(process.forkers.begin(), process.forkers.end());
    process.forkers.erase(std::unique(process.forkers.begin(), process.forkers.end()),
                          process.forkers.end());
    for (const auto &[region, thread] : process.forkers) {
        threads[region].push_back(thread);
    }
    for (const auto &[region, forked_by] : threads) {
        process.nodes[static_cast<size_t>(region)].masters =
            most_at_one_time(process.threads, forked_by);
    }
}

std::string call_name(const Process &process, const Cell &cell) {
    return cell.call < 0 ? "" : process.calls[static_cast<size_t>(cell.call)];
}

bool knows_waits(const Process &process, const Lock &lock) {
    const unsigned state = lock.state;
    const unsigned event = state == THR_LKWT_STATE   ? OMP_EVENT_THR_BEGIN_LKWT
                           : state == THR_CTWT_STATE ? OMP_EVENT_THR_BEGIN_CTWT
                           : state == THR_ODWT_STATE ? OMP_EVENT_THR_BEGIN_ODWT
                                                     : OMP_EVENT_THR_BEGIN_ATWT;
    if (lock.waits == 0 && lock.samples != 0) {
        return false; // it was seen waiting
    }
    return event >= process.events.size() || process.events[event].registered <= OMP_ERRCODE_OK;
}

void forget_unmeasured(Process &process) {
    // Where a run says so of all of it alone, it is of no thread.
    const bool has_none = !process.has_cpu_times && process.has_wall_times &&
                          std::all_of(process.threads.begin(), process.threads.end(),
                                      [](const Thread &thread) { return thread.has_cpu_times; });
    bool has_all = !has_none;
    for (Thread &thread : process.threads) {
        thread.has_cpu_times = thread.has_cpu_times && !has_none;
        has_all = has_all && thread.has_cpu_times;
    }
    for (Cell &cell : process.cells) {
        if (cell.thread < process.threads.size() && !process.threads[cell.thread].has_cpu_times) {
            cell.cpu = kNotKnown;
        }
    }
    if (!has_all) {
        process.has_cpu_times = false;
        for (Lock &lock : process.locks) {
            lock.cpu = kNotKnown;
        }
        for (Line &line : process.lines) {
            std::fill(std::begin(line.times.cpu), std::end(line.times.cpu), kNotKnown);
        }
    }
}

const char *stacks_name(Stacks stacks) {
    switch (stacks) {
    case Stacks::kOff:
        return "off";
    case Stacks::kForks:
        return "forks";
    case Stacks::kFull:
        return "full";
    }
    return "off";
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
        const unsigned state = state_within(cell);
        return state != 0 && state != THR_SERIAL_STATE && cell.wall > 0;
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
    // The name of a line of Python ends with it.
    return at.source.empty() || name.ends_with(at.source.str()) ? name
                                                                : name + " " + bounded(at.source);
}

std::string thread_name(const Thread &thread) {
    return "thread " + std::to_string(thread.number);
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

bool is_python_library(const std::string &file) {
    constexpr std::string_view kFolders[] = {"/site-packages/", "/dist-packages/", "/lib/python3"};
    return file.starts_with("<frozen ") ||
           (file.ends_with(".py") &&
            std::any_of(std::begin(kFolders), std::end(kFolders), [&](std::string_view folder) {
                return file.find(folder) != std::string::npos;
            }));
}

bool is_system_library(const std::string &module) {
    constexpr std::string_view kNames[] = {
        "libc.so",     "libm.so",    "libpthread.so", "librt.so", "ld-linux",      "linux-vdso",
        "libgcc_s.so", "libmvec.so", "libstdc++.so",  "libc++",   "libgfortran.so"};
    const std::string_view name = std::string_view(module).substr(module.rfind('/') + 1);
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](std::string_view each) { return name.starts_with(each); }) ||
           is_python_library(module);
}

std::string other_runtimes(const std::vector<SharedText> &files, const std::string &observed) {
    constexpr std::string_view kNames[] = {"libgomp.so", "libomp.so", "libiomp5.so", "libnvomp.so"};
    const bool is_front = base_name(observed).starts_with("libomp-collector-front");
    std::set<std::string> others;
    for (const SharedText &file : files) {
        const std::string name = base_name(file.str());
        const bool is_one =
            std::any_of(std::begin(kNames), std::end(kNames),
                        [&](std::string_view each) { return name.starts_with(each); });
        const bool is_behind_front = is_front && name.starts_with(kNames[0]);
        if (is_one && !is_behind_front && !observed.empty() && file.str() != observed) {
            others.insert(file.str());
        }
    }
    std::string text;
    for (const std::string &file : others) {
        text += (text.empty() ? "" : ", ") + file;
    }
    return text;
}

} // namespace ompcollect::report
