// SPDX-License-Identifier: Apache-2.0
#include "pages.h"

#include <algorithm>
#include <cctype>

namespace ompcollect::report {
namespace {

std::string small_letters(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string line_of(const Row &row) {
    return row.mark + row.name + " " + row.source + " " + row.text;
}

// A second choice of the same takes it out.
template <class Part> bool toggle(std::optional<Part> &chosen, const std::optional<Part> &wanted) {
    if (!wanted) {
        return false;
    }
    chosen = chosen == wanted ? std::nullopt : wanted;
    return true;
}

} // namespace

Pages::Pages(const Process &process) : shown_(process), calls_(process, choice_) {
    fill();
}

void Pages::fill() {
    switch (page_) {
    case Page::kVerdict:
        table_ = findings_table(shown_, choice_);
        break;
    case Page::kRegions:
        table_ = regions_table(shown_, choice_, width_);
        break;
    case Page::kThreads:
        table_ = threads_table(shown_, choice_, width_);
        break;
    case Page::kStates:
        table_ = states_table(shown_, choice_);
        break;
    case Page::kCalls:
        table_ = calls_.table();
        break;
    case Page::kLines:
        table_ = lines_table(shown_, choice_);
        break;
    }
    if (place().sorted_by && *place().sorted_by < table_.columns.size()) {
        std::stable_sort(table_.rows.begin(), table_.rows.end(),
                         [column = *place().sorted_by](const Row &a, const Row &b) {
                             return is_before(a, b, column);
                         });
    }
    place().cursor = std::min(place().cursor, table_.rows.empty() ? 0 : table_.rows.size() - 1);
}

const Row *Pages::row() const {
    return table_.rows.empty() ? nullptr : &table_.rows[place().cursor];
}

std::vector<std::string> Pages::detail() const {
    const Row *at = row();
    return !at                     ? std::vector<std::string>()
           : page_ == Page::kCalls ? calls_.detail_of(at->branch)
                                   : at->detail;
}

bool Pages::is_chosen(const Row &row) const {
    return (row.region && row.region == choice_.region) ||
           (row.thread && row.thread == choice_.thread) ||
           (row.state && row.state == choice_.state);
}

size_t Pages::first_row(size_t room) {
    Place &at = place();
    if (at.cursor < at.top) {
        at.top = at.cursor;
    } else if (at.cursor >= at.top + room) {
        at.top = at.cursor + 1 - room;
    }
    const size_t last = table_.rows.size() > room ? table_.rows.size() - room : 0;
    at.top = std::min(at.top, last);
    return at.top;
}

void Pages::set_width(size_t width) {
    if (width != width_) {
        width_ = width;
        fill();
    }
}

void Pages::turn_to(Page page) {
    page_ = page;
    fill();
}

void Pages::turn(int pages) {
    constexpr int kCount = static_cast<int>(kPageNames.size());
    turn_to(static_cast<Page>((static_cast<int>(page_) + pages + kCount) % kCount));
}

void Pages::move(long rows) {
    if (table_.rows.empty()) {
        return;
    }
    const long last = static_cast<long>(table_.rows.size()) - 1;
    const long wanted = static_cast<long>(place().cursor) + rows;
    place().cursor = static_cast<size_t>(std::clamp(wanted, 0L, last));
}

// Rows of the page on which it was chosen stay where they are; others begin at the top.
void Pages::choice_has_changed() {
    for (size_t i = 0; i < places_.size(); ++i) {
        if (i != static_cast<size_t>(page_) || page_ == Page::kCalls) {
            places_[i].cursor = 0;
            places_[i].top = 0;
        }
    }
    calls_ = CallRows(shown_.process, choice_);
    fill();
}

std::string Pages::choose() {
    const Row *at = row();
    if (!at) {
        return {};
    }
    if (toggle(choice_.region, at->region) || toggle(choice_.thread, at->thread) ||
        toggle(choice_.state, at->state)) {
        choice_has_changed();
        return choice_.is_all() ? "" : "All pages show what is selected. Esc shows all again.";
    }
    if (page_ == Page::kCalls && calls_.has_more(at->branch)) {
        calls_.open(at->branch, !calls_.is_open(at->branch));
        fill();
        return {};
    }
    return "This row is no region, thread or state that could be selected.";
}

std::string Pages::choose_all() {
    if (choice_.is_all()) {
        return {};
    }
    choice_ = {};
    choice_has_changed();
    return "All of the run is shown.";
}

std::string Pages::sort_by_next() {
    if (page_ == Page::kCalls) {
        return "The call tree is in the order of time.";
    }
    std::optional<size_t> &by = place().sorted_by;
    by = !by ? 0 : *by + 1;
    if (*by >= table_.columns.size()) {
        by.reset();
    }
    place().cursor = 0;
    fill();
    return by ? std::string("Sorted by ") + table_.columns[*by].head + "." : "In its own order.";
}

void Pages::move_to_branch(size_t branch) {
    calls_.open_to(branch);
    fill();
    const auto at = std::find_if(table_.rows.begin(), table_.rows.end(),
                                 [branch](const Row &row) { return row.branch == branch; });
    place().cursor = static_cast<size_t>(at - table_.rows.begin());
}

std::string Pages::find(const std::string &text, bool is_back) {
    const bool is_tree = page_ == Page::kCalls;
    const std::string wanted = small_letters(text);
    const size_t count = is_tree ? calls_.order().size() : table_.rows.size();
    std::vector<size_t> matches;
    size_t here = place().cursor;
    for (size_t i = 0; i < count; ++i) {
        const std::string name =
            is_tree ? calls_.name_of(calls_.order()[i]) : line_of(table_.rows[i]);
        if (small_letters(name).find(wanted) != std::string::npos) {
            matches.push_back(i);
        }
        if (is_tree && row() && calls_.order()[i] == row()->branch) {
            here = i;
        }
    }
    if (matches.empty()) {
        return "No name on this page has \"" + text + "\".";
    }
    const auto above = std::lower_bound(matches.begin(), matches.end(), here);
    const auto behind = std::upper_bound(matches.begin(), matches.end(), here);
    const auto found = is_back ? (above == matches.begin() ? matches.end() : above) - 1
                               : (behind == matches.end() ? matches.begin() : behind);
    if (is_tree) {
        move_to_branch(calls_.order()[*found]);
    } else {
        place().cursor = *found;
    }
    return "\"" + text + "\": " + std::to_string(found - matches.begin() + 1) + " of " +
           std::to_string(matches.size()) + ". n shows the next one.";
}

void Pages::open() {
    const Row *at = row();
    if (page_ != Page::kCalls || !at || !calls_.has_more(at->branch)) {
        return;
    }
    if (calls_.is_open(at->branch)) {
        move(1);
        return;
    }
    calls_.open(at->branch, true);
    fill();
}

void Pages::close() {
    const Row *at = row();
    if (page_ != Page::kCalls || !at) {
        return;
    }
    if (calls_.has_more(at->branch) && calls_.is_open(at->branch)) {
        calls_.open(at->branch, false);
        fill();
        return;
    }
    move_to_branch(calls_.parent_of(at->branch));
}

void Pages::open_below() {
    const Row *at = row();
    if (page_ == Page::kCalls && at) {
        calls_.open_below(at->branch);
        fill();
    }
}

} // namespace ompcollect::report
