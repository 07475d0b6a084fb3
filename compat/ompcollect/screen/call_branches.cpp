// SPDX-License-Identifier: Apache-2.0
#include "call_branches.h"

#include "named_place.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace ompcollect::report {
namespace {

// For each node the nearest one above it with the same function and no region in between; -1: none.
class SameAbove {
  public:
    explicit SameAbove(const Process &process);
    [[nodiscard]] int of(size_t node) const { return above_[node]; }

  private:
    // The nodes on the way from the root to where we are, by scope and function.
    using Key = std::tuple<int, std::string_view, std::string_view>;
    void enter(size_t number);
    void leave(size_t number);
    [[nodiscard]] Key key_of(size_t number) const;

    const std::vector<Node> &nodes_;
    std::vector<int> scopes_; // the nearest region at or above
    std::vector<int> above_;
    std::map<Key, int> nearest_;
};

SameAbove::SameAbove(const Process &process)
    : nodes_(process.nodes), scopes_(nodes_.size(), -1), above_(nodes_.size(), -1) {
    std::vector<int> first_child(nodes_.size() + 1, -1); // the root is the last one
    std::vector<int> next(nodes_.size(), -1);
    for (size_t i = nodes_.size(); i-- > 0;) {
        int &first = first_child[nodes_[i].parent < 0 ? nodes_.size()
                                                      : static_cast<size_t>(nodes_[i].parent)];
        next[i] = first;
        first = static_cast<int>(i);
    }
    std::vector<int> way;
    int at = first_child.back();
    while (at >= 0 || !way.empty()) {
        if (at >= 0) {
            enter(static_cast<size_t>(at));
            way.push_back(at);
            at = first_child[static_cast<size_t>(at)];
        } else {
            leave(static_cast<size_t>(way.back()));
            at = next[static_cast<size_t>(way.back())];
            way.pop_back();
        }
    }
}

SameAbove::Key SameAbove::key_of(size_t number) const {
    return {scopes_[number], nodes_[number].function, nodes_[number].module.str()};
}

void SameAbove::enter(size_t number) {
    const Node &node = nodes_[number];
    if (node.kind == NodeKind::kRegion) {
        scopes_[number] = static_cast<int>(number);
        return;
    }
    scopes_[number] = node.parent < 0 ? -1 : scopes_[static_cast<size_t>(node.parent)];
    if (!node.function.empty()) {
        const auto [found, is_new] = nearest_.try_emplace(key_of(number), static_cast<int>(number));
        above_[number] = is_new ? -1 : found->second;
        found->second = static_cast<int>(number);
    }
}

void SameAbove::leave(size_t number) {
    if (nodes_[number].kind == NodeKind::kRegion || nodes_[number].function.empty()) {
        return;
    }
    if (above_[number] >= 0) {
        nearest_[key_of(number)] = above_[number];
    } else {
        nearest_.erase(key_of(number));
    }
}

class Builder {
  public:
    explicit Builder(const Process &process);
    std::vector<Branch> made(const std::function<bool(const Cell &)> &counts);

  private:
    size_t add(size_t parent, const std::string &name, const NamedPlace &place = {});
    void add_node(size_t number);
    bool fold(size_t number);
    void add_cell(const Cell &cell, std::map<std::pair<size_t, unsigned>, size_t> &leaves);

    const Process &process_;
    const SameAbove same_above_;
    std::vector<unsigned> depths_; // of nodes: how often their function stands on the path
    std::vector<Branch> branches_;
    std::vector<size_t> branch_of_node_;
    // By parent, function and module; or by parent and region.
    using Key = std::tuple<size_t, std::string, std::string, int>;
    std::map<Key, size_t> known_;
};

size_t Builder::add(size_t parent, const std::string &name, const NamedPlace &place) {
    const size_t branch = branches_.size();
    branches_.emplace_back().name = name;
    branches_.back().place = place;
    branches_.back().parent = parent;
    if (branch != parent) {
        branches_[parent].children.push_back(branch);
    }
    return branch;
}

// Onto the branch of the same function nearer to the root, if there is one.
bool Builder::fold(size_t number) {
    const int above = same_above_.of(number);
    depths_.push_back(above < 0 ? 1 : depths_[static_cast<size_t>(above)] + 1);
    if (above < 0) {
        return false;
    }
    const size_t branch = branch_of_node_[static_cast<size_t>(above)];
    branch_of_node_.push_back(branch);
    branches_[branch].deepest = std::max(branches_[branch].deepest, depths_.back());
    return true;
}

void Builder::add_node(size_t number) {
    const Node &node = process_.nodes[number];
    if (fold(number)) {
        return;
    }
    const size_t parent = node.parent >= 0 ? branch_of_node_[static_cast<size_t>(node.parent)] : 0;
    const bool is_region = node.kind == NodeKind::kRegion;
    const int self = static_cast<int>(number);
    const int region = !is_region ? -1 : node.same_as >= 0 ? node.same_as : self;
    const bool has_name = is_region || !node.function.empty();
    const Key key = is_region ? Key{parent, "", "", region}
                              : Key{parent, node.function, node.module, has_name ? -1 : self};
    const auto [found, is_new] = known_.try_emplace(key, 0);
    if (is_new) {
        found->second = add(parent, path_name(node), place_of(process_, self));
        branches_.back().region = region;
    }
    branch_of_node_.push_back(found->second);
}

void Builder::add_cell(const Cell &cell, std::map<std::pair<size_t, unsigned>, size_t> &leaves) {
    const size_t at = cell.node >= 0 ? branch_of_node_[static_cast<size_t>(cell.node)] : 0;
    const std::string state = state_at(cell.state).frame;
    size_t branch = at;
    if (!state.empty() || cell.node == kUnknown) {
        const auto [leaf, is_new] = leaves.try_emplace({at, cell.state}, 0);
        if (is_new) {
            leaf->second = add(at, state.empty() ? place_name(process_, cell.node) : state);
        }
        branch = leaf->second;
    }
    branches_[branch].total += cell.wall;
    branches_[branch].own += cell.wall;
}

Builder::Builder(const Process &process) : process_(process), same_above_(process) {
    add(0, base_name(process.program));
    for (size_t i = 0; i < process.nodes.size(); ++i) {
        add_node(i);
    }
}

std::vector<Branch> Builder::made(const std::function<bool(const Cell &)> &counts) {
    std::map<std::pair<size_t, unsigned>, size_t> leaves;
    for (const Cell &cell : process_.cells) {
        if (cell.state != THR_IDLE_STATE && cell.wall > 0 && (!counts || counts(cell))) {
            add_cell(cell, leaves);
        }
    }
    for (size_t branch = branches_.size(); branch-- > 1;) {
        branches_[branches_[branch].parent].total += branches_[branch].total;
    }
    return std::move(branches_);
}

} // namespace

std::vector<Branch> call_branches(const Process &process,
                                  const std::function<bool(const Cell &)> &counts) {
    return Builder(process).made(counts);
}

} // namespace ompcollect::report
