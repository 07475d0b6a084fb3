// SPDX-License-Identifier: Apache-2.0
//
// Limits the sampling thread to a part of one processor. With many threads, or at a high rate, each
// thread is looked at less often. For the sampling thread alone.
#pragma once

#include <cstdint>

namespace ompcollect {

class CostLimit {
  public:
    // After a look, pause `part` times its processor time. `longest`: the longest such pause, in
    // nanoseconds, as a look may cost more than usual (tables grow, a host takes the processor).
    // Longer pauses misattribute sleep: it would be charged to the state that is found next.
    constexpr CostLimit(uint64_t part, uint64_t longest) : part_(part), longest_(longest) {}

    // The pause after a look that took `cost`: `wanted` at least. Cost that this pause does not
    // cover is added to the next ones.
    uint64_t pause(uint64_t wanted, uint64_t cost, unsigned parts = 1) {
        const uint64_t times = price(parts);
        owed_ += times * cost;
        const uint64_t usual = times * (cost < last_cost_ ? cost : last_cost_);
        const uint64_t most = usual > longest_ ? usual : longest_;
        const uint64_t paid = owed_ < most ? owed_ : most;
        const uint64_t pause = paid > wanted ? paid : wanted;
        owed_ -= owed_ < pause ? owed_ : pause;
        last_cost_ = cost;
        return pause;
    }

    // In how many parts to look at the threads, where pauses of `wanted` do not cover a look at all
    // of them, which takes `cost`, twice in a row. Threads that wait for each other are alike at
    // any moment. So more moments show more than more threads do, and half of the cost is enough.
    unsigned parts(uint64_t wanted, uint64_t cost) {
        constexpr uint64_t kMost = 8; // each one looks at the process, too
        const uint64_t usual = cost < last_of_all_ ? cost : last_of_all_;
        last_of_all_ = cost;
        if (2 * part_ * usual < 3 * wanted) {
            return 1;
        }
        const uint64_t parts = (price(kMost) * usual + wanted / 2) / wanted;
        return static_cast<unsigned>(parts < kMost ? parts : kMost);
    }

  private:
    [[nodiscard]] constexpr uint64_t price(unsigned parts) const {
        return parts > 1 ? 2 * part_ : part_;
    }

    const uint64_t part_;
    const uint64_t longest_;
    uint64_t owed_ = 0;
    uint64_t last_cost_ = 0;
    uint64_t last_of_all_ = 0;
};

} // namespace ompcollect
