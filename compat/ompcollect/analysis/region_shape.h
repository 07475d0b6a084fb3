// SPDX-License-Identifier: Apache-2.0
//
// Questions of the rules in losses.cpp about a region and about the processors that it had.
#pragma once

#include "region_figures.h"

#include <cstdint>
#include <map>

namespace ompcollect::report {

// The number of threads, at most that of the processors.
unsigned usable_threads(const Process &process, unsigned threads);
// An outermost region with all inside it.
struct Whole {
    std::map<unsigned, double> present; // by thread
    double useful = 0;
    double no_processor = 0;
    std::map<int, double> no_processor_in; // by region
    bool has_teams_inside = false;
    uint64_t samples = 0;

    [[nodiscard]] double longest() const {
        double to = 0;
        for (const auto &[thread, seconds] : present) {
            to = std::max(to, seconds);
        }
        return to;
    }
};

std::map<int, Whole> wholes_of(const Process &process, const Figures &figures); // by region

// Elapsed seconds for which a quota has stopped the process. The kernel adds up all processors on
// which threads were ready to run. So this is a lower bound, for a process that could use all of
// them.
double stopped_by_quota(const Process &process, unsigned threads);
// Thread seconds without a processor because of the program's own threads, as part of all such.
double own_part_of_waiting(const Process &process);
// The part of the processor time that its threads wanted, and others on the machine took.
double taken_by_others(const Process &process);
// Processor time of workers without a region, which wait awake for the next one.
struct IdleAwake {
    double seconds = 0;
    uint64_t samples = 0;
};
IdleAwake idle_awake(const Process &process);
// True if others took a noticeable part: then gains are upper bounds.
bool is_shared(const Process &process);
// Processors on which the threads could run, by their own bindings; 0: not known.
unsigned bound_processors(const Process &process);
// True if some threads could use more processors at the end than before.
bool is_bound_at_times(const Process &process);

uint64_t workers_of(const Process &process); // threads that were created and fork no region
uint64_t forks_of(const Process &process);
// True if threads end and others are created at every fourth fork or more often.
bool remakes_teams(const Process &process);
// True for a region that is entered so often, with so little work, that entering and leaving is its
// cost.
bool is_tiny(const Process &process, const RegionFigures &region);
// True if work grows, or falls, from thread to thread in the order of their creation.
bool is_graded(const RegionFigures &region);
// True where tasks are too small. In the first case the thread with the most work is long in the
// runtime, too, and the others are not: in a single or master part it creates tasks that others do
// not get, and executes them itself. In the second case the others get them, and all threads
// together are longer in the runtime than they work.
bool is_busy_with_tasks(const RegionFigures &region);
// One lock has most of the waits, or many have.
Cause lock_cause(const Process &process);
// True if the region waits so much for tasks that waits at its barriers are for tasks, too.
bool waits_for_tasks(const RegionFigures &region);
// True for a thread that ended before its second sample. All its time has the state of its end.
bool is_short_lived(const Process &process, unsigned thread);

// Work of a region's outlined function itself, by region. Code without a source file, such as
// memset(), counts as its caller's, as in the table of lines.
struct OwnWork {
    double work = 0;
    double no_processor = 0;
    uint64_t samples = 0;
};
std::map<int, OwnWork> own_work_of(const Process &process);

// Adds up a part over the threads that were in the region.
double sum_of(const RegionFigures &region, double ThreadWork::*part);
// Seconds of a thread of the team: in barriers; ready to run, without a processor.
double waited_in_barriers(const RegionFigures &region);
double without_processor(const RegionFigures &region);
// Thread seconds in which they ran, without barriers and idleness.
double executed(const RegionFigures &region);
// Seconds of the region in which a thread of its team is not in its own code.
double without_work(const RegionFigures &region);
// True if the difference in the threads' own work explains the waits. Where threads that got less
// of a processor have taken less work, the waits are shorter than the difference.
bool is_waited_for(double waited, double by_work);
// Whether the threads' work differs from the largest by more than the error of their samples.
bool is_certain(const RegionFigures &region, double by_thread);
// True on runtimes of TR2, where a worker in the region's last barrier counts as idle.
bool idles_in_region(const Process &process);
// How many samples show waits at barriers. Where sleeping threads are not seen, these are the
// samples of work by which the threads differ.
uint64_t samples_of_waits(const Process &process, const RegionFigures &region);
// Elapsed seconds that the region's threads wait for the one with the most work.
double waits_by_work(const RegionFigures &region);
// By how much they would wait less for the last thread if its calls of MPI took no time.
double waits_by_mpi(const RegionFigures &region);
// Elapsed seconds in which calls of MPI keep the region's threads from computing: no more than the
// longest of them has, and than is left beside the one that computes longest.
double mpi_by_the_clock(const RegionFigures &region);
// The part of a region's waits, in elapsed seconds, that its threads' own work does not explain.
// They are waits for threads that sleep, that queue longer than the others, or that are in the
// runtime.
struct ExplainedWaits {
    double for_sleep = 0;
    double for_queues = 0;
    double for_runtime = 0;
};
ExplainedWaits explained_waits(const RegionFigures &region, double waited);

} // namespace ompcollect::report
