// SPDX-License-Identifier: Apache-2.0
#include "serial_place.h"

#include "reader_places.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ompcollect::report {
namespace {

// Code of the C++ library that a compiler has put into the program's.
bool is_of_the_library(std::string_view function) {
    const std::string_view name = function.substr(0, function.find_first_of("<("));
    return name.starts_with("std::") || name.find(" std::") != name.npos ||
           name.starts_with("__gthread") || name.starts_with("__gnu_cxx::");
}

bool is_own_function(const Node &node, SystemLibraries &libraries) {
    return node.kind == NodeKind::kFunction && !node.function.empty() &&
           node.function.str() != kCutPath && !is_of_the_library(node.function.str()) &&
           !libraries.have(node.module);
}

// False for a function without a symbol, whose name is its offset in the file.
bool has_name(const Node &node) {
    return !node.source.empty() || !node.function.str().starts_with(base_name(node.module) + "+0x");
}

class ResponsibleFunctions {
  public:
    explicit ResponsibleFunctions(const Process &process);
    // The function's node, by its first call path; below 0 where there is none.
    int of(int node);

  private:
    [[nodiscard]] const Node &node_at(int node) const {
        return process_.nodes[static_cast<size_t>(node)];
    }
    // Of the program, from a node out to its region.
    [[nodiscard]] std::vector<int> functions_above(int node);

    const Process &process_;
    SystemLibraries libraries_;
    const PythonLines python_;
    std::unordered_set<std::string_view> helpers_;
    std::unordered_map<std::string_view, int> first_;
};

ResponsibleFunctions::ResponsibleFunctions(const Process &process)
    : process_(process), python_(process.nodes) {
    std::unordered_map<std::string_view, std::string_view> caller;
    for (const Node &node : process.nodes) {
        if (!is_own_function(node, libraries_) || node.parent < 0) {
            continue;
        }
        // Calls from two lines of one function are not from two functions.
        const std::string_view above =
            function_without_line(process.nodes[static_cast<size_t>(node.parent)]);
        const std::string_view own = node.function.str();
        const auto [found, is_new] = caller.try_emplace(own, above);
        if (!is_new && found->second != above && above != own) {
            helpers_.insert(own);
        }
    }
}

std::vector<int> ResponsibleFunctions::functions_above(int node) {
    std::vector<int> to;
    for (int at = node; at >= 0 && node_at(at).kind != NodeKind::kRegion; at = node_at(at).parent) {
        if (is_own_function(node_at(at), libraries_) && !python_.hides(at)) {
            to.push_back(at);
        }
    }
    return to;
}

// A function that a helper calls is a helper, too. If all are helpers, the outermost function is
// the place. A function without a name stands for its next caller with a name.
int ResponsibleFunctions::of(int node) {
    const std::vector<int> functions = functions_above(node);
    if (functions.empty()) {
        return -1;
    }
    const auto helper = std::find_if(functions.rbegin(), functions.rend(), [this](int at) {
        return helpers_.count(node_at(at).function.str()) != 0;
    });
    const auto owner = helper == functions.rbegin() ? functions.end() - 1 : helper.base();
    const auto named =
        std::find_if(owner, functions.end(), [this](int at) { return has_name(node_at(at)); });
    const int found = named == functions.end() ? *owner : *named;
    return first_.try_emplace(node_at(found).function.str(), found).first->second;
}

bool is_serial(const Process &process, const Cell &cell) {
    return region_of(process, cell.node) == kOutside && state_within(cell) == THR_SERIAL_STATE;
}

// 0 where the processor time is not known.
double without_processor_of(const Cell &cell) {
    return cell.state == kNoProcessorState ? cell.wall
           : cell.wall > cell.cpu          ? cell.wall - cell.cpu
                                           : 0;
}

// The key of the most seconds.
int longest_of(const std::map<int, double> &seconds) {
    return std::max_element(seconds.begin(), seconds.end(),
                            [](const auto &a, const auto &b) { return a.second < b.second; })
        ->first;
}

} // namespace

