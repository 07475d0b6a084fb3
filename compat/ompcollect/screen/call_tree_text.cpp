// SPDX-License-Identifier: Apache-2.0
//
// Thread seconds, idle threads left out. A branch is shown while it has more than a hundredth of
// all time, the most expensive ones first; a state is a leaf of its own. Recursion is folded: a
// function that is on the path already, with no region in between, is the same branch again. So its
// time counts once.
#include "call_tree_text.h"

#include "named_place.h"
#include "text_layout.h"
#include "words.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <queue>
#include <string_view>
#include <tuple>

namespace ompcollect::report {
namespace {

constexpr double kLeastShare = 0.01;
constexpr size_t kRowsPerTop = 3; // a tree needs more rows than a table

// A branch and the only one below it that counts are one row of the hot paths.
constexpr double kOnlyCallee = 0.98;
constexpr char kCalls[] = " > ";
constexpr char kLeftOut[] = "... > ";
constexpr char kRegionMark[] = " [region]"; // as path_name() has it

struct Branch {
    std::string name;
    NamedPlace place; // of a node; else empty
    double total = 0;
    double own = 0;
    std::vector<size_t> children;
    unsigned deepest = 1; // how often the function stands on one path
    bool is_shown = false;
};

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

class CallTree {
  public:
    explicit CallTree(const Process &process);
    std::string text(const TextStyle &style);
    std::string hot_paths(const TextStyle &style, size_t rows);

  private:
    using Row = std::vector<size_t>; // a branch, or a chain of them
    size_t add(size_t parent, const std::string &name, const NamedPlace &place = {});
    void add_node(size_t number);
    bool fold(size_t number);
    void add_cell(const Cell &cell, std::map<std::pair<size_t, unsigned>, size_t> &leaves);
    [[nodiscard]] Row row_from(size_t branch) const;
    void choose(size_t most);
    void print(const TextStyle &style);
    void print_line(const Row &row, size_t depth, const TextStyle &style);
    [[nodiscard]] std::string last_name(const Branch &at, size_t room) const;
    [[nodiscard]] std::string names(const Row &row, size_t room) const;

