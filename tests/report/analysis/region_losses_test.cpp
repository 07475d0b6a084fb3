// SPDX-License-Identifier: Apache-2.0
//
// What is lost at one place: how reductions are known, that no more is lost than there was, and
// whose serial time it is.
#include "findings.h"
#include "made_runs.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using ompcollect::kNoProcessorState;

// What a compiler put on the line of the reduction's pragma.
Line pragma_line(double work, uint64_t samples) {
    Line line;
    line.source = "made.c:7";
    line.function = "sums";
    line.times.wall[THR_WORK_STATE] = work;
    line.samples = samples;
    return line;
}

// Copies of an array are made and added up on the line of the pragma, without the runtime.
TEST(Findings, TheReductionOfAnArrayIsOnThePragmasLine) {
    MadeProcess made(2, 2);
    const int region = made.region("sums", 7, 50);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, region, THR_WORK_STATE, 2);
    }
    made.process.lines = {pragma_line(1.6, 160)};
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kReduction);
    EXPECT_NEAR(findings[0].seconds, 0.8, 1e-9);
}

// gcc adds the copies up in an atomic: that is the reduction's, and so is the wait for who does.
TEST(Findings, TheAtomicOfASlowReductionIsTheReductions) {
    MadeProcess made(2, 3);
    const int region = made.region("sums", 7, 50);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, region, THR_WORK_STATE, 2);
        made.time(i, region, THR_ATWT_STATE, 0.4);
    }
    made.time(0, region, THR_IBAR_STATE, 0.6);
    made.time(1, region, THR_REDUC_STATE, 0.6);
    made.process.lines = {pragma_line(1, 100)};
    auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kReduction);
    EXPECT_NEAR(findings[0].seconds, (1 + 0.8 + 0.6 + 0.6) / 2, 1e-9);
    EXPECT_EQ(findings[0].samples, 240U);
    // Without a reduction it is the program's own.
    made.process.lines.clear();
    made.process.cells.back().state = THR_WORK_STATE;
    findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].cause, Cause::kAtomic);
    EXPECT_NEAR(findings[0].seconds, 0.4, 1e-9);
}

// A tenth of what processors executed, however long threads had none.
TEST(Findings, AReductionIsSlowByWhatIsExecuted) {
    const auto finding = [](double on_the_line) {
        MadeProcess made(2, 11);
        made.process.waited_for_own = 0;
        made.process.waited_for_others = 18;
        const int region = made.region("sums", 7, 50);
        for (unsigned i = 0; i < 2; ++i) {
            made.time(i, region, THR_WORK_STATE, 1);
            made.time(i, region, THR_ATWT_STATE, 1);
            made.time(i, region, kNoProcessorState, 9, 0);
            made.process.cells.back().within = THR_WORK_STATE;
        }
        made.process.lines = {pragma_line(on_the_line, 100)};
        const auto findings = findings_of(made.process, figures_of(made.process));
        return findings.empty() ? Cause::kCount : findings[0].cause;
    };
    EXPECT_EQ(finding(0.41), Cause::kReduction);
    EXPECT_EQ(finding(0.39), Cause::kAtomic);
}

// A region that the first thread enters again and again, and the runtime's time for its forks.
int forked_often(MadeProcess &made, double outside) {
    const int region = made.region("small", 7, 1000000);
    made.time(0, kOutside, THR_OVHD_STATE, outside);
    made.time(0, kOutside, THR_SERIAL_STATE, 1e-12); // it is the thread that forks
    return region;
}

// While a master forks libgomp's region, its workers count there, idle: that time is lost once.
TEST(Findings, TinyRegionsLoseNoMoreThanNobodyWorks) {
    MadeProcess made(2, 3);
    const int region = forked_often(made, 2);
    made.time(0, region, THR_WORK_STATE, 1);
    made.time(1, region, THR_WORK_STATE, 1);
    made.time(1, region, THR_IDLE_STATE, 2, 0);
    const Figures figures = figures_of(made.process);
    ASSERT_EQ(figures.losses.size(), 2U);
    EXPECT_EQ(figures.losses[1].cause, Cause::kTinyRegions);
    EXPECT_NEAR(figures.losses[1].seconds, 2, 1e-9);
}

