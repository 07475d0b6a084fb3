// SPDX-License-Identifier: Apache-2.0
// Threads and regions that were there before START: until their next event the runtime's own entry
// points answer for them, state by state; regions get their id at first sight, one for all threads.
// What has once been observed stays observed, so each test needs a process of its own.
#include "fresh_process.h"
#include "scene.h"

#include "records/region.h"
#include "tracker/tracker.h"

#include <memory>
#include <set>
#include <vector>

namespace ocb::test {
namespace {

void start() {
    ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
}

struct StateRow {
    int ompt;
    int in_serial;   // code of a user thread
    int in_region;   // that runs
    int left_behind; // a worker in a region that its master has left before START
};

// clang-format off
constexpr StateRow kStates[] = {
    {ompt5::ompt_state_work_serial, THR_SERIAL_STATE, THR_WORK_STATE, THR_WORK_STATE},
    {ompt5::ompt_state_work_parallel, THR_SERIAL_STATE, THR_WORK_STATE, THR_WORK_STATE},
    {ompt5::ompt_state_work_reduction, THR_REDUC_STATE, THR_REDUC_STATE, THR_REDUC_STATE},
    {ompt5::ompt_state_wait_barrier, THR_IBAR_STATE, THR_IBAR_STATE, THR_IBAR_STATE},
    {ompt5::ompt_state_wait_barrier_implicit_parallel, THR_IBAR_STATE, THR_IBAR_STATE, THR_IDLE_STATE},
    {ompt5::ompt_state_wait_barrier_implicit_workshare, THR_IBAR_STATE, THR_IBAR_STATE, THR_IBAR_STATE},
    {ompt5::ompt_state_wait_barrier_implicit, THR_IBAR_STATE, THR_IBAR_STATE, THR_IDLE_STATE},
    {ompt5::ompt_state_wait_barrier_explicit, THR_EBAR_STATE, THR_EBAR_STATE, THR_EBAR_STATE},
    {ompt5::ompt_state_wait_barrier_implementation, THR_IBAR_STATE, THR_IBAR_STATE, THR_IBAR_STATE},
    {ompt5::ompt_state_wait_barrier_teams, THR_IBAR_STATE, THR_IBAR_STATE, THR_IDLE_STATE},
    {ompt5::ompt_state_wait_taskwait, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE},
    {ompt5::ompt_state_wait_taskgroup, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE},
    {ompt5::ompt_state_wait_mutex, THR_LKWT_STATE, THR_LKWT_STATE, THR_LKWT_STATE},
    {ompt5::ompt_state_wait_lock, THR_LKWT_STATE, THR_LKWT_STATE, THR_LKWT_STATE},
    {ompt5::ompt_state_wait_critical, THR_CTWT_STATE, THR_CTWT_STATE, THR_CTWT_STATE},
    {ompt5::ompt_state_wait_atomic, THR_ATWT_STATE, THR_ATWT_STATE, THR_ATWT_STATE},
    {ompt5::ompt_state_wait_ordered, THR_ODWT_STATE, THR_ODWT_STATE, THR_ODWT_STATE},
    {ompt5::ompt_state_wait_target, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE},
    {ompt5::ompt_state_wait_target_map, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE},
    {ompt5::ompt_state_wait_target_update, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE},
    // A worker whose end the runtime reports early (KMP_TASKING=0) is in its region's barrier.
    {ompt5::ompt_state_idle, THR_IDLE_STATE, THR_IBAR_STATE, THR_IDLE_STATE},
    {ompt5::ompt_state_overhead, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE},
    {ompt5::ompt_state_undefined, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE},
    {0x555, THR_OVHD_STATE, THR_OVHD_STATE, THR_OVHD_STATE}, // of a runtime to come
};
// clang-format on

bool is_mutex_wait(int state) {
    return state >= THR_LKWT_STATE && state <= THR_ATWT_STATE;
}

// What the calling thread answers while the runtime shows it in `ompt`.
void expect_answer(int ompt, int expected) {
    constexpr std::uint64_t kWaitId = 0x3A17;
    caller().state = ompt;
    caller().wait_id = kWaitId;
    const StateAnswer answer = ask_state();
    EXPECT_EQ(answer.error, OMP_ERRCODE_OK);
    EXPECT_STREQ(name_of_state(answer.state), name_of_state(expected));
    if (is_mutex_wait(expected)) {
        EXPECT_EQ(answer.wait_id, kWaitId);
    }
}

OCB_FRESH_TEST(Adoption, StateOfUnknownThreadInSerialCode) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    start();
    thread.run([] {
        for (const StateRow &row : kStates) {
            SCOPED_TRACE(testing::Message() << "ompt state " << row.ompt);
            forget_stranger(); // as if another thread asked
            expect_answer(row.ompt, row.in_serial);
            EXPECT_EQ(region(), 0U);
        }
    });
}

// What has been heard of a thread holds until it reports something.
OCB_FRESH_TEST(Adoption, RuntimeIsAskedOnceOfAWaitOrOfWork) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread master;
    Worker worker, waiting;
    FakeRegion running(3);
    master.run([&] { running.begin_on_master(); });
    worker.run([&] { running.enter(1); });
    waiting.run([&] {
        running.enter(2);
        running.arrive();
    });
    start();
    const auto id = master.ask(region);
    worker.run([&] {
        EXPECT_EQ(state(), THR_WORK_STATE);
        caller().state = ompt5::ompt_state_overhead; // nobody looks
        EXPECT_EQ(state(), THR_WORK_STATE);
        EXPECT_EQ(region(), id);
        EXPECT_EQ(parent(), kNotMaster);
        caller().state = ompt5::ompt_state_work_parallel;
        barrier_begins(Barrier::kExplicit);
        EXPECT_EQ(state(), THR_EBAR_STATE);
        barrier_ends(Barrier::kExplicit);
        EXPECT_EQ(state(), THR_WORK_STATE);
        running.arrive();
    });
    waiting.run([&] {
        EXPECT_EQ(state(), THR_IBAR_STATE);
        EXPECT_EQ(region(), id);
    });
    master.run([&] { running.end_on_master(); });
    waiting.run([&] {
        EXPECT_EQ(state(), THR_IDLE_STATE) << "its master has left it behind";
        EXPECT_EQ(region(), 0U);
        EXPECT_EQ(parent(), kNotMaster);
    });
}

