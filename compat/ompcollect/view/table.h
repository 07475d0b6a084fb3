// SPDX-License-Identifier: Apache-2.0
//
// What each page of the viewer shows: rows of numbers with a name behind them, and what is told of
// the row on which the cursor is. Made of the model alone; nothing here knows the terminal.
#pragma once

#include "run.h"
#include "verdict.h"

#include <optional>
#include <string>
#include <vector>

namespace ompcollect::report {

// What narrows all pages at once, as on the page of a run (docs/PAGE.md).
struct Choice {
    std::optional<int> region; // its first node, or a special number
    std::optional<unsigned> thread;
    std::optional<unsigned> state;

    [[nodiscard]] bool is_all() const { return !region && !thread && !state; }
    [[nodiscard]] bool has(const Process &process, const Cell &cell) const;
};

struct Column {
    const char *head;
    size_t width; // in columns of the screen, with the space before it
};

struct Row {
    std::vector<double> values;      // to sort by; kNotKnown: none
    std::vector<std::string> texts;  // the same as they are shown
    std::string mark;                // before the name: how deep it is, whether it is open, or why
    std::string name;                // shortened where the row has no room for it
    std::string source;              // "file:line" behind it; kept
    std::string tail;                // behind both, kept
    std::string text;                // behind all, cut at the edge
    std::vector<std::string> detail; // paragraphs
    // What Enter selects. Of a row without any: nothing.
    std::optional<int> region;
    std::optional<unsigned> thread;
    std::optional<unsigned> state;
    size_t branch = 0; // of the call tree
};

// Largest first; what is not known comes last.
bool is_before(const Row &a, const Row &b, size_t column);

struct Table {
    std::vector<Column> columns;
    std::string name_head;
    std::vector<Row> rows; // most first
    std::string if_empty;  // a sentence
};

// A process with what is drawn from its samples, made once.
struct Shown {
    explicit Shown(const Process &of) : process(of), conclusions(of) {}

    const Process &process;
    Conclusions conclusions;
};

// `width` is that of the screen: more columns of states where there is room.
Table findings_table(const Shown &shown, const Choice &choice);
Table regions_table(const Shown &shown, const Choice &choice, size_t width);
Table threads_table(const Shown &shown, const Choice &choice, size_t width);
Table states_table(const Shown &shown, const Choice &choice);
Table lines_table(const Shown &shown, const Choice &choice);

// Thread seconds of what is selected, and of all.
struct ChosenTime {
    double chosen = 0;
    double all = 0;
};
ChosenTime time_of(const Process &process, const Choice &choice);

// "WORK 49 %, IBAR 12 %": most time first, what is below a thousandth left out.
std::string states_in_words(const StateTimes &times);

} // namespace ompcollect::report
