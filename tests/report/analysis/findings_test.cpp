// SPDX-License-Identifier: Apache-2.0
//
// Each of ten classical diseases, made by hand, gets its verdict first; a healthy program none.
#include "findings.h"
#include "made_runs.h"
#include "report_parts.h"
#include "verdict.h"
#include "warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace ocb_test {
namespace {

std::string whole_verdict(const Process &process) {
    TextStyle style;
    style.parts = kAllParts;
    return verdict_text(process, Conclusions(process), style);
}

using ompcollect::kAsleepState;
using ompcollect::kNoProcessorState;

struct Case {
    const char *name;
    Process (*make)();
    Cause cause;
    const char *place;
    double seconds; // of elapsed time
};

void PrintTo(const Case &each, std::ostream *out) {
    *out << each.name;
}

class MadeDisease : public testing::TestWithParam<Case> {};

TEST_P(MadeDisease, IsFoundFirst) {
    const Process process = GetParam().make();
    const auto findings = findings_of(process, figures_of(process));
    ASSERT_FALSE(findings.empty());
    const Finding &first = findings.front();
    EXPECT_STREQ(cause_key(first.cause), cause_key(GetParam().cause)) << first.evidence;
    EXPECT_EQ(first.place, GetParam().place);
    EXPECT_NEAR(first.seconds, GetParam().seconds, 1e-9) << first.evidence;
    EXPECT_NEAR(first.share, first.seconds / process.seconds, 1e-9);
    EXPECT_GE(first.samples, fewest_samples());
    EXPECT_LE(first.least_share, first.share);
    EXPECT_GE(first.most_share, first.share);
    ASSERT_FALSE(first.places.empty());
    EXPECT_EQ(first.places[0].place, first.place);
}

INSTANTIATE_TEST_SUITE_P(
    Ten, MadeDisease,
    testing::Values(
        Case{"imbalance", made_imbalance, Cause::kImbalance, "uneven made.c:41", 4.5 / 4},
        Case{"serial", made_serial_part, Cause::kSerial, "(outside any region)", 3 * 3.0 / 4},
        Case{"tiny", made_tiny_regions, Cause::kTinyRegions, "tiny made.c:20", 0.6},
        Case{"critical", made_contended_critical, Cause::kCritical, "counts made.c:33", 2.9},
        Case{"ordered", made_false_ordered, Cause::kOrdered, "prints made.c:50", 2.8},
        Case{"single", made_single_in_loop, Cause::kSingle, "steps made.c:60", 9.0 / 4},
        // 14.4 processor seconds take four processors 3.6 of the 4 s.
        Case{"nested", made_nested_oversubscription, Cause::kNestedOversubscription,
             "inner made.c:75", 0.4},
        // With the waits for those that are in the runtime.
        Case{"tasks", made_task_flood, Cause::kRuntimeWork, "tasks made.c:80", 3.2},
        Case{"triangle", made_triangle, Cause::kGradedImbalance, "triangle made.c:90", 3},
        Case{"locks", made_lock_convoy, Cause::kLockConvoy, "convoy made.c:95", 2.9}),
    [](const auto &each) { return std::string(each.param.name); });

TEST(Findings, AHealthyProgramHasNone) {
    const Process process = made_healthy();
    EXPECT_TRUE(findings_of(process, figures_of(process)).empty());
    EXPECT_NE(whole_verdict(process).find("No time is lost in waits"), std::string::npos);
}

TEST(Findings, WhatTheSamplesCannotShowIsNotSaid) {
    Process process = made_imbalance();
    for (Cell &cell : process.cells) {
        cell.samples = cell.samples ? 2 : 0;
    }
    EXPECT_TRUE(findings_of(process, figures_of(process)).empty());
    EXPECT_NE(whole_verdict(process).find("Of no cause are there 10 samples"), std::string::npos);
}

// Forty places of one cause, each too small to be seen by itself.
TEST(Findings, OneCauseIsOneFindingWithItsPlaces) {
    MadeProcess made(2, 40);
    for (int line = 1; line <= 40; ++line) {
        const int region = made.region("r" + std::to_string(line), line, 1);
        made.time(0, region, THR_WORK_STATE, 1);
        made.time(1, region, THR_WORK_STATE, 0.5 - 0.005 * line);
        made.time(1, region, THR_IBAR_STATE, 0.5 + 0.005 * line);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kImbalance);
    EXPECT_EQ(findings[0].places[0].caller, -1); // of a region
    EXPECT_NEAR(findings[0].seconds, (40 * 0.5 + 0.005 * 820) / 2, 1e-9);
    ASSERT_EQ(findings[0].places.size(), 40U);
    EXPECT_EQ(findings[0].place, "r40 made.c:40");
    EXPECT_NEAR(findings[0].places[0].seconds, 0.35, 1e-9);
    for (size_t i = 1; i < 40; ++i) {
        EXPECT_LE(findings[0].places[i].seconds, findings[0].places[i - 1].seconds);
    }
}

// The runtime forks and wakes in the time of the initial thread: that is no serial work.
TEST(Findings, TheRuntimesTimeOutsideRegionsIsTheRegions) {
    MadeProcess made(2, 4);
    const int region = made.region("small", 7, 1000000);
    made.time(0, kOutside, THR_SERIAL_STATE, 0.4);
    made.time(0, kOutside, THR_OVHD_STATE, 1.6);
    made.time(1, kOutside, THR_IDLE_STATE, 2, 0);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, region, THR_WORK_STATE, 1);
        made.time(i, region, THR_IBAR_STATE, 1);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].cause, Cause::kTinyRegions);
    EXPECT_EQ(findings[0].place, "small made.c:7");
    EXPECT_NEAR(findings[0].seconds, 1.6 + 1, 1e-9);
    EXPECT_EQ(findings[1].cause, Cause::kSerial);
    EXPECT_NEAR(findings[1].seconds, 0.2, 1e-9);
}

