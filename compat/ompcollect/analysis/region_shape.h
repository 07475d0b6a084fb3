// SPDX-License-Identifier: Apache-2.0
//
// What the rules of losses.cpp ask of a region and of the processors that it had.
#pragma once

#include "region_figures.h"

#include <cstdint>
#include <map>

namespace ompcollect::report {

// Threads that count: not more than there are processors.
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

// Elapsed seconds for which a quota has stopped the process. The kernel counts each processor on
// which threads were ready to run: this is the least, as if that were all that it could use.
double stopped_by_quota(const Process &process, unsigned threads);
// Thread seconds without a processor because of the program's own threads, as part of all such.
double own_part_of_waiting(const Process &process);
// Of the processor time that its threads wanted, what others on the machine took.
double taken_by_others(const Process &process);
// What workers without a region ran: they wait awake for the next one.
struct IdleAwake {
    double seconds = 0;
    uint64_t samples = 0;
};
IdleAwake idle_awake(const Process &process);
// That is noticed: gains are upper bounds.
bool is_shared(const Process &process);
// Processors on which the threads could run, by their own bindings; 0: not known.
unsigned bound_processors(const Process &process);
// Some of them had more at the end than before.
bool is_bound_at_times(const Process &process);

uint64_t workers_of(const Process &process); // threads that were made and fork no region
uint64_t forks_of(const Process &process);
// Threads end and others are made, in each fourth fork or more.
bool remakes_teams(const Process &process);
// Of a region: it is entered so often, with so little to do, that entering and leaving is the cost.
bool is_tiny(const Process &process, const RegionFigures &region);
// Work grows, or falls, from thread to thread in the order of their creation.
bool is_slanted(const RegionFigures &region);
// Who works most is in the runtime for long, too, and the others are not: where it is in a single
// or master part, it creates tasks that are too small for others to get, and executes what they
// leave. Or they get them, and all of them together are there for longer than they work.
bool is_busy_with_tasks(const RegionFigures &region);
// One lock has most of the waits, or many have.
Cause lock_cause(const Process &process);
// So much that waits at its barriers are for tasks, too.
bool waits_for_tasks(const RegionFigures &region);
// A thread that ended before its second sample: what it did is under the state in which it ended.
bool is_short_lived(const Process &process, unsigned thread);

// What the outlined function of a region does itself, by region; code without a source file, such
// as memset(), is the caller's, as in the table of lines.
struct OwnWork {
    double work = 0;
    double no_processor = 0;
    uint64_t samples = 0;
};
std::map<int, OwnWork> own_work_of(const Process &process);

// Over the threads that were in it.
double sum_of(const RegionFigures &region, double ThreadWork::*part);
// Seconds of a thread of the team: in barriers; ready to run, without a processor.
double waited_in_barriers(const RegionFigures &region);
double without_processor(const RegionFigures &region);
// Thread seconds in which they ran, but for barriers and idleness.
double executed(const RegionFigures &region);
// Seconds of the region in which a thread of its team is not in its own code.
double without_work(const RegionFigures &region);
// What the threads' own work differs by is waited for on any machine. Where threads that got less
// of a processor have taken less work, the waits are shorter than that.
bool is_waited_for(double waited, double by_work);
// Of how much less threads work than the one with most, as part of that: it is more than their
// samples may be off.
bool is_certain(const RegionFigures &region, double by_thread);
// Runtimes of TR2 have a worker idle where others have it in the region's last barrier.
bool idles_in_region(const Process &process);
// That show waits at barriers. Where nobody sees who waits asleep, it is samples of work by which
// the threads differ.
uint64_t samples_of_waits(const Process &process, const RegionFigures &region);
// Elapsed seconds that the region's threads wait for the one with the most work.
double waits_by_work(const RegionFigures &region);
// What they would wait less for the one that comes last if its calls of MPI took no time.
double waits_by_mpi(const RegionFigures &region);
// Elapsed seconds in which calls of MPI keep the region's threads from computing: no more than the
// longest of them has, and than is left beside the one that computes longest.
double mpi_by_the_clock(const RegionFigures &region);
// What of its waits, in elapsed seconds, is for threads that do something else than work: waits
// that the threads' own work does not explain are those for who sleeps, for who had to queue longer
// than the others, or for who is in the runtime, as far as they do.
struct ExplainedWaits {
    double for_sleep = 0;
    double for_queues = 0;
    double for_runtime = 0;
};
ExplainedWaits explained_waits(const RegionFigures &region, double waited);

} // namespace ompcollect::report
