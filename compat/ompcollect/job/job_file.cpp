// SPDX-License-Identifier: Apache-2.0
#include "job_file.h"

#include "failure.h"
#include "late_zlib.h"
#include "ranges.h"
#include "run_check.h"
#include "run_message.h"

#include <algorithm>
#include <cstring>
#include <job_generated.h> // made of job.fbs
#include <memory>
#include <stdexcept>
#include <unordered_map>

namespace ompcollect::report {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Vector;

constexpr char kIdentifier[] = "OMPJ";
constexpr size_t kSumBytes = 4;
// No time or count of a job is larger, so that sums of all its rows fit.
constexpr uint64_t kMostNumber = uint64_t{1} << 62U;

Offset<String> text(FlatBufferBuilder &to, const std::string &from) {
    return from.empty() ? Offset<String>() : to.CreateSharedString(from);
}

template <class Value, class Rows, class Get>
Offset<Vector<Value>> column(FlatBufferBuilder &to, const Rows &rows, Get get) {
    Value *next = nullptr;
    const Offset<Vector<Value>> made = to.CreateUninitializedVector<Value>(rows.size(), &next);
    for (const auto &row : rows) {
        *next++ = static_cast<Value>(get(row));
    }
    return made;
}

template <class Rows, class Get>
Offset<Vector<Offset<String>>> texts(FlatBufferBuilder &to, const Rows &rows, Get get) {
    std::vector<Offset<String>> all;
    all.reserve(rows.size());
    for (const auto &row : rows) {
        all.push_back(to.CreateSharedString(get(row)));
    }
    return to.CreateVector(all);
}

Offset<merged::Rank> rank_of(FlatBufferBuilder &to, const RankRow &from) {
    const auto host = text(to, from.host);
    const auto program = text(to, from.program);
    const auto command = text(to, from.command);
    const auto launcher = text(to, from.launcher);
    const auto job = text(to, from.job);
    const auto runtime = text(to, from.runtime);
    const auto ending = text(to, from.ending);
    const auto doubts = text(to, from.doubts);
    const auto bin = column<uint8_t>(to, from.bins, [](const Bin &row) { return row.bin; });
    const auto bin_column =
        column<uint8_t>(to, from.bins, [](const Bin &row) { return row.column; });
    const auto samples =
        column<uint64_t>(to, from.bins, [](const Bin &row) { return row.samples; });
    return merged::CreateRank(to, from.key, from.rank, from.pid, host, program, command, launcher,
                              job, runtime, ending, doubts, from.ranks, from.threads,
                              from.processors, from.begin_ns, from.rate, from.elapsed, from.useful,
                              from.most_useful, from.off_processor, from.mpi, from.mpi_elapsed, 0,
                              0, 0, 0, from.bin_shift, bin, bin_column, samples, from.megahertz);
}

// The columns of a spread of each row.
struct SpreadColumns {
    Offset<Vector<uint64_t>> sum;
    Offset<Vector<uint64_t>> ranks;
    Offset<Vector<uint64_t>> least;
    Offset<Vector<uint64_t>> most;
    Offset<Vector<uint64_t>> least_rank;
    Offset<Vector<uint64_t>> most_rank;
};

template <class Row> SpreadColumns spreads_of(FlatBufferBuilder &to, const std::vector<Row> &rows) {
    const auto of = [&](uint64_t RankSpread::*part) {
        return column<uint64_t>(to, rows, [part](const Row &row) { return row.wall.*part; });
    };
    return {of(&RankSpread::sum),  of(&RankSpread::ranks),      of(&RankSpread::least),
            of(&RankSpread::most), of(&RankSpread::least_rank), of(&RankSpread::most_rank)};
}

Offset<merged::Nodes> nodes_of(FlatBufferBuilder &to, const std::vector<JobNode> &rows) {
    const auto key = column<uint64_t>(to, rows, [](const JobNode &row) { return row.key; });
    const auto parent = column<uint64_t>(to, rows, [](const JobNode &row) { return row.parent; });
    const auto kind = column<uint8_t>(
        to, rows, [](const JobNode &row) { return row.kind == NodeKind::kRegion ? 1 : 0; });
    const auto function = texts(to, rows, [](const JobNode &row) { return row.function; });
    const auto source = texts(to, rows, [](const JobNode &row) { return row.source; });
    const auto module = texts(to, rows, [](const JobNode &row) { return row.module; });
    const auto offset = column<uint64_t>(to, rows, [](const JobNode &row) { return row.offset; });
    const SpreadColumns wall = spreads_of(to, rows);
    return merged::CreateNodes(to, key, parent, kind, function, source, module, offset, wall.sum,
                               wall.ranks, wall.least, wall.most, wall.least_rank, wall.most_rank);
}

Offset<merged::Cells> cells_of(FlatBufferBuilder &to, const std::vector<JobCell> &rows) {
    using Row = const JobCell &;
    const auto node = column<uint64_t>(to, rows, [](Row row) { return row.node; });
    const auto state = column<uint8_t>(to, rows, [](Row row) { return row.state; });
    const SpreadColumns wall = spreads_of(to, rows);
    const auto cpu = column<uint64_t>(to, rows, [](Row row) { return row.cpu; });
    const auto samples = column<uint64_t>(to, rows, [](Row row) { return row.samples; });
    const auto within = column<uint8_t>(to, rows, [](Row row) { return row.within; });
    return merged::CreateCells(to, node, state, wall.sum, wall.ranks, wall.least, wall.most,
                               wall.least_rank, wall.most_rank, cpu, samples, within);
}

using RankNumbers = std::unordered_map<PlaceKey, uint32_t>; // row, by key

RankNumbers numbers_of(const Job &job) {
    RankNumbers row_of;
    for (const RankRow &rank : job.ranks) {
        row_of.emplace(rank.key, static_cast<uint32_t>(row_of.size()));
    }
    return row_of;
}

Offset<merged::Losses> losses_of(FlatBufferBuilder &to, const Job &job, const RankNumbers &row_of) {
    const std::vector<RankLoss> &rows = job.losses;
    using Row = const RankLoss &;
    const auto rank = column<uint32_t>(to, rows, [&](Row row) { return row_of.at(row.rank); });
    const auto cause = texts(to, rows, [](Row row) { return cause_key(row.cause); });
    const auto place = column<uint64_t>(to, rows, [](Row row) { return row.place; });
    const auto lost = column<uint64_t>(to, rows, [](Row row) { return row.lost; });
    const auto samples = column<uint64_t>(to, rows, [](Row row) { return row.samples; });
    const auto measured = column<uint8_t>(to, rows, [](Row row) { return row.is_measured; });
    return merged::CreateLosses(to, rank, cause, place, lost, samples, measured);
}

Offset<Vector<Offset<merged::Evidence>>> evidence_of(FlatBufferBuilder &to, const Job &job) {
    std::vector<Offset<merged::Evidence>> rows;
    for (const CauseEvidence &row : job.evidence) {
        const auto cause = text(to, cause_key(row.cause));
        rows.push_back(merged::CreateEvidence(to, cause, row.rank, row.lost, text(to, row.text)));
    }
    return to.CreateVector(rows);
}

Offset<merged::RankRegions> rank_regions_of(FlatBufferBuilder &to, const Job &job,
                                            const RankNumbers &row_of) {
    const std::vector<RankRegion> &rows = job.rank_regions;
    using Row = const RankRegion &;
    const auto rank = column<uint32_t>(to, rows, [&](Row row) { return row_of.at(row.rank); });
    const auto region = column<uint64_t>(to, rows, [](Row row) { return row.region; });
    const auto state = column<uint8_t>(to, rows, [](Row row) { return row.state; });
    const auto in_mpi = column<uint8_t>(to, rows, [](Row row) { return row.in_mpi ? 1 : 0; });
    const auto wall = column<uint64_t>(to, rows, [](Row row) { return row.wall; });
    return merged::CreateRankRegions(to, rank, region, state, in_mpi, wall);
}

template <class Value> size_t size_of(const Vector<Value> *rows) {
    return rows ? rows->size() : 0;
}

template <class First, class... Column>
size_t rows_of(const First *first, const Column *...columns) {
    const size_t rows = size_of(first);
    require(((size_of(columns) == rows) && ...), "columns of a table differ in length");
    return rows;
}

uint64_t number(const Vector<uint64_t> *rows, size_t row) {
    const uint64_t value = value_at(rows, row);
    require(value < kMostNumber, "a number that is too large");
    return value;
}

template <class Value> Value at(const Vector<Value> *rows, size_t row) {
    return value_at(rows, row);
}

unsigned state_at_row(const Vector<uint8_t> *rows, size_t row) {
    require(at(rows, row) < kStateColumns, "a state that there is not");
    return at(rows, row);
}

std::string text(const String *from) {
    return from ? from->str() : std::string();
}

void read_bins(const merged::Rank &from, RankRow &to) {
    const size_t rows = rows_of(from.bin(), from.bin_column(), from.bin_samples());
    for (size_t i = 0; i < rows; ++i) {
        const Bin bin = {at(from.bin(), i), at(from.bin_column(), i),
                         number(from.bin_samples(), i)};
        require(bin.bin < kMostBins && (bin.column & ~kMpiColumn) < kStateColumns,
                "a bin that there is not");
        to.bins.push_back(bin);
    }
}

RankRow read_rank(const merged::Rank &from) {
    RankRow to;
    to.key = from.key();
    to.rank = from.rank();
    to.pid = from.pid();
    to.host = text(from.host());
    to.program = text(from.program());
    to.command = text(from.command());
    to.launcher = text(from.launcher());
    to.job = text(from.job());
    to.runtime = text(from.runtime());
    to.ending = text(from.ending());
    to.doubts = text(from.doubts());
    to.ranks = from.ranks();
    to.threads = from.threads();
    to.processors = from.processors();
    to.begin_ns = from.begin_ns();
    to.rate = from.rate();
    to.elapsed = from.elapsed();
    to.useful = from.useful();
    to.most_useful = from.most_useful();
    to.off_processor = from.off_processor();
    to.mpi = from.mpi();
    to.mpi_elapsed = from.mpi_elapsed();
    to.bin_shift = from.bin_shift();
    to.megahertz = from.megahertz();
    // The elapsed time of one process, and thread times of all.
    constexpr auto kMostElapsed = static_cast<uint64_t>(1e18);
    for (const uint64_t time :
         {to.elapsed, to.useful, to.most_useful, to.off_processor, to.mpi, to.mpi_elapsed,
          from.mpi_idle(), from.serial_idle(), from.unbalanced(), from.scheduling()}) {
        require(time <= kMostElapsed * 4, "a time that is too long");
    }
    const auto most_threads = static_cast<unsigned>(range_of(Quantity::kThreads).most);
    require(to.elapsed <= kMostElapsed && to.bin_shift < 63 && to.threads != 0 &&
                to.threads <= most_threads,
            "a rank whose facts are none");
    read_bins(from, to);
    return to;
}

template <class Table> RankSpread read_spread(const Table &from, size_t row) {
    return {number(from.sum(), row),  number(from.ranks(), row),  number(from.least(), row),
            number(from.most(), row), at(from.least_rank(), row), at(from.most_rank(), row)};
}

void read_nodes(const merged::Nodes &from, Job &to) {
    const size_t rows =
        rows_of(from.key(), from.parent(), from.kind(), from.function(), from.source(),
                from.object_file(), from.offset(), from.sum(), from.ranks(), from.least(),
                from.most(), from.least_rank(), from.most_rank());
    to.nodes.reserve(rows);
    for (size_t i = 0; i < rows; ++i) {
        to.nodes.push_back({at(from.key(), i), at(from.parent(), i),
                            at(from.kind(), i) == 1 ? NodeKind::kRegion : NodeKind::kFunction,
                            text(from.function()->Get(static_cast<unsigned>(i))),
                            text(from.source()->Get(static_cast<unsigned>(i))),
                            text(from.object_file()->Get(static_cast<unsigned>(i))),
                            at(from.offset(), i), read_spread(from, i)});
    }
}

void read_cells(const merged::Cells &from, Job &to) {
    const size_t rows =
        rows_of(from.node(), from.state(), from.sum(), from.ranks(), from.least(), from.most(),
                from.least_rank(), from.most_rank(), from.cpu(), from.samples(), from.within());
    to.cells.reserve(rows);
    for (size_t i = 0; i < rows; ++i) {
        require(at(from.within(), i) < kContractStates, "a state that there is not");
        to.cells.push_back({at(from.node(), i), state_at_row(from.state(), i), at(from.within(), i),
                            read_spread(from, i), number(from.cpu(), i),
                            number(from.samples(), i)});
    }
}

void read_regions(const merged::Job &from, Job &to) {
    if (const merged::Regions *regions = from.regions()) {
        const size_t rows = rows_of(regions->key(), regions->name());
        for (size_t i = 0; i < rows; ++i) {
            to.regions.push_back(
                {at(regions->key(), i), text(regions->name()->Get(static_cast<unsigned>(i)))});
        }
    }
    if (const merged::RankRegions *times = from.rank_regions()) {
        const size_t rows =
            rows_of(times->rank(), times->region(), times->state(), times->in_mpi(), times->wall());
        to.rank_regions.reserve(rows);
        for (size_t i = 0; i < rows; ++i) {
            const uint32_t rank = at(times->rank(), i);
            require(rank < to.ranks.size(), "a rank that there is not");
            to.rank_regions.push_back({to.ranks[rank].key, at(times->region(), i),
                                       state_at_row(times->state(), i), at(times->in_mpi(), i) != 0,
                                       number(times->wall(), i)});
        }
    }
}

Cause cause_of(const String *key) {
    const Cause cause = key ? cause_named(key->string_view()) : Cause::kCount;
    require(cause != Cause::kCount, "a cause that there is not");
    return cause;
}

void read_losses(const merged::Job &from, Job &to) {
    if (const merged::Losses *losses = from.losses()) {
        const size_t rows = rows_of(losses->rank(), losses->cause(), losses->place(),
                                    losses->lost(), losses->samples(), losses->is_measured());
        to.losses.reserve(rows);
        for (size_t i = 0; i < rows; ++i) {
            const uint32_t rank = at(losses->rank(), i);
            require(rank < to.ranks.size(), "a rank that there is not");
            to.losses.push_back({to.ranks[rank].key,
                                 cause_of(losses->cause()->Get(static_cast<unsigned>(i))),
                                 at(losses->place(), i), number(losses->lost(), i),
                                 number(losses->samples(), i), at(losses->is_measured(), i) != 0});
        }
    }
    if (const merged::Regions *places = from.places()) {
        const size_t rows = rows_of(places->key(), places->name());
        for (size_t i = 0; i < rows; ++i) {
            to.places.push_back(
                {at(places->key(), i), text(places->name()->Get(static_cast<unsigned>(i)))});
        }
    }
    for (size_t i = 0; i < size_of(from.evidence()); ++i) {
        const merged::Evidence *row = from.evidence()->Get(static_cast<unsigned>(i));
        require(row->lost() < kMostNumber, "a number that is too large");
        to.evidence.push_back(
            {cause_of(row->cause()), row->rank(), row->lost(), text(row->text())});
    }
}

// Jobs that were merged before there were losses have sums by kind, of thread time.
void losses_of_sums(const merged::Rank &from, Job &to) {
    const std::pair<Cause, uint64_t> sums[] = {{Cause::kMpi, from.mpi() + from.mpi_idle()},
                                               {Cause::kSerial, from.serial_idle()},
                                               {Cause::kImbalance, from.unbalanced()},
                                               {Cause::kRuntimeWork, from.scheduling()}};
    for (const auto &[cause, lost] : sums) {
        if (lost != 0) {
            to.losses.push_back({from.key(), cause, 0, lost / from.threads(), 0, true});
        }
    }
}

Job read(const uint8_t *bytes, size_t size, const std::string &name) {
    flatbuffers::Verifier::Options options;
    options.max_tables = static_cast<flatbuffers::uoffset_t>(size / 8 + 1);
    flatbuffers::Verifier verifier(bytes, size, options);
    require(verifier.VerifySizePrefixedBuffer<merged::Job>(kIdentifier),
            "a part of it is not as the format has it");
    const auto &from = *flatbuffers::GetSizePrefixedRoot<merged::Job>(bytes);
    if (from.version() > kJobVersion) {
        throw Failure(name + ": merged by a newer ompcollect (format " +
                      std::to_string(from.version()) + ", this one reads " +
                      std::to_string(kJobVersion) + "); read it with that one");
    }
    Job to;
    for (size_t i = 0; i < size_of(from.ranks()); ++i) {
        const merged::Rank &rank = *from.ranks()->Get(static_cast<unsigned>(i));
        to.ranks.push_back(read_rank(rank));
        if (!from.losses()) {
            losses_of_sums(rank, to);
        }
    }
    if (from.nodes()) {
        read_nodes(*from.nodes(), to);
    }
    if (from.cells()) {
        read_cells(*from.cells(), to);
    }
    read_regions(from, to);
    read_losses(from, to);
    for (size_t i = 0; i < size_of(from.absent()); ++i) {
        const merged::Absent *absent = from.absent()->Get(static_cast<unsigned>(i));
        to.absent.push_back({absent->rank(), text(absent->host()), text(absent->cause())});
    }
    return to;
}

uint32_t sum_of(const char *bytes, size_t size) {
    return static_cast<uint32_t>(
        zlib().crc32_z(zlib().crc32(0, nullptr, 0), reinterpret_cast<const Bytef *>(bytes), size));
}

} // namespace

