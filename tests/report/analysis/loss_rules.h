// SPDX-License-Identifier: Apache-2.0
//
// For tests of the rules of losses.cpp one by one, on figures made by hand: each limit at its
// value, each sum with all its parts.
#pragma once

#include "made_runs.h"
#include "region_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ocb_test {

class LossRules : public testing::Test {
  protected:
    // Of a region of two threads that work 10 s each, entered once; no figure of it is lost time.
    RegionFigures &region(int node, size_t members = 2) {
        RegionFigures &to = figures.regions.emplace_back();
        to.node = node;
        to.team = static_cast<unsigned>(members);
        to.elapsed = 1000;
        to.own = 10.0 * static_cast<double>(members);
        to.work_min = to.work_mean = to.work_max = 10;
        for (unsigned i = 0; i < members; ++i) {
            to.work.push_back({i, 10});
        }
        return to;
    }
    void events(unsigned event, uint64_t count) { made.process.events[event].count = count; }
    // Of all waits for a processor half are for the program's own threads.
    void half_is_own() { made.process.waited_for_own = made.process.waited_for_others = 1; }

    std::vector<Loss> losses() {
        figures.efficiency.threads = threads;
        return losses_of(made.process, figures);
    }
    Loss only_loss() {
        const std::vector<Loss> all = losses();
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? Loss{Cause::kCount} : all.front();
    }
    Loss loss_by(Cause cause) {
        const std::vector<Loss> all = losses();
        const auto found = std::find_if(all.begin(), all.end(),
                                        [cause](const Loss &loss) { return loss.cause == cause; });
        return found == all.end() ? Loss{Cause::kCount} : *found;
    }
    // Where each thread waits so long in barriers.
    Cause cause_of_waits(RegionFigures &at, double seconds = 1) {
        for (ThreadWork &thread : at.work) {
            thread.waited = seconds;
        }
        return losses().back().cause;
    }

  public: // what a test writes
    unsigned threads = 2;
    MadeProcess made{4, 100};
    Figures figures;
};

} // namespace ocb_test
