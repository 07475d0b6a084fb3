// SPDX-License-Identifier: Apache-2.0
#include "comparison.h"

#include "failure.h"
#include "named_place.h"
#include "verdict_limits.h"
#include "words.h"

#include <algorithm>
#include <cmath>

namespace ompcollect::report {
namespace {

using Times = std::vector<ItemTime>;

// Of the items of one side that make up a row.
Times times_of(const Side &side, const ItemKey *own, const std::vector<const ItemKey *> &folded) {
    Times sum(side.runs.size());
    const auto add = [&](const ItemKey &key) {
        const Times &times = side.items.at(key);
        for (size_t i = 0; i < sum.size(); ++i) {
            sum[i].add(times[i]);
        }
    };
    if (own) {
        add(*own);
    }
    for (const ItemKey *key : folded) {
        add(*key);
    }
    return sum;
}

template <class Value>
Compared compared(const Times &before, const Times &after, const Value &value) {
    Compared to;
    std::transform(before.begin(), before.end(), std::back_inserter(to.before), value);
    std::transform(after.begin(), after.end(), std::back_inserter(to.after), value);
    return to;
}

template <class Value> Compared of_runs(const Side &before, const Side &after, const Value &value) {
    Compared to;
    std::transform(before.runs.begin(), before.runs.end(), std::back_inserter(to.before), value);
    std::transform(after.runs.begin(), after.runs.end(), std::back_inserter(to.after), value);
    return to;
}

// Of the mean of these runs, by sampling alone.
double variance_of(const Times &times) {
    double sum = 0;
    for (const ItemTime &time : times) {
        sum += time.variance;
    }
    const auto runs = static_cast<double>(times.size());
    return sum / (runs * runs);
}

void fill_times(ComparedRow &row, const Times &before, const Times &after) {
    constexpr double kDeviations = 3; // of many rows one is beyond two by chance
    row.seconds = compared(before, after, [](const ItemTime &time) { return time.sum(); });
    row.change = row.seconds.change(kDecidesOfMany);
    row.elapsed = compared(before, after, [](const ItemTime &time) { return time.elapsed; });
    row.waited_for = compared(before, after, [](const ItemTime &time) { return time.waited_for; });
    for (size_t part = 0; part < row.by_part.size(); ++part) {
        row.by_part[part] = compared(before, after, [&](const ItemTime &time) {
            return time.part(static_cast<TimePart>(part));
        });
    }
    for (unsigned state = 0; state < kStateColumns; ++state) {
        const Compared values =
            compared(before, after, [&](const ItemTime &time) { return time.seconds[state]; });
        row.state_change[state] = values.median_after() - values.median_before();
    }
    row.noise = kDeviations * std::sqrt(variance_of(before) + variance_of(after));
}

std::vector<std::string> names_of(const std::vector<const ItemKey *> &keys) {
    std::vector<std::string> names;
    names.reserve(keys.size());
    for (const ItemKey *key : keys) {
        names.push_back(key->name);
    }
    return names;
}

ComparedRow row_of(const Pair &pair, const Side &before, const Side &after) {
    ComparedRow row;
    const ItemKey &key = pair.key();
    row.is_function = key.is_function;
    row.name = key.text();
    row.was = pair.is_renamed() ? pair.before->name : "";
    row.region = key.region;
    row.source = key.source;
    row.fate = !pair.before ? Fate::kNew : pair.after ? Fate::kBoth : Fate::kGone;
    row.parts_before = names_of(pair.folded_before);
    row.parts_after = names_of(pair.folded_after);
    fill_times(row, times_of(before, pair.before, pair.folded_before),
               times_of(after, pair.after, pair.folded_after));
    return row;
}

// Runs of all values of a fact, "a, b". The order of facts is that of their first sight.
using Facts = std::vector<std::pair<std::string, std::set<std::string>>>;

Facts facts_of(const Side &side) {
    Facts to;
    for (const ComparedRun &run : side.runs) {
        for (const auto &[what, value] : run.facts) {
            const auto at = std::find_if(to.begin(), to.end(), [&, name = what](const auto &fact) {
                return fact.first == name;
            });
            Facts::value_type &fact =
                at == to.end() ? to.emplace_back(what, std::set<std::string>()) : *at;
            if (!value.empty()) {
                fact.second.insert(value);
            }
        }
    }
    return to;
}

std::vector<FactChange> changed_facts(const Side &before, const Side &after) {
    const Facts first = facts_of(before);
    const Facts second = facts_of(after);
    const auto text = [](const std::set<std::string> &values) {
        return joined({values.begin(), values.end()}, ", ");
    };
    std::vector<FactChange> to;
    for (const auto &[what, values] : first) {
        const auto other =
            std::find_if(second.begin(), second.end(),
                         [&, name = what](const auto &fact) { return fact.first == name; });
        const std::set<std::string> now =
            other == second.end() ? std::set<std::string>() : other->second;
        if (now != values) {
            to.push_back({what, text(values), text(now)});
        }
    }
    for (const auto &[what, values] : second) {
        const bool is_new =
            std::none_of(first.begin(), first.end(),
                         [&, name = what](const auto &fact) { return fact.first == name; });
        if (is_new && !values.empty()) {
            to.push_back({what, "", text(values)});
        }
    }
    return to;
}

// What stands out: all of it, unless most of that is the machine's (time without a processor); then
// a part that is the program's, if there is one.
void judge(ComparedRow &row, double all) {
    const double machine = row.part(TimePart::kNoProcessor).change(kDecidesOfMany).middle;
    const bool is_machines =
        std::fabs(machine) > limit(Limit::kMajority) * std::fabs(row.change.middle);
    std::vector<TimePart> parts = {TimePart::kWork, TimePart::kWaiting, TimePart::kOverhead};
    parts.insert(is_machines ? parts.end() : parts.begin(), TimePart::kCount);
    row.headline_change = row.change;
    for (const TimePart part : parts) {
        const Change change =
            part == TimePart::kCount ? row.change : row.part(part).change(kDecidesOfMany);
        if (change.excludes(0) && std::fabs(change.middle) > row.noise_of(part) &&
            std::fabs(change.middle) >= limit(Limit::kWorthALine) * all) {
            row.is_certain = true;
            row.headline = part;
            row.headline_change = change;
            return;
        }
    }
}

// Of two programs each has what the other has not.
bool have_nothing_in_common(const std::vector<Pair> &pairs) {
    bool is_before = false;
    bool is_after = false;
    for (const Pair &pair : pairs) {
        const std::string &name = pair.key().name;
        if (name == kOutsideName || name.find('(') == 0) { // no code of the program
            continue;
        }
        if (pair.before && pair.after) {
            return false;
        }
        is_before = is_before || pair.before;
        is_after = is_after || pair.after;
    }
    return is_before && is_after;
}

// The same run again has no spread, and would make anything certain.
void refuse_copies(const Side &side) {
    std::map<std::string, std::string> names; // of files, by run
    for (const ComparedRun &run : side.runs) {
        const auto [at, is_new] = names.try_emplace(run.identity, run.name);
        if (!is_new && !run.identity.empty()) {
            refuse_input(run.name + " is the run that " + at->second +
                         " has; give each run once, and run the program again for more");
        }
    }
}

void refuse_unlike(const Side &before, const Side &after) {
    for (const Side *side : {&before, &after}) {
        for (const ComparedRun &run : side->runs) {
            if (run.is_job != before.runs.front().is_job) {
                refuse_input(run.name + " and " + before.runs.front().name +
                             ": one is a job, the other a run; give jobs or runs alone");
            }
        }
    }
}

void add_locks(const Side &before, const Side &after, Comparison &to) {
    std::set<std::string> names;
    for (const Side *side : {&before, &after}) {
        for (const ComparedRun &run : side->runs) {
            for (const auto &[name, time] : run.locks) {
                names.insert(name);
                if (!time.holder.empty()) {
                    to.holders[name] = time.holder;
                }
            }
        }
    }
    for (const std::string &name : names) {
        to.locks.emplace_back(name, of_runs(before, after, [&](const ComparedRun &run) {
                                  const auto at = run.locks.find(name);
                                  return at == run.locks.end() ? 0 : at->second.seconds;
                              }));
    }
    std::stable_sort(to.locks.begin(), to.locks.end(), [](const auto &a, const auto &b) {
        return std::fabs(a.second.change().middle) > std::fabs(b.second.change().middle);
    });
}

void add_lost(const Side &before, const Side &after, Comparison &to) {
    for (const Side *side : {&before, &after}) {
        for (const ComparedRun &run : side->runs) {
            for (const auto &[cause, ignored] : run.lost) {
                if (to.lost.count(cause) != 0) {
                    continue; // another run has it, too
                }
                to.lost[cause] = of_runs(before, after, [cause = cause](const ComparedRun &one) {
                    const auto at = one.lost.find(cause);
                    return at == one.lost.end() ? 0 : at->second;
                });
            }
        }
    }
}

std::string program_of(const Side &side) {
    for (const auto &[what, value] : side.runs.front().facts) {
        if (what == "program") {
            return value;
        }
    }
    return {};
}

bool has_stacks(const Side &side) {
    return std::all_of(side.runs.begin(), side.runs.end(),
                       [](const ComparedRun &run) { return run.has_stacks; });
}

Times all_times(const Side &side) {
    Times times;
    for (const ComparedRun &run : side.runs) {
        times.push_back(run.all);
    }
    return times;
}

void add_rows(const Side &before, const Side &after, Comparison &to) {
    const std::vector<Pair> pairs = pairs_of(before, after);
    if (have_nothing_in_common(pairs)) {
        refuse_input("no region and no function is in both " + before.runs.front().name + " and " +
                     after.runs.front().name + "; give runs of one program");
    }
    const double all = std::max(before.seconds(), after.seconds());
    fill_times(to.all, all_times(before), all_times(after));
    judge(to.all, all);
    std::map<std::string, std::string> regions; // before, after
    for (const Pair &pair : pairs) {
        ComparedRow &row = to.rows.emplace_back(row_of(pair, before, after));
        judge(row, all);
        if (!row.is_function && row.fate == Fate::kBoth) {
            regions.emplace(pair.before->text(), row.name);
        }
        const auto region = regions.find(row.region);
        if (row.fate == Fate::kGone && region != regions.end()) {
            row.region = region->second;
        }
        if (row.fate == Fate::kBoth) {
            to.names_after[path_name(*pair.before)] = path_name(*pair.after);
        }
    }
    std::stable_sort(to.rows.begin(), to.rows.end(),
                     [](const ComparedRow &a, const ComparedRow &b) {
                         return std::fabs(a.change.middle) > std::fabs(b.change.middle);
                     });
}

} // namespace

double ComparedRow::noise_of(TimePart which) const {
    if (which == TimePart::kCount) {
        return noise;
    }
    const double all = seconds.median_before() + seconds.median_after();
    const double own = part(which).median_before() + part(which).median_after();
    return all > 0 ? noise * std::sqrt(std::min(1.0, own / all)) : noise;
}

Comparison comparison_of(const Side &before, const Side &after) {
    refuse_unlike(before, after);
    refuse_copies(before);
    refuse_copies(after);
    Comparison to;
    to.program = program_of(after);
    to.runs_before = before.runs.size();
    to.runs_after = after.runs.size();
    to.is_job = before.runs.front().is_job;
    to.has_stacks = has_stacks(before) && has_stacks(after);
    to.facts = changed_facts(before, after);
    to.elapsed = of_runs(before, after, [](const ComparedRun &run) { return run.elapsed; });
    to.efficiency = of_runs(before, after, [](const ComparedRun &run) { return run.efficiency; });
    to.processor = of_runs(before, after, [](const ComparedRun &run) { return run.processor; });
    add_lost(before, after, to);
    add_locks(before, after, to);
    add_rows(before, after, to);
    return to;
}

} // namespace ompcollect::report
