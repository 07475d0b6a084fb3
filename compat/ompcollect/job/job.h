// SPDX-License-Identifier: Apache-2.0
//
// A job: many ranks as one thing. It has a row for each rank, one tree of call paths for all of
// them, whose cells say how time is spread over the ranks, and times by rank and region. Keys need
// no agreement between ranks, and times are whole nanoseconds: so jobs can be merged in any order
// and grouping, and the same rows come out.
#pragma once

#include "causes.h"
#include "kinds.h"
#include "nearest.h"
#include "run.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace ompcollect::report {

using PlaceKey = uint64_t;

// The key of a place that is no node: kOutside, kSeveral, kUnknown.
constexpr PlaceKey special_key(int node) {
    return static_cast<PlaceKey>(static_cast<int64_t>(node));
}
constexpr bool is_special(PlaceKey key) {
    return static_cast<int64_t>(key) < 0 && static_cast<int64_t>(key) >= kUnknown;
}

inline uint64_t whole_ns(double seconds) {
    return seconds > 0 ? static_cast<uint64_t>(nearest(seconds * 1e9)) : 0;
}
constexpr double in_seconds(uint64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

// A time, in nanoseconds, over the ranks that have it. Of equal ones the smaller key counts.
struct RankSpread {
    uint64_t sum = 0;
    uint64_t ranks = 0;
    uint64_t least = 0;
    uint64_t most = 0;
    PlaceKey least_rank = 0;
    PlaceKey most_rank = 0;

    void add(const RankSpread &other);
    // Of all ranks of a job, those without any included.
    [[nodiscard]] bool is_of_all(size_t all) const { return ranks == all; }
    [[nodiscard]] uint64_t least_of(size_t all) const { return is_of_all(all) ? least : 0; }
};
inline RankSpread spread_of_one(uint64_t time, PlaceKey rank) {
    return {time, 1, time, time, rank, rank};
}

struct JobNode {
    PlaceKey key = 0;
    PlaceKey parent = 0; // 0: a root
    NodeKind kind = NodeKind::kFunction;
    std::string function;
    std::string source;
    std::string module;
    uint64_t offset = 0;
    RankSpread wall; // with what is below it
};

struct JobCell {
    PlaceKey node = 0;
    unsigned state = 0;
    unsigned within = 0; // as of a cell of a process
    RankSpread wall;
    uint64_t cpu = 0;
    uint64_t samples = 0;
};

// By its fork, whatever call paths lead there.
struct JobRegion {
    PlaceKey key = 0;
    std::string name;
};

// Time of one rank in one region; `in_mpi`: inside a call of MPI.
struct RankRegion {
    PlaceKey rank = 0;
    PlaceKey region = 0;
    unsigned state = 0;
    bool in_mpi = false;
    uint64_t wall = 0;
};

// Samples of one stretch of a rank's time.
struct Bin {
    unsigned bin = 0;
    unsigned column = 0; // state, and kMpiColumn if in a call of MPI
    uint64_t samples = 0;
};
inline constexpr unsigned kMpiColumn = 32;
inline constexpr unsigned kMostBins = 128;

struct RankRow {
    PlaceKey key = 0; // of the process: no other process has it
    int rank = -1;    // below 0: it has none
    long pid = 0;
    std::string host;
    std::string program;
    std::string command;
    std::string launcher;
    std::string job;
    std::string runtime;
    std::string ending; // in words; empty: it came to its end
    std::string doubts; // its warnings, a line each: name, a tab, sentence
    unsigned ranks = 0; // of the job, as its launcher has told
    unsigned threads = 1;
    unsigned processors = 0;
    unsigned megahertz = 0; // of processors that its threads ran on; 0: not known
    int64_t begin_ns = 0;   // since 1970
    uint64_t rate = 0;
    // Nanoseconds: elapsed; then thread time.
    uint64_t elapsed = 0;
    uint64_t useful = 0;
    uint64_t most_useful = 0;   // of one thread
    uint64_t off_processor = 0; // of the useful time
    uint64_t mpi = 0;
    uint64_t mpi_elapsed = 0; // by the clock: while it keeps the rank from computing
    unsigned bin_shift = 0;   // a bin is 2^bin_shift ns long, from the rank's begin
    std::vector<Bin> bins;    // by bin, then column
};

// A loss of one rank (region_figures.h): elapsed time lost to one cause at one place.
struct RankLoss {
    PlaceKey rank = 0;
    Cause cause = Cause::kSerial;
    PlaceKey place = 0; // in Job::places
    uint64_t lost = 0;  // nanoseconds
    uint64_t samples = 0;
    bool is_measured = false;
};

// By its words, as a rank's own report has it.
struct PlaceName {
    PlaceKey key = 0;
    std::string name;
};

// What a rank's own report has on its first place of a cause: of the rank that loses most by it.
struct CauseEvidence {
    Cause cause = Cause::kSerial; // of its family
    PlaceKey rank = 0;
    uint64_t lost = 0;
    std::string text;
};

// A rank that has left nothing, as far as it has said why.
struct AbsentRank {
    int rank = 0;
    std::string host;
    std::string cause;
    auto operator<=>(const AbsentRank &) const = default; // NOLINT(modernize-use-nullptr): its own
};

struct Job {
    std::vector<RankRow> ranks;           // by rank, then key
    std::vector<JobNode> nodes;           // by key
    std::vector<JobCell> cells;           // by node, then state
    std::vector<JobRegion> regions;       // by key
    std::vector<RankRegion> rank_regions; // by rank's key, region, state, in_mpi
    std::vector<RankLoss> losses;         // by rank's key, cause, place
    std::vector<PlaceName> places;        // by key; of the losses
    std::vector<CauseEvidence> evidence;  // by cause
    std::vector<AbsentRank> absent;       // by rank
};

// A rank as people see it: "rank 3", or "pid 42".
std::string rank_name(const RankRow &rank);

// The tree as that of one process with one thread, whose cells are sums over ranks. `origins`:
// which node of the job each of its nodes is.
Process as_process(const Job &job, std::vector<const JobNode *> *origins = nullptr);

} // namespace ompcollect::report
