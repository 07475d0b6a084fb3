// SPDX-License-Identifier: Apache-2.0
//
// The reader. FlatBuffers' verifier has checked that what is pointed to lies in the message; here
// columns are checked against each other, and check_process() knows what a number may be. What is
// absent leaves the model's default, and names that are not known are passed over: so older and
// newer files are read.
#include "failure.h"
#include "fields.h"
#include "late_zlib.h"
#include "run_binary.h"
#include "run_check.h"
#include "run_message.h"

#include <algorithm>
#include <cstring>
#include <run_generated.h> // made of run.fbs
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace ompcollect::report {
namespace {

using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Vector;

constexpr size_t kChunk = size_t{1} << 16U; // rows after which pages are given back

template <class Value> size_t size_of(const Vector<Value> *column) {
    return column ? column->size() : 0;
}

// A column that is not there is one of a newer format.
template <class... Column> void check_rows(size_t rows, const Column *...columns) {
    const bool same = ((!columns || columns->size() == rows) && ...);
    require(same, "columns of a table differ in length");
}

template <class Value, class To> void take(const Vector<Value> *column, size_t row, To &to) {
    if (column) {
        to = static_cast<To>(value_at(column, row));
    }
}

// Texts that many rows share are copied for each. A hostile file could make much of few bytes.
class Texts {
  public:
    explicit Texts(size_t message) : room_(message * kMostTimes + kLeastRoom) {}

    std::string of(const String *from) {
        if (!from) {
            return {};
        }
        require(from->size() <= room_, "texts of it overlap");
        room_ -= from->size();
        return from->str();
    }
    std::string of(const Vector<Offset<String>> *column, size_t row) {
        return column ? of(column->Get(static_cast<flatbuffers::uoffset_t>(row))) : std::string();
    }
    // The bytes are shared in memory, too.
    SharedText shared(const String *from) {
        if (!from || from->size() == 0) {
            return {};
        }
        const auto [at, is_new] = shared_.try_emplace(from);
        if (is_new) {
            at->second = of(from);
        }
        return at->second;
    }
    SharedText shared(const Vector<Offset<String>> *column, size_t row) {
        return column ? shared(column->Get(static_cast<flatbuffers::uoffset_t>(row)))
                      : SharedText();
    }

  private:
    static constexpr size_t kMostTimes = 256;
    static constexpr size_t kLeastRoom = size_t{1} << 20U;
    size_t room_;
    std::unordered_map<const String *, SharedText> shared_;
};

template <class Value> Value whole_number(int64_t from) {
    if constexpr (!std::is_same_v<Value, bool>) {
        require(std::in_range<Value>(from), "a number that is too large");
    }
    return static_cast<Value>(from);
}

template <class Value> void take_fact(const saved::Fact &from, Texts &texts, Value &to) {
    constexpr const char *kWrong = "a fact that is of another type";
    if constexpr (std::is_integral_v<Value>) {
        require(from.kind() == saved::Kind_Whole, kWrong);
        to = whole_number<Value>(from.whole());
    } else if constexpr (std::is_floating_point_v<Value>) {
        require(from.kind() == saved::Kind_Real, kWrong);
        to = from.real();
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        require(from.kind() == saved::Kind_List, kWrong);
        to.clear();
        for (size_t i = 0; i < size_of(from.list()); ++i) {
            to.push_back(texts.of(from.list(), i));
        }
    } else {
        require(from.kind() == saved::Kind_Text, kWrong);
        if constexpr (std::is_same_v<Value, Ending>) {
            to = ending_named(texts.of(from.text()));
        } else {
            to = texts.of(from.text());
        }
    }
}

// Rows of a table of named values, by name.
template <class Row>
std::unordered_map<std::string_view, const Row *> by_name(const Vector<Offset<Row>> *rows) {
    std::unordered_map<std::string_view, const Row *> named;
    for (size_t i = 0; i < size_of(rows); ++i) {
        const Row *row = rows->Get(static_cast<flatbuffers::uoffset_t>(i));
        named.emplace(row->name()->string_view(), row);
    }
    return named;
}

void read_facts(const saved::Process &from, Texts &texts, Process &to) {
    const auto facts = by_name(from.facts());
    for_each_fact([&](const Field &field, auto member) {
        const auto found = facts.find(field.name);
        if (found != facts.end()) {
            take_fact(*found->second, texts, to.*member);
        }
    });
    to.knows_holders = from.knows_holders();
}

template <class Value>
void take_column(const saved::ThreadColumn &from, std::vector<Thread> &to, Value Thread::*member) {
    constexpr const char *kWrong = "a column of threads that is of another type";
    if constexpr (std::is_floating_point_v<Value>) {
        require(from.kind() == saved::Kind_Real && from.real(), kWrong);
        check_rows(to.size(), from.real());
        for (size_t i = 0; i < to.size(); ++i) {
            take(from.real(), i, to[i].*member);
        }
    } else if constexpr (std::is_integral_v<Value>) {
        require(from.kind() == saved::Kind_Whole && from.whole(), kWrong);
        check_rows(to.size(), from.whole());
        for (size_t i = 0; i < to.size(); ++i) {
            to[i].*member = whole_number<Value>(value_at(from.whole(), i));
        }
    } else {
        require(from.kind() == saved::Kind_List && from.whole() && from.lengths(), kWrong);
        check_rows(to.size(), from.lengths());
        unsigned next = 0;
        for (size_t i = 0; i < to.size(); ++i) {
            const unsigned length = value_at(from.lengths(), i);
            require(length <= from.whole()->size() - next, "a list that is cut");
            for (const unsigned end = next + length; next < end; ++next) {
                (to[i].*member).push_back(whole_number<uint64_t>(value_at(from.whole(), next)));
            }
        }
    }
}

void read_threads(const saved::Process &from, Process &to) {
    const auto columns = by_name(from.threads());
    // Each thread has a number.
    const auto number = columns.find("number");
    to.threads.resize(number == columns.end() ? 0 : size_of(number->second->whole()));
    for_each_thread_value([&](const Field &field, auto member) {
        const auto found = columns.find(field.name);
        if (found != columns.end()) {
            take_column(*found->second, to.threads, member);
        }
    });
}

void read_events(const saved::Events &from, Process &to) {
    to.events.resize(size_of(from.registered()));
    check_rows(to.events.size(), from.registered(), from.count());
    for (size_t i = 0; i < to.events.size(); ++i) {
        take(from.registered(), i, to.events[i].registered);
        take(from.count(), i, to.events[i].count);
    }
}

// Calls take(row) for each, and gives the pages of the columns back behind it.
template <class Take, class... Column>
void for_each_row(const Message &message, size_t rows, Take take_row, const Column *...columns) {
    check_rows(rows, columns...);
    for (size_t from = 0; from < rows;) {
        const size_t end = std::min(rows, from + kChunk);
        for (size_t row = from; row < end; ++row) {
            take_row(row);
        }
        (message.drop(columns, from, end), ...);
        from = end;
    }
}

void read_nodes(const saved::Nodes &from, Texts &texts, const Message &message, Process &to) {
    const size_t rows = size_of(from.parent());
    to.nodes.reserve(rows);
    const auto take_row = [&](size_t row) {
        Node &node = to.nodes.emplace_back();
        take(from.parent(), row, node.parent);
        unsigned kind = 1;
        take(from.kind(), row, kind);
        node.kind = kind == 1 ? NodeKind::kRegion : NodeKind::kFunction;
        node.function = texts.shared(from.function(), row);
        node.source = texts.shared(from.source(), row);
        node.module = texts.shared(from.object_file(), row);
        take(from.offset(), row, node.offset);
        take(from.entries(), row, node.entries);
        take(from.masters(), row, node.masters);
        take(from.same_as(), row, node.same_as);
        take(from.single_seconds(), row, node.single_seconds);
    };
    for_each_row(message, rows, take_row, from.parent(), from.kind(), from.function(),
                 from.source(), from.object_file(), from.offset(), from.entries(), from.masters(),
                 from.same_as(), from.single_seconds());
}

void read_cells(const saved::Cells &from, const Message &message, Process &to) {
    const size_t rows = size_of(from.thread());
    to.cells.reserve(rows);
    const auto take_row = [&](size_t row) {
        Cell &cell = to.cells.emplace_back();
        take(from.thread(), row, cell.thread);
        take(from.node(), row, cell.node);
        take(from.state(), row, cell.state);
        take(from.wall(), row, cell.wall);
        take(from.cpu(), row, cell.cpu);
        take(from.samples(), row, cell.samples);
        take(from.within(), row, cell.within);
        take(from.call(), row, cell.call);
    };
    for_each_row(message, rows, take_row, from.thread(), from.node(), from.state(), from.wall(),
                 from.cpu(), from.samples(), from.within(), from.call());
}

void read_samples(const saved::Samples &from, const Message &message, Process &to) {
    const size_t rows = size_of(from.time());
    to.samples.reserve(rows);
    const auto take_row = [&](size_t row) {
        Sample &sample = to.samples.emplace_back();
        take(from.time(), row, sample.time);
        take(from.thread(), row, sample.thread);
        take(from.node(), row, sample.node);
        take(from.state(), row, sample.state);
    };
    for_each_row(message, rows, take_row, from.time(), from.thread(), from.node(), from.state());
}

NamedPlace place(const saved::Place *from, Texts &texts) {
    if (!from) {
        return {};
    }
    return {texts.of(from->name()), texts.of(from->source()), texts.shared(from->object_file()),
            from->offset()};
}

void read_locks(const Vector<Offset<saved::Lock>> &from, Texts &texts, Process &to) {
    for (const saved::Lock *row : from) {
        Lock &lock = to.locks.emplace_back();
        lock.state = row->state();
        lock.wait_id = row->wait_id();
        lock.object = place(row->object(), texts);
        lock.first_wait = place(row->first_wait(), texts);
        lock.waits = row->waits();
        lock.samples = row->samples();
        lock.wall = row->wall();
        lock.cpu = row->cpu();
        for (size_t i = 0; i < size_of(row->holders()); ++i) {
            const saved::Holder *holder = row->holders()->Get(static_cast<unsigned>(i));
            lock.holders.push_back(
                {holder->node(), place(holder->place(), texts), holder->wall(), holder->samples()});
        }
    }
}

void read_lines(const Vector<Offset<saved::Line>> &from, Texts &texts, Process &to) {
    for (const saved::Line *row : from) {
        Line &line = to.lines.emplace_back();
        line.source = texts.of(row->source());
        line.function = texts.of(row->function());
        line.text = texts.of(row->text());
        line.folder = texts.of(row->folder());
        line.samples = row->samples();
        for (size_t state = 0; state < kStateColumns; ++state) {
            if (state < size_of(row->wall())) {
                take(row->wall(), state, line.times.wall[state]);
            }
            if (state < size_of(row->cpu())) {
                take(row->cpu(), state, line.times.cpu[state]);
            }
        }
    }
}

Process read_process(const Message &message) {
    const auto &from = message.checked<saved::Process>(kProcessIdentifier);
    Texts texts(message.size());
    Process to;
    read_facts(from, texts, to);
    read_threads(from, to);
    if (from.events()) {
        read_events(*from.events(), to);
    }
    if (from.nodes()) {
        read_nodes(*from.nodes(), texts, message, to);
    }
    if (from.locks()) {
        read_locks(*from.locks(), texts, to);
    }
    if (from.lines()) {
        read_lines(*from.lines(), texts, to);
    }
    if (from.cells()) {
        read_cells(*from.cells(), message, to);
    }
    if (from.samples()) {
        read_samples(*from.samples(), message, to);
    }
    forget_unmeasured(to);
    return to;
}

uint32_t read_header(const Message &message, const std::string &name) {
    const auto &header = message.checked<saved::Header>(kHeaderIdentifier);
    if (header.version() > kBinaryVersion) {
        throw Failure(name + ": saved by a newer ompcollect (format " +
                      std::to_string(header.version()) + ", this one reads " +
                      std::to_string(kBinaryVersion) + "); read it with that one");
    }
    require(header.version() != 0, "it has no version");
    return header.processes();
}

// The sum of all bytes so far.
void add_to(uLong &sum, const Message &message) {
    sum = zlib().crc32_z(sum, message.bytes(), message.size());
}

Run read_messages(std::istream &in, const std::string &name, CheckSum check_sum) {
    uLong sum = zlib().crc32(0, nullptr, 0);
    const Message header(in);
    const uint32_t processes = read_header(header, name);
    add_to(sum, header);
    Run run;
    for (uint32_t i = 0; i < processes; ++i) {
        const Message message(in);
        add_to(sum, message); // before its pages are given back
        run.processes.push_back(read_process(message));
    }
    const Message last(in);
    const auto &end = last.checked<saved::End>(kEndIdentifier);
    require(check_sum == CheckSum::kIgnore || end.crc32() == sum, "its check sum is wrong");
    require(in.peek() == std::istream::traits_type::eof(), "there is more behind its end");
    for (const Process &process : run.processes) {
        check_process(process);
    }
    return run;
}

} // namespace

bool is_binary_run(std::istream &in) {
    constexpr std::streamsize kPrefix = 8;
    char begin[kPrefix + 4] = {};
    const auto at = in.tellg();
    in.read(begin, sizeof begin);
    const bool is_one =
        in.gcount() == sizeof begin && std::memcmp(begin + kPrefix, kHeaderIdentifier, 4) == 0;
    in.clear();
    in.seekg(at);
    return is_one;
}

Run read_binary(std::istream &in, const std::string &name, CheckSum check_sum) {
    try {
        return read_messages(in, name, check_sum);
    } catch (const Failure &) {
        throw;
    } catch (const std::bad_alloc &) {
        throw Failure(name + ": there is not enough memory to read it");
    } catch (const std::exception &error) {
        throw Failure(name + ": damaged: " + error.what() + "; copy it again, or save a new run");
    }
}

} // namespace ompcollect::report
