// SPDX-License-Identifier: Apache-2.0
//
// Tables with many rows are written by column, which is short and what data frames
// take. Every number that a report uses as an index is checked when it is read.
#include "run_file.h"

#include "failure.h"
#include "figures.h"
#include "findings.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ostream>

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
                      {"samples", line.samples},
                      {"by_state", by_state(line.times)}});
    }
    return to;
}

Json facts_of(const Process &from) {
    return {{"pid", from.pid},
            {"parent_pid", from.parent_pid},
            {"program", from.program},
            {"arguments", from.arguments},
            {"host", from.host},
            {"rank", from.rank},
            {"begin", from.begin},
            {"begin_nanoseconds", from.begin_nanoseconds},
            {"seconds", from.seconds},
            {"cpu_seconds", from.cpu_seconds},
            {"other_threads", from.other_threads},
            {"other_cpu_seconds", from.other_cpu_seconds},
            {"exit_code", from.exit_code},
            {"is_partial", from.is_partial},
            {"missing", from.missing},
            {"environment", from.environment},
            {"processors", from.processors},
            {"affinity", from.affinity},
            {"runtime", from.runtime},
            {"runtime_file", from.runtime_file},
            {"omp_version", from.omp_version},
            {"producer", from.producer},
            {"most_threads", from.most_threads},
            {"rate", from.rate},
            {"has_cpu_times", from.has_cpu_times},
            {"has_wall_times", from.has_wall_times},
            {"start_code", from.start_code},
            {"late_samples", from.late_samples},
            {"lost_samples", from.lost_samples},
            {"stacks", from.stacks},
            {"walks", from.walks},
            {"cut_walks", from.cut_walks},
            {"fork_stacks", from.fork_stacks},
            {"fork_walks", from.fork_walks},
            {"samples_missed", from.samples_missed},
            {"samples_end_early", from.samples_end_early},
            {"sample_step", from.sample_step}};
}

Json threads_of(const Process &from) {
    Json to = Json::array();
    for (const Thread &thread : from.threads) {
        to.push_back({{"number", thread.number},
                      {"tid", thread.tid},
                      {"is_initial", thread.is_initial},
                      {"threads", thread.threads},
                      {"begin", thread.begin},
                      {"end", thread.end},
                      {"samples", thread.samples},
                      {"events", thread.events}});
    }
    return to;
}

Json nodes_of(const Process &from) {
    Json to = Json::array();
    for (const Node &node : from.nodes) {
        to.push_back({{"parent", node.parent},
                      {"kind", node.kind == NodeKind::kRegion ? "region" : "function"},
                      {"function", node.function},
                      {"source", node.source},
                      {"module", node.module},
                      {"offset", node.offset},
                      {"entries", node.entries},
                      {"masters", node.masters},
                      {"same_as", node.same_as}});
    }
    return to;
}

// One array per member of the rows.
template <class Row, class... Column> Json columns(const std::vector<Row> &rows, Column... column) {
    Json to = Json::object();
    const auto add = [&](const auto &one) {
        Json values = Json::array();
        for (const Row &row : rows) {
            values.push_back(row.*(one.second));
        }
        to[one.first] = std::move(values);
    };
    (add(column), ...);
    return to;
}

Json cells_of(const Process &from) {
    return columns(from.cells, std::pair{"thread", &Cell::thread}, std::pair{"node", &Cell::node},
                   std::pair{"state", &Cell::state}, std::pair{"wall", &Cell::wall},
                   std::pair{"cpu", &Cell::cpu}, std::pair{"samples", &Cell::samples});
}

// Times in microseconds, each as the difference to the one before: short.
Json samples_of(const Process &from) {
    Json to = columns(from.samples, std::pair{"thread", &Sample::thread},
                      std::pair{"node", &Sample::node}, std::pair{"state", &Sample::state});
    Json steps = Json::array();
    int64_t before = 0;
    for (const Sample &sample : from.samples) {
        const auto now = static_cast<int64_t>(std::llround(sample.time * 1e6));
        steps.push_back(now - before);
        before = now;
    }
    to["time_step_us"] = std::move(steps);
    return to;
}

Json holders_of(const Lock &from) {
    Json to = Json::array();
    for (const Holder &holder : from.holders) {
        to.push_back({{"node", holder.node},
                      {"place", holder.place},
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
                      {"object", lock.object},
                      {"first_wait", lock.first_wait},
                      {"waits", lock.waits},
                      {"samples", lock.samples},
                      {"wall", lock.wall},
                      {"cpu", lock.cpu}});
        if (from.knows_holders) {
            to.back()["holders"] = holders_of(lock);
        }
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
                           {"seconds", region.own},
                           {"by_state", by_state(region.times)},
                           {"potential_gain", region.gain},
                           {"work_min", region.work_min},
                           {"work_mean", region.work_mean},
                           {"work_max", region.work_max}});
    }
    return {{"elapsed", all.elapsed},
            {"threads", all.threads},
            {"serial", all.serial},
            {"serialisation_efficiency", all.serialisation},
            {"load_balance", all.load_balance},
            {"scheduling_efficiency", all.scheduling},
            {"parallel_efficiency", all.parallel},
            {"on_processor", all.on_processor},
            {"samples", from.samples},
            {"outside", by_state(from.outside)},
            {"regions", std::move(regions)}};
}

