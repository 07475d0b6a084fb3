// SPDX-License-Identifier: Apache-2.0
//
// The functions to which time outside regions, and asleep, belongs. It is the innermost function of
// the call path that is no helper. A helper is called by several functions, or by a helper; a
// programmer changes its caller. A function without a name counts as its next caller with a name.
#pragma once

#include "region_figures.h"
#include "time_class.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ompcollect::report {

struct SerialPlace {
    int node = kOutside;          // kOutside: no call path is known
    Cause cause = Cause::kSerial; // this, kSerialAsleep, or what own_wait_of() says
    double seconds = 0;
    uint64_t samples = 0;
    int call = kNoCall; // in which it sleeps most: index into the process's calls
};

// The threads that fork regions. Where others fork and a thread never does, its sleep is no loss:
// it waits for them, as in pthread_join().
class ForkingThreads {
  public:
    explicit ForkingThreads(const Process &process);
    [[nodiscard]] size_t count() const { return threads_.size(); }
    [[nodiscard]] bool has(unsigned thread) const { return threads_.count(thread) != 0; }
    // The part of the cell's time outside regions that counts.
    [[nodiscard]] double part_of(const Cell &cell) const;

  private:
    std::set<unsigned> threads_;
    double seconds_ = 0;                // from their begin to their end
    std::map<unsigned, double> asleep_; // outside regions, by thread
};

// Calls of MPI outside regions. A thread without a processor has no call path, as no signal
// interrupts it. That time belongs to MPI in the same proportion as serial time with a path.
struct MpiOutside {
    double with_path = 0;
    double pathless = 0; // serial, without a processor
    double share = 0;    // MPI's, of serial time with a path
    [[nodiscard]] double all() const { return with_path + share * pathless; }
};
MpiOutside mpi_outside(const Process &process, const TimeClasses &classes);

// What the program's own code waits for in this cell: kMpi, kForeignLock, kOwnThread, kAsleep.
// kCount: nothing.
Cause own_wait_of(const TimeClasses &classes, const Cell &cell);

// Of all time in the state SERIAL; most time first.
std::vector<SerialPlace> serial_places(const Process &process);

// Elapsed seconds in which threads that fork a region are in the runtime for it.
struct RuntimeOutside {
    double own = 0;
    double kept = 0; // without a processor, because of others on the machine
    [[nodiscard]] double all() const { return own + kept; }
};
// What the threads that fork do outside of regions.
struct OutsideRegions {
    // Several forking threads may be outside at the same time, which is elapsed time once. This is
    // elapsed time divided by their thread seconds.
    double part = 0;
    std::map<int, RuntimeOutside> runtime; // by the region that is forked
};
// `own_part`: the part of the time without a processor that is due to the program itself.
OutsideRegions outside_regions(const Process &process, const Figures &figures, double own_part);

// Where the threads of a region wait so most; the region where that is not known.
int waiting_place(const Process &process, const TimeClasses &classes, int region, Cause wait);

// The caller of a function that is a place: a function of the program, or its region. Below 0: the
// place is a region, or the caller is not known.
int caller_of_place(const Process &process, int node);

} // namespace ompcollect::report
