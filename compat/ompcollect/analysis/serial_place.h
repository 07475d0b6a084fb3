// SPDX-License-Identifier: Apache-2.0
//
// The time outside regions, and asleep. Whose it is: of the functions on its call
// path the innermost that is no helper. A helper is called by several functions, or by one that is
// a helper: what calls it is what a programmer changes. A function without a name is that of its
// caller that has one.
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

// Who forks regions. A thread that never does, while others do, is none whose sleep is waited for:
// it waits for them, as in pthread_join().
class ForkingThreads {
  public:
    explicit ForkingThreads(const Process &process);
    [[nodiscard]] size_t count() const { return threads_.size(); }
    [[nodiscard]] bool has(unsigned thread) const { return threads_.count(thread) != 0; }
    // What of the cell's time outside regions counts.
    [[nodiscard]] double part_of(const Cell &cell) const;

  private:
    std::set<unsigned> threads_;
    double seconds_ = 0;                // from their begin to their end
    std::map<unsigned, double> asleep_; // outside regions, by thread
};

// Calls of MPI outside regions. A thread that gets no processor at all has no call path either, as
// nothing interrupts it: that time is MPI's in the proportion in which serial time with a path is.
struct MpiOutside {
    double with_path = 0;
    double pathless = 0; // serial, without a processor
    double share = 0;    // MPI's, of serial time with a path
    [[nodiscard]] double all() const { return with_path + share * pathless; }
};
MpiOutside mpi_outside(const Process &process, const TimeClasses &classes);

// What the program's own code waits for there, in a region or outside: kMpi, kForeignLock,
// kOwnThread, kAsleep. kCount: for nothing.
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
    // Several that fork are outside at the same time: the clock counts once. What of their thread
    // seconds that is.
    double part = 0;
    std::map<int, RuntimeOutside> runtime; // by the region that is forked
};
// `own_part`: of the time without a processor what is the program's.
OutsideRegions outside_regions(const Process &process, const Figures &figures, double own_part);

// Where the threads of a region wait so most; the region where that is not known.
int waiting_place(const Process &process, const TimeClasses &classes, int region, Cause wait);

// What calls a function that is a place: a function of the program or its region. Below 0: the
// place is a region, or nobody is known.
int caller_of_place(const Process &process, int node);

} // namespace ompcollect::report