// It may change without a report.
OCB_FRESH_TEST(Adoption, RuntimeIsAskedAgainOfItsOwnTime) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion running(1);
    thread.run([&] { running.begin_on_master(); });
    start();
    thread.run([&] {
        caller().state = ompt5::ompt_state_overhead;
        EXPECT_EQ(state(), THR_OVHD_STATE);
        caller().state = ompt5::ompt_state_work_parallel;
        EXPECT_EQ(state(), THR_WORK_STATE);
        running.end_on_master();
    });
}

// The caller of START is in the program.
OCB_FRESH_TEST(Adoption, RuntimeIsNotAskedOfTheThreadThatStarts) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion running(1);
    running.begin_on_master();
    start();
    ask_state();
    caller().state = ompt5::ompt_state_overhead; // nobody looks
    EXPECT_EQ(state(), THR_WORK_STATE);
    caller().state = ompt5::ompt_state_work_parallel;
    running.end_on_master();
    EXPECT_EQ(state(), THR_SERIAL_STATE);
}

OCB_FRESH_TEST(Adoption, StateOfUnknownThreadsInARunningRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread master;
    Worker worker;
    FakeRegion running(2);
    master.run([&] { running.begin_on_master(); });
    worker.run([&] { running.enter(1); });
    start();
    const auto id = master.ask(region);
    ASSERT_NE(id, 0U);
    worker.run([&] {
        for (const StateRow &row : kStates) {
            SCOPED_TRACE(testing::Message() << "ompt state " << row.ompt);
            forget_stranger(); // as if another thread asked
            expect_answer(row.ompt, row.in_region);
            EXPECT_EQ(region(), id);
        }
    });
    master.run([&] { running.end_on_master(); });
}

