// SPDX-License-Identifier: Apache-2.0
#include "painter.h"

#include "named_place.h"
#include "text_layout.h"
#include "words.h"

#include <algorithm>
#include <sstream>

namespace ompcollect::report {
namespace {

constexpr size_t kHeadRows = 5; // title, efficiency, pages, selection, heads of columns
constexpr size_t kLeastRows = 12;
constexpr size_t kLeastColumns = 40;

constexpr char kKeys[] = " ? keys  q quit  Tab page  arrows walk  Enter select  Esc all  / search";

constexpr KeyHelp kHelp[] = {
    {"Tab, Shift-Tab, 1 to 6", "the next page, the one before, or that page"},
    {"up, down, k, j", "a row; Page Up, Page Down, Home, End go further"},
    {"Enter", "select the row's region, thread or state for all"},
    {"", "pages, again: take it out; else open or close"},
    {"Esc", "take all out that is selected"},
    {"right, left, l, h", "open and close a branch; left again: its caller"},
    {"*", "open all below the branch"},
    {"/ and letters", "search names of the page; n, N: next, before"},
    {"s", "sort by the next column, at last in its own order"},
    {"p, P", "the next process of the run, the one before"},
    {"q", "quit"},
};

bool is_too_small(const Terminal &terminal) {
    return terminal.rows() < kLeastRows || terminal.columns() < kLeastColumns;
}

size_t detail_rows(const Terminal &terminal) {
    return std::clamp<size_t>(terminal.rows() / 4 - 1, 3, 9);
}

std::string efficiency_words(const Shown &shown) {
    const Figures &figures = shown.conclusions.figures;
    const Efficiency &all = figures.efficiency;
    if (figures.samples < fewest_samples() && shown.conclusions.findings.empty()) {
        return "Of " + grouped(figures.samples) + (figures.samples == 1 ? " sample" : " samples") +
               " nobody can tell where the time goes.";
    }
    return "Efficiency " + percent(all.parallel) + " = " +
           (all.mpi < 1 ? "MPI " + percent(all.mpi) + " x " : "") + "serialisation " +
           percent(all.serialisation) + " x load balance " + percent(all.load_balance) +
           " x scheduling " + percent(all.scheduling);
}

std::string choice_words(const Pages &pages, size_t width) {
    const Process &process = pages.shown().process;
    const Choice &choice = pages.choice();
    const ChosenTime time = time_of(process, choice);
    if (choice.is_all()) {
        return "All of the run: " + duration(time.all) + " of thread time";
    }
    const std::string sum = ": " + duration(time.chosen) + ", " +
                            percent(time.all > 0 ? time.chosen / time.all : 0) + " of thread time";
    std::string parts;
    if (choice.state) {
        parts += std::string(", state ") + state_name(*choice.state);
    }
    if (choice.thread) {
        parts += ", " + thread_name(process.threads[*choice.thread]);
    }
    std::string words = "Selected";
    if (choice.region) {
        constexpr char kRegion[] = ", region ";
        const size_t used = words.size() + parts.size() + sum.size() + sizeof kRegion;
        words += kRegion + place_in_line(process, *choice.region, width, used);
    }
    words += parts + sum;
    words.replace(words.find(','), 1, ""); // "Selected region ..."
    return words;
}

std::string heads(const Table &table, std::optional<size_t> sorted_by) {
    std::string line;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const std::string head = table.columns[i].head + std::string(sorted_by == i ? "*" : "");
        const size_t room = table.columns[i].width;
        line += std::string(room - std::min(room, columns_of(head)), ' ') + head;
    }
    return line + "  " + table.name_head;
}

std::string line_of_row(const Table &table, const Row &row, bool is_chosen, size_t width) {
    std::string line;
    for (size_t i = 0; i < table.columns.size(); ++i) {
        const size_t room = table.columns[i].width;
        line += std::string(room - std::min(room, columns_of(row.texts[i])), ' ') + row.texts[i];
    }
    line += (is_chosen ? " >" : "  ") + row.mark;
    const size_t used = line.size() + row.tail.size();
    const size_t room = width - std::min(width, used);
    const size_t for_place = row.text.empty() ? room : room / 2;
    return line + shortened_place(row.name, row.source, for_place) + row.tail +
           (row.text.empty() ? "" : "  ") + row.text;
}

void paint_tabs(Terminal &terminal, const Pages &pages) {
    size_t column = 1;
    for (size_t i = 0; i < kPageNames.size(); ++i) {
        const std::string name = " " + std::to_string(i + 1) + " " + kPageNames[i] + " ";
        const bool is_this = i == static_cast<size_t>(pages.page());
        terminal.put(2, column, is_this ? "[" + name.substr(1, name.size() - 2) + "]" : name,
                     is_this ? Look::kBold : Look::kPlain);
        column += name.size() + 1;
    }
}

void paint_list(Terminal &terminal, Pages &pages) {
    const Table &table = pages.table();
    const size_t room = rows_of_list(terminal);
    terminal.put(kHeadRows - 1, 0, heads(table, pages.sorted_by()), Look::kUnderlined);
    if (table.rows.empty()) {
        terminal.put(kHeadRows + 1, 2, table.if_empty);
    }
    const size_t first = pages.first_row(room);
    for (size_t i = 0; i < room && first + i < table.rows.size(); ++i) {
        const Row &row = table.rows[first + i];
        const bool is_chosen = pages.is_chosen(row);
        terminal.put(kHeadRows + i, 0, line_of_row(table, row, is_chosen, terminal.columns()),
                     first + i == pages.cursor() ? Look::kReverse
                     : is_chosen                 ? Look::kBold
                                                 : Look::kPlain);
    }
}

// Each paragraph has a line at least; the first ones get more where there is room.
void paint_detail(Terminal &terminal, const Pages &pages) {
    const size_t room = detail_rows(terminal);
    const size_t top = terminal.rows() - 1 - room;
    const size_t count = pages.table().rows.size();
    const std::string where =
        count == 0 ? "" : " " + grouped(pages.cursor() + 1) + " of " + grouped(count) + " ";
    std::string rule(terminal.columns(), '-');
    rule.replace(rule.size() - std::min(rule.size(), where.size() + 2), where.size(), where);
    terminal.put(top - 1, 0, rule, Look::kDim);
    std::vector<std::string> paragraphs = pages.detail();
    std::erase(paragraphs, "");
    size_t used = 0;
    for (size_t i = 0; i < paragraphs.size() && used < room; ++i) {
        const size_t others = paragraphs.size() - 1 - i;
        const size_t most = room - used > others ? room - used - others : 1;
        std::istringstream lines(hanging_lines(" ", paragraphs[i], terminal.columns() - 1, most));
        for (std::string line; used < room && std::getline(lines, line); ++used) {
            terminal.put(top + used, 0, line);
        }
    }
}

} // namespace

