// SPDX-License-Identifier: Apache-2.0
//
// A comparison for programs: CSV and JSON. Numbers have all their digits here.
#include "comparison_formats.h"

#include "words.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ompcollect::report {
namespace {

using Json = nlohmann::ordered_json;

const char *by_name(DiffBy by) {
    return by == DiffBy::kFunction ? "function" : by == DiffBy::kRegion ? "region" : "state";
}

const char *fate_name(Fate fate) {
    return fate == Fate::kNew ? "new" : fate == Fate::kGone ? "gone" : "both";
}

std::string csv_row(DiffBy by, const std::string &name, const std::string &region,
                    const Compared &values, const Change &change, bool is_certain) {
    const Middle before = middle_of(values.before);
    const Middle after = middle_of(values.after);
    return format("%s,%s,%s,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d\r\n", by_name(by),
                  csv_field(name).c_str(), csv_field(region).c_str(), before.median, before.least,
                  before.most, after.median, after.least, after.most, change.middle, change.least,
                  change.most, is_certain);
}

Json json_of(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json json_of(const Change &change) {
    return {{"middle", json_of(change.middle)},
            {"least", json_of(change.least)},
            {"most", json_of(change.most)},
            {"level", change.level}};
}

Json json_of(const std::vector<double> &values) {
    Json to = Json::array();
    for (const double value : values) {
        to.push_back(json_of(value));
    }
    return to;
}

Json json_of(const Compared &values) {
    return {{"before", json_of(values.before)},
            {"after", json_of(values.after)},
            {"change", json_of(values.change())}};
}

Json json_of(const ComparedRow &row) {
    Json parts = Json::object();
    for (size_t part = 0; part < row.by_part.size(); ++part) {
        parts[part_title(static_cast<TimePart>(part))] =
            json_of(row.by_part[part].change(kDecidesOfMany));
    }
    Json to = {{"kind", row.is_function ? "function" : "region"},
               {"name", row.name},
               {"name_before", row.was.empty() ? row.name : row.was},
               {"region", row.region},
               {"source", row.source},
               {"fate", fate_name(row.fate)},
               {"with_before", row.parts_before},
               {"with_after", row.parts_after},
               {"certain", row.is_certain},
               {"stands_out", row.headline == TimePart::kCount ? "all" : part_title(row.headline)},
               {"sampling_error", row.noise},
               {"before", json_of(row.seconds.before)},
               {"after", json_of(row.seconds.after)},
               {"change", json_of(row.change)},
               {"change_by_part", parts}};
    if (!row.is_function) {
        to["elapsed"] = json_of(row.elapsed);
    }
    return to;
}

Json json_of(const Ruling &ruling) {
    return {{"rule", ruling.rule.text},
            {"holds", ruling.words()},
            {"change", json_of(ruling.change)},
            {"detail", ruling.detail()}};
}

} // namespace

void write_diff_csv(const Judged &judged, const DiffStyle &style, std::ostream &out) {
    out << "by,name,region,before,before_min,before_max,after,after_min,after_max,change,"
           "change_least,change_most,certain\r\n";
    const Comparison &comparison = judged.comparison;
    for (const DiffBy by : style.tables) {
        if (by == DiffBy::kState) {
            for (size_t part = 0; part < comparison.all.by_part.size(); ++part) {
                const Compared &values = comparison.all.by_part[part];
                const Change change = values.change(kDecidesOfMany);
                out << csv_row(by, part_title(static_cast<TimePart>(part)), "", values, change,
                               change.excludes(0));
            }
            continue;
        }
        for (const ComparedRow &row : comparison.rows) {
            if (row.is_function == (by == DiffBy::kFunction)) {
                out << csv_row(by, row.name, row.region, row.seconds, row.change, row.is_certain);
            }
        }
    }
}

void write_diff_json(const Judged &judged, const DiffStyle &, std::ostream &out) {
    const Comparison &comparison = judged.comparison;
    Json facts = Json::array();
    for (const FactChange &fact : comparison.facts) {
        facts.push_back({{"what", fact.what}, {"before", fact.before}, {"after", fact.after}});
    }
    Json lost = Json::object();
    for (const auto &[cause, values] : comparison.lost) {
        lost[cause_key(cause)] = json_of(values);
    }
    Json rows = Json::array();
    for (const ComparedRow &row : comparison.rows) {
        rows.push_back(json_of(row));
    }
    Json rules = Json::array();
    for (const Ruling &ruling : judged.rulings) {
        rules.push_back(json_of(ruling));
    }
    const Json whole = {{"format", "ompcollect-diff"},
                        {"version", 1},
                        {"program", comparison.program},
                        {"runs_before", comparison.runs_before},
                        {"runs_after", comparison.runs_after},
                        {"differs", facts},
                        {"elapsed", json_of(comparison.elapsed)},
                        {"efficiency", json_of(comparison.efficiency)},
                        {"processor_seconds", json_of(comparison.processor)},
                        {"lost", lost},
                        {"rows", rows},
                        {"rules", rules}};
    out << whole.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

} // namespace ompcollect::report