std::string job_bytes(const Job &job) {
    FlatBufferBuilder to;
    std::vector<Offset<merged::Rank>> ranks;
    for (const RankRow &rank : job.ranks) {
        ranks.push_back(rank_of(to, rank));
    }
    const auto rank_rows = to.CreateVector(ranks);
    const auto nodes = nodes_of(to, job.nodes);
    const auto cells = cells_of(to, job.cells);
    const auto region_key =
        column<uint64_t>(to, job.regions, [](const JobRegion &row) { return row.key; });
    const auto region_name = texts(to, job.regions, [](const JobRegion &row) { return row.name; });
    const auto regions = merged::CreateRegions(to, region_key, region_name);
    const RankNumbers row_of = numbers_of(job);
    const auto rank_regions = rank_regions_of(to, job, row_of);
    const auto losses = losses_of(to, job, row_of);
    const auto place_key =
        column<uint64_t>(to, job.places, [](const PlaceName &row) { return row.key; });
    const auto place_name = texts(to, job.places, [](const PlaceName &row) { return row.name; });
    const auto places = merged::CreateRegions(to, place_key, place_name);
    const auto evidence = evidence_of(to, job);
    std::vector<Offset<merged::Absent>> absent;
    for (const AbsentRank &rank : job.absent) {
        const auto host = text(to, rank.host);
        absent.push_back(merged::CreateAbsent(to, rank.rank, host, text(to, rank.cause)));
    }
    const auto absent_rows = to.CreateVector(absent);
    to.FinishSizePrefixed(merged::CreateJob(to, kJobVersion, rank_rows, nodes, cells, regions,
                                            rank_regions, absent_rows, losses, places, evidence),
                          kIdentifier);
    std::string bytes(reinterpret_cast<const char *>(to.GetBufferPointer()), to.GetSize());
    const uint32_t sum = sum_of(bytes.data(), bytes.size());
    for (size_t i = 0; i < kSumBytes; ++i) {
        bytes += static_cast<char>(sum >> (8 * i) & 0xffU);
    }
    return bytes;
}

bool is_job_file(std::string_view begin) {
    constexpr size_t kAt = 8; // behind the size and the root's offset
    return begin.size() >= kAt + 4 && begin.substr(kAt, 4) == kIdentifier;
}

Job job_of_bytes(std::string_view bytes, const std::string &name) {
    try {
        require(bytes.size() > 16, "it is cut");
        const size_t size = bytes.size() - kSumBytes;
        uint32_t sum = 0;
        for (size_t i = 0; i < kSumBytes; ++i) {
            sum |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[size + i])) << (8 * i);
        }
        require(sum == sum_of(bytes.data(), size), "its check sum is wrong");
        // Where numbers lie at multiples of their size.
        const std::unique_ptr<uint64_t[]> aligned(new uint64_t[size / sizeof(uint64_t) + 1]);
        memcpy(aligned.get(), bytes.data(), size);
        return read(reinterpret_cast<const uint8_t *>(aligned.get()), size, name);
    } catch (const Failure &) {
        throw;
    } catch (const std::runtime_error &why) {
        throw Failure(name + ": not a whole job: " + why.what() +
                      "; merge its ranks again, or read it with the ompcollect that wrote it");
    }
}

} // namespace ompcollect::report