size_t rows_of_list(const Terminal &terminal) {
    const size_t others = kHeadRows + 1 + detail_rows(terminal) + 1;
    return terminal.rows() > others ? terminal.rows() - others : 1;
}

void paint(Terminal &terminal, Pages &pages, const Frame &frame) {
    terminal.clear();
    if (is_too_small(terminal)) {
        terminal.put(0, 0, "The window is too small:");
        terminal.put(1, 0, "80 x 24 is enough.");
        terminal.show();
        return;
    }
    pages.set_width(terminal.columns());
    const Process &process = pages.shown().process;
    const Efficiency &all = pages.shown().conclusions.figures.efficiency;
    const std::string facts = "  " + duration(all.elapsed) + ", " + grouped(all.threads) +
                              (all.threads == 1 ? " thread" : " threads") + ", " +
                              grouped(pages.shown().conclusions.figures.samples) + " samples" +
                              frame.title;
    const size_t room = terminal.columns() - std::min(terminal.columns(), columns_of(facts) + 1);
    terminal.put(0, 0, " " + shortened(base_name(process.program), room) + facts, Look::kReverse);
    terminal.put(1, 1, efficiency_words(pages.shown()));
    paint_tabs(terminal, pages);
    terminal.put(3, 1, choice_words(pages, terminal.columns() - 1),
                 pages.choice().is_all() ? Look::kPlain : Look::kBold);
    paint_list(terminal, pages);
    paint_detail(terminal, pages);
    terminal.put(terminal.rows() - 1, 0, frame.bottom.empty() ? kKeys : frame.bottom,
                 Look::kReverse);
    terminal.show();
}

void paint_help(Terminal &terminal) {
    constexpr size_t kKeysWidth = 24;
    terminal.clear();
    terminal.put(0, 0, " Keys", Look::kReverse);
    size_t at = 2;
    for (const KeyHelp &each : kHelp) {
        terminal.put(at, 1, each.keys, Look::kBold);
        terminal.put(at++, 1 + kKeysWidth, each.what);
    }
    terminal.put(at + 1, 1,
                 "A * marks the column by which a page is sorted, a > what is selected.");
    terminal.put(at + 2, 1, "In the call tree + is closed, - is open.");
    terminal.put(terminal.rows() - 1, 0, " Any key goes back.", Look::kReverse);
    terminal.show();
}

} // namespace ompcollect::report
