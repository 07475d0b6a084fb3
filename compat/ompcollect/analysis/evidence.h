// SPDX-License-Identifier: Apache-2.0
//
// The numbers that show a loss, as a sentence without its full stop.
#pragma once

#include "blame.h"
#include "region_figures.h"
#include "time_class.h"

#include <map>
#include <string>
#include <utility>

namespace ompcollect::report {

class Evidence {
  public:
    // Both must outlive this object.
    Evidence(const Process &process, const Figures &figures);

    [[nodiscard]] std::string of(const Loss &loss) const;
    // Null: the loss is in no region.
    [[nodiscard]] const RegionFigures *region_at(int node) const;

  private:
    struct Held {
        double wall = 0;
        uint64_t samples = 0;
    };
    using HeldAt = std::map<std::string, Held>; // by place
    static HeldAt::value_type longest_of(const HeldAt &places);

    [[nodiscard]] std::string in_mpi(const Loss &loss) const;
    [[nodiscard]] std::string serial(const Loss &loss) const;
    [[nodiscard]] std::string uneven(const RegionFigures &region, const Loss &loss) const;
    [[nodiscard]] std::string asleep(const RegionFigures &region) const;
    [[nodiscard]] std::string own_wait(const Loss &loss) const;
    [[nodiscard]] std::string oversubscribed(const Loss &loss) const;
    [[nodiscard]] std::string tiny(const RegionFigures &region) const;
    [[nodiscard]] std::string waits(const RegionFigures &region, unsigned state,
                                    const std::string &words) const;
    [[nodiscard]] std::string locks(const RegionFigures &region) const;
    [[nodiscard]] std::string blamed(const RegionFigures &region) const;
    [[nodiscard]] std::string held(const RegionFigures &region, unsigned state) const;
    [[nodiscard]] std::string in_region(const RegionFigures &region, const Loss &loss) const;

    const Process &process_;
    const TimeClasses classes_;
    const Figures &figures_;
    std::map<int, const RegionFigures *> regions_;
    const std::vector<Blame> blames_;
    std::map<int, const Blame *> first_blame_;           // by region
    std::map<std::pair<unsigned, int>, HeldAt> held_in_; // by state and region
    std::map<unsigned, HeldAt::value_type> most_held_;   // by state, in any region
};

} // namespace ompcollect::report
