// SPDX-License-Identifier: Apache-2.0
//
// Ranks of a job that never ran: their call paths, times and samples follow from their number, so
// that sums are known.
#pragma once

#include "run.h"

#include "omp_collector_api.h"

#include <string>

namespace ocb_test {

// Who calls MPI: the master outside of regions or in one, where the others wait at a barrier, or
// all threads of the region.
enum class MadeCaller { kOutside, kMasterInside, kAllInside };

struct MadeJob {
    unsigned ranks = 4;
    unsigned threads = 2;
    unsigned paths = 3;       // functions below each other's caller, in one region
    unsigned late_rank = 0;   // computes twice as long
    size_t samples = 20;      // with times, of each rank
    unsigned slow_rank = ~0U; // its processors are slow
    MadeCaller caller = MadeCaller::kOutside;
};

inline void add_facts(ompcollect::report::Process &process, const MadeJob &job, unsigned rank) {
    using namespace ompcollect::report; // NOLINT(google-build-using-namespace)
    process.pid = 1000 + static_cast<long>(rank);
    process.program = "/somewhere/solver";
    process.arguments = {"solver", "input"};
    process.host = "n" + std::to_string(rank / 2);
    process.rank = std::to_string(rank);
    process.rank_variable = "PMI_RANK";
    process.launcher = "PMI";
    process.ranks = job.ranks;
    process.job = "job.7";
    process.begin = 1'700'000'000;
    process.begin_nanoseconds = rank;
    process.seconds = 10;
    process.ending = ompcollect::Ending::kExit;
    process.exit_code = 0;
    process.rate = 100;
    process.processors = 4;
    process.megahertz = rank == job.slow_rank ? 1800 : 2400;
    process.has_cpu_times = true;
    process.most_threads = job.threads;
    process.events.resize(ompcollect::kEventNumbers);
    for (unsigned number = 0; number < job.threads; ++number) {
        Thread &thread = process.threads.emplace_back();
        thread.number = number;
        thread.tid = process.pid * 100 + static_cast<long>(number);
        thread.is_initial = number == 0;
        thread.end = 10;
        thread.events.resize(ompcollect::kEventNumbers);
    }
}

inline ompcollect::report::Process made_rank(const MadeJob &job, unsigned rank) {
    using namespace ompcollect::report; // NOLINT(google-build-using-namespace)
    Process process;
    add_facts(process, job, rank);
    const auto node = [&](int parent, NodeKind kind, const char *name, uint64_t offset,
                          const char *module) {
        Node &made = process.nodes.emplace_back();
        made.parent = parent;
        made.kind = kind;
        made.function = name;
        made.source = kind == NodeKind::kRegion ? "solver.c:10" : "";
        made.module = std::string(module);
        made.offset = offset;
        return static_cast<int>(process.nodes.size()) - 1;
    };
    const int main = node(-1, NodeKind::kFunction, "main", 0x10, "/somewhere/solver");
    const int region = node(main, NodeKind::kRegion, "solve", 0x20, "/somewhere/solver");
    // The same function is seen elsewhere in itself by each rank.
    const bool is_outside = job.caller == MadeCaller::kOutside;
    const int call = node(is_outside ? main : region, NodeKind::kFunction, "MPI_Allreduce",
                          0x30 + rank % 5, "/usr/lib/libmpi.so.40");
    const int inside = node(call, NodeKind::kFunction, "poll", 0x40, "/usr/lib/libc.so.6");
    const double working = rank == job.late_rank ? 8 : 4;
    const auto cell = [&](unsigned thread, int at, unsigned state, double wall) {
        process.cells.push_back({thread, at, state, wall, wall, static_cast<uint64_t>(wall * 100)});
    };
    for (unsigned path = 0; path < job.paths; ++path) {
        const std::string name = "part_" + std::to_string(path);
        const int part =
            node(region, NodeKind::kFunction, name.c_str(), 0x100 + path, "/somewhere/solver");
        const unsigned thread = path % job.threads;
        const unsigned of_thread = (job.paths + job.threads - 1 - thread) / job.threads;
        cell(thread, part, THR_WORK_STATE, working / of_thread);
    }
    cell(0, inside, is_outside ? THR_SERIAL_STATE : THR_WORK_STATE, 10 - working - 1);
    for (unsigned thread = 1; thread < job.threads; ++thread) {
        cell(thread, kOutside, THR_IDLE_STATE, is_outside ? 10 - working : 1);
        if (job.caller == MadeCaller::kMasterInside) {
            cell(thread, region, THR_IBAR_STATE, 10 - working - 1);
        } else if (!is_outside) {
            cell(thread, inside, THR_WORK_STATE, 10 - working - 1);
        }
    }
    cell(0, main, THR_SERIAL_STATE, 1);
    for (size_t i = 0; i < job.samples; ++i) {
        process.samples.push_back({10.0 * static_cast<double>(i) / static_cast<double>(job.samples),
                                   0, i % 2 ? region : inside,
                                   i % 2 ? THR_WORK_STATE : THR_SERIAL_STATE});
    }
    return process;
}

} // namespace ocb_test
