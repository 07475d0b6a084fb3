// SPDX-License-Identifier: Apache-2.0
#include "serial_place.h"

#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ompcollect::report {
namespace {

bool is_own_function(const Node &node, SystemLibraries &libraries) {
    return node.kind == NodeKind::kFunction && !node.function.empty() &&
           node.function.str() != kCutPath && !libraries.have(node.module);
}

// One without a symbol has its place in the file for a name, which nobody can look up.
bool has_name(const Node &node) {
    return !node.source.empty() || !node.function.str().starts_with(base_name(node.module) + "+0x");
}

class Owners {
  public:
    explicit Owners(const Process &process);
    // The function's node, by its first call path; below 0 where there is none.
    int of(int node);

  private:
    [[nodiscard]] int named(int owner);

    const Process &process_;
    SystemLibraries libraries_;
    std::unordered_set<std::string_view> helpers_;
    std::unordered_map<std::string_view, int> first_;
};

Owners::Owners(const Process &process) : process_(process) {
    std::unordered_map<std::string_view, std::string_view> caller;
    for (const Node &node : process.nodes) {
        if (!is_own_function(node, libraries_) || node.parent < 0) {
            continue;
        }
        const std::string_view above =
            process.nodes[static_cast<size_t>(node.parent)].function.str();
        const std::string_view own = node.function.str();
        const auto [found, is_new] = caller.try_emplace(own, above);
        if (!is_new && found->second != above && above != own) {
            helpers_.insert(own);
        }
    }
}

// What calls it and has a name; itself where nobody has.
int Owners::named(int owner) {
    for (int at = owner; at >= 0; at = process_.nodes[static_cast<size_t>(at)].parent) {
        const Node &here = process_.nodes[static_cast<size_t>(at)];
        if (here.kind == NodeKind::kRegion) {
            break;
        }
        if (is_own_function(here, libraries_) && has_name(here)) {
            return at;
        }
    }
    return owner;
}

int Owners::of(int node) {
    int owner = -1;
    for (int at = node; at >= 0; at = process_.nodes[static_cast<size_t>(at)].parent) {
        const Node &here = process_.nodes[static_cast<size_t>(at)];
        if (here.kind == NodeKind::kRegion) {
            break;
        }
        if (!is_own_function(here, libraries_)) {
            continue;
        }
        if (helpers_.count(here.function.str()) != 0) {
            owner = -1; // what it calls is a helper's, too
        } else if (owner < 0) {
            owner = at;
        }
    }
    if (owner < 0) { // helpers all the way: the outermost function
        for (int at = node; at >= 0; at = process_.nodes[static_cast<size_t>(at)].parent) {
            const Node &here = process_.nodes[static_cast<size_t>(at)];
            if (here.kind == NodeKind::kRegion) {
                break;
            }
            owner = is_own_function(here, libraries_) ? at : owner;
        }
    }
    if (owner < 0) {
        return owner;
    }
    owner = named(owner);
    const std::string_view name = process_.nodes[static_cast<size_t>(owner)].function.str();
    return first_.try_emplace(name, owner).first->second;
}

} // namespace

std::vector<SerialPlace> serial_places(const Process &process) {
    Owners owners(process);
    std::map<std::pair<int, bool>, SerialPlace> by_place;
    for (const Cell &cell : process.cells) {
        if (region_of(process, cell.node) != kOutside || state_within(cell) != THR_SERIAL_STATE) {
            continue;
        }
        const bool is_asleep = cell.state == kAsleepState;
        const int owner = owners.of(cell.node);
        const int node = owner < 0 ? kOutside : owner;
        SerialPlace &to = by_place[{node, is_asleep}];
        to.node = node;
        to.is_asleep = is_asleep;
        to.seconds += cell.wall;
        to.samples += cell.samples;
    }
    std::vector<SerialPlace> places;
    for (const auto &[key, place] : by_place) {
        places.push_back(place);
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const auto &a, const auto &b) { return a.seconds > b.seconds; });
    return places;
}

int asleep_place(const Process &process, int region) {
    Owners owners(process);
    std::map<int, double> by_place;
    for (const Cell &cell : process.cells) {
        if (cell.state == kAsleepState && cell.node >= 0 &&
            region_of(process, cell.node) == region) {
            const int owner = owners.of(cell.node);
            by_place[owner < 0 ? region : owner] += cell.wall;
        }
    }
    const auto most =
        std::max_element(by_place.begin(), by_place.end(),
                         [](const auto &a, const auto &b) { return a.second < b.second; });
    return most == by_place.end() ? region : most->first;
}

int caller_of_place(const Process &process, int node) {
    if (node < 0 || process.nodes[static_cast<size_t>(node)].kind == NodeKind::kRegion) {
        return -1;
    }
    const std::string &place = process.nodes[static_cast<size_t>(node)].function;
    SystemLibraries libraries;
    for (int at = node; at >= 0; at = process.nodes[static_cast<size_t>(at)].parent) {
        const Node &here = process.nodes[static_cast<size_t>(at)];
        const bool is_region = here.kind == NodeKind::kRegion;
        if (is_region || (is_own_function(here, libraries) && here.function.str() != place)) {
            return at;
        }
    }
    return -1;
}

} // namespace ompcollect::report