    const Process &process_;
    const SameAbove same_above_;
    std::vector<unsigned> depths_; // of nodes: how often their function stands on the path
    std::vector<Branch> branches_; // 0 is the root; parents first
    std::vector<size_t> parents_;
    std::vector<size_t> branch_of_node_;
    // By parent, function and module; or by parent and region.
    using Key = std::tuple<size_t, std::string, std::string, int>;
    std::map<Key, size_t> known_;
    std::string text_;
    size_t left_out_ = 0;
    bool has_recursion_ = false;
    bool has_chains_ = false; // rows may be chains, and end with their place
};

size_t CallTree::add(size_t parent, const std::string &name, const NamedPlace &place) {
    const size_t branch = branches_.size();
    branches_.emplace_back().name = name;
    branches_.back().place = place;
    parents_.push_back(parent);
    if (branch != parent) {
        branches_[parent].children.push_back(branch);
    }
    return branch;
}

// Onto the branch of the same function nearer to the root, if there is one.
bool CallTree::fold(size_t number) {
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

void CallTree::add_node(size_t number) {
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
    }
    branch_of_node_.push_back(found->second);
}

CallTree::CallTree(const Process &process) : process_(process), same_above_(process) {
    add(0, base_name(process.program));
    for (size_t i = 0; i < process.nodes.size(); ++i) {
        add_node(i);
    }
    std::map<std::pair<size_t, unsigned>, size_t> leaves;
    for (const Cell &cell : process.cells) {
        if (cell.state != THR_IDLE_STATE && cell.wall > 0) {
            add_cell(cell, leaves);
        }
    }
    for (size_t branch = branches_.size(); branch-- > 1;) {
        branches_[parents_[branch]].total += branches_[branch].total;
    }
}

void CallTree::add_cell(const Cell &cell, std::map<std::pair<size_t, unsigned>, size_t> &leaves) {
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

CallTree::Row CallTree::row_from(size_t branch) const {
    Row row = {branch};
    while (has_chains_ && !branches_[row.back()].children.empty()) {
        const std::vector<size_t> &below = branches_[row.back()].children;
        const size_t most =
            *std::max_element(below.begin(), below.end(), [this](size_t a, size_t b) {
                return branches_[a].total < branches_[b].total;
            });
        if (branches_[most].total < kOnlyCallee * branches_[row.front()].total) {
            break;
        }
        row.push_back(most);
    }
    return row;
}

// The branches with the most time, each after its parent.
void CallTree::choose(size_t most) {
    const auto less = [this](size_t a, size_t b) {
        return branches_[a].total < branches_[b].total;
    };
    std::priority_queue<size_t, std::vector<size_t>, decltype(less)> next(less);
    next.push(0);
    size_t shown = 0;
    while (!next.empty()) {
        const size_t branch = next.top();
        next.pop();
        if (branches_[branch].total <= 0) {
            break;
        }
        if (most != 0 &&
            (shown == most || branches_[branch].total < kLeastShare * branches_[0].total)) {
            ++left_out_;
            continue;
        }
        ++shown;
        const Row row = row_from(branch);
        for (const size_t each : row) {
            branches_[each].is_shown = true;
        }
        for (const size_t child : branches_[row.back()].children) {
            next.push(child);
        }
    }
}

// With the place where that is wanted, and how deep it calls itself.
std::string CallTree::last_name(const Branch &at, size_t room) const {
    const std::string depth = at.deepest > 1 ? format(" (x%u)", at.deepest) : "";
    const bool has_place = has_chains_ && !at.place.empty();
    const bool is_region = at.name.ends_with(kRegionMark);
    const std::string mark = (is_region ? kRegionMark : "") + depth;
    const size_t left = room > mark.size() ? room - mark.size() : 0;
    if (has_place) {
        return shortened_place(at.place.name, at.place.source, left) + mark;
    }
    const std::string name =
        at.name.substr(0, at.name.size() - (is_region ? strlen(kRegionMark) : 0));
    return shortened_name(name, left) + mark;
}

// Of a chain the last names: those nearest to the time.
std::string CallTree::names(const Row &row, size_t room) const {
    constexpr size_t kFewest = 16; // columns of a name that tells something
    std::string text = last_name(branches_[row.back()], room);
    for (size_t i = row.size() - 1; i-- > 0;) {
        if (branches_[row[i]].name + kRegionMark == branches_[row[i + 1]].name) {
            continue; // the region's own function
        }
        const std::string more = branches_[row[i]].name + kCalls;
        const size_t before = i == 0 ? 0 : strlen(kLeftOut);
        const size_t used = columns_of(text) + before;
        if (used + columns_of(more) <= room) {
            text.insert(0, more);
        } else if (used + kFewest + strlen(kCalls) <= room) {
            text.insert(0, shortened_name(branches_[row[i]].name, room - used - strlen(kCalls)) +
                               kCalls);
        } else {
            return columns_of(text) + strlen(kLeftOut) <= room ? kLeftOut + text : text;
        }
    }
    return text;
}

void CallTree::print_line(const Row &row, size_t depth, const TextStyle &style) {
    const Branch &first = branches_[row.front()];
    const double own = branches_[row.back()].own;
    std::string line = format("  %9s %6s %9s  ", duration(first.total).c_str(),
                              percent(first.total / branches_[0].total).c_str(),
                              own > 0 ? duration(own).c_str() : "");
    constexpr size_t kDeepest = 20; // deeper ones are not moved further to the right
    line += std::string(std::min(depth, kDeepest), ' ');
    has_recursion_ |= branches_[row.back()].deepest > 1;
    text_ += line + names(row, style.width - std::min(style.width - 1, line.size())) + "\n";
}

// Each branch, then those below it, the most expensive first.
void CallTree::print(const TextStyle &style) {
    std::vector<std::pair<size_t, size_t>> left = {{0, 0}}; // branch and depth
    while (!left.empty()) {
        const auto [branch, depth] = left.back();
        left.pop_back();
        const Row row = row_from(branch);
        print_line(row, depth, style);
        const std::vector<size_t> &below = branches_[row.back()].children;
        std::vector<size_t> children;
        std::copy_if(below.begin(), below.end(), std::back_inserter(children),
                     [this](size_t child) { return branches_[child].is_shown; });
        std::stable_sort(children.begin(), children.end(), [this](size_t a, size_t b) {
            return branches_[a].total > branches_[b].total;
        });
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            left.emplace_back(*child, depth + 1);
        }
    }
}

std::string CallTree::hot_paths(const TextStyle &style, size_t rows) {
    has_chains_ = true;
    choose(rows);
    if (!branches_[0].is_shown) {
        return {};
    }
    text_ = "\nHot paths (thread seconds: total, share, own)\n";
    print(style);
    return text_;
}

std::string CallTree::text(const TextStyle &style) {
    choose(style.top * kRowsPerTop);
    if (!branches_[0].is_shown) {
        return {};
    }
    text_ = "Call paths (thread seconds)\n";
    text_ += format("  %9s %6s %9s\n", "total", "", "own");
    print(style);
    if (left_out_ != 0) {
        text_ += format("  and %zu smaller branches (--top N or --all shows them)\n", left_out_);
    }
    if (has_recursion_) {
        text_ += "  (xN): the function calls itself, up to N deep; its time counts once\n";
    }
    if (process_.cut_walks != 0) {
        text_ += format("  %s of %s stacks could not be walked to their end\n",
                        grouped(process_.cut_walks).c_str(), grouped(process_.walks).c_str());
    }
    return text_;
}

} // namespace

std::string call_tree_text(const Process &process, const TextStyle &style) {
    if (process.stacks == "off" || process.nodes.empty()) {
        return {};
    }
    return CallTree(process).text(style);
}

std::string hot_paths_text(const Process &process, const TextStyle &style, size_t rows) {
    if (process.stacks == "off" || process.nodes.empty()) {
        return {};
    }
    return CallTree(process).hot_paths(style, rows);
}

} // namespace ompcollect::report
