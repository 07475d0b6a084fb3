// SPDX-License-Identifier: Apache-2.0
//
// Regions and threads as the generations of before TR6 tell them: by ids in place of words.
#include "old_scene.h"

#include <vector>

namespace ocb::test {
namespace {

OCB_FRESH_TEST(OldRuntime, GetsAllCallbacksInItsInitializer) {
    ASSERT_TRUE(attach());
    const int count = count_of_callbacks();
    omp_collector_bridge_callback rows[64];
    EXPECT_EQ(static_cast<std::size_t>(count), omp_collector_bridge_callbacks(rows, 64));
    for (int i = 0; i < count; ++i) {
        EXPECT_STREQ(rows[i].result_name, "always") << rows[i].name;
    }
    OldScene::start();
    state();
    task();
    EXPECT_EQ(count_of_callbacks(), count);
    for (int i = 0; i < count; ++i) {
        EXPECT_TRUE(has_callback(rows[i].number)) << rows[i].name;
    }
}

TEST(OldRuntimeRegion, IsKnownByItsId) {
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    const std::uint64_t id = region();
    EXPECT_NE(id, 0U);
    EXPECT_EQ(parent(), 0U);
    EXPECT_EQ(state(), THR_WORK_STATE);
    EXPECT_EQ(worker.ask(region), id);
    EXPECT_EQ(worker.ask(state), THR_WORK_STATE);
    EXPECT_EQ(worker.ask(parent), kNotMaster);
    end_team(worker);
    EXPECT_EQ(region(), 0U);
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    EXPECT_EQ(take_names(), "FORK BEGIN_IBAR END_IBAR JOIN");
    begin_team(worker, 7);
    EXPECT_NE(region(), id);
    end_team(worker, 7);
}

// libomp 3.7 to 5.0 report no region of if(0); the inquiries show it.
TEST(OldRuntimeRegion, OfIf0IsAskedFor) {
    constexpr std::uint64_t kFirst = 1ULL << 30;
    const OldScene scene;
    tr2::caller().regions[0] = 77;
    EXPECT_EQ(state(), THR_WORK_STATE);
    EXPECT_EQ(region(), kFirst + 77);
    EXPECT_EQ(parent(), 0U);
    tr2::caller().regions[0] = 78;
    tr2::caller().regions[1] = 77;
    EXPECT_EQ(region(), kFirst + 78);
    EXPECT_EQ(parent(), kFirst + 77);
    tr2::caller().regions[0] = tr2::caller().regions[1] = 0;
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    EXPECT_EQ(region(), 0U);
    // Inside of one that is reported.
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    tr2::caller().regions[0] = kRegion;
    const std::uint64_t id = region();
    EXPECT_LT(id, kFirst);
    tr2::caller().regions[1] = kRegion;
    tr2::caller().regions[0] = 79;
    EXPECT_EQ(region(), kFirst + 79);
    EXPECT_EQ(parent(), id);
    tr2::caller().regions[0] = kRegion;
    tr2::caller().regions[1] = 0;
    EXPECT_EQ(region(), id);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
    tr2::caller().regions[0] = 0;
    EXPECT_EQ(take_names(), "FORK JOIN");
}

// libomp 3.7 knows it still, and crashes when it is asked for its region.
TEST(OldRuntimeThread, ThatHasEndedIsNotAskedFor) {
    const OldScene scene;
    FakeThread worker;
    worker.run([] {
        thread_begins(ompt_thread_worker, 9);
        idle(true);
        idle(false);
        thread_ends(ompt_thread_worker);
        tr2::caller().id = 9;
        tr2::caller().regions[0] = kRegion;
        tr2::caller().state = ompt_state_idle;
    });
    EXPECT_EQ(worker.ask(state), THR_SERIAL_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
    EXPECT_EQ(worker.ask(parent), kNotMaster);
}

TEST(OldRuntimeThread, OfTheRuntimesOwnIsNotOfTheProgram) {
    const OldScene scene;
    FakeThread monitor;
    monitor.run([] { thread_begins(ompt_thread_other, 9); });
    EXPECT_EQ(monitor.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(monitor.ask(region), 0U);
    EXPECT_EQ(monitor.ask(parent), kNotMaster);
    monitor.run([] { thread_ends(ompt_thread_other); });
    EXPECT_EQ(monitor.ask(take_names), "");
}

TEST(OldRuntimeRegion, BeganBeforeTheSession) {
    const OldScene scene(false);
    OldWorker worker(2);
    begin_team(worker);
    OldScene::start();
    const std::uint64_t id = region();
    EXPECT_NE(id, 0U);
    EXPECT_EQ(worker.ask(region), id);
    EXPECT_EQ(worker.ask(state), THR_WORK_STATE);
    EXPECT_EQ(parent(), 0U);
    end_team(worker);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
}

TEST(OldRuntimeRegion, NestedOnes) {
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    const std::uint64_t outer = region();
    tr2::fork(8);
    enter(8, 30);
    EXPECT_NE(region(), outer);
    EXPECT_EQ(parent(), outer);
    tr2::leave(8, 30);
    join(8);
    EXPECT_EQ(region(), outer);
    EXPECT_EQ(parent(), 0U);
    EXPECT_EQ(state(), THR_WORK_STATE);
    worker.run([] {
        tr2::fork(9);
        enter(9, 31);
    });
    EXPECT_EQ(worker.ask(parent), outer);
    worker.run([] {
        tr2::leave(9, 31);
        join(9);
    });
    EXPECT_EQ(worker.ask(region), outer);
    EXPECT_EQ(worker.ask(parent), kNotMaster);
    end_team(worker);
}

const void *seen_function;
void look(OMP_COLLECTORAPI_EVENT) {
    seen_function = omp_collector_bridge_region_function();
}

TEST(OldRuntimeRegion, ItsFunctionIsKnownAndTheForksAddressIsNot) {
    const OldScene scene;
    register_callback(OMP_EVENT_FORK, look);
    tr2::fork(kRegion, &kMastersTask);
    enter(kRegion, kMastersTask);
    EXPECT_EQ(seen_function, &kMastersTask);
    EXPECT_EQ(omp_collector_bridge_region_function(), &kMastersTask);
    EXPECT_EQ(omp_collector_bridge_region_address(), nullptr);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
    // Where somebody has noted the fork, the address is known too.
    omp_collector_bridge_note_fork(&kMastersTask, &kWorkersTask);
    tr2::fork(kRegion, &kMastersTask);
    enter(kRegion, kMastersTask);
    EXPECT_EQ(omp_collector_bridge_region_address(), &kWorkersTask);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

// libomp 3.7 and 3.8 end the implicit task before the region's last barrier.
TEST(OldRuntimeRegion, ItsLastBarrierMayComeBehindTheTasksEnd) {
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    const std::uint64_t id = region();
    worker.run([] { take_seen(); });
    take_seen();
    worker.run([] {
        tr2::leave(kRegion, kWorkersTask);
        EXPECT_EQ(state(), THR_OVHD_STATE);
        barrier(true, kRegion);
        wait_barrier(true, kRegion);
        EXPECT_EQ(state(), THR_IBAR_STATE);
    });
    EXPECT_EQ(worker.ask(region), id);
    tr2::leave(kRegion, kMastersTask);
    pass_barrier();
    worker.run([] {
        wait_barrier(false, kRegion);
        barrier(false, kRegion);
        EXPECT_EQ(state(), THR_OVHD_STATE);
        idle(true);
    });
    EXPECT_EQ(region(), id);
    join(kRegion);
    EXPECT_EQ(region(), 0U);
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    const std::vector<Seen> seen = take_seen();
    ASSERT_EQ(seen.size(), 3U); // BEGIN_IBAR END_IBAR JOIN
    for (const Seen &one : seen) {
        EXPECT_EQ(one.region, id);
    }
    EXPECT_EQ(worker.ask(take_names), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
}

} // namespace
} // namespace ocb::test
