// SPDX-License-Identifier: Apache-2.0
//
// The sentences that speak for a loss, on figures made by hand: which numbers, of which threads,
// calls, locks and holders.
#include "evidence.h"
#include "made_runs.h"
#include "region_figures.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using ompcollect::kAsleepState;

class EvidenceText : public testing::Test {
  protected:
    EvidenceText() {
        figures_.efficiency.threads = 4;
        figures_.regions.reserve(kMostRegions);
    }
    // Its threads work 1, 2, 3, ... s.
    RegionFigures &region(const std::string &name, uint64_t entries = 1, unsigned team = 4) {
        RegionFigures &to = figures_.regions.emplace_back();
        to.node = made_.region(name, 10 + static_cast<int>(figures_.regions.size()), entries);
        to.team = team;
        to.own = 10;
        to.samples = 1000;
        for (unsigned thread = 0; thread < team; ++thread) {
            to.work.push_back({thread, 1.0 + thread});
        }
        return to;
    }
    std::string of(Cause cause, int node, double seconds, double thread_seconds = 0,
                   bool is_measured = false) {
        return Evidence(made_.process, figures_)
            .of({cause, node, seconds, thread_seconds, 100, is_measured});
    }
    // Of the loss that there is at this place.
    std::string of_sleep(int node) {
        figures_.efficiency.serial = 100;
        for (const Loss &loss : losses_of(made_.process, figures_)) {
            if (loss.cause == Cause::kSerialAsleep && loss.node == node) {
                return Evidence(made_.process, figures_).of(loss);
            }
        }
        return {};
    }
    void asleep_in(int node, int call, double seconds) {
        made_.time(0, node, kAsleepState, seconds);
        made_.process.cells.back().call = call;
        made_.process.cells.back().within =
            region_of(made_.process, node) == kOutside ? THR_SERIAL_STATE : THR_WORK_STATE;
    }
    // A lock of this state, held at a place while others waited.
    void held(unsigned state, int node, const std::string &place, double seconds,
              uint64_t samples = 10) {
        Lock &lock = made_.process.locks.emplace_back();
        lock.state = state;
        lock.holders.push_back({node, {place, ""}, seconds, samples});
    }
    // In each of so many periods of sampling thread 1 waits for the code at `node`.
    void waits_for(int node, int periods) {
        for (int i = 0; i < periods; ++i) {
            const double time = 0.01 * i + 0.005;
            made_.process.samples.push_back({time, 0, node, THR_WORK_STATE});
            made_.process.samples.push_back({time, 1, 0, THR_IBAR_STATE});
        }
    }

    static constexpr size_t kMostRegions = 8;
    MadeProcess made_{4, 100};
    Figures figures_;
};

// What is lost is the share of the threads that have nothing to do.
TEST_F(EvidenceText, OfSerialTimeNamesWhoHasNothingToDo) {
    EXPECT_EQ(of(Cause::kSerial, kOutside, 1.5),
              "one thread works for 2.00 s outside parallel regions while 3 others have nothing to "
              "do");
    figures_.efficiency.threads = 2;
    EXPECT_EQ(of(Cause::kSerial, made_.function("main", 1), 1.5),
              "one thread works there for 3.00 s outside parallel regions while 1 other has "
              "nothing to do");
    figures_.efficiency.threads = 3;
    EXPECT_EQ(of(Cause::kSerial, kOutside, 2, 0, true),
              "one thread works for 3.00 s outside parallel regions while 2 others have nothing to "
              "do, most of it before OpenMP was first used: no samples show where");
}

