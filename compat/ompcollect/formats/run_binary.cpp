// SPDX-License-Identifier: Apache-2.0
//
// The writer: one message at a time, so that memory is what the largest process needs.
#include "run_binary.h"

#include "failure.h"
#include "fields.h"
#include "late_zlib.h"
#include "node_keys.h"

#include <ostream>
#include <run_generated.h> // made of run.fbs
#include <type_traits>

namespace ompcollect::report {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Vector;

// A text that many rows have is there once.
Offset<String> text(FlatBufferBuilder &to, const std::string &from) {
    return from.empty() ? Offset<String>() : to.CreateSharedString(from);
}

// Elements of a list have to be there, the empty ones too.
template <class Rows, class Get>
Offset<Vector<Offset<String>>> texts(FlatBufferBuilder &to, const Rows &rows, Get get) {
    std::vector<Offset<String>> all;
    all.reserve(rows.size());
    for (const auto &row : rows) {
        all.push_back(to.CreateSharedString(get(row)));
    }
    return to.CreateVector(all);
}

// The row's members as one column.
template <class Value, class Rows, class Get>
Offset<Vector<Value>> column(FlatBufferBuilder &to, const Rows &rows, Get get) {
    Value *next = nullptr;
    const Offset<Vector<Value>> made = to.CreateUninitializedVector<Value>(rows.size(), &next);
    for (const auto &row : rows) {
        *next++ = static_cast<Value>(get(row));
    }
    return made;
}

std::string as_text(const std::string &value) {
    return value;
}
std::string as_text(Ending value) {
    return ending_name(value);
}

template <class Value>
Offset<saved::Fact> fact(FlatBufferBuilder &to, const char *name, const Value &value) {
    const Offset<String> called = to.CreateSharedString(name);
    if constexpr (std::is_floating_point_v<Value>) {
        return saved::CreateFact(to, called, saved::Kind_Real, 0, value);
    } else if constexpr (std::is_integral_v<Value>) {
        return saved::CreateFact(to, called, saved::Kind_Whole, static_cast<int64_t>(value));
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        const auto list = texts(to, value, [](const std::string &one) { return one; });
        return saved::CreateFact(to, called, saved::Kind_List, 0, 0, 0, list);
    } else {
        return saved::CreateFact(to, called, saved::Kind_Text, 0, 0, text(to, as_text(value)));
    }
}

Offset<Vector<Offset<saved::Fact>>> facts_of(FlatBufferBuilder &to, const Process &from) {
    std::vector<Offset<saved::Fact>> all;
    for_each_fact([&](const Field &field, auto member) {
        all.push_back(fact(to, field.name, from.*member));
    });
    return to.CreateVector(all);
}

template <class Value>
Offset<saved::ThreadColumn> thread_column(FlatBufferBuilder &to, const char *name,
                                          const std::vector<Thread> &threads,
                                          Value Thread::*member) {
    const auto get = [&](const Thread &thread) -> const Value & { return thread.*member; };
    const Offset<String> called = to.CreateSharedString(name);
    if constexpr (std::is_floating_point_v<Value>) {
        const auto values = column<double>(to, threads, get);
        return saved::CreateThreadColumn(to, called, saved::Kind_Real, 0, values);
    } else if constexpr (std::is_integral_v<Value>) {
        const auto values = column<int64_t>(to, threads, get);
        return saved::CreateThreadColumn(to, called, saved::Kind_Whole, values);
    } else {
        std::vector<int64_t> all;
        for (const Thread &thread : threads) {
            all.insert(all.end(), get(thread).begin(), get(thread).end());
        }
        const auto values = to.CreateVector(all);
        const auto lengths =
            column<uint32_t>(to, threads, [&](const Thread &one) { return get(one).size(); });
        return saved::CreateThreadColumn(to, called, saved::Kind_List, values, 0, lengths);
    }
}

Offset<Vector<Offset<saved::ThreadColumn>>> threads_of(FlatBufferBuilder &to, const Process &from) {
    std::vector<Offset<saved::ThreadColumn>> all;
    for_each_thread_value([&](const Field &field, auto member) {
        all.push_back(thread_column(to, field.name, from.threads, member));
    });
    return to.CreateVector(all);
}

Offset<saved::Events> events_of(FlatBufferBuilder &to, const Process &from) {
    const auto registered =
        column<int32_t>(to, from.events, [](const Event &event) { return event.registered; });
    const auto count =
        column<uint64_t>(to, from.events, [](const Event &event) { return event.count; });
    return saved::CreateEvents(to, registered, count);
}

Offset<saved::Nodes> nodes_of(FlatBufferBuilder &to, const Process &from) {
    const std::vector<Node> &rows = from.nodes;
    const auto parent = column<int32_t>(to, rows, [](const Node &row) { return row.parent; });
    const auto kind = column<uint8_t>(
        to, rows, [](const Node &row) { return row.kind == NodeKind::kRegion ? 1 : 0; });
    const auto function = texts(to, rows, [](const Node &row) { return row.function.str(); });
    const auto source = texts(to, rows, [](const Node &row) { return row.source.str(); });
    const auto module = texts(to, rows, [](const Node &row) { return row.module.str(); });
    const auto offset = column<uint64_t>(to, rows, [](const Node &row) { return row.offset; });
    const auto entries = column<uint64_t>(to, rows, [](const Node &row) { return row.entries; });
    const auto masters = column<uint32_t>(to, rows, [](const Node &row) { return row.masters; });
    const auto same_as = column<int32_t>(to, rows, [](const Node &row) { return row.same_as; });
    const auto key = to.CreateVector(node_keys(rows));
    const auto single_seconds =
        column<double>(to, rows, [](const Node &row) { return row.single_seconds; });
    return saved::CreateNodes(to, parent, kind, function, source, module, offset, entries, masters,
                              same_as, key, single_seconds);
}

Offset<saved::Cells> cells_of(FlatBufferBuilder &to, const Process &from) {
    const std::vector<Cell> &rows = from.cells;
    const auto thread = column<uint32_t>(to, rows, [](const Cell &row) { return row.thread; });
    const auto node = column<int32_t>(to, rows, [](const Cell &row) { return row.node; });
    const auto state = column<uint8_t>(to, rows, [](const Cell &row) { return row.state; });
    const auto wall = column<double>(to, rows, [](const Cell &row) { return row.wall; });
    const auto cpu = column<double>(to, rows, [](const Cell &row) { return row.cpu; });
    const auto samples = column<uint64_t>(to, rows, [](const Cell &row) { return row.samples; });
    const auto within = column<uint8_t>(to, rows, [](const Cell &row) { return row.within; });
    const auto call = column<int32_t>(to, rows, [](const Cell &row) { return row.call; });
    return saved::CreateCells(to, thread, node, state, wall, cpu, samples, within, call);
}

Offset<saved::Samples> samples_of(FlatBufferBuilder &to, const Process &from) {
    const std::vector<Sample> &rows = from.samples;
    const auto time = column<double>(to, rows, [](const Sample &row) { return row.time; });
    const auto thread = column<uint32_t>(to, rows, [](const Sample &row) { return row.thread; });
    const auto node = column<int32_t>(to, rows, [](const Sample &row) { return row.node; });
    const auto state = column<uint8_t>(to, rows, [](const Sample &row) { return row.state; });
    return saved::CreateSamples(to, time, thread, node, state);
}

Offset<saved::Place> place(FlatBufferBuilder &to, const NamedPlace &from) {
    const auto name = text(to, from.name);
    const auto source = text(to, from.source);
    const auto module = text(to, from.module.str());
    return saved::CreatePlace(to, name, source, module, from.offset);
}

Offset<Vector<Offset<saved::Lock>>> locks_of(FlatBufferBuilder &to, const Process &from) {
    std::vector<Offset<saved::Lock>> all;
    for (const Lock &lock : from.locks) {
        std::vector<Offset<saved::Holder>> holders;
        for (const Holder &holder : lock.holders) {
            const auto where = place(to, holder.place);
            holders.push_back(
                saved::CreateHolder(to, holder.node, where, holder.wall, holder.samples));
        }
        const auto object = place(to, lock.object);
        const auto first_wait = place(to, lock.first_wait);
        const auto held = to.CreateVector(holders);
        all.push_back(saved::CreateLock(to, lock.state, lock.wait_id, object, first_wait,
                                        lock.waits, lock.samples, lock.wall, lock.cpu, held));
    }
    return to.CreateVector(all);
}

Offset<Vector<Offset<saved::Line>>> lines_of(FlatBufferBuilder &to, const Process &from) {
    std::vector<Offset<saved::Line>> all;
    for (const Line &line : from.lines) {
        const auto source = text(to, line.source);
        const auto function = text(to, line.function);
        const auto words = text(to, line.text);
        const auto wall = to.CreateVector(line.times.wall, kStateColumns);
        const auto cpu = to.CreateVector(line.times.cpu, kStateColumns);
        const auto folder = text(to, line.folder);
        all.push_back(
            saved::CreateLine(to, source, function, words, line.samples, wall, cpu, folder));
    }
    return to.CreateVector(all);
}

// A FlatBuffer ends at 2 GB. The rows that can come to so much are these; texts are shared.
void require_room(const Process &process) {
    constexpr size_t kNodeRow = 96;
    constexpr size_t kCellRow = 33;
    constexpr size_t kSampleRow = 17;
    constexpr size_t kMost = 0x70000000;
    const size_t rows = process.nodes.size() * kNodeRow + process.cells.size() * kCellRow +
                        process.samples.size() * kSampleRow;
    if (rows > kMost) {
        throw Failure(
            "process " + std::to_string(process.pid) +
            " has more rows than the file of a run can hold; take fewer samples (--rate)");
    }
}

class Messages {
  public:
    explicit Messages(std::ostream &out) : out_(out), sum_(zlib().crc32(0, nullptr, 0)) {}

