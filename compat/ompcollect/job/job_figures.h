// SPDX-License-Identifier: Apache-2.0
//
// Figures of a job: the efficiencies of MPI with OpenMP (docs/JOBS.md has the formulas and where
// they come from), what costs most over all ranks, its regions and its outliers.
#pragma once

#include "job.h"
#include "region_figures.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ompcollect::report {

// As of a process: `elapsed` is that of the longest rank, and `threads` are those of all ranks. The
// products hold: parallel = mpi x openmp, and so on.
struct JobEfficiency : Efficiency {
    double mpi_balance = 1;
    double balance_in_hosts = 1;
    double balance_between_hosts = 1;
    double mpi_communication = 1;
    double openmp = 1;
};
JobEfficiency job_efficiency(const Job &job);

struct JobPlace {
    std::string name;
    double seconds = 0; // of threads
};

struct JobFinding {
    Cause cause = Cause::kMpiImbalance;
    double seconds = 0; // of threads of the job
    double share = 0;   // of all its thread time
    // Elapsed seconds that the job would take less: as long as the rank with least of it loses, and
    // the one with most. What lies between depends on who waits for whom. The least is 0 where the
    // gain is an upper bound.
    double least_gain = 0;
    double gain = 0;
    int rank = -1; // index of the rank that it is about; below 0: none
    std::string evidence;
    std::string cure;
    std::vector<JobPlace> places; // most first; all of them
};
// In the order of a process's (findings.h), by the same limits, and the start of MPI last.
std::vector<JobFinding> job_findings(const Job &job, const JobEfficiency &efficiency);

// Over ranks that are in the region or not.
struct JobRegionRow {
    PlaceKey key = 0;
    std::string name;
    double total = 0; // thread seconds, without idle ones
    double lost = 0;  // of these, waiting or in the runtime
    double least = 0;
    double mean = 0;
    double most = 0;
    size_t least_rank = 0; // index
    size_t most_rank = 0;
};
std::vector<JobRegionRow> job_regions(const Job &job); // most total first

// Time in calls of MPI, by call; most first.
std::vector<JobPlace> mpi_calls(const Job &job);

// Elapsed seconds in which the rank with least time in MPI is there while another rank is not. 0:
// no more than samples of even ranks show, or the ranks have no samples with times.
double varying_seconds(const Job &job);

// The middle of the ranks' frequencies; 0: no two are known.
unsigned middle_megahertz(const Job &job);
// Whether the rank's frequency is known and off the middle, by more than ranks of one kind are.
bool is_slow(const RankRow &rank, unsigned middle);
bool is_fast(const RankRow &rank, unsigned middle);

// Ranks that stand out, a sentence each.
std::vector<std::string> job_outliers(const Job &job);

// Why what is here may not be one whole job: ranks that are missing or ended early, the same rank
// twice, several programs, clocks that differ. A sentence each.
std::vector<std::string> job_doubts(const Job &job);

// The share of the time outside of MPI and the runtime in which threads had a processor.
double on_processor(const Job &job);

// Of a rank's time: where it computes, on the clock.
double computing_seconds(const RankRow &rank);

} // namespace ompcollect::report
