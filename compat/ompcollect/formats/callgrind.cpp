// SPDX-License-Identifier: Apache-2.0
//
// The callgrind format, version 1: one event column per state, in microseconds of thread time, and
// before them one for all states: readers sort by the first and open with it. A function's own cost
// is that of the call paths that end in it; calls carry what lies below. Counts of calls are those
// of region entries, and 1 elsewhere, as nobody counted them.
#include "formats.h"
#include "frames.h"
#include "nearest.h"
#include "warnings.h"
#include "words.h"

#include <array>
#include <ostream>

namespace ompcollect::report {
namespace {

using Costs = std::array<double, kStateColumns>;

struct Function {
    std::string object; // the mapped file
    std::string file;
    std::string name;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the comparison with 0 for one
    auto operator<=>(const Function &) const = default;
};

struct Call {
    uint64_t count = 0;
    unsigned line = 0; // in the caller
    Costs costs = {};
};

struct Body {
    std::map<unsigned, Costs> own; // by line
    std::map<Function, Call> calls;
};

using Graph = std::map<Function, Body>;

struct Spot {
    Function function;
    unsigned line = 0;
};

Spot spot_of(const Node &node) {
    Spot spot;
    spot.function.name = path_name(node);
    spot.function.object = node.module.empty() ? "???" : bounded(node.module);
    const SourcePlace place = source_place(node.source);
    spot.function.file = place.file.empty() ? "???" : bounded(place.file);
    spot.line = place.line;
    return spot;
}

void add_to(Costs &to, const Costs &costs) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        to[state] += costs[state];
    }
}

// The functions of a process: the root is the first of all spots, that of a node one behind it.
struct Spots {
    explicit Spots(const Process &process);

    std::vector<Spot> spots;
    std::vector<size_t> numbers; // equal where the function is
};

Spots::Spots(const Process &process) {
    spots.push_back({{process.program, "???", base_name(process.program)}, 0});
    for (const Node &node : process.nodes) {
        spots.push_back(spot_of(node));
    }
    std::map<Function, size_t> known;
    for (const Spot &spot : spots) {
        numbers.push_back(known.try_emplace(spot.function, known.size()).first->second);
    }
}

size_t caller_of(const Process &process, size_t spot) {
    return static_cast<size_t>(process.nodes[spot - 1].parent) + 1; // -1 becomes 0
}

// Whether the function of a spot stands for the first time on the path from the root. On a
// recursive path a function gets the time once, with its outermost call: so the calls of a function
// make its inclusive time.
std::vector<bool> first_on_path(const Process &process, const Spots &all) {
    const size_t count = all.spots.size();
    std::vector<size_t> first_child(count, 0); // 0 is the root, and nobody's child
    std::vector<size_t> next(count, 0);
    for (size_t spot = count; spot-- > 1;) {
        size_t &first = first_child[caller_of(process, spot)];
        next[spot] = first;
        first = spot;
    }
    std::vector<bool> is_first(count, false);
    std::vector<unsigned> met(count, 0); // by the function's number, on the path to here
    met[all.numbers[0]] = 1;
    std::vector<size_t> path;
    size_t at = first_child[0];
    while (at != 0 || !path.empty()) {
        if (at != 0) {
            is_first[at] = met[all.numbers[at]]++ == 0;
            path.push_back(at);
            at = first_child[at];
        } else {
            --met[all.numbers[path.back()]];
            at = next[path.back()];
            path.pop_back();
        }
    }
    return is_first;
}

void add_costs(const Process &process, const Spots &all, Graph &graph) {
    const std::vector<Spot> &spots = all.spots;
    std::vector<Costs> inclusive(spots.size());
    for (const Cell &cell : process.cells) {
        const size_t spot = cell.node >= 0 ? static_cast<size_t>(cell.node) + 1 : 0;
        graph[spots[spot].function].own[spots[spot].line][cell.state] += cell.wall;
        inclusive[spot][cell.state] += cell.wall;
    }
    const std::vector<bool> is_first = first_on_path(process, all);
    for (size_t spot = spots.size(); spot-- > 1;) {
        const size_t caller = caller_of(process, spot);
        add_to(inclusive[caller], inclusive[spot]);
        if (is_first[spot]) {
            add_to(graph[spots[caller].function].calls[spots[spot].function].costs,
                   inclusive[spot]);
        }
    }
}

void add_process(const Process &process, Graph &graph) {
    const Spots all(process);
    const std::vector<Spot> &spots = all.spots;
    for (size_t i = 1; i < spots.size(); ++i) {
        const Spot &caller = spots[caller_of(process, i)];
        Call &call = graph[caller.function].calls[spots[i].function];
        const uint64_t entries = process.nodes[i - 1].entries;
        call.count += entries ? entries : 1;
        call.line = caller.line;
    }
    add_costs(process, all, graph);
}

class Writer {
  public:
    Writer(const Graph &graph, std::ostream &out) : graph_(graph), out_(out) {
        for (const auto &[function, body] : graph) {
            for (const auto &[line, costs] : body.own) {
                add_to(total_, costs);
            }
        }
        for (const unsigned state : states_in_order()) {
            if (total_[state] > 0) {
                states_.push_back(state);
            }
        }
    }
    void write(const Run &run);

  private:
    void print_head(const Run &run);
    // The sum is that of the printed numbers.
    void print(const std::string &head, const Costs &costs) {
        long long sum = 0;
        std::string columns;
        for (const unsigned state : states_) {
            const long long micros = nearest(costs[state] * 1e6);
            columns += ' ' + std::to_string(micros);
            sum += micros;
        }
        out_ << head << ' ' << sum << columns << '\n';
    }

    const Graph &graph_;
    std::ostream &out_;
    Costs total_ = {};
    std::vector<unsigned> states_; // that have any time
};

void Writer::print_head(const Run &run) {
    const std::string command = run.processes.empty() ? "" : run.processes.front().program;
    out_ << "# callgrind format\nversion: 1\ncreator: ompcollect\ncmd: " << command << '\n';
    for (const std::string &text : warning_texts(run)) {
        out_ << "desc: Warning: " << text << '\n';
    }
    out_ << "positions: line\nevent: TIME : us in all states\n";
    std::string names;
    for (const unsigned state : states_) {
        const std::string name = state == 0 ? "NONE" : state_name(state);
        out_ << "event: " << name << " : us in " << name << '\n';
        names += ' ' + name;
    }
    out_ << "events: TIME" << names << '\n';
    print("summary:", total_);
}

void Writer::write(const Run &run) {
    print_head(run);
    for (const auto &[function, body] : graph_) {
        out_ << "\nob=" << function.object << "\nfl=" << function.file << "\nfn=" << function.name
             << '\n';
        for (const auto &[line, costs] : body.own) {
            print(std::to_string(line), costs);
        }
        for (const auto &[callee, call] : body.calls) {
            out_ << "cob=" << callee.object << "\ncfi=" << callee.file << "\ncfn=" << callee.name
                 << "\ncalls=" << call.count << " 0\n";
            print(std::to_string(call.line), call.costs);
        }
    }
}

} // namespace

void write_callgrind(const Run &run, std::ostream &out) {
    Graph graph;
    for (const Process &process : run.processes) {
        add_process(process, graph);
    }
    Writer(graph, out).write(run);
}

} // namespace ompcollect::report
