// SPDX-License-Identifier: Apache-2.0
//
// The reader. A number has to fit the member that takes it; what it may be is checked once, when
// the process is there (run_check.h).
#include "failure.h"
#include "fields.h"
#include "run_check.h"
#include "run_file.h"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace ompcollect::report {
namespace {

// What is read: objects whose keys are sorted, so that many of them cost no more than their number.
using Read = nlohmann::json;

// A whole number must be one, and fit: what it may be besides check_process() knows.
template <class Value> void take_value(const Read &from, Value &to) {
    if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>) {
        require(from.is_number_integer(), "a number that is not whole");
        require(from.is_number_unsigned() ? std::in_range<Value>(from.get<uint64_t>())
                                          : std::in_range<Value>(from.get<int64_t>()),
                "a number that is too large");
    }
    if constexpr (std::is_same_v<Value, double>) {
        if (from.is_null()) {
            to = kNotKnown; // where there must be one, check_process() knows
            return;
        }
    }
    from.get_to(to);
}

template <class Value> void take_value(const Read &from, std::vector<Value> &to) {
    require(from.is_array(), "a list that is none");
    to.reserve(from.size());
    for (const Read &value : from) {
        take_value(value, to.emplace_back());
    }
}

// A key that is missing leaves the member as it is.
template <class Value> void take(const Read &from, const char *key, Value &to) {
    const auto found = from.find(key);
    if (found != from.end()) {
        take_value(*found, to);
    }
}

void take(const Read &from, const char *key, Ending &to) {
    std::string name = ending_name(to);
    take(from, key, name);
    to = ending_named(name);
}

void read_facts(const Read &from, Process &to) {
    // Runs that were saved before had no more of these.
    to.ending = Ending::kExit;
    take(from, "processors", to.processors_online);
    for_each_fact([&](const Field &field, auto member) { take(from, field.name, to.*member); });
}

void read_threads(const Read &from, Process &to) {
    for (const Read &row : from) {
        Thread &thread = to.threads.emplace_back();
        for_each_thread_value(
            [&](const Field &field, auto member) { take(row, field.name, thread.*member); });
    }
}

// Nodes share what they are called.
class SharedTexts {
  public:
    const SharedText &of(const std::string &text) {
        const auto [at, is_new] = known_.try_emplace(text);
        if (is_new) {
            at->second = text;
        }
        return at->second;
    }

  private:
    std::unordered_map<std::string, SharedText> known_;
};

void read_nodes(const Read &from, Process &to) {
    SharedTexts texts;
    for (const Read &row : from) {
        const auto text = [&](const char *key) {
            std::string value;
            take(row, key, value);
            return texts.of(value);
        };
        Node node;
        take(row, "parent", node.parent);
        node.kind =
            row.value("kind", "region") == "region" ? NodeKind::kRegion : NodeKind::kFunction;
        node.function = text("function");
        node.source = text("source");
        node.module = text("module");
        take(row, "offset", node.offset);
        take(row, "entries", node.entries);
        take(row, "masters", node.masters);
        take(row, "single_seconds", node.single_seconds);
        take(row, "same_as", node.same_as);
        to.nodes.push_back(std::move(node));
    }
}

// The columns of one table have the same length.
template <class Row, class... Column>
void read_columns(const Read &from, std::vector<Row> &to, Column... column) {
    const auto add = [&](const auto &one) {
        const Read &values = from.at(one.first);
        if (to.empty()) {
            to.resize(values.size());
        }
        require(values.size() == to.size(), "columns of a table differ in length");
        for (size_t i = 0; i < to.size(); ++i) {
            take_value(values[i], to[i].*(one.second));
        }
    };
    (add(column), ...);
}

// Runs that were saved before have no such column.
template <class Row, class Member>
void read_column_if_any(const Read &from, std::vector<Row> &to, const char *name, Member member) {
    if (from.contains(name)) {
        read_columns(from, to, std::pair{name, member});
    }
}