// The call in which it sleeps most there, outside of regions.
TEST_F(EvidenceText, OfSleepOutsideRegionsNamesTheCall) {
    made_.process.calls = {"poll", "nanosleep", "read"};
    const int node = region("r").node;
    asleep_in(node, 0, 5);
    asleep_in(kOutside, 1, 1);
    asleep_in(kOutside, 2, 3);
    EXPECT_EQ(of_sleep(kOutside),
              "the thread that forks sleeps, in read for 4.00 s outside parallel regions while 3 "
              "others have nothing to do");
    const int disk = made_.function("disk", 3);
    asleep_in(disk, 0, 2);
    EXPECT_EQ(of_sleep(disk),
              "the thread that forks sleeps there, in poll for 2.00 s outside parallel regions "
              "while 3 others have nothing to do");
    EXPECT_EQ(of(Cause::kSerial, kOutside, 1.5),
              "one thread works for 2.00 s outside parallel regions while 3 others have nothing to "
              "do");
}

// Threads of the program's own may fork the regions.
TEST_F(EvidenceText, OfSerialTimeCountsWhoForks) {
    made_.process.calls = {"nanosleep"};
    asleep_in(kOutside, 0, 1);
    made_.process.threads[0].events[OMP_EVENT_FORK] = 1;
    EXPECT_EQ(of_sleep(kOutside),
              "the thread that forks sleeps, in nanosleep for 1.00 s outside parallel regions "
              "while 3 others have nothing to do");
    made_.process.threads[2].events[OMP_EVENT_FORK] = 5;
    EXPECT_EQ(of_sleep(kOutside),
              "threads that fork regions (2) sleep, in nanosleep for 1.00 s outside parallel "
              "regions while 2 others have nothing to do");
    EXPECT_EQ(of(Cause::kSerial, kOutside, 1.5),
              "threads that fork regions (2) work for 2.00 s outside parallel regions while 2 "
              "others have nothing to do");
    figures_.efficiency.threads = 2;
    EXPECT_EQ(of(Cause::kSerial, kOutside, 1),
              "threads that fork regions (2) work for 2.00 s outside parallel regions");
}

TEST_F(EvidenceText, OfUnevenWorkNamesTheFirstOfThoseThatDiffer) {
    RegionFigures &at = region("r");
    EXPECT_EQ(of(Cause::kImbalance, at.node, 0.5),
              "3 others wait 0.67 s each at barriers for thread 3, which works 4.00 s; thread 0 "
              "works 1.00 s");
    EXPECT_EQ(of(Cause::kGradedImbalance, at.node, 0.5),
              "3 others wait 0.67 s each at barriers for thread 3, which works 4.00 s; thread 0 "
              "works 1.00 s, and the others lie between in order");
    at.work = {{0, 3}, {1, 1}, {2, 1}, {3, 3}};
    EXPECT_EQ(of(Cause::kImbalance, at.node, 0.5),
              "3 others wait 0.67 s each at barriers for thread 0, which works 3.00 s; thread 1 "
              "works 1.00 s");
    at.team = 2;
    EXPECT_EQ(of(Cause::kImbalance, at.node, 0.5),
              "thread 1 waits 1.00 s at barriers for thread 0, which works 3.00 s; thread 1 works "
              "1.00 s");
    at.team = 4;
    at.work_min = 2;
    at.work_max = 3;
    EXPECT_EQ(of(Cause::kVaryingImbalance, at.node, 0.5),
              "threads wait 0.50 s each at barriers though all work about the same (2.00 s to 3.00 "
              "s): who is late changes");
    made_.process.has_wall_times = false; // nobody sees who sleeps
    EXPECT_NE(of(Cause::kVaryingImbalance, at.node, 0.5).find("who is late changes, or sleeps"),
              std::string::npos);
    made_.process.has_wall_times = true;
    at.samples = 9;
    for (const Cause cause : {Cause::kImbalance, Cause::kVaryingImbalance}) {
        EXPECT_EQ(of(cause, at.node, 0.5), "threads wait 0.50 s each at its barriers; its samples "
                                           "are too few to show who is late");
    }
    at.samples = 10;
    at.work.clear();
    EXPECT_EQ(of(Cause::kImbalance, at.node, 0.5), "");
}