// The runtime has no id for a barrier that a thread came to before the first STATE (of a thread
// that the library knows) or before START (of one that it does not).
void expect_one_wait_id(bool is_known) {
    const Scene scene(Flavour::kLibomp19, is_known ? Begin::kWithSession : Begin::kWithoutSession);
    Worker worker;
    FakeRegion region(2), other(2);
    begin_team(region, worker);
    barrier_begins(Barrier::kExplicit);
    worker.run([] { barrier_begins(Barrier::kExplicit); });
    UserThread outsider;
    outsider.run([&] {
        other.begin_on_master();
        barrier_begins(Barrier::kExplicit);
    });
    if (!is_known) {
        start();
    }
    const StateAnswer here = ask_state();
    EXPECT_EQ(here.state, THR_EBAR_STATE);
    EXPECT_NE(here.wait_id, 0U);
    EXPECT_EQ(worker.ask(ask_state).wait_id, here.wait_id);
    EXPECT_NE(outsider.ask(ask_state).wait_id, here.wait_id);
    outsider.run([&] {
        barrier_ends(Barrier::kExplicit);
        other.end_on_master();
    });
    worker.run([] { barrier_ends(Barrier::kExplicit); });
    barrier_ends(Barrier::kExplicit);
    end_team(region, worker);
}

OCB_FRESH_TEST_WITH(Adoption, WaitIdOfABarrierFromBeforeTheFirstState, "OCB_OBSERVE=registered") {
    expect_one_wait_id(true);
}

OCB_FRESH_TEST(Adoption, WaitIdOfABarrierFromBeforeStart) {
    expect_one_wait_id(false);
}

OCB_FRESH_TEST(Adoption, StateOfWorkerWhoseRegionEndedBeforeStart) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    FakeRegion ended(2);
    begin_team(ended, worker);
    end_team(ended, worker);
    start();
    worker.run([] {
        for (const StateRow &row : kStates) {
            if (row.left_behind != THR_IDLE_STATE) {
                continue; // where it is working it is in a region
            }
            SCOPED_TRACE(testing::Message() << "ompt state " << row.ompt);
            forget_stranger(); // as if another thread asked
            expect_answer(row.ompt, THR_IDLE_STATE);
            EXPECT_EQ(region(), 0U);
            EXPECT_EQ(parent(), kNotMaster);
        }
    });
}

// Once it is known to be idle the runtime is not asked again, until it reports a region.
OCB_FRESH_TEST(Adoption, IdleWorkerGoesOnWithItsNextRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    FakeRegion ended(2), next(2);
    begin_team(ended, worker);
    end_team(ended, worker);
    start();
    worker.run([] {
        expect_answer(ompt5::ompt_state_wait_barrier_implicit_parallel, THR_IDLE_STATE);
        expect_answer(ompt5::ompt_state_undefined, THR_IDLE_STATE);
        caller().state = ompt5::ompt_state_work_parallel;
    });
    begin_team(next, worker);
    EXPECT_EQ(worker.ask(state), THR_WORK_STATE);
    EXPECT_EQ(worker.ask(region), region());
    EXPECT_NE(region(), 0U);
    end_team(next, worker);
    EXPECT_EQ(worker.ask(region), 0U);
}

OCB_FRESH_TEST(Adoption, StateOfWorkerThatHasHadNoRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    start();
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
}

OCB_FRESH_TEST(Adoption, ForeignThreadIsSerial) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    start();
    FakeThread thread;
    EXPECT_EQ(thread.ask(state), THR_SERIAL_STATE);
    EXPECT_EQ(thread.ask(region), 0U);
    EXPECT_EQ(thread.ask(parent), kNotMaster);
}

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

OCB_FRESH_TEST(Adoption, RegionNamedByAWorker) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    expect_one_id([](FakeThread &, Worker &worker) {
        start();
        return worker.ask(region);
    });
}

