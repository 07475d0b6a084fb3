// SPDX-License-Identifier: Apache-2.0
// Barriers of all kinds and flavours: events, states, and the wait id that all threads of a team
// share in one barrier and in no other. A worker's last barrier is in idle_test.cpp.
#include "fresh_process.h"
#include "records/region.h"
#include "scene.h"

#include <set>
#include <vector>

namespace ocb::test {
namespace {

struct BarrierStateRow {
    Flavour flavour;
    Barrier barrier;
    int begin; // END is the next number
    int state;
};
constexpr BarrierStateRow kBarrierStates[] = {
    {Flavour::kLibomp14, Barrier::kExplicit, OMP_EVENT_THR_BEGIN_EBAR, THR_EBAR_STATE},
    {Flavour::kLibomp14, Barrier::kWorkshare, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE},
    {Flavour::kLibomp14, Barrier::kImplementation, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE},
    {Flavour::kLibomp14, Barrier::kTeams, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE},
    {Flavour::kLibomp19, Barrier::kExplicit, OMP_EVENT_THR_BEGIN_EBAR, THR_EBAR_STATE},
    {Flavour::kLibomp19, Barrier::kWorkshare, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE},
    {Flavour::kLibomp19, Barrier::kImplementation, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE},
    {Flavour::kLibomp19, Barrier::kTeams, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE},
};

void pass(Barrier barrier) {
    barrier_begins(barrier);
    barrier_ends(barrier);
}

class BarrierKinds : public testing::TestWithParam<BarrierStateRow> {};
INSTANTIATE_TEST_SUITE_P(Each, BarrierKinds, testing::ValuesIn(kBarrierStates));

TEST_P(BarrierKinds, EventsShowStateRegionAndWaitId) {
    const BarrierStateRow &row = GetParam();
    const Scene scene(row.flavour);
    record_all_events();
    Worker worker;
    FakeRegion outer(1), region(2);
    outer.begin_on_master();
    const std::uint64_t outer_id = ocb::test::region();
    begin_team(region, worker);
    take_seen();
    worker.run([] { take_seen(); });

    const std::uint64_t id = ocb::test::region();
    barrier_begins(row.barrier);
    const StateAnswer waiting = ask_state();
    EXPECT_EQ(waiting.state, row.state);
    EXPECT_EQ(ocb::test::region(), id);
    barrier_ends(row.barrier);
    EXPECT_EQ(take_seen(),
              (std::vector<Seen>{{row.begin, row.state, id, outer_id, waiting.wait_id},
                                 {row.begin + 1, row.state, id, outer_id, waiting.wait_id}}));
    worker.run([&] {
        pass(row.barrier);
        EXPECT_EQ(take_seen(),
                  (std::vector<Seen>{{row.begin, row.state, id, kNotMaster, waiting.wait_id},
                                     {row.begin + 1, row.state, id, kNotMaster, waiting.wait_id}}));
    });
    end_team(region, worker);
    outer.end_on_master();
    take_seen();
}

TEST_P(BarrierKinds, OrphanedInSerialCode) {
    const BarrierStateRow &row = GetParam();
    const Scene scene(row.flavour);
    record_all_events();
    pass(row.barrier);
    pass(row.barrier);
    const std::vector<Seen> seen = take_seen();
    ASSERT_EQ(seen.size(), 4U);
    EXPECT_NE(seen[0].wait_id, seen[2].wait_id);
    const std::uint64_t first = seen[0].wait_id, second = seen[2].wait_id;
    EXPECT_EQ(seen, (std::vector<Seen>{{row.begin, row.state, 0, 0, first},
                                       {row.begin + 1, row.state, 0, 0, first},
                                       {row.begin, row.state, 0, 0, second},
                                       {row.begin + 1, row.state, 0, 0, second}}));
    EXPECT_EQ(state(), THR_SERIAL_STATE);
}

TEST_P(BarrierKinds, InARegionOfOne) {
    const BarrierStateRow &row = GetParam();
    const Scene scene(row.flavour);
    record_events({row.begin, row.begin + 1});
    FakeRegion region(1);
    region.begin_on_master();
    pass(row.barrier);
    region.end_on_master();
    EXPECT_EQ(take_names(),
              std::string(name_of_event(row.begin)) + " " + name_of_event(row.begin + 1));
}

class BarrierIds : public PerFlavour {};
OCB_FOR_EACH_FLAVOUR(BarrierIds);

constexpr Barrier kSequence[] = {Barrier::kExplicit,       Barrier::kWorkshare,
                                 Barrier::kImplementation, Barrier::kImplementation,
                                 Barrier::kExplicit,       Barrier::kWorkshare};

// The ids of the calling thread's barriers in a region, with things in between that do not count.
std::vector<std::uint64_t> ids_of_sequence(std::uint64_t lock) {
    std::vector<std::uint64_t> ids;
    for (const Barrier barrier : kSequence) {
        take_mutex(ompt5::ompt_mutex_lock, lock);
        mutex_released(ompt5::ompt_mutex_lock, lock);
        pass(Barrier::kTaskWait);
        barrier_begins(barrier);
        ids.push_back(ask_state().wait_id);
        barrier_ends(barrier);
    }
    return ids;
}

TEST_P(BarrierIds, EqualOnAllThreadsAndDifferentBetweenBarriers) {
    const Scene scene(GetParam());
    state(); // from here on barriers are observed
    Worker worker, other;
    std::set<std::uint64_t> all;
    std::size_t count = 0;
    for (int round = 0; round < 3; ++round) {
        FakeRegion region(3);
        begin_team(region, worker);
        other.run([&] { region.enter(2); });
        std::vector<std::uint64_t> ids = ids_of_sequence(1);
        EXPECT_EQ(worker.ask([] { return ids_of_sequence(2); }), ids);
        EXPECT_EQ(other.ask([] { return ids_of_sequence(3); }), ids);
        other.run([&] { region.arrive(); });
        worker.run([&] { region.arrive(); });
        ids.push_back(worker.ask(ask_state).wait_id);
        EXPECT_EQ(other.ask(ask_state).wait_id, ids.back());
        region.arrive();
        EXPECT_EQ(ask_state().wait_id, ids.back());
        region.leave();
        region.join();
        all.insert(ids.begin(), ids.end());
        count += ids.size();
    }
    EXPECT_EQ(all.size(), count);
    EXPECT_EQ(all.count(0), 0U);
}

TEST_P(BarrierIds, OfNestedTeamsAreTheirOwn) {
    const Scene scene(GetParam());
    state();
    Worker worker;
    FakeRegion outer(2), inner(1), inner_of_worker(1);
    begin_team(outer, worker);
    const auto ids_inside = [](FakeRegion &inside) {
        inside.begin_on_master();
        std::vector<std::uint64_t> ids = ids_of_sequence(4);
        inside.end_on_master();
        return ids;
    };
    std::set<std::uint64_t> all;
    const auto add = [&all](const std::vector<std::uint64_t> &ids) {
        all.insert(ids.begin(), ids.end());
    };
    add(ids_inside(inner));
    add(worker.ask([&] { return ids_inside(inner_of_worker); }));
    const std::vector<std::uint64_t> ids = ids_of_sequence(5);
    EXPECT_EQ(worker.ask([] { return ids_of_sequence(6); }), ids);
    add(ids);
    EXPECT_EQ(all.size(), 3 * std::size(kSequence));
    end_team(outer, worker);
}

// The teams of a league wait for each other outside any region: in no barrier of one. Its worker is
// idle as soon as it has nothing more to do.
OCB_FRESH_TEST(Barriers, OfALeagueAreNone) {
    const Scene scene;
    record_all_events();
    Worker worker;
    worker.run([] { take_seen(); });
    FakeRegion league(2, kFlagsLeague);
    begin_team(league, worker);
    EXPECT_EQ(worker.ask(take_names), "BEGIN_IDLE END_IDLE");
    barrier_begins(Barrier::kImplementation);
    EXPECT_EQ(state(), THR_OVHD_STATE);
    barrier_ends(Barrier::kImplementation);
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    worker.run([&] { league.arrive(); });
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(take_names), "BEGIN_IDLE");
    league.arrive();
    EXPECT_EQ(state(), THR_OVHD_STATE);
    league.leave();
    league.join();
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    EXPECT_EQ(take_names(), "");
}

// A collector that only samples: what its first STATE falls into is known, whatever the runtime's
// own state says there.
OCB_FRESH_TEST(Barriers, TheFirstStateRequestKnowsTheBarrier) {
    const Scene scene(Flavour::kLibomp14);
    FakeRegion team(2);
    team.begin_on_master();
    barrier_begins(Barrier::kExplicit);
    const StateAnswer answer = ask_state();
    EXPECT_EQ(answer.state, THR_EBAR_STATE);
    EXPECT_EQ(answer.wait_id, number_of(barrier_id(RegionKey{region()}, 1)));
    barrier_ends(Barrier::kExplicit);
    team.end_on_master();
}

// An END whose BEGIN nobody saw leaves no state behind.
OCB_FRESH_TEST_WITH(Barriers, BarrierBegunBeforeTheFirstStateRequest, "OCB_OBSERVE=registered") {
    const Scene scene;
    FakeRegion region(2);
    region.begin_on_master();
    barrier_begins(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_EBAR_STATE); // the runtime says so
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_WORK_STATE);
    barrier_begins(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
}

// libomp 8 does not report the task of serial code: the construct in it does.
TEST(Barrier, AndSingleInSerialCodeWhoseTaskIsNotReported) {
    const Scene scene;
    FakeThread thread;
    thread.run([] {
        record_all_events();
        reports_initial_tasks = false;
        user_thread_begins();
        take_seen();
        single_begins();
        single_ends();
        barrier_begins(Barrier::kExplicit);
        EXPECT_EQ(region(), 0U);
        barrier_ends(Barrier::kExplicit);
        EXPECT_EQ(state(), THR_SERIAL_STATE);
        barrier_begins(Barrier::kExplicit);
        barrier_ends(Barrier::kExplicit);
        EXPECT_EQ(take_names(), "BEGIN_SINGLE END_SINGLE BEGIN_EBAR END_EBAR BEGIN_EBAR END_EBAR");
        user_thread_ends();
        reports_initial_tasks = true;
    });
}

} // namespace
} // namespace ocb::test
