// SPDX-License-Identifier: Apache-2.0
//
// Intervals of changes: by the table of Mann and Whitney, and by trying; digits by their error.
#include "spread.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

// Differences of 0, 10, 20, ... and 0, 1, 2, ... are all different, so the ends show their ranks.
Change ranked(size_t before, size_t after, double level) {
    std::vector<double> first;
    std::vector<double> second;
    for (size_t i = 0; i < before; ++i) {
        first.push_back(-static_cast<double>(i * after));
    }
    for (size_t i = 0; i < after; ++i) {
        second.push_back(static_cast<double>(i));
    }
    return change_of(first, second, level);
}

TEST(Intervals, HaveTheRanksOfTheTable) {
    struct Row {
        size_t before, after, critical; // U of the two-sided test at 5 %
    };
    for (const Row &row : {Row{4, 4, 0},
                           {5, 5, 2},
                           {4, 6, 2},
                           {6, 6, 5},
                           {3, 5, 0},
                           {8, 8, 13},
                           {10, 10, 23},
                           {20, 20, 127}}) {
        SCOPED_TRACE(row.before);
        const Change change = ranked(row.before, row.after, 0.95);
        EXPECT_EQ(change.least, static_cast<double>(row.critical));
        EXPECT_EQ(change.most, static_cast<double>(row.before * row.after - 1 - row.critical));
        EXPECT_GE(change.level, 0.95);
    }
    EXPECT_NEAR(ranked(5, 5, 0.95).level, 1 - 2 * 4.0 / 252, 1e-12);
}

TEST(Intervals, OfTooFewRunsHaveTheLevelThatTheyCan) {
    EXPECT_EQ(most_level(1, 1), 0);
    EXPECT_NEAR(most_level(3, 3), 0.9, 1e-12);
    EXPECT_LT(most_level(3, 4), kDecides);
    EXPECT_GE(most_level(4, 4), kDecides);
    EXPECT_GE(most_level(5, 5), kDecidesOfMany);
    const Change change = change_of({1}, {3}, 0.95);
    EXPECT_EQ(change.middle, 2);
    EXPECT_EQ(change.level, 0);
}

// Of runs that do not differ, at most one of twenty changes seems certain; of a skewed spread, too.
TEST(Intervals, HoldWhatTheirLevelSays) {
    std::mt19937 random(65); // the same in each run
    std::exponential_distribution<double> spread(1);
    const auto runs = [&] {
        std::vector<double> values;
        for (int i = 0; i < 5; ++i) {
            values.push_back(1 + 0.1 * spread(random));
        }
        return values;
    };
    constexpr int kPairs = 4000;
    int seeming = 0;
    for (int i = 0; i < kPairs; ++i) {
        seeming += change_of(runs(), runs(), kDecides, ChangeIn::kShare).excludes(0);
    }
    const double expected = kPairs * 2 * 4.0 / 252;
    EXPECT_NEAR(seeming, expected, 4 * std::sqrt(expected));
}

TEST(Intervals, OfSharesAreOfWhatWasBefore) {
    const Change change = change_of({2, 2, 2, 2}, {2.2, 2.2, 2.2, 2.4}, 0.95, ChangeIn::kShare);
    EXPECT_NEAR(change.middle, 0.1, 1e-12);
    EXPECT_NEAR(change.most, 0.2, 1e-12);
    EXPECT_TRUE(std::isinf(change_of({0, 0}, {1, 1}, 0.95, ChangeIn::kShare).middle));
    EXPECT_EQ(change_of({0}, {0}, 0.95, ChangeIn::kShare).middle, 0);
}

TEST(Intervals, OfManyRunsAreMadeAtOnce) {
    const std::vector<double> many(kMostRunsOfASide, 1);
    const Change change = change_of(many, many, 0.95);
    EXPECT_GE(change.level, 0.95);
    EXPECT_LT(change.level, 0.951);
}

TEST(Digits, AreThoseThatTheErrorLeaves) {
    const auto seconds = [](double value, double error) {
        return NumberForm::seconds(value, error).text(value);
    };
    EXPECT_EQ(seconds(4.5123, 0.021), "4.512 s");
    EXPECT_EQ(seconds(4.5123, 0.04), "4.51 s");
    EXPECT_EQ(seconds(4.5123, 0.7), "4.5 s");
    EXPECT_EQ(seconds(4.5123, 0.097), "4.51 s");
    EXPECT_EQ(seconds(4567.8, 50), "4568 s");
    EXPECT_EQ(seconds(0.0123, 0.004), "12 ms");
    EXPECT_EQ(seconds(4.5123, 0), "4.5 s"); // of one run
    EXPECT_EQ(seconds(0, 0), "0 s");
    EXPECT_EQ(NumberForm::seconds(0.5, 0.1).change(0.5), "+0.50 s");
    EXPECT_EQ(NumberForm::seconds(0.05, 0.02).range(-0.003, 0.11), "-3 to +110 ms");
    EXPECT_EQ(NumberForm::seconds(0.5, 0.1).change(-0.001), "0.00 s");
    EXPECT_EQ(NumberForm::share(0.1234, 0.02).change(0.1234), "+12.3 %");
    EXPECT_EQ(NumberForm::share(0.1234, 0.05).change(0.1234), "+12 %");
    EXPECT_EQ(NumberForm::share(0.1234, 0).text(0.1234), "12 %");
    EXPECT_EQ(NumberForm::share(0.02, 0.01, " points").range(-0.01, 0.03), "-1.0 to +3.0 points");
}

} // namespace
} // namespace ocb_test