    template <class Table> void write(FlatBufferBuilder &from, Offset<Table> root, const char *id) {
        from.FinishSizePrefixed(root, id);
        const auto size = static_cast<std::streamsize>(from.GetSize());
        out_.write(reinterpret_cast<const char *>(from.GetBufferPointer()), size);
        sum_ = zlib().crc32_z(sum_, from.GetBufferPointer(), from.GetSize());
        from.Clear();
    }
    [[nodiscard]] uint32_t sum() const { return static_cast<uint32_t>(sum_); }

  private:
    std::ostream &out_;
    uLong sum_;
};

void write_process(const Process &from, FlatBufferBuilder &to, Messages &messages) {
    require_room(from);
    const auto samples = samples_of(to, from);
    const auto cells = cells_of(to, from);
    const auto nodes = nodes_of(to, from);
    const auto locks = locks_of(to, from);
    const auto lines = lines_of(to, from);
    const auto events = events_of(to, from);
    const auto threads = threads_of(to, from);
    const auto facts = facts_of(to, from);
    messages.write(to,
                   saved::CreateProcess(to, facts, threads, events, nodes, cells, samples, locks,
                                        lines, from.knows_holders),
                   kProcessIdentifier);
}

} // namespace

void write_binary(const Run &run, std::ostream &out) {
    FlatBufferBuilder to;
    Messages messages(out);
    std::vector<std::string> states;
    for (unsigned state = 0; state < kStateColumns; ++state) {
        states.emplace_back(state_name(state));
    }
    const auto writer = to.CreateString("ompcollect");
    const auto names = to.CreateVectorOfStrings(states);
    messages.write(to,
                   saved::CreateHeader(to, kBinaryVersion, writer,
                                       static_cast<uint32_t>(run.processes.size()), names),
                   kHeaderIdentifier);
    for (const Process &process : run.processes) {
        write_process(process, to, messages);
    }
    messages.write(to, saved::CreateEnd(to, messages.sum()), kEndIdentifier);
}

} // namespace ompcollect::report
