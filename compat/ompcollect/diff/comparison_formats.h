// SPDX-License-Identifier: Apache-2.0
//
// The forms of a comparison: for people, for programs, and for build servers.
#pragma once

#include "comparison.h"
#include "rules.h"

#include <ostream>
#include <string>
#include <vector>

namespace ompcollect::report {

// A table of all rows of a kind, besides what stands out.
enum class DiffBy : unsigned { kFunction, kRegion, kState };

// What is written: a comparison, and the rules that were asked.
struct Judged {
    const Comparison &comparison;
    const std::vector<Ruling> &rulings;
    const Side &before;
    const Side &after;
};

struct DiffStyle {
    size_t top = 10; // findings of each list, and rows of a table; 0: all
    size_t width = 80;
    std::vector<DiffBy> tables; // of text and csv
};

struct DiffFormat {
    const char *name;
    const char *suffix; // of the file that it is taken for; empty: of none
    const char *about;
    bool needs_rules;
    bool needs_paths; // of the call tree
    void (*write)(const Judged &judged, const DiffStyle &style, std::ostream &out);
};
const std::vector<DiffFormat> &diff_formats();

// "broken: elapsed > +5%: +10 % (+8 to +12 %)", one line without its end.
std::string ruling_line(const Ruling &ruling);
// The totals of both sides as people see them.
struct TotalLine {
    std::string name;
    std::string before;
    std::string after;
    std::string change;
};
std::vector<TotalLine> total_lines(const Comparison &comparison);
// In one line: what changed at the row, and of what that is made.
std::string parts_text(const ComparedRow &row, const Comparison &comparison);
// The rows that stand out and became slower, or faster; largest change first.
std::vector<const ComparedRow *> findings_of(const Comparison &comparison, bool slower);

void write_diff_text(const Judged &judged, const DiffStyle &style, std::ostream &out);
void write_diff_html(const Judged &judged, const DiffStyle &style, std::ostream &out);
void write_diff_csv(const Judged &judged, const DiffStyle &style, std::ostream &out);
void write_diff_json(const Judged &judged, const DiffStyle &style, std::ostream &out);
void write_diff_junit(const Judged &judged, const DiffStyle &style, std::ostream &out);
void write_diff_github(const Judged &judged, const DiffStyle &style, std::ostream &out);
void write_diff_gitlab(const Judged &judged, const DiffStyle &style, std::ostream &out);

} // namespace ompcollect::report
