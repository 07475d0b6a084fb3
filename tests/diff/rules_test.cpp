// SPDX-License-Identifier: Apache-2.0
//
// Rules: what is one, and when it is held, broken, or not decided.
#include "rules.h"

#include "failure.h"
#include "made_builds.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

Holds held_by(const std::string &rule, const Build &before, const Build &after, size_t runs = 5,
              double spread = 0.01) {
    const Side first = side_of(before, runs, spread);
    const Side second = side_of(after, runs, spread);
    return ruling_of(rule_of(rule), comparison_of(first, second)).holds;
}

TEST(Rules, AreReadAsTheyAreMeant) {
    const Rule share = rule_of("elapsed > +5%");
    EXPECT_EQ(share.subject, Subject::kElapsed);
    EXPECT_TRUE(share.is_growth);
    EXPECT_NEAR(share.limit, 0.05, 1e-12);
    const Rule points = rule_of("efficiency<-2pt");
    EXPECT_FALSE(points.is_growth);
    EXPECT_EQ(points.unit, RuleUnit::kPoints);
    EXPECT_NEAR(points.limit, -0.02, 1e-12);
    const Rule region = rule_of("region solve made.c:40 wall > +0.5 s");
    EXPECT_EQ(region.name, "solve made.c:40");
    EXPECT_EQ(region.quantity, "wall");
    EXPECT_NEAR(region.limit, 0.5, 1e-12);
    // Names of C++ have blanks and angle brackets.
    const Rule function = rule_of("function void grid<int, (a > b)>::relax(int) work > +10%");
    EXPECT_EQ(function.name, "void grid<int, (a > b)>::relax(int)");
    EXPECT_EQ(function.quantity, "work");
    EXPECT_EQ(rule_of("function \"wall\" > +10%").name, "wall");
    EXPECT_EQ(rule_of("cause imbalance > +20 ms").cause, Cause::kImbalance);
}

TEST(Rules, ThatAreNoneAreRefusedWithTheirForm) {
    for (const char *text :
         {"", "elapsed", "elapsed > 5%", "elapsed > +5", "elapsed > +x%", "elapsed = +5%",
          "elapsed faster > +5%", "time > +5%", "efficiency < -2%", "elapsed > +2pt",
          "region > +5%", "region wall", "cause > +1s", "cause hunger > +1s",
          "cause imbalance > +5%", "elapsed > +5% > +6%"}) {
        SCOPED_TRACE(text);
        try {
            rule_of(text);
            ADD_FAILURE() << "it was taken";
        } catch (const ompcollect::Failure &why) {
            EXPECT_EQ(why.exit_code(), 2);
            EXPECT_NE(std::string(why.what()).find(text), std::string::npos) << why.what();
        }
    }
}

TEST(Rules, AreBrokenBeyondLimitAndSpread) {
    EXPECT_EQ(held_by("elapsed > +5%", with_work(4), with_work(5)), Holds::kBroken);
    EXPECT_EQ(held_by("elapsed > +20%", with_work(4), with_work(5)), Holds::kHeld);
    EXPECT_EQ(held_by("elapsed > +5%", with_work(4), with_work(4)), Holds::kHeld);
    EXPECT_EQ(held_by("elapsed > +5%", with_work(5), with_work(4)), Holds::kHeld);
    EXPECT_EQ(held_by("elapsed < -5%", with_work(5), with_work(4)), Holds::kBroken);
    EXPECT_EQ(held_by("elapsed > +0.3s", with_work(4), with_work(5)), Holds::kBroken);
    EXPECT_EQ(held_by("processor > +10%", with_work(4), with_work(5)), Holds::kBroken);
}

TEST(Rules, AreNotDecidedByRunsThatSpreadTooMuch) {
    // Runs differ by 40 %: neither is it that much slower, nor surely not.
    EXPECT_EQ(held_by("elapsed > +5%", with_work(4), with_work(4.4), 5, 0.2), Holds::kUndecided);
    EXPECT_EQ(held_by("elapsed > +5%", with_work(4), with_work(4), 5, 0.2), Holds::kUndecided);
}

TEST(Rules, AreNotDecidedByTooFewRuns) {
    EXPECT_EQ(held_by("elapsed > +5%", with_work(4), with_work(8), 3), Holds::kUndecided);
    EXPECT_EQ(held_by("elapsed > +5%", with_work(4), with_work(8), 4), Holds::kBroken);
    EXPECT_EQ(held_by("elapsed > +5%", with_work(4), with_work(8), 1), Holds::kUndecided);
}

TEST(Rules, OfOneRegionFunctionOrCauseLookAtThatAlone) {
    Build uneven = with_work(4);
    uneven.waits = 2;
    EXPECT_EQ(held_by("region solve wall > +10%", with_work(4), with_work(6)), Holds::kBroken);
    EXPECT_EQ(held_by("region solve made.c:40 > +10%", with_work(4), with_work(6)), Holds::kBroken);
    EXPECT_EQ(held_by("region solve waiting > +10%", with_work(4), with_work(6)), Holds::kHeld);
    EXPECT_EQ(held_by("region solve waiting > +10%", with_work(4), uneven), Holds::kBroken);
    EXPECT_EQ(held_by("function relax > +10%", with_work(4), with_work(6)), Holds::kBroken);
    EXPECT_EQ(held_by("function prepare > +10%", with_work(4), with_work(6)), Holds::kHeld);
    EXPECT_EQ(held_by("cause imbalance > +0.2s", with_work(4), uneven), Holds::kBroken);
    EXPECT_EQ(held_by("cause imbalance > +0.2s", with_work(4), with_work(4)), Holds::kHeld);
    EXPECT_EQ(held_by("cause contended-critical > +0.2s", with_work(4), uneven), Holds::kHeld);
    EXPECT_EQ(held_by("efficiency < -2pt", with_work(4), uneven), Holds::kBroken);
    try {
        held_by("region nowhere wall > +10%", with_work(4), with_work(4));
        ADD_FAILURE();
    } catch (const ompcollect::Failure &why) {
        EXPECT_EQ(why.exit_code(), 2);
        EXPECT_NE(std::string(why.what()).find("solve made.c:40"), std::string::npos);
    }
}

// "Not more than 3 % slower than the aim", which is a fifth faster.
TEST(Rules, MayAskForAGain) {
    EXPECT_EQ(held_by("elapsed > -10%", with_work(6), with_work(4)), Holds::kHeld);
    EXPECT_EQ(held_by("elapsed > -10%", with_work(4), with_work(4)), Holds::kBroken);
}

TEST(Rules, HaveTheirChangeInWords) {
    const Side before = side_of(with_work(4));
    const Side after = side_of(with_work(60));
    const Comparison comparison = comparison_of(before, after);
    const auto detail = [&](const char *rule) {
        return ruling_of(rule_of(rule), comparison).detail();
    };
    EXPECT_EQ(detail("function relax > +5%"), "15 times as much");
    EXPECT_EQ(detail("function relax > +5s").find("+56.0 s (+5"), 0U)
        << detail("function relax > +5s");
}

TEST(ExitCodes, SayWhatIsWorst) {
    Ruling broken;
    broken.holds = Holds::kBroken;
    Ruling open;
    open.holds = Holds::kUndecided;
    EXPECT_EQ(exit_code_of({}), 0);
    EXPECT_EQ(exit_code_of({Ruling{}}), 0);
    EXPECT_EQ(exit_code_of({open, Ruling{}}), 3);
    EXPECT_EQ(exit_code_of({open, broken}), 1);
}

} // namespace
} // namespace ocb_test
