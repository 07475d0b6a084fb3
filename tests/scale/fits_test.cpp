// SPDX-License-Identifier: Apache-2.0
#include "fits.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

TEST(Fits, AmdahlOfExactRunsIsExact) {
    std::vector<Timing> timings;
    for (const double n : {1.0, 2.0, 4.0, 8.0}) {
        timings.push_back({n, 2 + 6 / n});
    }
    const AmdahlFit fit = amdahl_fit(timings);
    EXPECT_NEAR(fit.serial, 2, 1e-9);
    EXPECT_NEAR(fit.parallel, 6, 1e-9);
    EXPECT_NEAR(fit.serial_share(), 0.25, 1e-9);
    EXPECT_NEAR(fit.seconds(16), 2 + 6 / 16.0, 1e-9);
    EXPECT_NEAR(fit.worst_error, 0, 1e-9);
}

TEST(Fits, AmdahlBeginsWhereTheRunsDo) {
    const AmdahlFit fit = amdahl_fit({{4, 3}, {8, 2}});
    EXPECT_NEAR(fit.serial, 1, 1e-9);
    EXPECT_NEAR(fit.parallel, 8, 1e-9);
}

// Faster than its threads, as by larger caches: no negative serial part.
TEST(Fits, AmdahlHasNoNegativeParts) {
    const AmdahlFit faster = amdahl_fit({{1, 8}, {2, 3}, {4, 1.4}});
    EXPECT_EQ(faster.serial, 0);
    EXPECT_GT(faster.worst_error, 0.1);
    const AmdahlFit slower = amdahl_fit({{1, 1}, {2, 1.2}, {4, 1.5}});
    EXPECT_EQ(slower.parallel, 0);
    EXPECT_NEAR(slower.serial_share(), 1, 1e-9);
}

TEST(Fits, GustafsonOfExactRunsIsExact) {
    std::vector<Timing> timings;
    for (const double n : {1.0, 2.0, 4.0}) {
        timings.push_back({n, 5 * n / (n - 0.2 * (n - 1))});
    }
    const GustafsonFit fit = gustafson_fit(timings);
    EXPECT_NEAR(fit.serial_share, 0.2, 1e-9);
    EXPECT_NEAR(fit.speedup(8), 8 - 0.2 * 7, 1e-9);
    EXPECT_NEAR(fit.worst_error, 0, 1e-9);
}

} // namespace
} // namespace ocb_test
