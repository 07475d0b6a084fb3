// SPDX-License-Identifier: Apache-2.0
// Regions that were there before START: they get their id at first sight, one for all threads. What
// has once been observed stays observed, so each test needs a process of its own.
#include "fresh_process.h"
#include "scene.h"

#include "records/region.h"
#include "tracker/tracker.h"

#include <functional>
#include <memory>
#include <set>
#include <vector>

namespace ocb::test {
namespace {

// Named first by a worker, by the master, or by START itself (on the master).
void expect_one_id(const std::function<std::uint64_t(FakeThread &, Worker &)> &name) {
    UserThread master;
    Worker worker, other;
    FakeRegion running(3);
    master.run([&] { running.begin_on_master(); });
    worker.run([&] { running.enter(1); });
    other.run([&] { running.enter(2); });
    const std::uint64_t id = name(master, worker);
    EXPECT_NE(id, 0U);
    EXPECT_EQ(master.ask(region), id);
    EXPECT_EQ(worker.ask(region), id);
    EXPECT_EQ(other.ask(region), id);
    // Known from their next event on, and in the same region.
    for (FakeThread *thread :
         {static_cast<FakeThread *>(&master), static_cast<FakeThread *>(&other)}) {
        thread->run([] {
            barrier_begins(Barrier::kExplicit);
            barrier_ends(Barrier::kExplicit);
        });
    }
    EXPECT_EQ(master.ask(region), id);
    EXPECT_EQ(worker.ask(region), id);
    EXPECT_EQ(other.ask(region), id);
    worker.run([&] { running.arrive(); });
    other.run([&] { running.arrive(); });
    master.run([&] { running.end_on_master(); });
    EXPECT_EQ(master.ask(region), 0U);
    EXPECT_EQ(worker.ask(region), 0U);
    EXPECT_EQ(other.ask(region), 0U);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(other.ask(state), THR_IDLE_STATE);
}

OCB_FRESH_TEST(LateRegistration, RegionNamedByAWorker) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    expect_one_id([](FakeThread &, Worker &worker) {
        start_session();
        return worker.ask(region);
    });
}

OCB_FRESH_TEST(LateRegistration, RegionNamedByItsMaster) {
    const Scene scene(Flavour::kLibomp14, Begin::kWithoutSession);
    expect_one_id([](FakeThread &master, Worker &) {
        start_session();
        return master.ask(region);
    });
}

OCB_FRESH_TEST(LateRegistration, RegionNamedByStartInIt) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    expect_one_id([](FakeThread &master, Worker &) {
        master.run(start_session);
        return master.ask(region);
    });
}

// Without any event since START: the runtime shows the old region, its master is in the next one.
OCB_FRESH_TEST(LateRegistration, WorkerLeftInANamedRegionIsNotInItsMastersNext) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    FakeRegion before(2), next(1);
    begin_team(before, worker);
    worker.run([&] { before.arrive(); });
    start_session();
    const std::uint64_t id = region();
    EXPECT_EQ(worker.ask(state), THR_IBAR_STATE);
    EXPECT_EQ(worker.ask(region), id);
    before.end_on_master();
    next.begin_on_master();
    EXPECT_NE(region(), id);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
    next.end_on_master();
}

OCB_FRESH_TEST(LateRegistration, RegionsBeforeAndAfterStartHaveDifferentIds) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion before(1);
    before.begin_on_master();
    start_session();
    const std::uint64_t id = region();
    FakeRegion inside(1);
    inside.begin_on_master();
    EXPECT_NE(region(), id);
    EXPECT_EQ(parent(), id);
    inside.end_on_master();
    EXPECT_EQ(region(), id);
    before.end_on_master();
    EXPECT_EQ(region(), 0U);
    FakeRegion after(1);
    after.begin_on_master();
    EXPECT_NE(region(), id);
    after.end_on_master();
}

// JOIN without FORK is not delivered, and the region's own fork before START is not missed.
OCB_FRESH_TEST(LateRegistration, EndOfARegionBegunBeforeStartIsNoEvent) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion before(2);
    before.begin_on_master();
    start_session();
    record_all_events();
    before.end_on_master();
    EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR");
    EXPECT_EQ(state(), THR_SERIAL_STATE);
}

OCB_FRESH_TEST(LateRegistration, NestedRegionsBegunBeforeStart) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion outer(1), inner(1);
    thread.run([&] {
        outer.begin_on_master();
        inner.begin_on_master();
    });
    start_session();
    EXPECT_EQ(thread.ask(state), THR_WORK_STATE);
    const auto outer_id = thread.ask(parent);
    EXPECT_NE(outer_id, 0U);
    EXPECT_NE(outer_id, thread.ask(region));
    thread.run([&] { inner.end_on_master(); });
    EXPECT_EQ(thread.ask(region), outer_id);
    EXPECT_EQ(thread.ask(parent), 0U);
    thread.run([&] { outer.end_on_master(); });
    EXPECT_EQ(thread.ask(region), 0U);
}

