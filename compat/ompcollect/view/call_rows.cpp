// SPDX-License-Identifier: Apache-2.0
#include "call_rows.h"

#include "table_rows.h"
#include "words.h"

#include <algorithm>

namespace ompcollect::report {
namespace {

constexpr double kOpenShare = 0.1;
constexpr unsigned kDeepest = 20; // deeper ones are not moved further to the right

} // namespace

CallRows::CallRows(const Process &process, const Choice &choice)
    : process_(&process),
      branches_(
          call_branches(process, [&](const Cell &cell) { return choice.has(process, cell); })),
      depths_(branches_.size(), 0), is_open_(branches_.size(), false) {
    for (size_t i = 0; i < branches_.size(); ++i) {
        std::vector<size_t> &below = branches_[i].children;
        std::erase_if(below, [this](size_t child) { return branches_[child].total <= 0; });
        std::stable_sort(below.begin(), below.end(), [this](size_t a, size_t b) {
            return branches_[a].total > branches_[b].total;
        });
        depths_[i] = i == 0 ? 0 : depths_[branches_[i].parent] + 1;
        is_open_[i] = branches_[i].total >= kOpenShare * branches_[0].total;
    }
    order_ = from(0, false);
}

std::vector<size_t> CallRows::from(size_t top, bool only_open) const {
    std::vector<size_t> order;
    std::vector<size_t> left;
    if (branches_[top].total > 0) {
        left.push_back(top);
    }
    while (!left.empty()) {
        const size_t branch = left.back();
        left.pop_back();
        order.push_back(branch);
        if (is_open_[branch] || !only_open) {
            const std::vector<size_t> &below = branches_[branch].children;
            left.insert(left.end(), below.rbegin(), below.rend());
        }
    }
    return order;
}

std::string CallRows::name_of(size_t branch) const {
    const Branch &at = branches_[branch];
    const NamedPlace place = place_of(*process_, at);
    return place.empty() ? report::name_of(*process_, at) : place.text();
}

Row CallRows::row_of(size_t branch) const {
    const Branch &at = branches_[branch];
    const double all = branches_[0].total;
    Row row;
    add_time(row, at.total);
    add_share(row, at.total / all);
    add_time(row, at.own > 0 ? at.own : kNotKnown);
    row.branch = branch;
    row.mark = std::string(std::min(depths_[branch], kDeepest), ' ') + (at.children.empty() ? "  "
                                                                        : is_open_[branch]  ? "- "
                                                                                            : "+ ");
    const NamedPlace place = place_of(*process_, at);
    row.name = place.empty() ? report::name_of(*process_, at) : place.name;
    row.source = place.source;
    row.tail = at.region >= 0 ? kRegionMark : "";
    row.tail += at.deepest > 1 ? format(" (x%u)", at.deepest) : "";
    if (at.region >= 0) {
        row.region = at.region;
    }
    return row;
}

std::vector<std::string> CallRows::detail_of(size_t branch) const {
    constexpr size_t kMostCallers = 12;
    const Branch &at = branches_[branch];
    std::string path;
    size_t above = branch;
    for (size_t i = 0; above != 0 && i < kMostCallers; ++i) {
        above = branches_[above].parent;
        path.insert(0, report::name_of(*process_, branches_[above]) + (path.empty() ? "" : " > "));
    }
    return {name_of(branch) + (at.region >= 0 ? kRegionMark : ""),
            duration(at.total) + " in it and below, " + percent(at.total / branches_[0].total) +
                "; " + duration(at.own) + " its own",
            path.empty() ? "" : (above != 0 ? "called by ... > " : "called by ") + path};
}

Table CallRows::table() const {
    Table table;
    table.columns = {{"total", kTimeColumn}, {"share", kShareColumn}, {"own", kTimeColumn}};
    table.name_head = "  call path (idle threads left out)";
    table.if_empty = "No time of what is selected has a call path; idle threads have none.";
    for (const size_t branch : from(0, true)) {
        table.rows.push_back(row_of(branch));
    }
    return table;
}

void CallRows::open_below(size_t branch) {
    for (const size_t at : from(branch, false)) {
        is_open_[at] = true;
    }
}

void CallRows::open_to(size_t branch) {
    while (branch != 0) {
        branch = branches_[branch].parent;
        is_open_[branch] = true;
    }
}

} // namespace ompcollect::report