OCB_FRESH_TEST(Adoption, RegionNamedByItsMaster) {
    const Scene scene(Flavour::kLibomp14, Begin::kWithoutSession);
    expect_one_id([](FakeThread &master, Worker &) {
        start();
        return master.ask(region);
    });
}

OCB_FRESH_TEST(Adoption, RegionNamedByStartInIt) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    expect_one_id([](FakeThread &master, Worker &) {
        master.run(start);
        return master.ask(region);
    });
}

// Without any event since START: the runtime shows the old region, its master is in the next one.
OCB_FRESH_TEST(Adoption, WorkerLeftInANamedRegionIsNotInItsMastersNext) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    FakeRegion before(2), next(1);
    begin_team(before, worker);
    worker.run([&] { before.arrive(); });
    start();
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

OCB_FRESH_TEST(Adoption, RegionsBeforeAndAfterStartHaveDifferentIds) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion before(1);
    before.begin_on_master();
    start();
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
OCB_FRESH_TEST(Adoption, EndOfARegionBegunBeforeStartIsNoEvent) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion before(2);
    before.begin_on_master();
    start();
    record_all_events();
    before.end_on_master();
    EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR");
    EXPECT_EQ(state(), THR_SERIAL_STATE);
}

OCB_FRESH_TEST(Adoption, NestedRegionsBegunBeforeStart) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion outer(1), inner(1);
    thread.run([&] {
        outer.begin_on_master();
        inner.begin_on_master();
    });
    start();
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

OCB_FRESH_TEST(Adoption, NestedRegionsAroundStart) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion outer(1), inner(1);
    outer.begin_on_master();
    inner.begin_on_master();
    start();
    const std::uint64_t outer_id = parent();
    EXPECT_NE(outer_id, 0U);
    EXPECT_NE(outer_id, region());
    inner.end_on_master();
    EXPECT_EQ(region(), outer_id);
    outer.end_on_master();
    EXPECT_EQ(region(), 0U);
}

// Explicit tasks are levels of the runtime's tasks, but no regions.
OCB_FRESH_TEST(Adoption, ExplicitTaskIsInItsRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion running(1);
    thread.run([&] {
        running.begin_on_master();
        TaskLevel task = caller().innermost();
        task.flags = ompt5::ompt_task_explicit;
        caller().enter(task);
    });
    start();
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
OCB_FRESH_TEST(Adoption, LeagueBegunBeforeStartIsNoRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion league(2, kFlagsLeague);
    thread.run([&] { league.begin_on_master(); });
    start();
    EXPECT_EQ(thread.ask(state), THR_SERIAL_STATE);
    EXPECT_EQ(thread.ask(region), 0U);
    thread.run([&] { league.end_on_master(); });
    EXPECT_EQ(thread.ask(region), 0U);
}

// More regions than a block of records holds: all of them have an id.
OCB_FRESH_TEST(Adoption, MoreRegionsThanABlockHolds) {
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
    start();
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
OCB_FRESH_TEST(Adoption, RecordsAreGivenBack) {
    constexpr int kRegions = 70000;
    for (int i = 0; i < kRegions; ++i) {
        RegionWord word{0};
        RegionRecord *region = region_at_first_sight(word);
        ASSERT_NE(region, nullptr) << i;
        ASSERT_TRUE(region->is_running(key_of(word.load())));
        drop_adopted_region(*region);
    }
}

// What the ended region's word names may be another one's record.
OCB_FRESH_TEST(Adoption, EndedRegionIsNotTheNextOneOfItsRecord) {
    RegionWord ended{0}, next{0};
    RegionRecord *region = region_at_first_sight(ended);
    ASSERT_NE(region, nullptr);
    drop_adopted_region(*region);
    ASSERT_EQ(region_at_first_sight(next), region);
    EXPECT_TRUE(tracker::region_facts(ended).has_ended);
    EXPECT_FALSE(tracker::region_facts(next).has_ended);
    EXPECT_NE(number_of(tracker::region_facts(next).id), 0U);
}

} // namespace
} // namespace ocb::test
