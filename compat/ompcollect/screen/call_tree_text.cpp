// SPDX-License-Identifier: Apache-2.0
//
// A branch is shown while it has more than a hundredth of all time, the most expensive ones first.
#include "call_tree_text.h"

#include "reader_places.h"
#include "text_layout.h"
#include "words.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <queue>
#include <utility>

namespace ompcollect::report {
namespace {

constexpr double kLeastShare = 0.01;
constexpr size_t kRowsPerTop = 3; // a tree needs more rows than a table

// A branch and the only one below it that counts are one row of the hot paths.
constexpr double kOnlyCallee = 0.98;
constexpr char kCalls[] = " > ";
constexpr char kLeftOut[] = "... > ";

class CallTree {
  public:
    CallTree(const Process &process, const std::vector<Branch> &branches)
        : process_(process), branches_(branches), python_(process.nodes),
          is_shown_(branches_.size(), false) {}
    std::string text(const TextStyle &style);
    std::string hot_paths(const TextStyle &style, size_t rows);

  private:
    using Row = std::vector<size_t>; // a branch, or a chain of them
    [[nodiscard]] Row row_from(size_t branch) const;
    void choose(size_t most);
    void print(const TextStyle &style);
    void print_line(const Row &row, size_t depth, const TextStyle &style);
    [[nodiscard]] std::string last_name(const Branch &at, size_t room) const;
    [[nodiscard]] std::string names(const Row &row, size_t room) const;

    const Process &process_;
    const std::vector<Branch> &branches_;
    const PythonLines python_;
    std::vector<bool> is_shown_;
    std::string text_;
    size_t left_out_ = 0;
    bool has_recursion_ = false;
    bool has_chains_ = false; // rows may be chains, and end with their place
};

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
            is_shown_[each] = true;
        }
        for (const size_t child : branches_[row.back()].children) {
            next.push(child);
        }
    }
}

// With the place where that is wanted, and how deep it calls itself.
std::string CallTree::last_name(const Branch &at, size_t room) const {
    const std::string depth = at.deepest > 1 ? format(" (x%u)", at.deepest) : "";
    const NamedPlace place = has_chains_ ? place_of(process_, at) : NamedPlace();
    const std::string whole = name_of(process_, at);
    const bool is_region = whole.ends_with(kRegionMark);
    const std::string mark = (is_region ? kRegionMark : "") + depth;
    const size_t left = room > mark.size() ? room - mark.size() : 0;
    if (!place.empty()) {
        return shortened_place(place.name, place.source, left) + mark;
    }
    const std::string name = whole.substr(0, whole.size() - (is_region ? strlen(kRegionMark) : 0));
    return shortened_name(name, left) + mark;
}

// Of a chain the last names: those nearest to the time.
std::string CallTree::names(const Row &row, size_t room) const {
    constexpr size_t kFewest = 16; // columns of a name that tells something
    std::string text = last_name(branches_[row.back()], room);
    std::string below = name_of(process_, branches_[row.back()]);
    for (size_t i = row.size() - 1; i-- > 0;) {
        const std::string name = name_of(process_, branches_[row[i]]);
        if (python_.hides(branches_[row[i]].node)) {
            continue; // the line of Python says more
        }
        if (name + kRegionMark == std::exchange(below, name)) {
            continue; // the region's own function
        }
        const std::string more = name + kCalls;
        const size_t before = i == 0 ? 0 : strlen(kLeftOut);
        const size_t used = columns_of(text) + before;
        if (used + columns_of(more) <= room) {
            text.insert(0, more);
        } else if (used + kFewest + strlen(kCalls) <= room) {
            text.insert(0, shortened_name(name, room - used - strlen(kCalls)) + kCalls);
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
                     [this](size_t child) { return is_shown_[child]; });
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
    if (!is_shown_[0]) {
        return {};
    }
    text_ = "\nHot paths (thread seconds: total, share, own)\n";
    print(style);
    return text_;
}

std::string CallTree::text(const TextStyle &style) {
    choose(style.top * kRowsPerTop);
    if (!is_shown_[0]) {
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
    return CallTree(process, call_branches(process)).text(style);
}

HotPaths::HotPaths(const Process &process) : process_(process) {
    if (process.stacks != "off" && !process.nodes.empty()) {
        branches_ = call_branches(process);
    }
}

std::string HotPaths::text(const TextStyle &style, size_t rows) const {
    return branches_.empty() ? "" : CallTree(process_, branches_).hot_paths(style, rows);
}

} // namespace ompcollect::report