// From ten samples on, and where the code is not the region itself.
TEST_F(EvidenceText, OfUnevenWorkNamesTheCodeThatOthersWaitFor) {
    const int node = region("r").node;
    const std::string without =
        "3 others wait 0.67 s each at barriers for thread 3, which works 4.00 s; thread 0 works "
        "1.00 s";
    const int slow = made_.function("slow", 30, node);
    waits_for(slow, 9);
    EXPECT_EQ(of(Cause::kImbalance, node, 0.5), without);
    made_.process.samples.clear();
    waits_for(slow, 10);
    EXPECT_EQ(of(Cause::kImbalance, node, 0.5),
              without + "; slow made.c:30 kept them waiting for 100.0 ms");
    made_.process.samples.clear();
    waits_for(node, 20);
    EXPECT_EQ(of(Cause::kImbalance, node, 0.5), without);
}

TEST_F(EvidenceText, OfSleepInARegionNamesThreadAndCall) {
    made_.process.calls = {"b_call", "a_call"};
    RegionFigures &at = region("r");
    at.work[1].asleep = at.work[2].asleep = 3;
    at.work[0].waited = at.work[3].waited = 2;
    EXPECT_EQ(of(Cause::kAsleep, at.node, 1),
              "thread 1 sleeps for 3.00 s and works for 2.00 s; all others together wait 4.00 s at "
              "barriers");
    asleep_in(at.node, 0, 2);
    asleep_in(at.node, 1, 2);
    made_.time(0, at.node, THR_WORK_STATE, 5);
    asleep_in(kOutside, 0, 7);
    EXPECT_EQ(of(Cause::kAsleep, at.node, 1),
              "thread 1 sleeps in a_call for 3.00 s and works for 2.00 s; all others together wait "
              "4.00 s at barriers");
    asleep_in(at.node, 0, 0.5);
    EXPECT_EQ(of(Cause::kAsleep, at.node, 1),
              "thread 1 sleeps in b_call for 3.00 s and works for 2.00 s; all others together wait "
              "4.00 s at barriers");
}

TEST_F(EvidenceText, OfTooManyThreadsNamesTheProcessors) {
    made_.process.processors = 2;
    EXPECT_EQ(of(Cause::kOversubscription, kOutside, 1, 6),
              "4 threads share 2 processors; each waits 1.50 s for one");
    made_.process.processors = 1;
    EXPECT_EQ(of(Cause::kNestedOversubscription, kOutside, 1, 6),
              "4 threads share 1 processor, because regions inside regions have teams of their "
              "own; each waits 1.50 s for one");
    made_.process.processors = 8;
    for (Thread &thread : made_.process.threads) {
        thread.fewest_processors = thread.last_processors = {3, 3};
    }
    EXPECT_EQ(of(Cause::kOneProcessor, kOutside, 1, 6),
              "4 threads may run on 1 of 8 processors only; each waits 1.50 s for one");
    made_.process.threads[2].last_processors = {0, 7};
    EXPECT_EQ(of(Cause::kOneProcessor, kOutside, 1, 6),
              "4 threads may run on 1 of 8 processors only, for a part of the run; each waits 1.50 "
              "s for one");
}

TEST_F(EvidenceText, OfTinyRegionsIsOfOneEntry) {
    RegionFigures &often = region("often", 2000);
    often.mean_length = 2;
    often.work_mean = 3000;
    EXPECT_EQ(
        of(Cause::kTinyRegions, often.node, 1),
        "entered 2,000 times for 2.00 s each, in which a thread works for 1.50 s; the rest is "
        "waking, waiting and the runtime");
    RegionFigures &once = region("once", 1);
    once.work_mean = 3;
    EXPECT_EQ(of(Cause::kTinyRegions, once.node, 1),
              "entered 1 times for 0 s each, in which a thread works for 3.00 s; the rest is "
              "waking, waiting and the runtime");
}

// Of what the region takes: it has waits for threads without a processor, too.
TEST_F(EvidenceText, OfAReductionIsItsPartOfTheRegionsTime) {
    RegionFigures &sums = region("sums");
    sums.elapsed = 8;
    EXPECT_EQ(of(Cause::kReduction, sums.node, 6),
              "75 % of its time is combining a reduction: copies that are made, cleared and added "
              "up, and waiting for that");
}

