// SPDX-License-Identifier: Apache-2.0
//
// The writer. Tables with many rows are written by column, which is short and what data frames
// take.
#include "run_file.h"

#include "blame.h"
#include "contract_names.h"
#include "fields.h"
#include "findings.h"
#include "nearest.h"
#include "region_figures.h"
#include "warnings.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <iterator>
#include <ostream>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ompcollect::report {
namespace {

using Json = nlohmann::ordered_json;

Json names_of_states() {
    Json names = Json::array();
    for (unsigned state = 0; state < kStateColumns; ++state) {
        names.push_back(state_name(state));
    }
    return names;
}

Json by_state(const StateTimes &times) {
    Json to = Json::object();
    for (unsigned state = 0; state < kStateColumns; ++state) {
        if (times.wall[state] > 0) {
            to[state_name(state)] = times.wall[state];
        }
    }
    return to;
}

Json lines_of(const Process &from) {
    Json to = Json::array();
    for (const Line &line : from.lines) {
        to.push_back({{"source", line.source},
                      {"function", line.function},
                      {"text", line.text},
                      {"folder", line.folder.str()},
                      {"samples", line.samples},
                      {"by_state", by_state(line.times)}});
    }
    return to;
}

template <class Value> const Value &as_json(const Value &value) {
    return value;
}
std::string as_json(Ending ending) {
    return ending_name(ending);
}

Json facts_of(const Process &from) {
    Json to = Json::object();
    for_each_fact([&](const Field &field, auto member) { to[field.name] = as_json(from.*member); });
    return to;
}

std::string json_text(const Json &value) {
    return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Row by row, so that the memory of one row is what is needed.
template <class Row, class MakeJson>
void write_rows(const char *name, const std::vector<Row> &rows, MakeJson make, std::ostream &out) {
    out << ",\n\"" << name << "\": [";
    const char *before = "";
    for (const Row &row : rows) {
        out << before << json_text(make(row));
        before = ",";
    }
    out << "]";
}

Json thread_row(const Thread &thread) {
    Json row = Json::object();
    for_each_thread_value(
        [&](const Field &field, auto member) { row[field.name] = thread.*member; });
    return row;
}

Json node_row(const Node &node) {
    return {{"parent", node.parent},
            {"kind", node.kind == NodeKind::kRegion ? "region" : "function"},
            {"function", node.function},
            {"source", node.source},
            {"module", node.module.str()},
            {"offset", node.offset},
            {"entries", node.entries},
            {"masters", node.masters},
            {"single_seconds", node.single_seconds},
            {"same_as", node.same_as}};
}

// Whole numbers, of which there are millions: as digits at once, without a JSON value for each.
template <class Row, class Get>
void write_numbers(const std::vector<Row> &rows, Get get, std::ostream &out) {
    std::string values;
    for (const Row &row : rows) {
        char digits[24];
        values += values.empty() ? '[' : ',';
        values.append(digits, std::to_chars(digits, std::end(digits), get(row)).ptr);
    }
    out << (values.empty() ? "[" : values) << "]";
}

// An array per member, one after the other, and `texts`, of which some hold indices.
void write_node_columns(const std::vector<Node> &nodes, std::ostream &out) {
    Json texts = Json::array();
    std::unordered_map<std::string_view, size_t> known;
    const auto index_of = [&](const SharedText &text) {
        const auto [found, is_new] = known.try_emplace(text.str(), texts.size());
        if (is_new) {
            texts.push_back(text.str());
        }
        return found->second;
    };
    out << ",\n\"node_columns\": {";
    const auto write = [&](const char *name, auto get) {
        out << "\"" << name << "\": ";
        write_numbers(nodes, get, out);
        out << ",\n";
    };
    write("parent", [](const Node &node) { return node.parent; });
    write("is_region", [](const Node &node) { return node.kind == NodeKind::kRegion ? 1 : 0; });
    write("function", [&](const Node &node) { return index_of(node.function); });
    write("source", [&](const Node &node) { return index_of(node.source); });
    write("module", [&](const Node &node) { return index_of(node.module); });
    write("offset", [](const Node &node) { return node.offset; });
    write("entries", [](const Node &node) { return node.entries; });
    write("masters", [](const Node &node) { return node.masters; });
    write("same_as", [](const Node &node) { return node.same_as; });
    out << "\"texts\": " << json_text(texts) << "}";
}

// One array per member of the rows, one after the other: the memory of one is what is needed.
template <class Row, class... Column>
void write_columns(std::ostream &out, const char *name, const std::vector<Row> &rows,
                   Column... column) {
    out << ",\n\"" << name << "\": {";
    const char *before = "";
    const auto write = [&](const auto &one) {
        Json values = Json::array();
        values.get_ref<Json::array_t &>().reserve(rows.size());
        for (const Row &row : rows) {
            values.push_back(row.*(one.second));
        }
        out << before << "\"" << one.first << "\":" << json_text(values);
        before = ",";
    };
    (write(column), ...);
    out << "}";
}

void write_cells(const Process &from, std::ostream &out) {
    write_columns(out, "cells", from.cells, std::pair{"thread", &Cell::thread},
                  std::pair{"node", &Cell::node}, std::pair{"state", &Cell::state},
                  std::pair{"wall", &Cell::wall}, std::pair{"cpu", &Cell::cpu},
                  std::pair{"samples", &Cell::samples}, std::pair{"within", &Cell::within},
                  std::pair{"call", &Cell::call});
}

// Times in microseconds, each as the difference to the one before: short.
void write_samples(const Process &from, std::ostream &out) {
    struct Row {
        unsigned thread;
        int node;
        unsigned state;
        int64_t time_step_us;
    };
    std::vector<Row> rows;
    rows.reserve(from.samples.size());
    int64_t before = 0;
    for (const Sample &sample : from.samples) {
        const auto now = static_cast<int64_t>(nearest(sample.time * 1e6));
        rows.push_back({sample.thread, sample.node, sample.state, now - before});
        before = now;
    }
    write_columns(out, "samples", rows, std::pair{"thread", &Row::thread},
                  std::pair{"node", &Row::node}, std::pair{"state", &Row::state},
                  std::pair{"time_step_us", &Row::time_step_us});
}

Json apart(const NamedPlace &from) {
    return {{"name", from.name}, {"source", from.source}};
}

Json holders_of(const Lock &from) {
    Json to = Json::array();
    for (const Holder &holder : from.holders) {
        to.push_back({{"node", holder.node},
                      {"place", holder.place.text()},
                      {"place_apart", apart(holder.place)},
                      {"wall", holder.wall},
                      {"samples", holder.samples}});
    }
    return to;
}

// Only a producer that knows holders has any.
Json locks_of(const Process &from) {
    Json to = Json::array();
    for (const Lock &lock : from.locks) {
        to.push_back({{"state", lock.state},
                      {"wait_id", lock.wait_id},
                      {"object", lock.object.text()},
                      {"object_apart", apart(lock.object)},
                      {"first_wait", lock.first_wait.text()},
                      {"first_wait_apart", apart(lock.first_wait)},
                      {"waits", knows_waits(from, lock) ? Json(lock.waits) : Json()},
                      {"samples", lock.samples},
                      {"wall", lock.wall},
                      {"cpu", lock.cpu}});
        if (from.knows_holders) {
            to.back()["holders"] = holders_of(lock);
        }
    }
    return to;
}

Json warnings_json(const Process &process) {
    Json to = Json::array();
    for (const Warning &warning : warnings_of(process)) {
        to.push_back({{"name", warning.name},
                      {"severity", severity_name(warning.severity)},
                      {"text", warning.text}});
    }
    return to;
}

Json events_of(const Process &from) {
    Json to = Json::array();
    for (size_t event = 0; event < from.events.size(); ++event) {
        to.push_back({{"name", event_name(static_cast<unsigned>(event))},
                      {"registered", from.events[event].registered},
                      {"count", from.events[event].count}});
    }
    return to;
}

Json figures_json(const Process &process, const Figures &from) {
    const Efficiency &all = from.efficiency;
    Json regions = Json::array();
    for (const RegionFigures &region : from.regions) {
        regions.push_back({{"node", region.node},
                           {"place", place_name(process, region.node)},
                           {"team", region.team},
                           {"threads", region.threads},
                           {"elapsed", region.elapsed},
                           {"mean_length", region.mean_length},
                           {"samples", region.samples},
                           {"seconds", total_wall(region.times)},
                           {"by_state", by_state(region.times)},
                           {"potential_gain", region.gain},
                           {"work_min", region.work_min},
                           {"work_mean", region.work_mean},
                           {"work_max", region.work_max}});
    }
    return {{"elapsed", all.elapsed},
            {"threads", all.threads},
            {"serial", all.serial},
            {"mpi_efficiency", all.mpi},
            {"serialisation_efficiency", all.serialisation},
            {"load_balance", all.load_balance},
            {"scheduling_efficiency", all.scheduling},
            {"parallel_efficiency", all.parallel},
            {"parallel_efficiency_error", all.error},
            {"on_processor", all.on_processor},
            {"lost", lost_share(from)},
            {"samples", from.samples},
            {"outside", by_state(from.outside)},
            {"regions", std::move(regions)}};
}

Json places_json(const Process &process, const Finding &finding) {
    Json to = Json::array();
    for (const FindingPlace &place : finding.places) {
        to.push_back({{"node", place.node},
                      {"place", place.place},
                      {"called_by", place.caller < 0 ? "" : place_name(process, place.caller)},
                      {"seconds", place.seconds},
                      {"share", place.share},
                      {"samples", place.samples}});
    }
    return to;
}

Json findings_json(const Process &process, const std::vector<Finding> &findings) {
    Json to = Json::array();
    for (const Finding &finding : findings) {
        Json threads = Json::array();
        for (const FindingThread &thread : finding.threads) {
            threads.push_back({{"thread", thread.number},
                               {"worked", thread.worked},
                               {"waited", thread.waited},
                               {"asleep", thread.asleep}});
        }
        to.push_back({{"cause", cause_key(finding.cause)},
                      {"title", cause_title(finding.cause)},
                      {"node", finding.node},
                      {"place", finding.place},
                      {"seconds", finding.seconds},
                      {"share", finding.share},
                      {"interval", {finding.least_share, finding.most_share}},
                      {"measured", finding.is_measured},
                      {"at_least", is_at_least(finding.cause)},
                      {"at_most", finding.is_at_most},
                      {"samples", finding.samples},
                      {"places", places_json(process, finding)},
                      {"threads", std::move(threads)},
                      {"evidence", finding.evidence},
                      {"cure", cause_cure(finding.cause)}});
    }
    return to;
}

Json blames_json(const Process &process) {
    Json to = Json::array();
    for (const Blame &blame : blame_of(process)) {
        to.push_back({{"node", blame.node},
                      {"place", place_name(process, blame.node)},
                      {"seconds", blame.seconds},
                      {"samples", blame.samples}});
    }
    return to;
}

} // namespace

void write_run(const Run &run, const std::vector<Conclusions> &conclusions, std::ostream &out,
               RunForm form) {
    out << "{\"format\": \"" << kRunFormat << "\", \"version\": " << kRunVersion
        << ",\n\"states\": " << names_of_states() << ",\n\"processes\": [";
    const char *before = "\n";
    for (size_t i = 0; i < run.processes.size(); ++i) {
        const Process &process = run.processes[i];
        // Part by part, so that the memory of one part is what is needed.
        const auto part = [&](const char *name, const Json &value) {
            out << ",\n\"" << name << "\": " << json_text(value);
        };
        out << before << "{\"facts\": " << json_text(facts_of(process));
        part("warnings", warnings_json(process));
        part("figures", figures_json(process, conclusions.at(i).figures));
        part("findings", findings_json(process, conclusions.at(i).findings));
        part("events", events_of(process));
        write_rows("threads", process.threads, thread_row, out);
        if (form == RunForm::kPage) {
            write_node_columns(process.nodes, out);
        } else {
            write_rows("nodes", process.nodes, node_row, out);
        }
        write_cells(process, out);
        part("locks", locks_of(process));
        if (!process.lines.empty()) {
            part("lines", lines_of(process));
        }
        if (!process.samples.empty()) {
            part("blame", blames_json(process));
        }
        if (!process.samples.empty() && form == RunForm::kExport) {
            write_samples(process, out);
        }
        out << "}";
        before = ",\n";
    }
    out << "\n]}\n";
}

void write_run(const Run &run, std::ostream &out) {
    write_run(run, {run.processes.begin(), run.processes.end()}, out, RunForm::kExport);
}

} // namespace ompcollect::report
