// SPDX-License-Identifier: Apache-2.0
#include "call_branches.h"

#include "named_place.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>

namespace ompcollect::report {
namespace {

// Numbers of functions, the same for nodes of one name in one file; -1 where there is no name.
std::vector<int> numbers_of_functions(const std::vector<Node> &nodes) {
    std::unordered_map<std::string_view, int> files;
    std::vector<std::unordered_map<std::string_view, int>> functions; // by file
    std::vector<int> numbers;
    numbers.reserve(nodes.size());
    int next = 0;
    for (const Node &node : nodes) {
        if (node.function.empty()) {
            numbers.push_back(-1);
            continue;
        }
        const auto [file, is_new_file] =
            files.try_emplace(node.module.str(), static_cast<int>(functions.size()));
        if (is_new_file) {
            functions.emplace_back();
        }
        const auto [found, is_new] =
            functions[static_cast<size_t>(file->second)].try_emplace(node.function.str(), next);
        next += is_new;
        numbers.push_back(found->second);
    }
    return numbers;
}

// For each node the nearest one above it with the same function and no region in between; -1: none.
class SameAbove {
  public:
    SameAbove(const std::vector<Node> &nodes, const std::vector<int> &functions);
    [[nodiscard]] int of(size_t node) const { return above_[node]; }

  private:
    std::vector<int> above_;
};

// A walk over all nodes. On the way from the root to where it is it knows the last node of each
// function.
class SameAboveWalk {
  public:
    SameAboveWalk(const std::vector<Node> &nodes, const std::vector<int> &functions,
                  std::vector<int> &above)
        : nodes_(nodes), functions_(functions), above_(above), scopes_(nodes.size(), -1),
          last_(count_of(functions), -1) {}
    void go();

  private:
    static size_t count_of(const std::vector<int> &functions) {
        const auto last = std::max_element(functions.begin(), functions.end());
        return last == functions.end() ? 0 : static_cast<size_t>(*last + 1);
    }
    // On the way: a node, and which one was the last of its function before.
    struct Step {
        size_t node;
        int before;
    };
    [[nodiscard]] bool has_function(size_t number) const {
        return nodes_[number].kind != NodeKind::kRegion && functions_[number] >= 0;
    }
    Step enter(size_t number);
    void leave(const Step &step);

    const std::vector<Node> &nodes_;
    const std::vector<int> &functions_;
    std::vector<int> &above_;
    std::vector<int> scopes_; // the nearest region at or above
    std::vector<int> last_;   // by function; -1: none
};

SameAbove::SameAbove(const std::vector<Node> &nodes, const std::vector<int> &functions)
    : above_(nodes.size(), -1) {
    SameAboveWalk(nodes, functions, above_).go();
}

void SameAboveWalk::go() {
    std::vector<int> first_child(nodes_.size() + 1, -1); // the root is the last one
    std::vector<int> next(nodes_.size(), -1);
    for (size_t i = nodes_.size(); i-- > 0;) {
        int &first = first_child[nodes_[i].parent < 0 ? nodes_.size()
                                                      : static_cast<size_t>(nodes_[i].parent)];
        next[i] = first;
        first = static_cast<int>(i);
    }
    std::vector<Step> way;
    int at = first_child.back();
    while (at >= 0 || !way.empty()) {
        if (at >= 0) {
            way.push_back(enter(static_cast<size_t>(at)));
            at = first_child[static_cast<size_t>(at)];
        } else {
            leave(way.back());
            at = next[way.back().node];
            way.pop_back();
        }
    }
}

SameAboveWalk::Step SameAboveWalk::enter(size_t number) {
    const Node &node = nodes_[number];
    if (node.kind == NodeKind::kRegion) {
        scopes_[number] = static_cast<int>(number);
        return {number, -1};
    }
    scopes_[number] = node.parent < 0 ? -1 : scopes_[static_cast<size_t>(node.parent)];
    if (functions_[number] < 0) {
        return {number, -1};
    }
    int &last = last_[static_cast<size_t>(functions_[number])];
    const Step step = {number, last};
    if (last >= 0 && scopes_[static_cast<size_t>(last)] == scopes_[number]) {
        above_[number] = last;
    }
    last = static_cast<int>(number);
    return step;
}

void SameAboveWalk::leave(const Step &step) {
    if (has_function(step.node)) {
        last_[static_cast<size_t>(functions_[step.node])] = step.before;
    }
}

// Two numbers as one word, which a table may hash.
uint64_t pair_of(size_t parent, int number) {
    return uint64_t{parent} << 32U | static_cast<uint32_t>(number);
}

class Builder {
  public:
    explicit Builder(const Process &process);
    std::vector<Branch> made(const std::function<bool(const Cell &)> &counts);

