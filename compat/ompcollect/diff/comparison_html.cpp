// SPDX-License-Identifier: Apache-2.0
//
// The page of a comparison: one file with its data, its code and nothing from elsewhere. The flame
// graph is one tree of both sides; what is less than a five thousandth of all is left out.
#include "comparison_formats.h"
#include "page_parts.h"
#include "people.h"
#include "words.h"

#include "omp_collector_api.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string_view>

OMPCOLLECT_EMBEDDED_PART(diff_page, OMPCOLLECT_DIFF_FOLDER "/html/diff.html");
OMPCOLLECT_EMBEDDED_PART(diff_script, OMPCOLLECT_DIFF_FOLDER "/html/diff.js");
// Those of a run's page (formats/html.cpp).
OMPCOLLECT_PART(style);
OMPCOLLECT_PART(d3);
OMPCOLLECT_PART(flamegraph);

namespace ompcollect::report {
namespace {

using Json = nlohmann::ordered_json;

// Of the flame graph: which state's colour a part has.
unsigned state_of(TimePart part) {
    switch (part) {
    case TimePart::kWork:
        return THR_WORK_STATE;
    case TimePart::kWaiting:
        return THR_IBAR_STATE;
    case TimePart::kOverhead:
        return THR_OVHD_STATE;
    case TimePart::kNoProcessor:
        return kNoProcessorState;
    case TimePart::kAsleep:
        return kAsleepState;
    case TimePart::kIdle:
    case TimePart::kCount:
        break;
    }
    return THR_IDLE_STATE;
}

// The diverging scale RdBu of ColorBrewer, without its dark ends, on which no text is read: from
// much less to much more. It is one of those that all eyes tell apart.
struct Shade {
    double from; // change, as a share of what was before
    const char *words;
    const char *colour;
};
constexpr Shade kShades[] = {{-1, "less by 20 % or more, or gone", "#67a9cf"},
                             {-0.2, "less by 5 to 20 %", "#b7d5ea"},
                             {-0.05, "within 5 %", "#f7f7f7"},
                             {0.05, "more by 5 to 20 %", "#fddbc7"},
                             {0.2, "more by 20 % or more, or new", "#ef8a62"}};

constexpr size_t kParts = static_cast<size_t>(TimePart::kCount);

struct Branch {
    double before[kParts] = {}; // thread seconds of the mean run, with what is below
    double after[kParts] = {};
    std::map<std::string, Branch> below;