void asleep(MadeProcess &made, unsigned thread, int node, unsigned within, double seconds) {
    made.time(thread, node, kAsleepState, seconds, 0);
    made.process.cells.back().within = within;
    made.process.cells.back().call = 0;
}

TEST(Findings, AThreadThatSleepsInARegionIsWaitedFor) {
    MadeProcess made(2, 2);
    made.process.calls = {"poll"};
    const int region = made.region("loop", 7, 1);
    const int device = made.function("wait_for_device", 9, region);
    made.time(0, region, THR_WORK_STATE, 1);
    made.time(0, region, THR_IBAR_STATE, 1, 0);
    made.time(1, region, THR_WORK_STATE, 1);
    asleep(made, 1, device, THR_WORK_STATE, 1);
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kAsleep);
    EXPECT_EQ(findings[0].place, "wait_for_device made.c:9");
    EXPECT_NEAR(findings[0].seconds, 1, 1e-9);
    EXPECT_NE(findings[0].evidence.find("sleeps in poll for 1.00 s"), std::string::npos)
        << findings[0].evidence;
    EXPECT_EQ(findings[0].places[0].caller, region);
}

// The function that everybody calls is not the place, and sleep is no work.
TEST(Findings, SerialTimeIsOfTheCallerAndSleepIsApart) {
    MadeProcess made(2, 4);
    made.process.calls = {"read"};
    const int main = made.function("main", 1);
    const int input = made.function("input", 2, main);
    const int burn = made.function("burn", 3, input);
    const int region = made.region("main", 5, 1, main);
    made.time(0, burn, THR_SERIAL_STATE, 1);
    asleep(made, 0, input, THR_SERIAL_STATE, 1);
    made.time(1, kOutside, THR_IDLE_STATE, 2, 0);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, made.function("burn", 3, region), THR_WORK_STATE, 2);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].cause, Cause::kSerialAsleep);
    EXPECT_EQ(findings[0].place, "input made.c:2");
    ASSERT_EQ(findings[0].places.size(), 1U);
    EXPECT_EQ(findings[0].places[0].caller, main);
    EXPECT_NE(whole_verdict(made.process)
                  .find("   at:    input made.c:2, 25 %\n          called by main made.c:1\n"),
              std::string::npos)
        << whole_verdict(made.process);
    EXPECT_NEAR(findings[0].seconds, 1, 1e-9);
    EXPECT_EQ(findings[1].cause, Cause::kSerial);
    EXPECT_EQ(findings[1].place, "input made.c:2");
    EXPECT_NEAR(findings[1].seconds, 0.5, 1e-9);
}

