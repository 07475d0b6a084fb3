// SPDX-License-Identifier: Apache-2.0
#include "comparison_formats.h"

#include "people.h"
#include "text_layout.h"
#include "verdict_limits.h"
#include "words.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ompcollect::report {
namespace {

std::string runs_of(size_t number) {
    return std::to_string(number) + (number == 1 ? " run" : " runs");
}

std::string head_of(const Comparison &comparison, size_t width) {
    const std::string what = runs_of(comparison.runs_before) + " before, " +
                             std::to_string(comparison.runs_after) + " after";
    const size_t room = width - std::min(width, what.size() + 24);
    return "== Comparison of " + shortened(comparison.program, room) + ": " + what + " ==\n";
}

std::string facts_of(const Comparison &comparison, size_t width) {
    if (comparison.facts.empty()) {
        return hanging_lines("  ", "The same build, runtime, threads, machine and settings.",
                             width);
    }
    std::string text = "  What differs:\n";
    const auto shown = [](const FactChange &fact, const std::string &value) {
        constexpr size_t kOfBuild = 12; // digits that tell builds apart
        return value.empty() ? "none"
                             : value.substr(0, fact.what == "build-id" ? kOfBuild : value.npos);
    };
    for (const FactChange &fact : comparison.facts) {
        text += hanging_lines("    " + fact.what + ": ",
                              shown(fact, fact.before) + " -> " + shown(fact, fact.after), width);
    }
    return text;
}

// The error of a side's own median: half of what its runs span.
double spread_of(const std::vector<double> &values) {
    const Middle middle = middle_of(values);
    return (middle.most - middle.least) / 2;
}

// "+0.45 s (+0.40 to +0.51 s)"
std::string change_text(const Change &change, const NumberForm &form) {
    return form.change(change.middle) +
           (change.most > change.least ? " (" + form.range(change.least, change.most) + ")" : "");
}

TotalLine total_line(const char *name, const Compared &values, const NumberForm &before,
                     const NumberForm &after, const NumberForm &form) {
    return {name, before.text(values.median_before()), after.text(values.median_after()),
            change_text(values.change(), form)};
}

TotalLine seconds_line(const char *name, const Compared &values) {
    const Change change = values.change();
    TotalLine line = total_line(
        name, values, NumberForm::seconds(values.median_before(), spread_of(values.before)),
        NumberForm::seconds(values.median_after(), spread_of(values.after)),
        NumberForm::seconds(change.middle, change.half_width()));
    const Change share = values.change(kDecides, ChangeIn::kShare);
    if (std::isfinite(share.middle)) {
        line.change +=
            ", " + NumberForm::share(share.middle, share.half_width()).change(share.middle);
    }
    return line;
}

TotalLine efficiency_line(const Compared &values) {
    const Change change = values.change();
    return total_line("efficiency", values,
                      NumberForm::share(values.median_before(), spread_of(values.before)),
                      NumberForm::share(values.median_after(), spread_of(values.after)),
                      NumberForm::share(change.middle, change.half_width(), " points"));
}

std::string totals_of(const Comparison &comparison, size_t width) {
    const Change change = comparison.elapsed.change();
    const std::string level =
        change.level > 0 ? format("change (%.0f %% interval)", std::floor(change.level * 100))
                         : "change";
    std::string text = format("\n  %-14s %10s %10s   %s\n", "", "before", "after", level.c_str());
    for (const TotalLine &line : total_lines(comparison)) {
        text += format("  %-14s %10s %10s   %s\n", line.name.c_str(), line.before.c_str(),
                       line.after.c_str(), line.change.c_str());
    }
    if (most_level(comparison.runs_before, comparison.runs_after) < kDecides) {
        text += hanging_lines("  ",
                              comparison.runs_before + comparison.runs_after == 2
                                  ? "One run each: how much runs differ by themselves is not "
                                    "known. What follows is beyond the error of sampling alone."
                                  : "So few runs decide no rule: 4 and 4 are the fewest.",
                              width);
    }
    return text;
}

// Of a part that has grown: in which state, for which code or lock.
std::string whom_of(const ComparedRow &row, const Comparison &comparison, bool slower) {
    const double sign = slower ? 1 : -1;
    int state = -1;
    for (unsigned i = 0; i < kStateColumns; ++i) {
        if (part_of_state(i) == TimePart::kWaiting &&
            (state < 0 ||
             sign * row.state_change[i] > sign * row.state_change[static_cast<size_t>(state)])) {
            state = static_cast<int>(i);
        }
    }
    std::string text = state_at(static_cast<unsigned>(state)).words;
    const double much =
        limit(Limit::kQuarter) * std::fabs(row.part(TimePart::kWaiting).change().middle);
    if (kind_of_state(static_cast<unsigned>(state)) == StateKind::kMutex) {
        for (const auto &[name, values] : comparison.locks) {
            if (sign * values.change().middle > much) {
                const auto holder = comparison.holders.find(name);
                text += ", ";
                text += name;
                text += holder == comparison.holders.end() ? "" : ", held by " + holder->second;
                return text;
            }
        }
        return text;
    }
    const ComparedRow *most = nullptr;
    const std::string &region = row.is_function ? row.region : row.name;
    for (const ComparedRow &other : comparison.rows) {
        const bool is_there = other.is_function && other.region == region;
        const double change = sign * other.waited_for.change().middle;
        if (is_there && change > much &&
            (!most || change > sign * most->waited_for.change().middle)) {
            most = &other;
        }
    }
    return most ? text + ", for " + most->name : text;
}

std::string fate_text(const ComparedRow &row) {
    std::string text = row.fate == Fate::kNew ? ", new" : row.fate == Fate::kGone ? ", gone" : "";
    text += row.was.empty() ? "" : ", before " + row.was;
    text += row.parts_before.empty()
                ? ""
                : ", with " + joined(row.parts_before, ", ") + ", which is part of it now";
    text += row.parts_after.empty()
                ? ""
                : ", with " + joined(row.parts_after, ", ") + ", which was part of it before";
    return text;
}

std::string finding_of(const ComparedRow &row, size_t number, const Comparison &comparison,
                       size_t width) {
    const Change &change = row.headline_change;
    const std::string text =
        change_text(change, NumberForm::seconds(change.middle, row.headline_error())) +
        (row.headline == TimePart::kCount ? "" : std::string(" of ") + part_title(row.headline)) +
        (row.is_function ? " in " : " in region ") + row.name + fate_text(row);
    const Compared &seconds = row.headline_seconds();
    const NumberForm form = NumberForm::seconds(seconds.median_after(), row.headline_error());
    return hanging_lines(format("%zu. ", number), text, width) +
           hanging_lines("   ",
                         form.text(seconds.median_before()) + " -> " +
                             form.text(seconds.median_after()) + ": " +
                             parts_text(row, comparison) +
                             (row.is_function ? "; in " + row.region : ""),
                         width);
}

// Functions of the region that changed with it.
std::string functions_of(const ComparedRow &region, const Comparison &comparison, size_t width) {
    std::string text;
    for (const ComparedRow &row : comparison.rows) {
        if (row.is_function && row.is_certain && row.region == region.name &&
            row.is_slower() == region.is_slower()) {
            text += hanging_lines(
                "   - ", row.name + fate_text(row) + ": " + parts_text(row, comparison), width);
        }
    }
    return text;
}

std::string list_of(const Judged &judged, bool slower, const DiffStyle &style) {
    const Comparison &comparison = judged.comparison;
    const std::vector<const ComparedRow *> rows = findings_of(comparison, slower);
    std::set<std::string> listed; // regions, whose functions stand below them
    std::string text;
    size_t number = 0;
    size_t left = 0;
    for (const ComparedRow *row : rows) {
        if (row->is_function && listed.count(row->region) != 0) {
            continue;
        }
        if (style.top != 0 && number == style.top) {
            ++left;
            continue;
        }
        text += finding_of(*row, ++number, comparison, style.width);
        if (!row->is_function) {
            listed.insert(row->name);
            text += functions_of(*row, comparison, style.width);
        }
    }
    if (text.empty()) {
        return "";
    }
    text += left > 0 ? format("   and %zu more (--all)\n", left) : "";
    return std::string("\nWhat got ") + (slower ? "slower" : "faster") +
           ", in seconds of all threads\n" + text;
}

std::string findings_text(const Judged &judged, const DiffStyle &style) {
    const std::string text = list_of(judged, true, style) + list_of(judged, false, style);
    return text.empty() ? "\n" + hanging_lines("",
                                               "No region and no function changed by more than the "
                                               "runs differ by themselves.",
                                               style.width)
                        : text;
}

std::string table_row(double before, double after, const std::string &change, bool is_certain,
                      const std::string &name, size_t width) {
    return format("  %10.2f %10.2f %10s %c ", before, after, change.c_str(),
                  is_certain ? '*' : ' ') +
           shortened(name, std::max<size_t>(width, 57) - 37) + "\n";
}

std::string states_table(const Comparison &comparison, size_t width) {
    std::string text;
    for (size_t part = 0; part < comparison.all.by_part.size(); ++part) {
        const Compared &values = comparison.all.by_part[part];
        const Change change = values.change();
        const bool may_be = comparison.runs_before + comparison.runs_after > 2;
        if (values.median_before() > 0 || values.median_after() > 0) {
            text += table_row(values.median_before(), values.median_after(),
                              format("%+.2f", change.middle), may_be && change.excludes(0),
                              part_title(static_cast<TimePart>(part)), width);
        }
    }
    return text;
}

std::string table_of(const Comparison &comparison, DiffBy by, const DiffStyle &style) {
    const char *title = by == DiffBy::kFunction ? "function"
                        : by == DiffBy::kRegion ? "region"
                                                : "state";
    std::string text = format("\n  %10s %10s %10s   %s\n", "before", "after", "change", title);
    if (by == DiffBy::kState) {
        return text + states_table(comparison, style.width);
    }
    size_t shown = 0;
    size_t all = 0;
    for (const ComparedRow &row : comparison.rows) {
        if (row.is_function != (by == DiffBy::kFunction)) {
            continue;
        }
        ++all;
        if (style.top == 0 || shown < style.top) {
            ++shown;
            text += table_row(row.seconds.median_before(), row.seconds.median_after(),
                              format("%+.2f", row.change.middle), row.is_certain, row.name,
                              style.width);
        }
    }
    return text + (all > shown ? format("  and %zu more (--all)\n", all - shown) : "");
}

std::string rules_text(const std::vector<Ruling> &rulings, size_t width) {
    std::string text;
    for (const Ruling &ruling : rulings) {
        text += hanging_lines("  ", ruling_line(ruling), width);
    }
    return text.empty() ? "" : "\nRules\n" + text;
}

} // namespace

