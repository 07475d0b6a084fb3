// SPDX-License-Identifier: Apache-2.0
//
// From the collector's call paths, which are addresses, to the tree of functions and regions that
// reports show. Calls of one function under one parent become one node, inlined functions nodes of
// their own. What a compiler has cut out of a function for a region is that region's own code.
#include "run.h"
#include "words.h"

#include <map>
#include <tuple>

namespace ompcollect::report {
namespace {

constexpr char kCutName[] = "(call path cut short)";

class PathTree {
  public:
    PathTree(const Profile &profile, Process &to) : profile_(profile), to_(to) {}
    std::vector<int> make(); // the node of each path

  private:
    int node_for(const PathRow &path);
    int region_node(const PathRow &path, int parent);
    int frame_nodes(const PathRow &path, int parent);
    int child(int parent, NodeKind kind, const Place &place, int region);
    [[nodiscard]] bool is_body_of(const PathPlace &at, const PathRow &path, int parent) const;
    [[nodiscard]] bool is_own_name(const std::string &name, int region) const;
    void take_cells(const std::vector<int> &node_of_path);

    // By function where it is known, else by place.
    using Key = std::tuple<int, NodeKind, int, std::string, std::string, uint64_t>;
    const Profile &profile_;
    Process &to_;
    std::map<Key, int> nodes_;
    std::map<int, int> first_of_region_; // by row
    std::vector<int> node_of_path_;
};

int PathTree::child(int parent, NodeKind kind, const Place &place, int region) {
    const std::string name = text_of(place.symbol);
    const bool by_place = name.empty() && region < 0;
    const auto [found, is_new] = nodes_.try_emplace(
        Key{parent, kind, region, name, text_of(place.module), by_place ? place.offset : 0},
        static_cast<int>(to_.nodes.size()));
    if (is_new) {
        Node &node = to_.nodes.emplace_back();
        node.parent = parent;
        node.kind = kind;
        node.function = name;
        node.source = text_of(place.source);
        node.module = text_of(place.module);
        node.offset = place.offset;
    }
    return found->second;
}

int PathTree::region_node(const PathRow &path, int parent) {
    Place nowhere;
    const auto row = static_cast<size_t>(path.region);
    const bool is_known = path.region >= 0 && row < profile_.region_count;
    const int node = child(parent, NodeKind::kRegion,
                           is_known ? profile_.regions[row].place : nowhere, path.region);
    const auto [first, is_new] = first_of_region_.try_emplace(path.region, node);
    if (first->second != node) {
        to_.nodes[static_cast<size_t>(node)].same_as = first->second;
    }
    to_.nodes[static_cast<size_t>(first->second)].entries += path.entries;
    return node;
}

// The region's own code, which the source has in the function that holds the fork.
bool PathTree::is_body_of(const PathPlace &at, const PathRow &path, int parent) const {
    if (!at.is_part || path.parent < 0 ||
        profile_.paths[static_cast<size_t>(path.parent)].kind != PathKind::kRegion) {
        return false;
    }
    return is_own_name(text_of(at.place.symbol), parent);
}

bool PathTree::is_own_name(const std::string &name, int region) const {
    return name.empty() || name.front() == '.' ||
           name == to_.nodes[static_cast<size_t>(region)].function;
}

int PathTree::frame_nodes(const PathRow &path, int parent) {
    const auto place = static_cast<size_t>(path.place);
    if (path.place < 0 || place >= profile_.place_count) {
        return child(parent, NodeKind::kFunction, Place(), -1);
    }
    const PathPlace &at = profile_.places[place];
    int node =
        is_body_of(at, path, parent) ? parent : child(parent, NodeKind::kFunction, at.place, -1);
    for (size_t i = 0; i < at.inlined_count; ++i) {
        const Place &inlined = at.inlined[i];
        if (node != parent || !is_body_of(at, path, parent) ||
            !is_own_name(text_of(inlined.symbol), parent)) {
            node = child(node, NodeKind::kFunction, inlined, -1);
        }
    }
    return node;
}

int PathTree::node_for(const PathRow &path) {
    const int parent = path.parent >= 0 ? node_of_path_[static_cast<size_t>(path.parent)] : -1;
    switch (path.kind) {
    case PathKind::kRegion:
        return region_node(path, parent);
    case PathKind::kFrame:
        return frame_nodes(path, parent);
    case PathKind::kCut:
        break;
    }
    Place cut;
    cut.symbol = kCutName;
    return child(parent, NodeKind::kFunction, cut, -1);
}

void PathTree::take_cells(const std::vector<int> &node_of_path) {
    std::map<std::tuple<unsigned, int, unsigned>, Cell> cells;
    for (size_t i = 0; i < profile_.path_cell_count; ++i) {
        const PathCell &from = profile_.path_cells[i];
        if (from.thread >= to_.threads.size() || from.state >= kStateColumns) {
            continue;
        }
        const int node = from.path >= 0 ? node_of_path[static_cast<size_t>(from.path)] : from.path;
        Cell &cell = cells[{from.thread, node, from.state}];
        cell.thread = from.thread;
        cell.node = node;
        cell.state = from.state;
        cell.wall += from.wall;
        cell.cpu += from.cpu;
        cell.samples += from.samples;
    }
    to_.cells.reserve(cells.size());
    for (const auto &[key, cell] : cells) {
        to_.cells.push_back(cell);
    }
}

std::vector<int> PathTree::make() {
    node_of_path_.reserve(profile_.path_count);
    for (size_t i = 0; i < profile_.path_count; ++i) {
        node_of_path_.push_back(node_for(profile_.paths[i]));
    }
    take_cells(node_of_path_);
    to_.samples.reserve(profile_.sample_count);
    for (size_t i = 0; i < profile_.sample_count; ++i) {
        const TimedSample &from = profile_.samples[i];
        const int node = from.path >= 0 ? node_of_path_[static_cast<size_t>(from.path)] : from.path;
        to_.samples.push_back({from.time, from.thread, node, from.state});
    }
    return std::move(node_of_path_);
}

} // namespace

std::vector<int> take_paths(const Profile &profile, Process &to) {
    return PathTree(profile, to).make();
}

} // namespace ompcollect::report