  private:
    using Known = std::unordered_map<uint64_t, size_t>; // by pair_of(a branch, what is below it)
    size_t add(size_t parent, int node, const SharedText &words);
    size_t below(Known &known, size_t parent, int number, int node, const SharedText &words);
    void add_node(size_t number);
    bool fold(size_t number);
    void add_cell(const Cell &cell, Known &leaves);

    const Process &process_;
    const std::vector<int> functions_;
    const SameAbove same_above_;
    std::vector<unsigned> depths_; // of nodes: how often their function stands on the path
    std::vector<Branch> branches_;
    std::vector<size_t> branch_of_node_;
    Known functions_below_;
    Known regions_below_;
    std::vector<SharedText> states_;
};

size_t Builder::add(size_t parent, int node, const SharedText &words) {
    const size_t branch = branches_.size();
    branches_.emplace_back();
    branches_.back().node = node;
    branches_.back().words = words;
    branches_.back().parent = parent;
    if (branch != parent) {
        branches_[parent].children.push_back(branch);
    }
    return branch;
}

// The one that has this number below the parent; where there is none, a new one.
size_t Builder::below(Known &known, size_t parent, int number, int node, const SharedText &words) {
    const auto [found, is_new] = known.try_emplace(pair_of(parent, number), branches_.size());
    return is_new ? add(parent, node, words) : found->second;
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
    const int self = static_cast<int>(number);
    if (node.kind == NodeKind::kRegion) {
        const int region = node.same_as >= 0 ? node.same_as : self;
        branch_of_node_.push_back(below(regions_below_, parent, region, self, {}));
        branches_[branch_of_node_.back()].region = region;
    } else if (functions_[number] < 0) { // without a name each is for itself
        branch_of_node_.push_back(add(parent, self, {}));
    } else {
        branch_of_node_.push_back(below(functions_below_, parent, functions_[number], self, {}));
    }
}

void Builder::add_cell(const Cell &cell, Known &leaves) {
    size_t branch = cell.node >= 0 ? branch_of_node_[static_cast<size_t>(cell.node)] : 0;
    const bool is_unknown = cell.node == kUnknown;
    if (is_unknown || !states_[cell.state].empty()) {
        const SharedText &state = states_[cell.state];
        branch = below(leaves, branch, static_cast<int>(cell.state), -1,
                       state.empty() ? SharedText(place_name(process_, cell.node)) : state);
    }
    branches_[branch].total += cell.wall;
    branches_[branch].own += cell.wall;
}

Builder::Builder(const Process &process)
    : process_(process), functions_(numbers_of_functions(process.nodes)),
      same_above_(process.nodes, functions_) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        states_.emplace_back(state_at(state).frame);
    }
    add(0, -1, base_name(process.program));
    depths_.reserve(process.nodes.size());
    branch_of_node_.reserve(process.nodes.size());
    for (size_t i = 0; i < process.nodes.size(); ++i) {
        add_node(i);
    }
}

std::vector<Branch> Builder::made(const std::function<bool(const Cell &)> &counts) {
    Known leaves;
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

std::string name_of(const Process &process, const Branch &branch) {
    return branch.node < 0 ? branch.words.str()
                           : path_name(process.nodes[static_cast<size_t>(branch.node)]);
}

NamedPlace place_of(const Process &process, const Branch &branch) {
    return branch.node < 0 ? NamedPlace() : place_of(process, branch.node);
}

std::vector<Branch> call_branches(const Process &process,
                                  const std::function<bool(const Cell &)> &counts) {
    return Builder(process).made(counts);
}

} // namespace ompcollect::report