Json findings_json(const Process &process, const Figures &figures) {
    Json to = Json::array();
    for (const Finding &finding : findings_of(process, figures)) {
        to.push_back({{"cause", cause_key(finding.cause)},
                      {"node", finding.node},
                      {"place", finding.place},
                      {"seconds", finding.seconds},
                      {"share", finding.share},
                      {"samples", finding.samples},
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

// What is read. A key that is missing leaves the member as it is.
template <class Value> void take(const Json &from, const char *key, Value &to) {
    const auto found = from.find(key);
    if (found != from.end()) {
        to = found->get<Value>();
    }
}

void read_facts(const Json &from, Process &to) {
    take(from, "pid", to.pid);
    take(from, "parent_pid", to.parent_pid);
    take(from, "program", to.program);
    take(from, "arguments", to.arguments);
    take(from, "host", to.host);
    take(from, "rank", to.rank);
    take(from, "begin", to.begin);
    take(from, "begin_nanoseconds", to.begin_nanoseconds);
    take(from, "seconds", to.seconds);
    take(from, "cpu_seconds", to.cpu_seconds);
    take(from, "other_threads", to.other_threads);
    take(from, "other_cpu_seconds", to.other_cpu_seconds);
    take(from, "exit_code", to.exit_code);
    take(from, "is_partial", to.is_partial);
    take(from, "missing", to.missing);
    take(from, "environment", to.environment);
    take(from, "processors", to.processors);
    take(from, "affinity", to.affinity);
    take(from, "runtime", to.runtime);
    take(from, "runtime_file", to.runtime_file);
    take(from, "omp_version", to.omp_version);
    take(from, "producer", to.producer);
    take(from, "most_threads", to.most_threads);
    take(from, "rate", to.rate);
    take(from, "has_cpu_times", to.has_cpu_times);
    take(from, "has_wall_times", to.has_wall_times);
    take(from, "start_code", to.start_code);
    take(from, "late_samples", to.late_samples);
    take(from, "lost_samples", to.lost_samples);
    take(from, "stacks", to.stacks);
    take(from, "walks", to.walks);
    take(from, "cut_walks", to.cut_walks);
    take(from, "fork_stacks", to.fork_stacks);
    take(from, "fork_walks", to.fork_walks);
    take(from, "samples_missed", to.samples_missed);
    take(from, "samples_end_early", to.samples_end_early);
    take(from, "sample_step", to.sample_step);
}

void check(bool holds, const char *what) {
    if (!holds) {
        throw std::runtime_error(what);
    }
}

void read_threads(const Json &from, Process &to) {
    for (const Json &row : from) {
        Thread &thread = to.threads.emplace_back();
        take(row, "number", thread.number);
        take(row, "tid", thread.tid);
        take(row, "is_initial", thread.is_initial);
        take(row, "threads", thread.threads);
        take(row, "begin", thread.begin);
        take(row, "end", thread.end);
        take(row, "samples", thread.samples);
        take(row, "events", thread.events);
    }
}

void read_nodes(const Json &from, Process &to) {
    for (const Json &row : from) {
        Node node;
        take(row, "parent", node.parent);
        check(node.parent < static_cast<int>(to.nodes.size()), "a node stands before its parent");
        node.parent = std::max(node.parent, -1);
        node.kind =
            row.value("kind", "region") == "region" ? NodeKind::kRegion : NodeKind::kFunction;
        take(row, "function", node.function);
        take(row, "source", node.source);
        take(row, "module", node.module);
        take(row, "offset", node.offset);
        take(row, "entries", node.entries);
        take(row, "masters", node.masters);
        take(row, "same_as", node.same_as);
        check(node.same_as < static_cast<int>(to.nodes.size()),
              "a region stands before its first node");
        to.nodes.push_back(std::move(node));
    }
}

// The columns of one table have the same length.
template <class Row, class... Column>
void read_columns(const Json &from, std::vector<Row> &to, Column... column) {
    const auto add = [&](const auto &one) {
        const Json &values = from.at(one.first);
        if (to.empty()) {
            to.resize(values.size());
        }
        check(values.size() == to.size(), "columns of a table differ in length");
        for (size_t i = 0; i < to.size(); ++i) {
            values[i].get_to(to[i].*(one.second));
        }
    };
    (add(column), ...);
}

template <class Row> void check_row(const Process &process, const Row &row) {
    check(row.thread < process.threads.size(), "a row of a thread that there is not");
    check(row.node < static_cast<int>(process.nodes.size()) && row.node >= kUnknown,
          "a row of a node that there is not");
    check(row.state < kStateColumns, "a row of a state that there is not");
}

void read_cells(const Json &from, Process &to) {
    read_columns(from, to.cells, std::pair{"thread", &Cell::thread}, std::pair{"node", &Cell::node},
                 std::pair{"state", &Cell::state}, std::pair{"wall", &Cell::wall},
                 std::pair{"cpu", &Cell::cpu}, std::pair{"samples", &Cell::samples});
    for (const Cell &cell : to.cells) {
        check_row(to, cell);
        check(std::isfinite(cell.wall) && std::isfinite(cell.cpu), "a time that is no number");
    }
}

void read_samples(const Json &from, Process &to) {
    read_columns(from, to.samples, std::pair{"thread", &Sample::thread},
                 std::pair{"node", &Sample::node}, std::pair{"state", &Sample::state});
    const Json &steps = from.at("time_step_us");
    check(steps.size() == to.samples.size(), "columns of a table differ in length");
    int64_t now = 0;
    for (size_t i = 0; i < to.samples.size(); ++i) {
        now += steps[i].get<int64_t>();
        to.samples[i].time = static_cast<double>(now) * 1e-6;
        check_row(to, to.samples[i]);
    }
}

void read_holders(const Json &from, const Process &process, Lock &to) {
    for (const Json &row : from) {
        Holder &holder = to.holders.emplace_back();
        take(row, "node", holder.node);
        take(row, "place", holder.place);
        take(row, "wall", holder.wall);
        take(row, "samples", holder.samples);
        check(holder.node < static_cast<int>(process.nodes.size()) && holder.node >= kUnknown,
              "a holder at a node that there is not");
    }
}

void read_locks(const Json &from, Process &to) {
    for (const Json &row : from) {
        Lock &lock = to.locks.emplace_back();
        take(row, "state", lock.state);
        take(row, "wait_id", lock.wait_id);
        take(row, "object", lock.object);
        take(row, "first_wait", lock.first_wait);
        take(row, "waits", lock.waits);
        take(row, "samples", lock.samples);
        take(row, "wall", lock.wall);
        take(row, "cpu", lock.cpu);
        if (row.contains("holders")) {
            to.knows_holders = true;
            read_holders(row.at("holders"), to, lock);
        }
        check(lock.state < kStateColumns, "a lock of a state that there is not");
    }
}

void read_lines(const Json &from, Process &to) {
    for (const Json &row : from) {
        Line &line = to.lines.emplace_back();
        take(row, "source", line.source);
        take(row, "function", line.function);
        take(row, "text", line.text);
        take(row, "samples", line.samples);
        for (unsigned state = 0; state < kStateColumns; ++state) {
            take(row.at("by_state"), state_name(state), line.times.wall[state]);
        }
    }
}

Process read_process(const Json &from) {
    Process to;
    read_facts(from.at("facts"), to);
    for (const Json &event : from.at("events")) {
        to.events.push_back({event.value("registered", -1), event.value("count", uint64_t{0})});
    }
    read_threads(from.at("threads"), to);
    read_nodes(from.at("nodes"), to);
    read_cells(from.at("cells"), to);
    read_locks(from.at("locks"), to);
    if (from.contains("lines")) {
        read_lines(from.at("lines"), to);
    }
    if (from.contains("samples")) {
        read_samples(from.at("samples"), to);
    }
    return to;
}

} // namespace

void write_run(const Run &run, std::ostream &out, Samples samples) {
    out << "{\"format\": \"" << kRunFormat << "\", \"version\": " << kRunVersion
        << ",\n\"states\": " << names_of_states() << ",\n\"processes\": [";
    const char *before = "\n";
    for (const Process &process : run.processes) {
        const Figures figures = figures_of(process);
        // Part by part, so that the memory of one part is what is needed.
        const auto part = [&](const char *name, const Json &value) {
            out << ",\n\"" << name
                << "\": " << value.dump(-1, ' ', true, Json::error_handler_t::replace);
        };
        out << before << "{\"facts\": "
            << facts_of(process).dump(-1, ' ', true, Json::error_handler_t::replace);
        part("figures", figures_json(process, figures));
        part("findings", findings_json(process, figures));
        part("events", events_of(process));
        part("threads", threads_of(process));
        part("nodes", nodes_of(process));
        part("cells", cells_of(process));
        part("locks", locks_of(process));
        if (!process.lines.empty()) {
            part("lines", lines_of(process));
        }
        if (!process.samples.empty()) {
            part("blame", blames_json(process));
        }
        if (!process.samples.empty() && samples == Samples::kWrite) {
            part("samples", samples_of(process));
        }
        out << "}";
        before = ",\n";
    }
    out << "\n]}\n";
}

Run read_run(const std::string &text, const std::string &name) {
    try {
        const Json document = Json::parse(text);
        if (document.value("format", "") != kRunFormat) {
            throw Failure(name + ": not a run that ompcollect saved");
        }
        if (document.value("version", 0) != kRunVersion) {
            throw Failure(name + ": saved by another version of ompcollect (format " +
                          std::to_string(document.value("version", 0)) + ", this one reads " +
                          std::to_string(kRunVersion) + ")");
        }
        Run run;
        for (const Json &process : document.at("processes")) {
            run.processes.push_back(read_process(process));
        }
        return run;
    } catch (const Failure &) {
        throw;
    } catch (const std::exception &error) {
        throw Failure(name + ": damaged: " + error.what());
    }
}

} // namespace ompcollect::report
