// SPDX-License-Identifier: Apache-2.0
//
// The sampling thread takes at most a part of one processor: where there are many threads to look
// at, or the rate is high, looks come more rarely. Of the sampling thread alone.
#pragma once

#include <cstdint>

namespace ompcollect {

class CostLimit {
  public:
    // A look costs so many times its processor time in pauses. `longest`, in nanoseconds: of a
    // pause that pays for looks that were dearer than usual, as where tables grow or a host takes
    // the processor. Blind for longer, a thread's sleep would stand where it is found next.
    constexpr CostLimit(uint64_t part, uint64_t longest) : part_(part), longest_(longest) {}

    // The pause behind a look that took `cost`: `wanted` at least. What is not paid yet is owed.
    uint64_t pause(uint64_t wanted, uint64_t cost) {
        owed_ += part_ * cost;
        const uint64_t usual = part_ * (cost < last_cost_ ? cost : last_cost_);
        const uint64_t most = usual > longest_ ? usual : longest_;
        const uint64_t paid = owed_ < most ? owed_ : most;
        const uint64_t pause = paid > wanted ? paid : wanted;
        owed_ -= owed_ < pause ? owed_ : pause;
        last_cost_ = cost;
        return pause;
    }

  private:
    const uint64_t part_;
    const uint64_t longest_;
    uint64_t owed_ = 0;
    uint64_t last_cost_ = 0;
};

} // namespace ompcollect