// Samples put time on the wrong side of a region's end: no more than all of it can be lost, but for
// its work.
TEST(Findings, NoMoreIsLostThanARegionsLength) {
    MadeProcess made(2, 4);
    const int region = forked_often(made, 1);
    made.time(0, region, THR_IBAR_STATE, 2.5);
    made.time(0, region, THR_WORK_STATE, 0.5);
    made.time(1, region, THR_IBAR_STATE, 3);
    made.time(1, region, THR_IDLE_STATE, 9, 0);
    const Figures figures = figures_of(made.process);
    ASSERT_EQ(figures.losses.size(), 2U);
    EXPECT_EQ(figures.losses[1].cause, Cause::kTinyRegions);
    EXPECT_NEAR(figures.losses[1].seconds, 2.75 + 1, 1e-9);
    EXPECT_NEAR(figures.losses[1].thread_seconds, (2.75 + 1) * 2, 1e-9);
}

// A place that nobody can look up is its caller's; the time is that of the place, of as many
// threads as there are processors.
TEST(Findings, SerialTimeOfCodeWithoutANameIsItsCallers) {
    MadeProcess made(4, 4);
    made.process.processors = 2;
    const int main = made.function("main", 1);
    const int deflate = made.function("deflate", 2, main);
    const int unnamed = made.function("made+0x10", 0, deflate);
    made.process.nodes[static_cast<size_t>(unnamed)].source = {};
    made.serial(2, unnamed);
    made.serial(1, main);
    const int region = made.region("main", 5, 1, main);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 1);
    }
    auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].place, "deflate made.c:2");
    EXPECT_EQ(findings[0].places[0].caller, main);
    EXPECT_NEAR(findings[0].places[0].seconds, 1, 1e-9);
    EXPECT_EQ(findings[0].evidence.find("one thread works there for 2.00 s outside"), 0U)
        << findings[0].evidence;
    // Nobody above has a name: it stays.
    for (const int node : {main, deflate}) {
        made.process.nodes[static_cast<size_t>(node)].function = "made+0x" + std::to_string(node);
        made.process.nodes[static_cast<size_t>(node)].source = {};
    }
    findings = findings_of(made.process, figures_of(made.process));
    EXPECT_EQ(findings[0].node, unnamed);
}

// From a tenth of the threads' time on, half of which is waiting for the program's own threads.
TEST(Findings, TooManyThreadsAreNamedWhereTheyLackProcessors) {
    struct Given {
        double off; // of 10 s
        double own;
        bool is_named;
    };
    for (const Given &each :
         {Given{0.9, 1, false}, {1.1, 1, true}, {3, 0.49, false}, {3, 0.51, true}}) {
        MadeProcess made(4, 10);
        made.process.processors = 2;
        made.process.waited_for_own = each.own;
        made.process.waited_for_others = 1 - each.own;
        const int region = made.region("oversubscribed", 7, 1);
        for (unsigned i = 0; i < 4; ++i) {
            made.time(i, region, THR_WORK_STATE, 4);
            made.time(i, region, THR_IBAR_STATE, 6 - each.off, 0);
            made.time(i, region, kNoProcessorState, each.off, 0);
            made.process.cells.back().within = THR_WORK_STATE;
        }
        const auto findings = findings_of(made.process, figures_of(made.process));
        const bool is_named = !findings.empty() && findings[0].cause == Cause::kOversubscription;
        EXPECT_EQ(is_named, each.is_named) << each.off << " s, own " << each.own;
    }
}

// Work that differs by less than a third of the waits' share does not explain them.
TEST(Findings, WaitsAreOfUnevenWorkAsFarAsThatExplainsThem) {
    for (const auto &[waits, cause] :
         {std::pair{0.68, Cause::kImbalance}, {0.71, Cause::kVaryingImbalance}}) {
        MadeProcess made(2, 2);
        const int region = made.region("waits", 7, 1);
        made.time(0, region, THR_WORK_STATE, 1);
        made.time(1, region, THR_WORK_STATE, 0.7);
        made.time(0, region, THR_EBAR_STATE, waits);
        made.time(1, region, THR_EBAR_STATE, waits);
        const auto findings = findings_of(made.process, figures_of(made.process));
        ASSERT_EQ(findings.size(), 1U);
        EXPECT_EQ(findings[0].cause, cause) << waits;
        EXPECT_NEAR(findings[0].seconds, waits, 1e-9);
    }
}

} // namespace
} // namespace ocb_test