void read_cells(const Read &from, Process &to) {
    read_columns(from, to.cells, std::pair{"thread", &Cell::thread}, std::pair{"node", &Cell::node},
                 std::pair{"state", &Cell::state}, std::pair{"wall", &Cell::wall},
                 std::pair{"cpu", &Cell::cpu}, std::pair{"samples", &Cell::samples});
    read_column_if_any(from, to.cells, "within", &Cell::within);
    read_column_if_any(from, to.cells, "call", &Cell::call);
}

void read_samples(const Read &from, Process &to) {
    read_columns(from, to.samples, std::pair{"thread", &Sample::thread},
                 std::pair{"node", &Sample::node}, std::pair{"state", &Sample::state});
    const Read &steps = from.at("time_step_us");
    require(steps.size() == to.samples.size(), "columns of a table differ in length");
    int64_t now = 0;
    for (size_t i = 0; i < to.samples.size(); ++i) {
        int64_t step = 0;
        take_value(steps[i], step);
        require(!__builtin_add_overflow(now, step, &now), "a time that is too large");
        to.samples[i].time = static_cast<double>(now) * 1e-6;
    }
}

// Runs that were saved before have the words alone.
void take_place(const Read &from, const char *key, NamedPlace &to) {
    take(from, key, to.name);
    const auto apart = from.find(std::string(key) + "_apart");
    if (apart != from.end()) {
        take(*apart, "name", to.name);
        take(*apart, "source", to.source);
    }
}

void read_holders(const Read &from, Lock &to) {
    for (const Read &row : from) {
        Holder &holder = to.holders.emplace_back();
        take(row, "node", holder.node);
        take_place(row, "place", holder.place);
        take(row, "wall", holder.wall);
        take(row, "samples", holder.samples);
    }
}

void read_locks(const Read &from, Process &to) {
    for (const Read &row : from) {
        Lock &lock = to.locks.emplace_back();
        take(row, "state", lock.state);
        take(row, "wait_id", lock.wait_id);
        take_place(row, "object", lock.object);
        take_place(row, "first_wait", lock.first_wait);
        if (!row.contains("waits") || !row.at("waits").is_null()) { // null: they were not counted
            take(row, "waits", lock.waits);
        }
        take(row, "samples", lock.samples);
        take(row, "wall", lock.wall);
        take(row, "cpu", lock.cpu);
        if (row.contains("holders")) {
            to.knows_holders = true;
            read_holders(row.at("holders"), lock);
        }
    }
}

void read_lines(const Read &from, Process &to) {
    for (const Read &row : from) {
        Line &line = to.lines.emplace_back();
        take(row, "source", line.source);
        take(row, "function", line.function);
        take(row, "text", line.text);
        std::string folder;
        take(row, "folder", folder);
        line.folder = std::move(folder);
        take(row, "samples", line.samples);
        for (unsigned state = 0; state < kStateColumns; ++state) {
            take(row.at("by_state"), state_name(state), line.times.wall[state]);
        }
    }
}

Process read_process(const Read &from) {
    Process to;
    read_facts(from.at("facts"), to);
    for (const Read &event : from.at("events")) {
        Event &row = to.events.emplace_back();
        take(event, "registered", row.registered);
        take(event, "count", row.count);
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
    forget_unmeasured(to);
    check_process(to);
    return to;
}

} // namespace

Run read_run(const std::string &text, const std::string &name) {
    try {
        const Read document = Read::parse(text);
        std::string format;
        take(document, "format", format);
        if (format != kRunFormat) {
            throw Failure(name + ": not a run that ompcollect saved; give the file of one");
        }
        int version = 0;
        take(document, "version", version);
        if (version != kRunVersion) {
            throw Failure(name + ": saved by another version of ompcollect (format " +
                          std::to_string(version) + ", this one reads " +
                          std::to_string(kRunVersion) + "); read it with that one");
        }
        Run run;
        for (const Read &process : document.at("processes")) {
            run.processes.push_back(read_process(process));
        }
        return run;
    } catch (const Failure &) {
        throw;
    } catch (const std::exception &error) {
        throw Failure(name + ": damaged: " + error.what() + "; copy it again, or save a new run");
    }
}

} // namespace ompcollect::report
