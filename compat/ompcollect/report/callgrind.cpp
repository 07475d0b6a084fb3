// SPDX-License-Identifier: Apache-2.0
//
// The callgrind format, version 1: one event column per state, in microseconds of thread time. A
// function's own cost is that of the call paths that end in it; calls carry what lies below. Counts
// of calls are those of region entries, and 1 elsewhere, as nobody counted them.
#include "formats.h"
#include "frames.h"

#include <array>
#include <cmath>
#include <ostream>

namespace ompcollect::report {
namespace {

using Costs = std::array<double, kStateColumns>;

struct Function {
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
    spot.function.name = node_name(node) + (node.kind == NodeKind::kRegion ? " [region]" : "");
    const size_t colon = node.source.rfind(':');
    spot.function.file = node.source.empty() ? "???" : node.source.substr(0, colon);
    if (colon != std::string::npos) {
        spot.line = static_cast<unsigned>(strtoul(&node.source[colon + 1], nullptr, 10));
    }
    return spot;
}

void add_to(Costs &to, const Costs &costs) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        to[state] += costs[state];
    }
}

void add_process(const Process &process, Graph &graph) {
    const Spot root = {{"???", base_name(process.program)}, 0};
    std::vector<Costs> inclusive(process.nodes.size(), Costs{});
    for (const Cell &cell : process.cells) {
        if (cell.node >= 0) {
            const Spot spot = spot_of(process.nodes[static_cast<size_t>(cell.node)]);
            graph[spot.function].own[spot.line][cell.state] += cell.wall;
            inclusive[static_cast<size_t>(cell.node)][cell.state] += cell.wall;
        } else {
            graph[root.function].own[0][cell.state] += cell.wall;
        }
    }
    // A node stands after its parent: when its turn comes, its children have been added to it.
    for (size_t i = process.nodes.size(); i-- > 0;) {
        const Node &node = process.nodes[i];
        Spot caller = root;
        if (node.parent >= 0) {
            caller = spot_of(process.nodes[static_cast<size_t>(node.parent)]);
            add_to(inclusive[static_cast<size_t>(node.parent)], inclusive[i]);
        }
        Call &call = graph[caller.function].calls[spot_of(node).function];
        call.count += node.entries ? node.entries : 1;
        call.line = caller.line;
        add_to(call.costs, inclusive[i]);
    }
}

class Writer {
  public:
    Writer(const Graph &graph, std::ostream &out) : graph_(graph), out_(out) {
        for (const auto &[function, body] : graph) {
            for (const auto &[line, costs] : body.own) {
                add_to(total_, costs);
            }
        }
    }
    void write(const std::string &command);

  private:
    void print(const std::string &head, const Costs &costs) {
        out_ << head;
        for (unsigned state = 0; state < kStateColumns; ++state) {
            if (total_[state] > 0) {
                out_ << ' ' << std::llround(costs[state] * 1e6);
            }
        }
        out_ << '\n';
    }

    const Graph &graph_;
    std::ostream &out_;
    Costs total_ = {};
};

void Writer::write(const std::string &command) {
    out_ << "# callgrind format\nversion: 1\ncreator: ompcollect\ncmd: " << command
         << "\npositions: line\n";
    for (unsigned state = 0; state < kStateColumns; ++state) {
        if (total_[state] > 0) {
            const std::string name = state == 0 ? "NONE" : state_name(state);
            out_ << "event: " << name << " : microseconds in state " << name << '\n';
        }
    }
    out_ << "events:";
    for (unsigned state = 0; state < kStateColumns; ++state) {
        if (total_[state] > 0) {
            out_ << ' ' << (state == 0 ? "NONE" : state_name(state));
        }
    }
    out_ << '\n';
    print("summary:", total_);
    for (const auto &[function, body] : graph_) {
        out_ << "\nfl=" << function.file << "\nfn=" << function.name << '\n';
        for (const auto &[line, costs] : body.own) {
            print(std::to_string(line), costs);
        }
        for (const auto &[callee, call] : body.calls) {
            out_ << "cfi=" << callee.file << "\ncfn=" << callee.name << "\ncalls=" << call.count
                 << " 0\n";
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
    std::string command;
    if (!run.processes.empty()) {
        command = run.processes.front().program;
    }
    Writer(graph, out).write(command);
}

} // namespace ompcollect::report