OCB_FRESH_TEST(LateRegistration, NestedRegionsAroundStart) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion outer(1), inner(1);
    outer.begin_on_master();
    inner.begin_on_master();
    start_session();
    const std::uint64_t outer_id = parent();
    EXPECT_NE(outer_id, 0U);
    EXPECT_NE(outer_id, region());
    inner.end_on_master();
    EXPECT_EQ(region(), outer_id);
    outer.end_on_master();
    EXPECT_EQ(region(), 0U);
}

// Explicit tasks are levels of the runtime's tasks, but no regions.
OCB_FRESH_TEST(LateRegistration, ExplicitTaskIsInItsRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion running(1);
    thread.run([&] {
        running.begin_on_master();
        TaskLevel task = caller().innermost();
        task.flags = ompt5::ompt_task_explicit;
        caller().enter(task);
    });
    start_session();
    EXPECT_EQ(thread.ask(state), THR_WORK_STATE);
    EXPECT_NE(thread.ask(region), 0U);
    EXPECT_EQ(thread.ask(parent), 0U);
    thread.run([&] {
        --caller().depth;
        running.end_on_master();
    });
    EXPECT_EQ(thread.ask(region), 0U);
}

// A league is no region, and what is inside it has none around it.
OCB_FRESH_TEST(LateRegistration, LeagueBegunBeforeStartIsNoRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion league(2, kFlagsLeague);
    thread.run([&] { league.begin_on_master(); });
    start_session();
    EXPECT_EQ(thread.ask(state), THR_SERIAL_STATE);
    EXPECT_EQ(thread.ask(region), 0U);
    thread.run([&] { league.end_on_master(); });
    EXPECT_EQ(thread.ask(region), 0U);
}

// More regions than a block of records holds: all of them have an id.
OCB_FRESH_TEST(LateRegistration, MoreRegionsThanABlockHolds) {
    constexpr int kThreads = 10, kDepth = 30;
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread threads[kThreads];
    std::vector<std::unique_ptr<FakeRegion>> regions;
    for (UserThread &thread : threads) {
        for (int level = 0; level < kDepth; ++level) {
            regions.push_back(std::make_unique<FakeRegion>(1));
            thread.run([&] { regions.back()->begin_on_master(); });
        }
    }
    start_session();
    for (UserThread &thread : threads) {
        thread.run([] {
            record_all_events();
            barrier_begins(Barrier::kExplicit); // from here on known, with all its levels
            barrier_ends(Barrier::kExplicit);
            EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR");
        });
    }
    std::set<std::uint64_t> ids;
    for (UserThread &thread : threads) {
        FakeRegion inside(1);
        thread.run([&] { inside.begin_on_master(); });
        EXPECT_TRUE(ids.insert(thread.ask(region)).second);
        thread.run([&] { inside.end_on_master(); });
    }
    for (UserThread &thread : threads) {
        EXPECT_TRUE(ids.insert(thread.ask(region)).second);
        EXPECT_EQ(thread.ask(state), THR_WORK_STATE);
    }
    EXPECT_EQ(ids.count(0), 0U);
    while (!regions.empty()) {
        const auto thread = (regions.size() - 1) / kDepth;
        threads[thread].run([&] { regions.back()->end_on_master(); });
        regions.pop_back();
    }
    for (UserThread &thread : threads) {
        EXPECT_EQ(thread.ask(state), THR_SERIAL_STATE);
    }
}

// A record is free again when its region has ended: more regions, one after the other, than there
// are numbers for records.
OCB_FRESH_TEST(LateRegistration, RecordsAreGivenBack) {
    constexpr int kRegions = 70000;
    for (int i = 0; i < kRegions; ++i) {
        RegionWord word{0};
        RegionRecord *region = region_at_first_sight(word);
        ASSERT_NE(region, nullptr) << i;
        ASSERT_TRUE(region->is_running(key_of(word.load())));
        drop_late_region(*region);
    }
}

// What the ended region's word names may be another one's record.
OCB_FRESH_TEST(LateRegistration, EndedRegionIsNotTheNextOneOfItsRecord) {
    RegionWord ended{0}, next{0};
    RegionRecord *region = region_at_first_sight(ended);
    ASSERT_NE(region, nullptr);
    drop_late_region(*region);
    ASSERT_EQ(region_at_first_sight(next), region);
    EXPECT_TRUE(tracker::region_facts(ended).has_ended);
    EXPECT_FALSE(tracker::region_facts(next).has_ended);
    EXPECT_NE(number_of(tracker::region_facts(next).id), 0U);
}

} // namespace
} // namespace ocb::test
