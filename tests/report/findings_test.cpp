// SPDX-License-Identifier: Apache-2.0
//
// Each of ten classical diseases, made by hand, gets its verdict first; a healthy program none.
#include "findings.h"
#include "made_runs.h"
#include "verdict.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

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
    EXPECT_GE(first.samples, kLeastSamples);
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
        Case{"nested", made_nested_oversubscription, Cause::kNestedOversubscription,
             "inner made.c:75", 2.7},
        Case{"tasks", made_task_flood, Cause::kRuntimeWork, "tasks made.c:80", 2.6},
        Case{"triangle", made_triangle, Cause::kSlantedWork, "triangle made.c:90", 3},
        Case{"locks", made_lock_convoy, Cause::kLockConvoy, "convoy made.c:95", 2.9}),
    [](const auto &each) { return std::string(each.param.name); });

TEST(Findings, AHealthyProgramHasNone) {
    const Process process = made_healthy();
    EXPECT_TRUE(findings_of(process, figures_of(process)).empty());
    EXPECT_NE(verdict_text(process, {}).find("Nothing stands out"), std::string::npos);
}

TEST(Findings, WhatTheSamplesCannotShowIsNotSaid) {
    Process process = made_imbalance();
    for (Cell &cell : process.cells) {
        cell.samples = cell.samples ? 2 : 0;
    }
    EXPECT_TRUE(findings_of(process, figures_of(process)).empty());
}

TEST(Findings, AreAtMostFiveAndMostExpensiveFirst) {
    MadeProcess made(2, 10);
    for (int line = 1; line <= 8; ++line) {
        const int region = made.region("r" + std::to_string(line), line, 1);
        made.time(0, region, THR_WORK_STATE, 1);
        made.time(1, region, THR_WORK_STATE, 1 - 0.1 * line);
        made.time(1, region, THR_IBAR_STATE, 0.1 * line);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), kMostFindings);
    for (size_t i = 1; i < findings.size(); ++i) {
        EXPECT_LE(findings[i].seconds, findings[i - 1].seconds);
    }
}

TEST(Findings, ImbalanceThatWandersIsNotBlamedOnOneThread) {
    MadeProcess made(4, 4);
    const int region = made.region("wanders", 1, 100);
    for (unsigned i = 0; i < 4; ++i) {
        made.time(i, region, THR_WORK_STATE, 2.0 + 0.02 * i);
        made.time(i, region, THR_IBAR_STATE, 2.0 - 0.02 * i);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].cause, Cause::kWanderingImbalance);
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
    made.process.events[OMP_EVENT_THR_BEGIN_SINGLE].count = 1;
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
    EXPECT_NE(findings[0].evidence.find("(measured)"), std::string::npos);
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
    EXPECT_NE(verdict_text(made.process, {}).find("outer made.c:1"), std::string::npos);
}

TEST(Findings, MoreThreadsThanProcessorsIsSaidOnlyWhereItIsTrue) {
    Process process = made_nested_oversubscription();
    process.processors = 16;
    for (const Finding &finding : findings_of(process, figures_of(process))) {
        EXPECT_NE(finding.cause, Cause::kNestedOversubscription);
    }
}

TEST(Verdict, FitsTheWidth) {
    TextStyle style;
    style.width = 72;
    const std::string text = verdict_text(made_lock_convoy(), style);
    const size_t table = text.find("\nRegions by potential gain");
    ASSERT_NE(table, std::string::npos) << text;
    size_t begin = text.find("\n1. ");
    ASSERT_NE(begin, std::string::npos) << text;
    for (++begin; begin < table;) {
        const size_t end = text.find('\n', begin);
        EXPECT_LE(end - begin, style.width) << text.substr(begin, end - begin);
        begin = end + 1;
    }
    EXPECT_EQ(text.find('\033'), std::string::npos);
    style.colour = true;
    EXPECT_NE(verdict_text(made_lock_convoy(), style).find('\033'), std::string::npos);
}

} // namespace
} // namespace ocb_test