// Two threads that the program has bound to one of two processors.
TEST(Findings, ThreadsOnOneProcessor) {
    MadeProcess made(2, 4);
    made.process.processors = 2;
    const int region = made.region("bound", 7, 1);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, region, THR_WORK_STATE, 2);
        made.time(i, region, kNoProcessorState, 2, 0);
        made.process.cells.back().within = THR_WORK_STATE;
        made.process.threads[i].fewest_processors = {0, 0};
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kOneProcessor);
    EXPECT_NEAR(findings[0].seconds, 2, 1e-9);
    EXPECT_TRUE(findings[0].is_at_most); // others may use the free processor
    // Others on the machine are not the program's cause.
    made.process.threads[0].fewest_processors = {0, 1};
    made.process.waited_for_own = 0;
    made.process.waited_for_others = 4;
    EXPECT_TRUE(findings_of(made.process, figures_of(made.process)).empty());
}

// One thread of four is asked to take part.
TEST(Findings, ATeamWithoutSomeOfTheThreads) {
    MadeProcess made(4, 2);
    const int region = made.region("alone", 7, 1);
    made.time(0, region, THR_WORK_STATE, 2);
    for (unsigned i = 1; i < 4; ++i) {
        made.time(i, region, THR_IDLE_STATE, 2, 0);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kSmallTeam);
    EXPECT_NEAR(findings[0].seconds, 1.5, 1e-9);
}

// Runtimes of TR2 have a worker idle where later ones have it in the region's last barrier.
TEST(Findings, AWorkerOfAnOldRuntimeIsIdleInTheBarrier) {
    Process process = made_imbalance();
    for (Cell &cell : process.cells) {
        cell.state = cell.state == THR_IBAR_STATE ? unsigned{THR_IDLE_STATE} : cell.state;
    }
    process.ompt_generation = "TR2";
    const auto findings = findings_of(process, figures_of(process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kImbalance);
    EXPECT_NEAR(findings[0].seconds, 4.5 / 4, 1e-9);
}

TEST(Findings, ImbalanceThatVariesIsNotBlamedOnOneThread) {
    MadeProcess made(4, 4);
    const int region = made.region("varies", 1, 100);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 2.0 + 0.02 * i);
        made.time(i, region, THR_IBAR_STATE, 2.0 - 0.02 * i);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kVaryingImbalance);
}

TEST(Findings, SamplesWithTimesNameTheCodeThatIsWaitedFor) {
    const Process process = made_with_samples();
    const auto findings = findings_of(process, figures_of(process));
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].cause, Cause::kImbalance);
    EXPECT_NE(findings[0].evidence.find("slow made.c:20 kept them waiting for 1.00 s"),
              std::string::npos)
        << findings[0].evidence;
    EXPECT_EQ(findings[1].cause, Cause::kSerial);
    EXPECT_EQ(findings[1].place, "setup made.c:2");
}

TEST(Findings, OneThreadThatDoesAllInASingleIsNamed) {
    MadeProcess made(4, 2);
    const int region = made.region("creates", 1, 1);
    made.time(2, region, THR_WORK_STATE, 2);
    for (unsigned i : {0U, 1U, 3U}) {
        made.time(i, region, THR_IBAR_STATE, 2);
    }
    auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kImbalance);
    made.process.nodes[static_cast<size_t>(region)].single_seconds = 10;
    findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kLoneThread);
}

// Work is in processor seconds, which are fewer than those of the clock on a busy machine.
TEST(Findings, ABusyMachineDoesNotHideAnImbalance) {
    MadeProcess made(2, 6);
    const int region = made.region("uneven", 1, 1);
    made.time(0, region, THR_WORK_STATE, 6, 0.9);
    made.time(1, region, THR_WORK_STATE, 1.4, 0.2);
    made.time(1, region, THR_IBAR_STATE, 4.6, 0);
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kImbalance);
}

