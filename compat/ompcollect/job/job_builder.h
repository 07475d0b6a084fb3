// SPDX-License-Identifier: Apache-2.0
//
// Adds up ranks: processes as they were saved, and jobs that were merged before.
#pragma once

#include "job.h"

#include <set>
#include <unordered_map>

namespace ompcollect::report {

class JobBuilder {
  public:
    // The process's names have been looked up.
    void add(const Process &process);
    void add(const Job &job);
    void add(const AbsentRank &rank) { absent_.insert(rank); }
    // False where a rank of the job is here already: then its sums must not be added.
    [[nodiscard]] bool may_add(const Job &job) const;

    // Everything in its order. Nothing is left here.
    Job take();

  private:
    struct CellKey {
        PlaceKey node;
        unsigned state;
        unsigned within;
        bool operator==(const CellKey &) const = default;
    };
    struct CellHash {
        size_t operator()(const CellKey &key) const {
            return static_cast<size_t>((key.node + key.state + 32 * key.within) *
                                       0x9e3779b97f4a7c15);
        }
    };
    struct Sums {
        RankSpread wall;
        uint64_t cpu = 0;
        uint64_t samples = 0;
    };
    void add_cells(const Process &process, const std::vector<PlaceKey> &keys, PlaceKey rank);

    std::unordered_map<PlaceKey, RankRow> ranks_;
    std::unordered_map<PlaceKey, JobNode> nodes_;
    std::unordered_map<CellKey, Sums, CellHash> cells_;
    std::unordered_map<PlaceKey, JobRegion> regions_;
    std::vector<RankRegion> rank_regions_;
    std::set<AbsentRank> absent_;
};

// Of the process; the same in each file that has it.
PlaceKey process_key(const Process &process);

} // namespace ompcollect::report