    [[nodiscard]] double all() const {
        double sum = 0;
        for (size_t part = 0; part < kParts; ++part) {
            sum += before[part] + after[part];
        }
        return sum;
    }
};

// `names_after`: what is called otherwise now is found by its name of now.
void add_paths(const Side &side, const std::map<std::string, std::string> &names_after,
               bool is_after, Branch &root) {
    constexpr size_t kDeepest = 400; // of the page's recursion
    const auto runs = static_cast<double>(side.runs.size());
    const auto name_of = [&](const std::string &name) {
        const auto other = names_after.find(name);
        return is_after || other == names_after.end() ? name : other->second;
    };
    for (const ComparedRun &run : side.runs) {
        for (const PathTime &path : run.paths) {
            const auto add = [&](Branch &to) {
                for (size_t part = 0; part < kParts; ++part) {
                    (is_after ? to.after : to.before)[part] +=
                        path.time.part(static_cast<TimePart>(part)) / runs;
                }
            };
            Branch *at = &root;
            add(*at);
            for (size_t i = 0; i < std::min(path.names.size(), kDeepest); ++i) {
                at = &at->below[name_of(path.names[i])];
                add(*at);
            }
        }
    }
}

// No digit more than a microsecond.
Json seconds_list(const double (&seconds)[kParts]) {
    Json to = Json::array();
    for (const double each : seconds) {
        to.push_back(std::round(each * 1e6) / 1e6);
    }
    return to;
}

Json json_of(const std::string &name, const Branch &branch, double least) {
    Json to = {{"name", name},
               {"before", seconds_list(branch.before)},
               {"after", seconds_list(branch.after)},
               {"children", Json::array()}};
    for (const auto &[below, child] : branch.below) {
        if (child.all() >= least) {
            to["children"].push_back(json_of(below, child, least));
        }
    }
    return to;
}

Json tree_of(const Judged &judged) {
    constexpr double kLeast = 2e-4;
    Branch root;
    add_paths(judged.before, judged.comparison.names_after, false, root);
    add_paths(judged.after, judged.comparison.names_after, true, root);
    return json_of(judged.comparison.program, root, kLeast * root.all());
}

Json rows_of(const Comparison &comparison) {
    Json rows = Json::array();
    for (const ComparedRow &row : comparison.rows) {
        const NumberForm form =
            NumberForm::seconds(row.seconds.median_after(), row.headline_error());
        Json parts = Json::array();
        for (size_t part = 0; part < row.by_part.size(); ++part) {
            const Change own = row.by_part[part].change(kDecidesOfMany);
            const double error = row.error_of(own, static_cast<TimePart>(part));
            parts.push_back({{"value", own.middle},
                             {"text", NumberForm::seconds(own.middle, error).change(own.middle)}});
        }
        const double before = row.seconds.median_before();
        const double after = row.seconds.median_after();
        const Change &change = row.change;
        rows.push_back(
            {{"name", row.name},
             {"was", row.was},
             {"region", row.region},
             {"kind", row.is_function ? "function" : "region"},
             {"fate", row.fate == Fate::kNew    ? "new"
                      : row.fate == Fate::kGone ? "gone"
                                                : ""},
             {"certain", row.is_certain},
             {"stands_out", row.headline == TimePart::kCount ? -1 : static_cast<int>(row.headline)},
             {"before", {{"value", before}, {"text", form.text(before)}}},
             {"after", {{"value", after}, {"text", form.text(after)}}},
             {"change", {{"value", change.middle}, {"text", form.change(change.middle)}}},
             {"interval", change.most > change.least ? form.range(change.least, change.most) : ""},
             {"parts", parts}});
    }
    return rows;
}

Json page_data(const Judged &judged) {
    const Comparison &comparison = judged.comparison;
    Json to = {{"program", comparison.program},
               {"runs_before", comparison.runs_before},
               {"runs_after", comparison.runs_after},
               {"facts", Json::array()},
               {"rules", Json::array()}};
    for (const FactChange &fact : comparison.facts) {
        to["facts"].push_back({fact.what, fact.before, fact.after});
    }
    for (const Ruling &ruling : judged.rulings) {
        to["rules"].push_back({ruling.words(), ruling.rule.text, ruling.detail()});
    }
    for (const TotalLine &line : total_lines(comparison)) {
        to["totals"].push_back({line.name, line.before, line.after, line.change});
    }
    for (size_t part = 0; part < kParts; ++part) {
        const auto which = static_cast<TimePart>(part);
        to["parts"].push_back(
            {{"name", part_title(which)}, {"colour", state_at(state_of(which)).colour}});
    }
    for (const Shade &shade : kShades) {
        to["shades"].push_back(
            {{"from", shade.from}, {"words", shade.words}, {"colour", shade.colour}});
    }
    to["rows"] = rows_of(comparison);
    to["tree"] = tree_of(judged);
    return to;
}

} // namespace

void write_diff_html(const Judged &judged, const DiffStyle &style, std::ostream &out) {
    const std::map<std::string_view, const char *> parts = {
        {"CSS", ompcollect_part_style},
        {"D3", ompcollect_part_d3},
        {"FLAMEGRAPH", ompcollect_part_flamegraph},
        {"SCRIPT", ompcollect_part_diff_script}};
    const auto write = [&](std::string_view name) {
        if (name == "DATA") {
            InElement element(out);
            std::ostream data(&element);
            data << page_data(judged).dump(-1, ' ', false, Json::error_handler_t::replace);
        } else if (name == "TEXT") {
            std::ostringstream text;
            write_diff_text(judged, style, text);
            out << markup(text.str());
        } else {
            out << parts.at(name);
        }
    };
    write_page(ompcollect_part_diff_page, write, out);
}

} // namespace ompcollect::report
