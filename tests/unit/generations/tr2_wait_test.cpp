// SPDX-License-Identifier: Apache-2.0
//
// Idle workers and barriers of the generations of before TR6: waits told only where they happen.
#include "old_scene.h"

#include <vector>

namespace ocb::test {
namespace {

TEST(OldRuntimeIdle, IsTheRuntimesOwnWord) {
    const OldScene scene;
    OldWorker worker(2);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(take_names), "") << "the runtime is still setting it up";
    begin_team(worker);
    const std::vector<Seen> begin = worker.ask(take_seen);
    ASSERT_EQ(begin.size(), 2U);
    EXPECT_EQ(begin[0].event, OMP_EVENT_THR_BEGIN_IDLE);
    EXPECT_EQ(begin[1].event, OMP_EVENT_THR_END_IDLE);
    EXPECT_EQ(begin[1].region, region()) << "the region that it enters";
    // Idle while the region runs: libomp says so of a worker that waits for its master.
    worker.run([] {
        pass_barrier();
        tr2::leave(kRegion, kWorkersTask);
        idle(true);
    });
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
    const std::vector<Seen> end = worker.ask(take_seen);
    ASSERT_EQ(end.size(), 3U);
    EXPECT_EQ(end[2].event, OMP_EVENT_THR_BEGIN_IDLE);
    EXPECT_EQ(end[2].region, 0U);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

// After a task: events, state and region, and the master's end of it.
void expect_idle_again(OldWorker &worker) {
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
    EXPECT_EQ(worker.ask(take_names), "END_IDLE BEGIN_IDLE");
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

// At the region's end an idle worker may be handed tasks: it leaves idleness for them, and they are
// work in their region.
TEST(OldRuntimeIdle, EndsForATaskOfTheRegion) {
    constexpr ompt_task_id_t kTask = 30;
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    const std::uint64_t id = region();
    tr2::task_begins(kTask);
    worker.run([] {
        pass_barrier();
        idle(true);
        tr2::leave(kRegion, kWorkersTask);
        take_seen();
        tr2::task_switches(kWorkersTask, kTask);
    });
    EXPECT_EQ(worker.ask(state), THR_WORK_STATE);
    EXPECT_EQ(worker.ask(region), id);
    worker.run([] {
        tr2::task_ends(kTask);
        tr2::task_switches(kTask, kWorkersTask);
    });
    expect_idle_again(worker);
}

// Its implicit task has lost its id by then in libomp 3.9 to 5.0.
TEST(OldRuntimeIdle, EndsForATaskOfTheRegionBehindTheImplicitTask) {
    constexpr ompt_task_id_t kTask = 30;
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    const std::uint64_t id = region();
    worker.run([] {
        pass_barrier();
        tr2::leave(kRegion, kWorkersTask);
        idle(true);
        take_seen();
        tr2::task_begins(kTask);
        tr2::task_switches(0, kTask);
    });
    EXPECT_EQ(worker.ask(state), THR_WORK_STATE);
    EXPECT_EQ(worker.ask(region), id);
    worker.run([] {
        tr2::task_switches(kTask, 0);
        tr2::task_ends(kTask);
    });
    expect_idle_again(worker);
}

// Where it was idle before anybody asked, it is said when its first region begins.
TEST(OldRuntimeIdle, BeganBeforeTheFirstSession) {
    in_fresh_process({"OCB_LOG=warn"}, [] {
        const OldScene scene(false);
        OldWorker worker(2);
        OldScene::start();
        begin_team(worker);
        EXPECT_EQ(worker.ask(take_names), "BEGIN_IDLE END_IDLE");
        end_team(worker);
    });
}

OCB_FRESH_TEST(OldRuntimeIdle, WithoutItsEventsTheTasksEndIsTheRegions) {
    settings.refused = {ompt_event_idle_begin, ompt_event_idle_end};
    ASSERT_TRUE(attach());
    thread_begins(ompt_thread_initial, 1);
    OldScene::start();
    OldWorker worker(2);
    begin_team(worker);
    worker.run([] {
        take_seen();
        pass_barrier();
        tr2::leave(kRegion, kWorkersTask);
        EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
    });
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_IDLE").status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    EXPECT_STREQ(here("OMP_EVENT_THR_BEGIN_IDLE").reason,
                 "the runtime answered the registration of idle_begin with: impossible");
}

TEST(OldRuntimeBarrier, KindComesFromTheState) {
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    take_seen();
    barrier(true, kRegion);
    EXPECT_EQ(take_names(), "") << "it may not wait at all";
    wait_barrier(true, kRegion, ompt_state_wait_barrier_explicit);
    EXPECT_EQ(state(), THR_EBAR_STATE);
    const std::uint64_t first = ask_state().wait_id;
    wait_barrier(false, kRegion);
    EXPECT_EQ(state(), THR_EBAR_STATE) << "until it has left";
    wait_barrier(true, kRegion, ompt_state_wait_barrier_explicit);
    wait_barrier(false, kRegion);
    barrier(false, kRegion);
    EXPECT_EQ(state(), THR_WORK_STATE);
    EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR") << "one pair for two waits";
    pass_barrier(ompt_state_wait_barrier);
    barrier(true, kRegion); // everybody is there
    barrier(false, kRegion);
    EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR BEGIN_IBAR END_IBAR");
    // All threads count alike, whether they wait or not.
    worker.run([] {
        for (int i = 0; i < 3; ++i) {
            pass_barrier();
        }
        barrier(true, kRegion);
        wait_barrier(true, kRegion);
    });
    barrier(true, kRegion);
    wait_barrier(true, kRegion);
    EXPECT_EQ(ask_state().wait_id, worker.ask(ask_state).wait_id);
    EXPECT_NE(ask_state().wait_id, first);
    for (int thread = 0; thread < 2; ++thread) {
        const auto out = [] {
            wait_barrier(false, kRegion);
            barrier(false, kRegion);
        };
        thread == 0 ? out() : worker.run(out);
    }
    end_team(worker);
}

} // namespace
} // namespace ocb::test