ForkingThreads::ForkingThreads(const Process &process) {
    double begin = process.seconds;
    double end = 0;
    for (size_t i = 0; i < process.threads.size(); ++i) {
        const Thread &thread = process.threads[i];
        if (thread.events.size() > OMP_EVENT_FORK && thread.events[OMP_EVENT_FORK] != 0) {
            threads_.insert(static_cast<unsigned>(i));
            begin = std::min(begin, thread.begin);
            end = std::max(end, thread.end);
        }
    }
    seconds_ = std::max(0.0, end - begin);
    for (const Cell &cell : process.cells) {
        if (is_serial(process, cell) && cell.state == kAsleepState) {
            asleep_[cell.thread] += cell.wall;
        }
    }
}

double ForkingThreads::part_of(const Cell &cell) const {
    const bool only_waits =
        cell.state == kAsleepState && !threads_.empty() && threads_.count(cell.thread) == 0;
    const auto all = asleep_.find(cell.thread);
    return only_waits && all != asleep_.end() && all->second > 0
               ? std::max(0.0, 1 - seconds_ / all->second)
               : 1;
}

MpiOutside mpi_outside(const Process &process, const TimeClasses &classes) {
    MpiOutside to;
    double others = 0;
    for (const Cell &cell : process.cells) {
        if (!is_serial(process, cell)) {
            continue;
        }
        const TimeClass is = classes.of(cell);
        if (is == TimeClass::kMpi) {
            to.with_path += cell.wall;
        } else if (cell.node != kOutside) {
            others += is == TimeClass::kNoProcessor ? 0 : cell.wall;
        } else {
            to.pathless += without_processor_of(cell);
        }
    }
    to.share = to.with_path > 0 ? to.with_path / (to.with_path + others) : 0;
    return to;
}

Cause own_wait_of(const TimeClasses &classes, const Cell &cell) {
    switch (classes.of(cell)) {
    case TimeClass::kMpi:
        return Cause::kMpi;
    case TimeClass::kLock:
        return Cause::kForeignLock;
    case TimeClass::kOwnThread:
        return Cause::kOwnThread;
    case TimeClass::kAsleep:
        return Cause::kAsleep;
    case TimeClass::kUnobserved:
    case TimeClass::kCode:
    case TimeClass::kNoProcessor:
    case TimeClass::kRuntime:
        break;
    }
    return Cause::kCount;
}

