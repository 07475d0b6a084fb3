// SPDX-License-Identifier: Apache-2.0
//
// What a job keeps of one process: its row, its losses, its times by region, and its samples in
// bins of time.
#pragma once

#include "job.h"
#include "time_class.h"

#include <map>
#include <tuple>
#include <vector>

namespace ompcollect::report {

class ProcessSums {
  public:
    explicit ProcessSums(const Process &process);

    [[nodiscard]] RankRow row();
    [[nodiscard]] std::vector<JobRegion> regions() const;
    // Their rank is left out.
    [[nodiscard]] std::vector<RankRegion> times() const;
    [[nodiscard]] const std::vector<RankLoss> &losses() const { return losses_; }
    [[nodiscard]] const std::map<PlaceKey, PlaceName> &places() const { return places_; }
    [[nodiscard]] const std::vector<CauseEvidence> &evidence() const { return evidence_; }

  private:
    [[nodiscard]] PlaceKey region_key(int node) const;
    void add_cells();
    void share_out_serial();
    void add_losses();
    void add_bins(RankRow &to) const;
    void add_facts(RankRow &to) const;

    const Process &process_;
    const TimeClasses classes_;
    std::map<std::tuple<int, unsigned, bool>, double> times_; // by region, state
    std::vector<double> useful_;                              // by thread
    double off_processor_ = 0;
    double mpi_ = 0;
    double mpi_elapsed_ = 0;
    std::vector<RankLoss> losses_;
    std::map<PlaceKey, PlaceName> places_;
    std::vector<CauseEvidence> evidence_;
};

// Of a sample in a frame of MPI: it knows nothing of the state of OpenMP below one of ours.
bool may_be_in_mpi(unsigned state);

// The bins as ones of 2^shift ns, which is no less than what they have.
void widen_bins(RankRow &rank, unsigned shift);

} // namespace ompcollect::report
