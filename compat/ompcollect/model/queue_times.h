// SPDX-License-Identifier: Apache-2.0
//
// Beside others on the machine the collector measures queues for mutexes by the clock. Samples have
// the sum of a queue and of the thread's own code right, but not always what of it is which: they
// take a thread without a processor for queueing where it works, or the other way round. Here the
// measured times decide.
#pragma once

#include "profile_file.h"
#include "run.h"

#include <map>
#include <tuple>

namespace ompcollect::report {

class QueueTimes {
  public:
    // False: it is no row of them.
    bool takes(const CellFileRow &row, unsigned thread, int node);

    // Moves time without a processor between a thread's queues in a region and its own code there.
    // A thread that has no such time keeps what samples say.
    void settle_cells(Process &to);
    // Behind it: locks have their part of their state's time, and so have who held them.
    void settle_locks(Process &to) const;

  private:
    struct Rows {
        double by_clock = 0;
        double by_samples = 0; // of waits that were not measured
        uint64_t waits = 0;
    };
    std::map<std::tuple<unsigned, int, unsigned>, Rows> rows_; // by thread, node and state
    std::map<unsigned, double> factors_; // of time off the processor, by state
};

} // namespace ompcollect::report