// The collector has no samples before the first use of OpenMP, but knows how long it took.
TEST(Findings, SerialTimeWithoutSamplesIsMeasured) {
    Process process = made_serial_part();
    for (Cell &cell : process.cells) {
        cell.samples = cell.state == THR_SERIAL_STATE ? 1 : cell.samples;
    }
    const auto findings = findings_of(process, figures_of(process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kSerial);
    EXPECT_TRUE(findings[0].is_measured);
    EXPECT_EQ(findings[0].least_share, findings[0].most_share);
    EXPECT_NE(findings[0].evidence.find("before OpenMP was first used"), std::string::npos);
    // With a call path it is time of samples, however few these are.
    Node code;
    code.kind = NodeKind::kFunction;
    code.function = "parse";
    process.nodes.push_back(code);
    for (Cell &cell : process.cells) {
        const bool is_serial = cell.state == THR_SERIAL_STATE;
        cell.node = is_serial ? static_cast<int>(process.nodes.size()) - 1 : cell.node;
        cell.samples = is_serial ? 20 : cell.samples;
    }
    const auto with_path = findings_of(process, figures_of(process));
    ASSERT_EQ(with_path.size(), 1U);
    EXPECT_FALSE(with_path[0].is_measured);
    EXPECT_EQ(with_path[0].evidence.find("before OpenMP"), std::string::npos);
}

TEST(Findings, ARegionWithoutTimeOfItsOwn) {
    MadeProcess made(4, 1);
    const int outer = made.region("outer", 1, 1);
    const int inner = made.region("inner", 2, 2, outer);
    made.region("never", 3, 0);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, inner, THR_WORK_STATE, 1);
    }
    EXPECT_TRUE(findings_of(made.process, figures_of(made.process)).empty());
    const std::string gains = gains_text(made.process, figures_of(made.process), {});
    EXPECT_NE(gains.find("outer made.c:1"), std::string::npos) << gains;
}

TEST(Findings, MoreThreadsThanProcessorsIsSaidOnlyWhereItIsTrue) {
    Process process = made_nested_oversubscription();
    process.processors = 16;
    for (const Finding &finding : findings_of(process, figures_of(process))) {
        EXPECT_NE(finding.cause, Cause::kNestedOversubscription);
    }
}

// No share stands there that nine samples cannot carry.
TEST(Verdict, IsNoneOfFewSamples) {
    for (const unsigned samples : {1U, 9U}) {
        MadeProcess made(1, 0.01 * samples);
        made.time(0, made.region("short", 3, 1), THR_WORK_STATE, 0.01 * samples);
        EXPECT_TRUE(findings_of(made.process, figures_of(made.process)).empty());
        const std::string text = whole_verdict(made.process);
        EXPECT_EQ(text.find('%'), std::string::npos) << text;
        EXPECT_NE(text.find("Verdict: none\n  Of " + std::to_string(samples) + " sample"),
                  std::string::npos)
            << text;
    }
    MadeProcess made(1, 0.1);
    made.time(0, made.region("short", 3, 1), THR_WORK_STATE, 0.1);
    EXPECT_NE(whole_verdict(made.process).find("Verdict: nobody to wait for"), std::string::npos);
}

TEST(Verdict, IsTrueOfOneThread) {
    MadeProcess made(1, 4);
    made.time(0, made.region("alone", 3, 100), THR_WORK_STATE, 2);
    made.time(0, kOutside, THR_SERIAL_STATE, 2);
    EXPECT_TRUE(findings_of(made.process, figures_of(made.process)).empty());
    const std::string text = whole_verdict(made.process);
    EXPECT_NE(text.find("nobody to wait for"), std::string::npos) << text;
    EXPECT_NE(text.find("One thread alone waits for nobody"), std::string::npos) << text;
}

// Killed in its first region: no join was seen, and the worker had just begun.
TEST(Verdict, IsTrueOfAProgramThatEndedInItsFirstRegion) {
    MadeProcess made(2, 3);
    const int region = made.region("first", 3, 1);
    made.process.ending = ompcollect::Ending::kNone;
    made.process.how_it_ended = "killed by signal 9 (Killed)";
    made.serial(1);
    made.time(0, region, THR_WORK_STATE, 2);
    made.time(1, region, THR_WORK_STATE, 0.5);
    made.time(1, region, THR_IBAR_STATE, 1.5);
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].cause, Cause::kImbalance);
    EXPECT_NEAR(findings[0].seconds, 0.75, 1e-6);
    EXPECT_EQ(findings[1].cause, Cause::kSerial);
    EXPECT_NEAR(findings[1].seconds, 0.5, 1e-6);
}

