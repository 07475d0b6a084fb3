// SPDX-License-Identifier: Apache-2.0
//
// Verdicts of runs beside others' load: what is the program's stays, what is the machine's is not
// said to be the program's.
#include "findings.h"
#include "made_runs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ocb_test {
namespace {

using ompcollect::kNoProcessorState;

// Two threads that lack a processor for as long as they have one, in one region of many barriers.
class Busy {
  public:
    Busy() : made_(2, 0), region_(made_.region("loop", 3, 1)) {
        made_.process.processors = 2;
        made_.process.waited_for_own = made_.process.waited_for_others = 0;
        made_.process.events[OMP_EVENT_THR_BEGIN_EBAR].count = 400;
    }
    void thread(unsigned number, double work, double waits, double off) {
        made_.time(number, region_, THR_WORK_STATE, work);
        made_.time(number, region_, THR_EBAR_STATE, waits, 0);
        made_.time(number, region_, kNoProcessorState, off, 0);
        made_.process.cells.back().within = THR_WORK_STATE;
        made_.process.seconds = std::max(made_.process.seconds, work + waits + off);
        made_.process.threads[number].waited_seconds = off;
        made_.process.threads[number].involuntary_switches = 10;
        made_.process.waited_for_others += off;
    }
    // The gain of the first finding in seconds; 0: there is none.
    [[nodiscard]] double gain() const {
        const auto findings = findings_of(made_.process, figures_of(made_.process));
        return findings.empty() ? 0 : findings.front().seconds;
    }

  private:
    MadeProcess made_;
    const int region_;
};

TEST(BusyMachine, WorkThatDiffersIsWaitedForOnAnyMachine) {
    Busy run;
    run.thread(0, 3, 0, 3);
    run.thread(1, 1, 2, 3);
    EXPECT_NEAR(run.gain(), 1, 1e-6);
}

// The same with waits for the machine beside: they do not add to the gain.
TEST(BusyMachine, WaitsForTheMachineAreTakenOut) {
    Busy run;
    run.thread(0, 3, 0.5, 3);
    run.thread(1, 1, 2.5, 3);
    EXPECT_GE(run.gain(), 1);
    EXPECT_LT(run.gain(), 1.5);
}

TEST(BusyMachine, EvenWorkHasNoFinding) {
    Busy run;
    run.thread(0, 3, 0.4, 3);
    run.thread(1, 3, 0.4, 3);
    EXPECT_EQ(run.gain(), 0);
}

// A dynamic schedule gives less to the thread that has less of a processor: nobody waits for long.
TEST(BusyMachine, WorkThatFollowsTheProcessorsHasNoFinding) {
    Busy run;
    run.thread(0, 4, 0.05, 2);
    run.thread(1, 2, 0.05, 4);
    EXPECT_EQ(run.gain(), 0);
}

} // namespace
} // namespace ocb_test
