// SPDX-License-Identifier: Apache-2.0
#include "run_check.h"

#include "fields.h"

#include <stdexcept>
#include <type_traits>

namespace ompcollect::report {
namespace {

// A number, or each one of a list; texts have no range.
template <class Value> void check_value(const Field &field, const Value &value, RangeCheck &check) {
    if constexpr (std::is_arithmetic_v<Value>) {
        check.number(field.quantity, value);
    }
}
void check_value(const Field &field, const std::vector<uint64_t> &values, RangeCheck &check) {
    for (const uint64_t value : values) {
        check.number(field.quantity, value);
    }
}

void check_facts(const Process &process, RangeCheck &check) {
    for_each_fact(
        [&](const Field &field, auto member) { check_value(field, process.*member, check); });
    for (const Event &event : process.events) {
        check.number(Quantity::kCount, event.count);
    }
}

void check_threads(const Process &process, RangeCheck &check) {
    check.number(Quantity::kThreads, process.threads.size());
    for (const Thread &thread : process.threads) {
        for_each_thread_value(
            [&](const Field &field, auto member) { check_value(field, thread.*member, check); });
    }
}

void check_nodes(const Process &process, RangeCheck &check) {
    std::vector<unsigned> depths;
    depths.reserve(process.nodes.size());
    for (const Node &node : process.nodes) {
        const int own = static_cast<int>(depths.size());
        require(node.parent >= -1 && node.parent < own, "a node stands before its parent");
        require(node.same_as >= -1 && node.same_as < own, "a region stands before its first node");
        if (node.same_as >= 0) {
            const Node &first = process.nodes[static_cast<size_t>(node.same_as)];
            require(node.kind == NodeKind::kRegion && first.kind == NodeKind::kRegion &&
                        first.same_as < 0,
                    "the first node of a region is none");
        }
        depths.push_back(node.parent < 0 ? 1 : depths[static_cast<size_t>(node.parent)] + 1);
        check.number(Quantity::kDepth, depths.back());
        check.number(Quantity::kCount, node.entries);
        check.number(Quantity::kThreads, node.masters);
        check.number(Quantity::kThreadSeconds, node.single_seconds);
    }
}

void require_node(const Process &process, int node, const char *what) {
    require(node < static_cast<int>(process.nodes.size()) && node >= kUnknown, what);
}

template <class Row> void check_row(const Process &process, const Row &row, RangeCheck &check) {
    require(row.thread < process.threads.size(), "a row of a thread that there is not");
    require_node(process, row.node, "a row of a node that there is not");
    check.number(Quantity::kState, row.state);
}

void check_cell(const Process &process, const Cell &cell, RangeCheck &check) {
    check_row(process, cell, check);
    check.number(Quantity::kState, cell.within);
    require(cell.call >= kNoCall && cell.call < static_cast<int>(process.calls.size()),
            "a row of a system call that there is not");
    check.number(Quantity::kThreadSeconds, cell.wall);
    check.number(Quantity::kSecondsIfKnown, cell.cpu);
    check.number(Quantity::kCount, cell.samples);
}

void check_rows(const Process &process, RangeCheck &check) {
    double wall = 0;
    double cpu = 0;
    for (const Cell &cell : process.cells) {
        check_cell(process, cell, check);
        wall += cell.wall;
        cpu += cell.cpu;
    }
    check.number(Quantity::kThreadSeconds, wall);
    check.number(Quantity::kSecondsIfKnown, cpu);
    for (const Sample &sample : process.samples) {
        check_row(process, sample, check);
        check.number(Quantity::kSeconds, sample.time);
    }
}

void check_locks(const Process &process, RangeCheck &check) {
    for (const Lock &lock : process.locks) {
        check.number(Quantity::kState, lock.state);
        check.number(Quantity::kCount, lock.waits);
        check.number(Quantity::kCount, lock.samples);
        check.number(Quantity::kThreadSeconds, lock.wall);
        check.number(Quantity::kSecondsIfKnown, lock.cpu);
        for (const Holder &holder : lock.holders) {
            require_node(process, holder.node, "a holder at a node that there is not");
            check.number(Quantity::kThreadSeconds, holder.wall);
            check.number(Quantity::kCount, holder.samples);
        }
    }
    for (const Line &line : process.lines) {
        check.number(Quantity::kCount, line.samples);
        for (const double wall : line.times.wall) {
            check.number(Quantity::kThreadSeconds, wall);
        }
    }
}

} // namespace

void check_process(const Process &process) {
    RangeCheck check;
    check_facts(process, check);
    check_threads(process, check);
    check_nodes(process, check);
    check_rows(process, check);
    check_locks(process, check);
    if (!check.holds()) {
        char words[256];
        check.describe(words, sizeof words);
        throw std::runtime_error(words);
    }
}

} // namespace ompcollect::report
