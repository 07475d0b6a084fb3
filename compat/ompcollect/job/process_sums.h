// SPDX-License-Identifier: Apache-2.0
//
// What a job keeps of one process: its row, its times by region, and its samples in bins of time.
#pragma once

#include "job.h"
#include "time_class.h"

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ompcollect::report {

class ProcessSums {
  public:
    explicit ProcessSums(const Process &process);

    [[nodiscard]] RankRow row();
    [[nodiscard]] std::vector<JobRegion> regions() const;
    [[nodiscard]] std::vector<RankRegion> times() const; // their rank is left out

  private:
    // Of one thread in one region.
    struct Share {
        double lost = 0; // waiting
        double runtime = 0;
    };
    [[nodiscard]] PlaceKey region_key(int node) const;
    void add_cells();
    void add_serial(const Cell &cell, TimeClass is);
    void share_out_serial();
    void add_waits(RankRow &to) const;
    void add_bins(RankRow &to) const;
    void add_facts(RankRow &to) const;

    const Process &process_;
    const TimeClasses classes_;
    std::map<std::tuple<int, unsigned, bool>, double> times_;   // by region, state
    std::map<int, std::unordered_map<unsigned, Share>> shares_; // by region and thread
    std::vector<double> useful_;                                // by thread
    double off_processor_ = 0;
    double mpi_ = 0;
    double mpi_outside_ = 0;
    double present_ = 0;          // not idle
    double serial_with_path_ = 0; // outside of MPI
    double serial_off_ = 0;       // without a processor, and so without a path
    double off_of_useful_ = 0;    // of that, what is in the useful time
};

// Of a sample in a frame of MPI: it knows nothing of the state of OpenMP below one of ours.
bool may_be_in_mpi(unsigned state);

// The bins as ones of 2^shift ns, which is no less than what they have.
void widen_bins(RankRow &rank, unsigned shift);

} // namespace ompcollect::report