std::string ruling_line(const Ruling &ruling) {
    return ruling.words() + ": " + ruling.rule.text + ": " + ruling.detail();
}

std::vector<TotalLine> total_lines(const Comparison &comparison) {
    std::vector<TotalLine> lines = {seconds_line("elapsed", comparison.elapsed),
                                    efficiency_line(comparison.efficiency)};
    if (is_known(comparison.processor.median_before()) &&
        is_known(comparison.processor.median_after())) {
        lines.push_back(seconds_line("processor time", comparison.processor));
    }
    return lines;
}

std::string parts_text(const ComparedRow &row, const Comparison &comparison) {
    std::vector<std::pair<double, std::string>> parts;
    for (size_t part = 0; part < row.by_part.size(); ++part) {
        const auto which = static_cast<TimePart>(part);
        const Change change = row.part(which).change(kDecidesOfMany);
        if (which == TimePart::kIdle || change.middle == 0 ||
            std::fabs(change.middle) <=
                limit(Limit::kMuch) * std::fabs(row.headline_change.middle)) {
            continue;
        }
        std::string text =
            part_title(which) +
            (" " +
             NumberForm::seconds(change.middle, row.error_of(change, which)).change(change.middle));
        if (which == TimePart::kWaiting) {
            text += " (" + whom_of(row, comparison, change.middle > 0) + ")";
        }
        parts.emplace_back(std::fabs(change.middle), text);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto &a, const auto &b) { return a.first > b.first; });
    std::vector<std::string> words;
    words.reserve(parts.size());
    for (const auto &[size, text] : parts) {
        words.push_back(text);
    }
    return joined(words, ", ");
}

std::vector<const ComparedRow *> findings_of(const Comparison &comparison, bool slower) {
    std::vector<const ComparedRow *> rows;
    for (const ComparedRow &row : comparison.rows) {
        if (row.is_certain && row.is_slower() == slower) {
            rows.push_back(&row);
        }
    }
    // A region stands before its own functions.
    std::stable_sort(rows.begin(), rows.end(), [](const ComparedRow *a, const ComparedRow *b) {
        return a->is_function < b->is_function;
    });
    return rows;
}

void write_diff_text(const Judged &judged, const DiffStyle &style, std::ostream &out) {
    const Comparison &comparison = judged.comparison;
    std::string text = head_of(comparison, style.width) + facts_of(comparison, style.width) +
                       totals_of(comparison, style.width) + findings_text(judged, style);
    if (!comparison.has_stacks) {
        text += hanging_lines(
            "", "\nNo call stacks in one of the runs: functions are not compared.", style.width);
    }
    for (const DiffBy by : style.tables) {
        text += table_of(comparison, by, style);
    }
    out << visible(text + rules_text(judged.rulings, style.width));
}

} // namespace ompcollect::report
