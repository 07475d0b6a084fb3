// SPDX-License-Identifier: Apache-2.0
//
// Regions and functions of one build find their partners in another one.
#include "made_builds.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

struct Found {
    Side before;
    Side after;
    std::vector<Pair> pairs;

    Found(const Build &first, const Build &second)
        : before(side_of(first, 1)), after(side_of(second, 1)), pairs(pairs_of(before, after)) {}

    [[nodiscard]] const Pair *with_before(const std::string &text, bool is_function) const {
        for (const Pair &pair : pairs) {
            if (pair.before && pair.before->text() == text &&
                pair.before->is_function == is_function) {
                return &pair;
            }
        }
        return nullptr;
    }
    // The text of the partner; "gone", or "folded" where it is part of another pair.
    [[nodiscard]] std::string partner(const std::string &text, bool is_function) const {
        const Pair *pair = with_before(text, is_function);
        return !pair ? "folded" : pair->after ? pair->after->text() : "gone";
    }
    [[nodiscard]] size_t lone() const {
        size_t number = 0;
        for (const Pair &pair : pairs) {
            number += !pair.before || !pair.after;
        }
        return number;
    }
};

TEST(Partners, AreThemselvesInTheSameBuild) {
    const Found found({}, {});
    EXPECT_EQ(found.lone(), 0U);
    EXPECT_EQ(found.partner("relax", true), "relax");
    EXPECT_EQ(found.partner("solve made.c:40", false), "solve made.c:40");
}

TEST(Partners, OfMovedLinesAreFound) {
    Build moved;
    moved.line = 55;
    const Found found({}, moved);
    EXPECT_EQ(found.partner("solve made.c:40", false), "solve made.c:55");
    EXPECT_EQ(found.partner("relax", true), "relax");
    EXPECT_EQ(found.lone(), 0U);
}

TEST(Partners, OfANewRegionThereAreNone) {
    Build more;
    more.line = 43; // all below it has moved: the new one has the old one's line
    more.other_region = true;
    const Found found({}, more);
    EXPECT_EQ(found.partner("solve made.c:40", false), "solve made.c:43");
    const Found back(more, {});
    EXPECT_EQ(back.partner("solve made.c:43", false), "solve made.c:40");
    EXPECT_EQ(back.partner("solve made.c:40", false), "gone");
}

TEST(Partners, HaveAnotherNameWhereAllElseIsTheSame) {
    Build renamed;
    renamed.function = "smooth";
    renamed.line = 60;
    renamed.work = 5;
    const Found found({}, renamed);
    EXPECT_EQ(found.partner("relax", true), "smooth");
    EXPECT_TRUE(found.with_before("relax", true)->is_renamed());
}

TEST(Partners, AreNotThoseOfQuiteAnotherTime) {
    Build first;
    first.work = 0.8;
    first.waits = 0.2;
    Build other = first;
    other.function = "smooth";
    other.work = 30;
    const Found found(first, other);
    EXPECT_EQ(found.partner("relax", true), "gone");
}

TEST(Partners, OfAnInlinedFunctionAreItsCallers) {
    Build inlined;
    inlined.inlined = true;
    const Found found({}, inlined);
    EXPECT_EQ(found.partner("relax", true), "folded");
    // The region's own code is a function that is called like the one around it.
    const Pair *caller = found.with_before("solve", true);
    ASSERT_NE(caller, nullptr);
    ASSERT_EQ(caller->folded_before.size(), 1U);
    EXPECT_EQ(caller->folded_before.front()->name, "relax");
    const Found back(inlined, {});
    ASSERT_NE(back.with_before("solve", true), nullptr);
    EXPECT_EQ(back.with_before("solve", true)->folded_after.size(), 1U);
}

TEST(Partners, OfAFunctionThatWasTakenOutAreNotItsCallers) {
    Build without;
    without.work = 0.01;
    without.inlined = true;
    without.waits = 0;
    EXPECT_EQ(Found({}, without).partner("relax", true), "gone");
}

TEST(Names, AreThoseOfTheSource) {
    EXPECT_EQ(name_in_source("relax.constprop.0"), "relax");
    EXPECT_EQ(name_in_source("relax(int) [clone .cold]"), "relax(int)");
    EXPECT_EQ(name_in_source("relax._omp_fn.3"), "relax");
    EXPECT_EQ(name_in_source(".omp_outlined."), ".omp_outlined.");
    EXPECT_EQ(name_in_source("relax"), "relax");
}

} // namespace
} // namespace ocb_test
