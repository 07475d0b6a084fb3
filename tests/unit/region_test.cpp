// SPDX-License-Identifier: Apache-2.0
// Region ids: what CURRENT_PRID and PARENT_PRID say in and around FORK, JOIN, nested, serialized
// and league regions, on masters, workers and outside; and that an id is given once.
#include "fresh_process.h"
#include "scene.h"
#include "tracker/tracker.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

namespace ocb::test {
namespace {

// The id of a region of its own on the calling thread.
std::uint64_t id_of_new_region() {
    FakeRegion one(1);
    one.begin_on_master();
    const std::uint64_t id = region();
    one.end_on_master();
    return id;
}

class RegionKinds : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(TeamOf, RegionKinds, testing::Values(1U, 2U));

TEST_P(RegionKinds, ForkAndJoinNameTheRegion) {
    const Scene scene;
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    EXPECT_EQ(region(), 0U);
    FakeRegion one(GetParam());
    one.begin_on_master();
    const std::uint64_t id = region();
    EXPECT_NE(id, 0U);
    EXPECT_EQ(parent(), 0U);
    one.end_on_master();
    EXPECT_EQ(region(), 0U);
    EXPECT_EQ(take_seen(), (std::vector<Seen>{{OMP_EVENT_FORK, THR_OVHD_STATE, id, 0},
                                              {OMP_EVENT_JOIN, THR_OVHD_STATE, id, 0}}));
}

TEST_P(RegionKinds, NestedForkAndJoinNameTheEnclosingRegion) {
    const Scene scene;
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    FakeRegion outer(GetParam()), inner(GetParam());
    outer.begin_on_master();
    const std::uint64_t outer_id = region();
    inner.begin_on_master();
    const std::uint64_t inner_id = region();
    EXPECT_EQ(parent(), outer_id);
    inner.end_on_master();
    EXPECT_EQ(region(), outer_id);
    EXPECT_EQ(parent(), 0U);
    outer.end_on_master();
    EXPECT_EQ(take_seen(), (std::vector<Seen>{{OMP_EVENT_FORK, THR_OVHD_STATE, outer_id, 0},
                                              {OMP_EVENT_FORK, THR_OVHD_STATE, inner_id, outer_id},
                                              {OMP_EVENT_JOIN, THR_OVHD_STATE, inner_id, outer_id},
                                              {OMP_EVENT_JOIN, THR_OVHD_STATE, outer_id, 0}}));
}

// There are 65,535 records. A region beyond them has no events; those around it have theirs.
OCB_FRESH_TEST(Region, MoreAtOnceThanThereAreRecords) {
    constexpr std::size_t kRecords = 65535;
    constexpr std::size_t kForks = kRecords + 3;
    const Scene scene;
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    std::vector<RegionWord> words(kForks); // deeper than the fake runtime's regions go
    for (RegionWord &word : words) {
        tracker::fork(word, tracker::ForkKind::kRegion, {});
    }
    std::vector<std::uint64_t> forked;
    for (const Seen &seen : take_seen()) {
        forked.push_back(seen.region);
    }
    EXPECT_EQ(forked.size(), kRecords);
    EXPECT_EQ(std::set<std::uint64_t>(forked.begin(), forked.end()).size(), forked.size());
    for (std::size_t i = kForks; i-- > 0;) {
        tracker::join(words[i]);
    }
    std::vector<std::uint64_t> joined;
    for (const Seen &seen : take_seen()) {
        joined.push_back(seen.region);
    }
    std::reverse(joined.begin(), joined.end());
    EXPECT_EQ(joined, forked);
}

TEST(Region, WorkersAreInTheirMastersRegion) {
    const Scene scene;
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    EXPECT_EQ(worker.ask(region), region());
    EXPECT_EQ(worker.ask(parent), kNotMaster);
    end_team(one, worker);
    EXPECT_EQ(worker.ask(region), 0U);
    EXPECT_EQ(worker.ask(parent), kNotMaster);
}

// A worker is the master of the team that it forks itself.
TEST(Region, WorkerThatForks) {
    const Scene scene;
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    Worker worker;
    FakeRegion outer(2), inner(1);
    begin_team(outer, worker);
    const std::uint64_t outer_id = region();
    worker.run([&] {
        inner.begin_on_master();
        const std::uint64_t inner_id = region();
        EXPECT_NE(inner_id, outer_id);
        EXPECT_EQ(parent(), outer_id);
        inner.end_on_master();
        EXPECT_EQ(region(), outer_id);
        EXPECT_EQ(parent(), kNotMaster);
        EXPECT_EQ(take_seen(),
                  (std::vector<Seen>{{OMP_EVENT_FORK, THR_OVHD_STATE, inner_id, outer_id},
                                     {OMP_EVENT_JOIN, THR_OVHD_STATE, inner_id, outer_id}}));
    });
    end_team(outer, worker);
    take_seen();
}

// The runtime keeps the data of a nested worker's region apart from what lies below on its stack.
TEST(Region, WorkerOfANestedTeam) {
    const Scene scene;
    Worker worker;
    FakeRegion outer(1), inner(2);
    outer.begin_on_master();
    begin_team(inner, worker);
    EXPECT_EQ(worker.ask(region), region());
    end_team(inner, worker);
    outer.end_on_master();
    EXPECT_EQ(worker.ask(region), 0U);
}

TEST(Region, ParentInSerialCodeIsForTheInitialThread) {
    const Scene scene;
    EXPECT_EQ(parent(), 0U);
    UserThread other;
    EXPECT_EQ(other.ask(parent), kNotMaster);
    // Inside a region of its own it is a master.
    other.run([] {
        FakeRegion one(1);
        one.begin_on_master();
        EXPECT_EQ(parent(), 0U);
        one.end_on_master();
    });
}

TEST(Region, LeagueIsNoRegion) {
    const Scene scene;
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    FakeRegion league(2, kFlagsLeague), inside(1);
    league.begin_on_master();
    EXPECT_EQ(region(), 0U);
    inside.begin_on_master();
    const std::uint64_t id = region();
    EXPECT_NE(id, 0U);
    EXPECT_EQ(parent(), 0U);
    inside.end_on_master();
    EXPECT_EQ(region(), 0U);
    league.end_on_master();
    EXPECT_EQ(take_seen(), (std::vector<Seen>{{OMP_EVENT_FORK, THR_OVHD_STATE, id, 0},
                                              {OMP_EVENT_JOIN, THR_OVHD_STATE, id, 0}}));
}

TEST(Region, IdsAreGivenOnce) {
    constexpr int kThreads = 4, kRegions = 100;
    const Scene scene;
    UserThread threads[kThreads];
    std::vector<std::uint64_t> ids[kThreads];
    for (int i = 0; i < kThreads; ++i) {
        threads[i].begin([&ids, i] {
            for (int n = 0; n < kRegions; ++n) {
                ids[i].push_back(id_of_new_region());
            }
        });
    }
    std::set<std::uint64_t> all;
    for (int i = 0; i < kThreads; ++i) {
        threads[i].done();
        all.insert(ids[i].begin(), ids[i].end());
    }
    EXPECT_EQ(all.size(), std::size_t{kThreads} * kRegions);
    EXPECT_EQ(all.count(0), 0U);
}

OCB_FRESH_TEST(Region, IdsCountFromOneAndStaySmall) {
    constexpr std::uint64_t kRegions = 1000;
    const Scene scene;
    EXPECT_EQ(id_of_new_region(), 1U);
    EXPECT_EQ(id_of_new_region(), 2U);
    UserThread other;
    std::uint64_t last = 0;
    for (std::uint64_t n = 0; n < kRegions; ++n) {
        last = std::max(id_of_new_region(), other.ask(id_of_new_region));
    }
    EXPECT_LT(last, 3 * kRegions);
}

OCB_FRESH_TEST_WITH(Region, FirstIdIsAnOption, "OCB_FIRST_REGION_ID=4294967297") {
    const Scene scene;
    record_events({OMP_EVENT_FORK});
    FakeRegion outer(1), inner(1);
    outer.begin_on_master();
    EXPECT_EQ(region(), 4294967297U);
    inner.begin_on_master();
    EXPECT_EQ(region(), 4294967298U);
    EXPECT_EQ(parent(), 4294967297U);
    inner.end_on_master();
    outer.end_on_master();
    const std::vector<Seen> seen = take_seen();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_EQ(seen[1].region, 4294967298U);
    EXPECT_EQ(seen[1].parent, 4294967297U);
}

// Regions begun before START count on from the same number.
OCB_FRESH_TEST_WITH(Region, FirstIdHoldsForRegionsBegunBeforeStart,
                    "OCB_FIRST_REGION_ID=3000000000") {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion one(1);
    one.begin_on_master();
    const Session session;
    EXPECT_GE(region(), 3000000000U);
    one.end_on_master();
    EXPECT_GT(id_of_new_region(), 3000000000U);
}

TEST(Region, KeepsItsIdAcrossStopAndStart) {
    const Scene scene;
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    Worker worker;
    FakeRegion before(2);
    begin_team(before, worker);
    const std::uint64_t id = region();
    request(OMP_REQ_STOP);
    FakeRegion between(1);
    between.begin_on_master();
    request(OMP_REQ_START);
    record_events({OMP_EVENT_FORK, OMP_EVENT_JOIN});
    EXPECT_NE(region(), id);
    EXPECT_NE(region(), 0U);
    EXPECT_EQ(parent(), id);
    between.end_on_master();
    EXPECT_EQ(region(), id);
    EXPECT_EQ(worker.ask(region), id);
    end_team(before, worker);
    EXPECT_EQ(region(), 0U);
    EXPECT_NE(id_of_new_region(), id);
    EXPECT_EQ(take_names(), "FORK FORK JOIN");
}

TEST(Region, ManyLevels) {
    constexpr int kLevels = 38;
    const Scene scene;
    std::vector<std::unique_ptr<FakeRegion>> regions;
    std::vector<std::uint64_t> ids = {0};
    for (int level = 0; level < kLevels; ++level) {
        regions.push_back(std::make_unique<FakeRegion>(1));
        regions.back()->begin_on_master();
        EXPECT_EQ(parent(), ids.back());
        ids.push_back(region());
    }
    while (!regions.empty()) {
        EXPECT_EQ(region(), ids.back());
        regions.back()->end_on_master();
        regions.pop_back();
        ids.pop_back();
    }
    EXPECT_EQ(region(), 0U);
    EXPECT_EQ(state(), THR_SERIAL_STATE);
}

// A worker holds on to a record that its master has long used for other regions.
TEST(Region, WorkerLeftBehindIsNotInALaterRegion) {
    const Scene scene;
    Worker worker;
    FakeRegion first(2), later(1);
    begin_team(first, worker);
    end_team(first, worker);
    later.begin_on_master();
    EXPECT_EQ(worker.ask(region), 0U);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    later.end_on_master();
}

} // namespace
} // namespace ocb::test