TEST_F(EvidenceText, OfALoneThreadSharesItsWaitsAmongTheOthers) {
    RegionFigures &four = region("four");
    four.work_max = 6;
    four.work_mean = 3;
    EXPECT_EQ(
        of(Cause::kLoneThread, four.node, 3),
        "one thread does 50 % of the work, in a single or master part, while 3 others wait 4.00 "
        "s each");
    RegionFigures &two = region("two", 1, 2);
    two.work_max = two.work_mean = 1;
    EXPECT_EQ(of(Cause::kLoneThread, two.node, 3),
              "one thread does 50 % of the work, in a single or master part, while the other one "
              "waits 6.00 s");
    two.single_seconds = 7;
    EXPECT_EQ(of(Cause::kSingle, two.node, 3),
              "one thread executes single or master parts for 7.00 s, and the other one waits 6.00 "
              "s meanwhile");
    EXPECT_EQ(of(Cause::kSmallTeam, two.node, 3),
              "2 of 4 threads take part for 0 s; the others have nothing to do");
}

// Who held it in the region itself, or else anywhere; from ten samples on.
TEST_F(EvidenceText, OfMutexesNamesWhoHeldThemLongest) {
    RegionFigures &at = region("r");
    RegionFigures &other = region("other");
    at.within.wall[THR_CTWT_STATE] = 4;
    const std::string waits = "40 % of its team's time is waiting to enter a critical region";
    EXPECT_EQ(of(Cause::kCritical, at.node, 1), waits);
    held(THR_CTWT_STATE, other.node, "", 50);
    EXPECT_EQ(of(Cause::kCritical, at.node, 1), waits);
    held(THR_CTWT_STATE, other.node, "elsewhere", 9);
    EXPECT_EQ(of(Cause::kCritical, at.node, 1), waits + "; held by elsewhere for 9.00 s of it");
    held(THR_CTWT_STATE, at.node, "there", 1, 9);
    EXPECT_EQ(of(Cause::kCritical, at.node, 1), waits);
    held(THR_CTWT_STATE, at.node, "there", 1, 1);
    EXPECT_EQ(of(Cause::kCritical, at.node, 1), waits + "; held by there for 2.00 s of it");
    held(THR_CTWT_STATE, at.node, "here", 2); // as long, and the first by its name
    EXPECT_EQ(of(Cause::kCritical, at.node, 1), waits + "; held by here for 2.00 s of it");
}

// One lock is named where two thirds of all waits for locks are for it.
TEST_F(EvidenceText, OfLocksNamesTheOneThatMostWaitFor) {
    RegionFigures &at = region("r");
    at.within.wall[THR_LKWT_STATE] = 5;
    const std::string waits = "50 % of its team's time is waiting ";
    EXPECT_EQ(of(Cause::kLocks, at.node, 1), waits + "for locks");
    made_.lock(THR_LKWT_STATE, "first", 1000, 6);
    made_.lock(THR_CTWT_STATE, "critical", 10, 50);
    made_.lock(THR_LKWT_STATE, "second", 10, 3);
    EXPECT_EQ(of(Cause::kLockConvoy, at.node, 1), waits + "for one lock (first), 1,000 times");
    made_.process.locks[0].waits = 0; // was seen waiting, and not counted
    EXPECT_EQ(of(Cause::kLocks, at.node, 1), waits + "for one lock (first)");
    made_.process.locks[0].object = {};
    EXPECT_EQ(of(Cause::kLocks, at.node, 1), waits + "for one lock (at made.c:7)");
    made_.process.locks[2].wall = 3.1;
    EXPECT_EQ(of(Cause::kLocks, at.node, 1), waits + "for locks");
}

TEST_F(EvidenceText, IsNoneOfARegionThatIsNotKnown) {
    EXPECT_EQ(of(Cause::kImbalance, kUnknown, 1), "");
}

} // namespace
} // namespace ocb_test
