// SPDX-License-Identifier: Apache-2.0
//
// Adds up ranks: processes as they were saved, and jobs that were merged before.
#pragma once

#include "job.h"

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace ompcollect::report {

// Numbers keys in the order in which they come. Half of what merging costs is to find them.
class KeyIndex {
  public:
    uint32_t row(PlaceKey key);

  private:
    static constexpr uint32_t kNone = UINT32_MAX;
    struct Slot {
        PlaceKey key = 0;
        uint32_t row = kNone;
    };
    Slot &slot_of(PlaceKey key); // or the free one for it
    void grow();

    std::vector<Slot> slots_; // a power of two; half of them are free at least
    uint32_t rows_ = 0;
};

// A time over ranks. One rank may come several times in a row, and counts once.
class SpreadSum {
  public:
    void add(uint64_t time, PlaceKey rank);
    void add(const RankSpread &other) { sum_.add(other); }
    RankSpread take() {
        complete();
        return sum_;
    }

  private:
    void complete();

    RankSpread sum_;
    PlaceKey rank_ = 0; // whose time is not yet in the sum
    uint64_t time_ = 0;
};

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
    struct Sums {
        unsigned state = 0;
        unsigned within = 0;
        uint32_t next = 0; // of the same place: its number, 0 if it is the last
        SpreadSum wall = {};
        uint64_t cpu = 0;
        uint64_t samples = 0;
    };
    // A node, or one of the special places.
    struct Place {
        JobNode node;
        SpreadSum wall; // with what is below it
        bool is_node = false;
        uint32_t first_cell = 0; // its number, from 1
    };
    // `guess`: a row that may be the key's.
    uint32_t row_of(PlaceKey key, uint32_t guess);
    Place &place(PlaceKey key) { return places_[row_of(key, 0)]; }
    Sums &sums(Place &at, unsigned state, unsigned within);
    void add_nodes(const Process &process, const std::vector<PlaceKey> &keys, PlaceKey rank);
    void add_cells(const Process &process, PlaceKey rank);

    std::unordered_map<PlaceKey, RankRow> ranks_;
    KeyIndex index_; // of the places
    std::vector<Place> places_;
    // Of the last process's nodes. Ranks mostly have the same ones in the same order.
    std::vector<uint32_t> rows_;
    std::vector<Sums> cells_;
    std::unordered_map<PlaceKey, JobRegion> regions_;
    std::vector<RankRegion> rank_regions_;
    void add(const CauseEvidence &more);

    std::vector<RankLoss> losses_;
    std::map<PlaceKey, PlaceName> loss_places_;
    std::map<Cause, CauseEvidence> evidence_;
    std::set<AbsentRank> absent_;
};

// Of the process; the same in each file that has it.
PlaceKey process_key(const Process &process);

} // namespace ompcollect::report