std::vector<SerialPlace> serial_places(const Process &process) {
    ResponsibleFunctions owners(process);
    const ForkingThreads forking(process);
    const TimeClasses classes(process);
    const MpiOutside mpi = mpi_outside(process, classes);
    // Time without a call path is added to the calls of MPI with one, in proportion.
    const double more = mpi.with_path > 0 ? mpi.all() / mpi.with_path : 1;
    std::map<std::pair<int, Cause>, SerialPlace> by_place;
    std::map<int, std::map<int, double>> calls; // by place
    for (const Cell &cell : process.cells) {
        const bool is_known = classes.of(cell) != TimeClass::kUnobserved;
        const double part = is_serial(process, cell) && is_known ? forking.part_of(cell) : 0;
        if (part <= 0) {
            continue;
        }
        const Cause wait = own_wait_of(classes, cell);
        const Cause cause = wait == Cause::kAsleep  ? Cause::kSerialAsleep
                            : wait == Cause::kCount ? Cause::kSerial
                                                    : wait;
        const int owner = owners.of(cell.node);
        const int node = owner < 0 ? kOutside : owner;
        SerialPlace &to = by_place[{node, cause}];
        to.node = node;
        to.cause = cause;
        to.seconds +=
            part * (cause == Cause::kMpi    ? more * cell.wall
                    : cell.node == kOutside ? cell.wall - mpi.share * without_processor_of(cell)
                                            : cell.wall);
        to.samples += cell.samples;
        if (cause == Cause::kSerialAsleep) {
            calls[node][cell.call] += part * cell.wall;
        }
    }
    std::vector<SerialPlace> places;
    for (const auto &[key, place] : by_place) {
        places.push_back(place);
        if (place.cause == Cause::kSerialAsleep) {
            places.back().call = longest_of(calls[place.node]);
        }
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
    return places;
}

namespace {

// Thread seconds.
struct TimeOutside {
    double all = 0;
    RuntimeOutside runtime;
};

// Only threads that fork outermost regions count: no other thread works then.
TimeOutside time_outside(const Process &process, double own_part) {
    const ForkingThreads forking(process);
    std::set<unsigned> masters;
    for (const Cell &cell : process.cells) {
        if (is_serial(process, cell)) {
            masters.insert(cell.thread);
        }
    }
    TimeOutside to;
    for (const Cell &cell : process.cells) {
        const StateKind kind = kind_of_state(state_within(cell));
        if (region_of(process, cell.node) == kOutside && masters.count(cell.thread) != 0 &&
            kind != StateKind::kIdle) {
            to.all += forking.part_of(cell) * cell.wall;
            if (kind == StateKind::kRuntime) {
                const double part = cell.state == kNoProcessorState ? own_part : 1;
                to.runtime.own += part * cell.wall;
                to.runtime.kept += (1 - part) * cell.wall;
            }
        }
    }
    return to;
}

// How often regions that lie in no other were entered.
std::map<int, double> forks_of(const Process &process, const Figures &figures) {
    std::map<int, double> to;
    for (const RegionFigures &region : figures.regions) {
        if (region.node >= 0 && outermost_of(process, region.node) == region.node) {
            to[region.node] =
                static_cast<double>(process.nodes[static_cast<size_t>(region.node)].entries);
        }
    }
    return to;
}

} // namespace

OutsideRegions outside_regions(const Process &process, const Figures &figures, double own_part) {
    const TimeOutside sums = time_outside(process, own_part);
    const double serial = process.has_wall_times ? std::max(0.0, figures.efficiency.serial)
                                                 : std::min(sums.all, figures.efficiency.elapsed);
    OutsideRegions to;
    to.part = sums.all > 0 ? std::min(1.0, serial / sums.all) : 0;
    const std::map<int, double> forks = forks_of(process, figures);
    double all = 0;
    for (const auto &[node, count] : forks) {
        all += count;
    }
    for (const auto &[node, count] : forks) {
        if (all > 0) {
            const double part = to.part * count / all;
            to.runtime[node] = {part * sums.runtime.own, part * sums.runtime.kept};
        }
    }
    return to;
}

int waiting_place(const Process &process, const TimeClasses &classes, int region, Cause wait) {
    ResponsibleFunctions owners(process);
    std::map<int, double> by_place;
    for (const Cell &cell : process.cells) {
        if (cell.node >= 0 && region_of(process, cell.node) == region &&
            own_wait_of(classes, cell) == wait) {
            const int owner = owners.of(cell.node);
            by_place[owner < 0 ? region : owner] += cell.wall;
        }
    }
    return by_place.empty() ? region : longest_of(by_place);
}

int caller_of_place(const Process &process, int node) {
    const auto node_at = [&](int at) -> const Node & {
        return process.nodes[static_cast<size_t>(at)];
    };
    if (node < 0) {
        return -1;
    }
    const PythonLines python(process.nodes);
    if (node_at(node).kind == NodeKind::kRegion) {
        // The line of Python that the region is at: its function says more than a library's.
        const int line = python.at(node_at(node).parent);
        return line >= 0 && node_at(line).source == node_at(node).source ? line : -1;
    }
    SystemLibraries libraries;
    const auto is_caller = [&](int above) {
        return node_at(above).kind == NodeKind::kRegion ||
               (is_own_function(node_at(above), libraries) && !python.hides(above) &&
                node_at(above).function.str() != node_at(node).function.str());
    };
    int at = node;
    while (at >= 0 && !is_caller(at)) {
        at = node_at(at).parent;
    }
    return at;
}

} // namespace ompcollect::report