// Two threads on two processors; one processor is taken away, for good or for a while.
TEST(Verdict, IsTrueWhereProcessorsWereTakenAway) {
    for (const bool comes_back : {false, true}) {
        MadeProcess made(2, 4);
        made.process.processors = 2;
        made.process.waited_for_own = 2;
        made.process.waited_for_others = 0;
        const int region = made.region("loop", 3, 1);
        for (unsigned i = 0; i < 2; ++i) {
            made.time(i, region, THR_WORK_STATE, 3);
            made.time(i, region, ompcollect::kNoProcessorState, 1, 0);
            made.process.cells.back().within = THR_WORK_STATE;
            made.process.threads[i].fewest_processors = {0, 0};
            made.process.threads[i].last_processors = {0, comes_back ? 1U : 0U};
        }
        const auto findings = findings_of(made.process, figures_of(made.process));
        ASSERT_FALSE(findings.empty());
        EXPECT_EQ(findings[0].cause, Cause::kOneProcessor);
        EXPECT_NEAR(findings[0].seconds, 1, 1e-6);
        const std::string &evidence = findings[0].evidence;
        EXPECT_NE(evidence.find("2 threads may run on 1 of 2 processors only"), std::string::npos)
            << evidence;
        EXPECT_EQ(evidence.find("for a part of the run") != std::string::npos, comes_back)
            << evidence;
    }
}

TEST(Warnings, TimesOfHealthyRunsAgree) {
    for (const Process &process : {made_imbalance(), made_healthy(), made_with_samples()}) {
        for (const Warning &each : warnings_of(process)) {
            EXPECT_STRNE(each.name, "times_disagree");
        }
    }
}

// A hundred thousand in the long form.
TEST(Verdict, IsTrueOfTenThousandRegions) {
    const int regions = getenv("OCB_TEST_LONG") != nullptr ? 100000 : 10000;
    MadeProcess made(2, 0.01 * regions);
    for (int line = 1; line <= regions; ++line) {
        const int region = made.region("r" + std::to_string(line), line, 1);
        made.time(0, region, THR_WORK_STATE, 0.01);
        made.time(1, region, THR_IBAR_STATE, 0.01);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NEAR(findings[0].share, 0.5, 1e-6);
    EXPECT_EQ(findings[0].places.size(), static_cast<size_t>(regions));
    const std::string text = whole_verdict(made.process);
    const std::string more = "and " + std::to_string(regions - 3) + " more places (--all)";
    EXPECT_NE(text.find(more), std::string::npos) << text;
}

// Sums beyond what the clock can have passed, as after a jump: no share is beyond the whole.
TEST(Verdict, OfAClockThatJumped) {
    Process process = made_imbalance();
    process.seconds = 0.001;
    const auto warnings = warnings_of(process);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const Warning &each) {
        return each.text.find("a clock has jumped") != std::string::npos;
    }));
    const auto findings = findings_of(process, figures_of(process));
    ASSERT_FALSE(findings.empty());
    for (const Finding &finding : findings) {
        EXPECT_LE(finding.share, 1);
        EXPECT_LE(finding.most_share, 1);
    }
    process.seconds = 0;
    EXPECT_TRUE(findings_of(process, figures_of(process)).empty());
}

TEST(Verdict, FitsTheWidth) {
    TextStyle style;
    style.width = 72;
    const Process process = made_lock_convoy();
    const Conclusions conclusions(process);
    const std::string text = verdict_text(process, conclusions, style);
    size_t begin = text.find("\n1. ");
    ASSERT_NE(begin, std::string::npos) << text;
    for (++begin; begin < text.size();) {
        const size_t end = text.find('\n', begin);
        EXPECT_LE(end - begin, style.width) << text.substr(begin, end - begin);
        begin = end + 1;
    }
    EXPECT_EQ(text.find('\033'), std::string::npos);
    style.colour = true;
    EXPECT_NE(verdict_text(process, conclusions, style).find('\033'), std::string::npos);
}

} // namespace
} // namespace ocb_test
