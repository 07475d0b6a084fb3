// SPDX-License-Identifier: Apache-2.0
#include "rules.h"

#include "failure.h"
#include "words.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <sstream>

namespace ompcollect::report {
namespace {

[[noreturn]] void refuse(const std::string &text, const std::string &why) {
    refuse_input("--fail-if '" + text + "': " + why);
}

struct SubjectRow {
    const char *word;
    Subject subject;
    bool has_name;
    const char *units; // that fit
    const char *example;
};
constexpr SubjectRow kSubjects[] = {
    {"elapsed", Subject::kElapsed, false, "% or s", "elapsed > +5%"},
    {"efficiency", Subject::kEfficiency, false, "pt", "efficiency < -2pt"},
    {"processor", Subject::kProcessor, false, "% or s", "processor > +5%"},
    {"region", Subject::kRegion, true, "% or s", "region NAME wall > +10%"},
    {"function", Subject::kFunction, true, "% or s", "function NAME time > +10%"},
    {"cause", Subject::kCause, true, "pt or s", "cause imbalance > +2pt"},
};

std::string subject_words() {
    std::vector<std::string> words;
    for (const SubjectRow &row : kSubjects) {
        words.emplace_back(row.word);
    }
    return joined(words, ", ");
}

bool fits(RuleUnit unit, Subject subject) {
    if (subject == Subject::kEfficiency) {
        return unit == RuleUnit::kPoints;
    }
    return subject == Subject::kCause ? unit != RuleUnit::kShare : unit != RuleUnit::kPoints;
}

// "+5%", "-0.2 s", "-2pt".
void take_limit(const std::string &text, Rule &to) {
    static const std::regex kLimit(
        R"(\s*([+-])\s*([0-9]+(\.[0-9]+)?|\.[0-9]+)\s*(%|pt|points?|s|ms|us)\s*)");
    std::smatch match;
    if (!std::regex_match(text, match, kLimit)) {
        refuse(to.text, "'" + text +
                            "' is no limit; give a sign, a number and a unit, as +5%, "
                            "-2pt or +0.3s");
    }
    const double number = std::strtod(match[2].str().c_str(), nullptr);
    const std::string unit = match[4];
    to.unit = unit == "%"      ? RuleUnit::kShare
              : unit[0] == 'p' ? RuleUnit::kPoints
                               : RuleUnit::kSeconds;
    const double scale = unit == "s" ? 1 : unit == "ms" ? 1e-3 : unit == "us" ? 1e-6 : 1e-2;
    to.limit = (match[1] == "-" ? -1 : 1) * number * scale;
}

// The last word, where it is one of a quantity.
void take_quantity(std::vector<std::string> &words, Rule &to) {
    to.quantity = to.subject == Subject::kRegion ? "wall" : "time";
    if (words.size() < 2) {
        return;
    }
    const std::string &last = words.back();
    const bool is_wall = last == "wall" && to.subject == Subject::kRegion;
    if (is_wall || last == "time" || part_named(last) != TimePart::kCount) {
        to.quantity = last;
        words.pop_back();
    }
}

std::string without_quotes(const std::string &name) {
    const bool is_quoted = name.size() > 1 && name.front() == '"' && name.back() == '"';
    return is_quoted ? name.substr(1, name.size() - 2) : name;
}

// Where the comparison stands: names of C++ have such characters, too.
size_t comparison_at(const std::string &text) {
    static const std::regex kComparison(R"([<>]\s*[+-][^<>]*$)");
    std::smatch match;
    if (!std::regex_search(text, match, kComparison)) {
        refuse(text, "there is no comparison; write it as elapsed > +5%");
    }
    return static_cast<size_t>(match.position());
}

const SubjectRow &subject_of(const std::vector<std::string> &words, const std::string &text) {
    const auto *const row =
        std::find_if(std::begin(kSubjects), std::end(kSubjects), [&](const SubjectRow &each) {
            return !words.empty() && words.front() == each.word;
        });
    if (row == std::end(kSubjects)) {
        refuse(text, "a rule begins with one of " + subject_words());
    }
    if (row->has_name ? words.size() < 2 : words.size() != 1) {
        refuse(text, std::string("write it as ") + row->example);
    }
    return *row;
}

// By name, by name and place, or by the name without a function's arguments.
bool is_named(const ComparedRow &row, const std::string &name) {
    const std::string bare = row.name.substr(0, row.name.find_last_of(' '));
    for (const std::string &own : {row.name, bare, row.was}) {
        if (!own.empty() && (own == name || own.substr(0, own.find('(')) == name)) {
            return true;
        }
    }
    return false;
}

void add(const std::vector<double> &values, std::vector<double> &to) {
    for (size_t i = 0; i < to.size(); ++i) {
        to[i] += values[i];
    }
}

Compared none_of(const Comparison &comparison) {
    return {std::vector<double>(comparison.runs_before),
            std::vector<double>(comparison.runs_after)};
}

const Compared &values_of(const ComparedRow &row, const std::string &quantity) {
    return quantity == "wall"   ? row.elapsed
           : quantity == "time" ? row.seconds
                                : row.part(part_named(quantity));
}

// A function's time is in the regions that call it; a region of one name may be several.
Compared values_of_rows(const Rule &rule, const Comparison &comparison, std::string &place) {
    Compared sum = none_of(comparison);
    bool is_there = false;
    for (const ComparedRow &row : comparison.rows) {
        if (row.is_function != (rule.subject == Subject::kFunction) || !is_named(row, rule.name)) {
            continue;
        }
        is_there = true;
        place = row.source.empty() ? place : row.source;
        const Compared &values = values_of(row, rule.quantity);
        add(values.before, sum.before);
        add(values.after, sum.after);
    }
    if (!is_there) {
        const char *kind = rule.subject == Subject::kFunction ? "function" : "region";
        std::vector<std::string> names;
        for (const ComparedRow &row : comparison.rows) {
            constexpr size_t kSome = 3;
            if (row.is_function == (rule.subject == Subject::kFunction) && names.size() < kSome) {
                names.push_back(row.name);
            }
        }
        refuse(rule.text, std::string("no run has such a ") + kind + "; there are " +
                              (names.empty() ? "none" : joined(names, ", ") + ", ...") +
                              (comparison.has_stacks ? "" : ", as the runs have no call stacks"));
    }
    return sum;
}

// Of its run's elapsed time.
Compared shares_of(const Compared &seconds, const Compared &elapsed) {
    Compared to = seconds;
    for (size_t i = 0; i < to.before.size(); ++i) {
        to.before[i] = elapsed.before[i] > 0 ? to.before[i] / elapsed.before[i] : 0;
    }
    for (size_t i = 0; i < to.after.size(); ++i) {
        to.after[i] = elapsed.after[i] > 0 ? to.after[i] / elapsed.after[i] : 0;
    }
    return to;
}

// To a cause and its kin: kinds of uneven work are one cause to who gives a rule.
Compared lost_to(const Rule &rule, const Comparison &comparison) {
    Compared sum = none_of(comparison);
    for (const auto &[cause, seconds] : comparison.lost) {
        if (cause == rule.cause || family_of(cause) == rule.cause) {
            add(seconds.before, sum.before);
            add(seconds.after, sum.after);
        }
    }
    return rule.unit == RuleUnit::kPoints ? shares_of(sum, comparison.elapsed) : sum;
}

Compared values_of(const Rule &rule, const Comparison &comparison, std::string &place) {
    switch (rule.subject) {
    case Subject::kElapsed:
        return comparison.elapsed;
    case Subject::kEfficiency:
        return comparison.efficiency;
    case Subject::kProcessor:
        return comparison.processor;
    case Subject::kCause:
        return lost_to(rule, comparison);
    case Subject::kRegion:
    case Subject::kFunction:
        break;
    }
    return values_of_rows(rule, comparison, place);
}

bool are_known(const Compared &values) {
    const auto known = [](double value) { return is_known(value); };
    return std::all_of(values.before.begin(), values.before.end(), known) &&
           std::all_of(values.after.begin(), values.after.end(), known);
}

NumberForm form_of(const Change &change, RuleUnit unit) {
    const double error = change.half_width();
    return unit == RuleUnit::kSeconds ? NumberForm::seconds(change.middle, error)
           : unit == RuleUnit::kShare ? NumberForm::share(change.middle, error)
                                      : NumberForm::share(change.middle, error, " points");
}

} // namespace

Rule rule_of(const std::string &text) {
    Rule rule;
    rule.text = text;
    const size_t at = comparison_at(text);
    std::istringstream in(text.substr(0, at));
    std::vector<std::string> words;
    for (std::string word; in >> word;) {
        words.push_back(word);
    }
    const SubjectRow &row = subject_of(words, text);
    rule.subject = row.subject;
    rule.is_growth = text[at] == '>';
    take_limit(text.substr(at + 1), rule);
    if (!fits(rule.unit, rule.subject)) {
        refuse(text, std::string("the unit of ") + row.word + " is " + row.units + ", as in " +
                         row.example);
    }
    if (row.has_name) {
        words.erase(words.begin());
        if (row.subject != Subject::kCause) {
            take_quantity(words, rule);
        }
        rule.name = without_quotes(joined(words, " "));
    }
    rule.cause = row.subject == Subject::kCause ? cause_named(rule.name) : Cause::kCount;
    if (row.subject == Subject::kCause && rule.cause == Cause::kCount) {
        refuse(text, "no cause is called " + rule.name + "; docs/VERDICT.md lists them");
    }
    return rule;
}

Ruling ruling_of(const Rule &rule, const Comparison &comparison) {
    Ruling to;
    to.rule = rule;
    const Compared values = values_of(rule, comparison, to.place);
    if (!are_known(values)) {
        to.holds = Holds::kUndecided;
        to.why = "it was not measured in all runs";
        to.change.middle = kNotKnown;
        return to;
    }
    to.change = values.change(kDecides,
                              rule.unit == RuleUnit::kShare ? ChangeIn::kShare : ChangeIn::kUnits);
    // As growth: the other direction is its mirror.
    const double sign = rule.is_growth ? 1 : -1;
    const double middle = sign * to.change.middle;
    const double least = rule.is_growth ? to.change.least : -to.change.most;
    const double most = rule.is_growth ? to.change.most : -to.change.least;
    const double limit = sign * rule.limit;
    if (to.change.level < kDecides) {
        to.holds = Holds::kUndecided;
        to.why = format("%zu and %zu runs say too little; 4 and 4 are the fewest",
                        comparison.runs_before, comparison.runs_after);
    } else if (middle > limit && least > std::min(limit, 0.0)) {
        to.holds = Holds::kBroken;
    } else if (most > limit) {
        to.holds = Holds::kUndecided;
        to.why = "the spread of the runs reaches the limit; more runs, or a calmer machine";
    }
    return to;
}

std::string Ruling::words() const {
    return holds == Holds::kHeld ? "held" : holds == Holds::kBroken ? "broken" : "not decidable";
}

std::string Ruling::detail() const {
    constexpr double kTimesFrom = 9; // ten times as much: percent are no figure for people
    std::string text;
    if (std::isinf(change.middle)) {
        text = "new";
    } else if (rule.unit == RuleUnit::kShare && change.middle >= kTimesFrom) {
        text = format("%.2g times as much", 1 + change.middle);
    } else if (is_known(change.middle)) {
        const NumberForm form = form_of(change, rule.unit);
        text = form.change(change.middle);
        if (change.most > change.least && std::isfinite(change.most)) {
            text += " (" + form.range(change.least, change.most) + ")";
        }
    }
    return text + (why.empty() ? "" : (text.empty() ? "" : "; ") + why);
}

int exit_code_of(const std::vector<Ruling> &rulings) {
    const auto has = [&](Holds holds) {
        return std::any_of(rulings.begin(), rulings.end(),
                           [&](const Ruling &one) { return one.holds == holds; });
    };
    return has(Holds::kBroken) ? kExitBroken : has(Holds::kUndecided) ? kExitUndecided : 0;
}

} // namespace ompcollect::report
