// SPDX-License-Identifier: Apache-2.0
//
// Verdicts of runs beside others' load: what is the program's stays, what is the machine's is not
// said to be the program's.
#include "findings.h"
#include "made_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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
    void runtime(double in_the_region, double outside) {
        made_.time(0, region_, THR_OVHD_STATE, in_the_region);
        made_.time(0, kOutside, THR_OVHD_STATE, outside);
        made_.time(0, kOutside, THR_SERIAL_STATE, 1e-9); // it is the thread that forks
        made_.process.seconds += in_the_region + outside;
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

// A third is lost of the time that the region takes here.
TEST(BusyMachine, WorkThatDiffersIsWaitedForOnAnyMachine) {
    Busy run;
    run.thread(0, 3, 0, 3);
    run.thread(1, 1, 2, 3);
    EXPECT_NEAR(run.gain(), 6 / 3.0, 1e-6);
}

// The same with waits for the machine beside: they do not add to the gain.
TEST(BusyMachine, WaitsForTheMachineAreTakenOut) {
    Busy run;
    run.thread(0, 3, 0.5, 3);
    run.thread(1, 1, 2.5, 3);
    EXPECT_NEAR(run.gain(), 6.5 / 3, 1e-6);
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

// Who is late changes: others alone do that where threads lack a processor for longer.
TEST(BusyMachine, WaitsThatWanderAreNamedWhereOthersDoNotExplainThem) {
    for (const auto &[off, is_named] : {std::pair{1.6, false}, {1.2, true}}) {
        Busy run;
        run.thread(0, 3, 1.5, off);
        run.thread(1, 3, 1.5, off);
        EXPECT_EQ(run.gain() > 0, is_named) << off;
    }
}

// At a fork the runtime waits for threads, as barriers do: 201 times, for 3 ms at most.
TEST(BusyMachine, WaitsOfForksForTheMachineAreTakenOut) {
    const double machine = 0.56 * std::sqrt(3e-3 * 2 * (1 + 200));
    const auto gain = [](double in_barriers, double runtime) {
        Busy run;
        run.thread(0, 3, in_barriers, 2);
        run.thread(1, 3, in_barriers, 2);
        run.runtime(runtime, runtime / 2); // half of the first is one of two threads'
        return run.gain();
    };
    EXPECT_EQ(gain(0, machine * 0.99), 0);
    EXPECT_NEAR(gain(0, 2), std::sqrt(4 - machine * machine), 1e-3);
    // What barriers have of it is taken out there.
    EXPECT_NEAR(gain(machine, 2), 2, 1e-3);
    EXPECT_NEAR(gain(machine / 2, 2), std::sqrt(4 - machine * machine * 3 / 4), 1e-3);
}

} // namespace
} // namespace ocb_test
