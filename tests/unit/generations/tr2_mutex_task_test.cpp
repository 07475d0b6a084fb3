// SPDX-License-Identifier: Apache-2.0
//
// Mutexes and tasks of the generations of before TR6: events that are accepted and never come.
#include "old_scene.h"

#include <string>

namespace ocb::test {
namespace {

struct MutexCase {
    int wait, acquired, release;
    int state;
    const char *waits;
};
const MutexCase kMutexCases[] = {
    {ompt_event_wait_lock, ompt_event_acquired_lock, ompt_event_release_lock, THR_LKWT_STATE,
     "BEGIN_LKWT END_LKWT"},
    {ompt_event_wait_nest_lock, ompt_event_acquired_nest_lock_first,
     ompt_event_release_nest_lock_last, THR_LKWT_STATE, "BEGIN_LKWT END_LKWT"},
    {ompt_event_wait_critical, ompt_event_acquired_critical, ompt_event_release_critical,
     THR_CTWT_STATE, "BEGIN_CTWT END_CTWT"},
    {ompt_event_wait_atomic, ompt_event_acquired_atomic, ompt_event_release_atomic, THR_ATWT_STATE,
     "BEGIN_ATWT END_ATWT"},
    {ompt_event_wait_ordered, ompt_event_acquired_ordered, ompt_event_release_ordered,
     THR_ODWT_STATE, "BEGIN_ODWT END_ODWT"},
};

TEST(OldRuntimeMutex, WaitsWhereTheRuntimeSaysSo) {
    const OldScene scene;
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    take_seen();
    for (const MutexCase &one : kMutexCases) {
        const bool is_ordered = one.state == THR_ODWT_STATE;
        const std::string inside = is_ordered ? " BEGIN_ORDERED END_ORDERED" : "";
        constexpr ompt_wait_id_t kId = 0x1234;
        // Not waited for, nothing said; whatever another thread may hold.
        mutex(one.acquired, kId);
        EXPECT_EQ(state(), THR_WORK_STATE);
        mutex(one.release, kId);
        EXPECT_EQ(take_names(), is_ordered ? "BEGIN_ORDERED END_ORDERED" : "");
        const bool is_atomic = one.state == THR_ATWT_STATE;
        tr2::caller().state = is_atomic ? ompt_state_wait_atomic : ompt_state_work_parallel;
        mutex(one.wait, kId);
        EXPECT_EQ(state(), one.state);
        EXPECT_EQ(ask_state().wait_id, kId);
        tr2::caller().state = ompt_state_work_parallel;
        mutex(one.acquired, kId);
        EXPECT_EQ(state(), THR_WORK_STATE);
        mutex(one.release, kId);
        EXPECT_EQ(take_names(), one.waits + inside);
        // An acquisition that is not told.
        mutex(one.wait, kId);
        mutex(one.release, kId);
        EXPECT_EQ(state(), THR_WORK_STATE);
        take_seen();
    }
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

// libomp 3.7 to 5.0 report a wait before each acquisition for an atomic, and show no state for it.
TEST(OldRuntimeMutex, AtomicIsAWaitWhereAnotherThreadHoldsIt) {
    constexpr ompt_wait_id_t kId = 0x4321;
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    take_seen();
    mutex(ompt_event_wait_atomic, kId);
    EXPECT_EQ(state(), THR_WORK_STATE);
    mutex(ompt_event_acquired_atomic, kId);
    EXPECT_EQ(take_names(), "");
    worker.run([] {
        take_seen();
        mutex(ompt_event_wait_atomic, kId);
    });
    EXPECT_EQ(worker.ask(state), THR_ATWT_STATE);
    EXPECT_EQ(worker.ask(ask_state).wait_id, kId);
    mutex(ompt_event_release_atomic, kId);
    worker.run([] { mutex(ompt_event_acquired_atomic, kId); });
    EXPECT_EQ(worker.ask(state), THR_WORK_STATE);
    worker.run([] { mutex(ompt_event_release_atomic, kId); });
    EXPECT_EQ(worker.ask(take_names), "BEGIN_ATWT END_ATWT");
    EXPECT_EQ(take_names(), "");
    end_team(worker);
}

// They report a wait for the turn of an ordered region too where the team is one thread.
TEST(OldRuntimeMutex, OrderedAloneInATeamIsNoWait) {
    const OldScene scene;
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    take_seen();
    for (const int team_size : {1, 2}) {
        tr2::caller().team_size = team_size;
        mutex(ompt_event_wait_ordered, 7);
        mutex(ompt_event_acquired_ordered, 7);
        mutex(ompt_event_release_ordered, 7);
        EXPECT_EQ(take_names(), std::string(team_size == 1 ? "" : "BEGIN_ODWT END_ODWT ") +
                                    "BEGIN_ORDERED END_ORDERED");
    }
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

// libomp 3.8 to 5.0 answer "always" and never send these events.
OCB_FRESH_TEST(OldRuntimeMutex, SilentOnesShowInTheState) {
    const OldScene scene;
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_LKWT").status, OMP_COLLECTOR_BRIDGE_EXACT);
    tr2::caller().state = ompt_state_wait_lock;
    tr2::caller().wait_id = 0x77;
    EXPECT_EQ(state(), THR_LKWT_STATE);
    EXPECT_EQ(ask_state().wait_id, 0x77U);
    tr2::caller().state = ompt_state_wait_ordered;
    EXPECT_EQ(state(), THR_ODWT_STATE);
    tr2::caller().state = ompt_state_work_reduction;
    EXPECT_EQ(state(), THR_REDUC_STATE);
    tr2::caller().state = ompt_state_work_parallel;
    EXPECT_EQ(state(), THR_WORK_STATE);
    const omp_collector_bridge_capability row = here("OMP_EVENT_THR_BEGIN_LKWT");
    EXPECT_EQ(row.status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    EXPECT_NE(std::string(row.reason).find("does not call them"), std::string::npos) << row.reason;
    EXPECT_EQ(here("THR_LKWT_STATE").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    // Until the first of them comes.
    mutex(ompt_event_release_lock, 0x77);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_LKWT").status, OMP_COLLECTOR_BRIDGE_EXACT);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

// libomp 3.7 tells no acquisition: a wait would never end.
OCB_FRESH_TEST(OldRuntimeMutex, WaitWithoutAnEndIsNotBegun) {
    settings.refused = {ompt_event_acquired_lock};
    const OldScene scene;
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    take_seen();
    tr2::caller().state = ompt_state_wait_lock;
    mutex(ompt_event_wait_lock, 0x55);
    EXPECT_EQ(state(), THR_LKWT_STATE);
    tr2::caller().state = ompt_state_work_parallel;
    EXPECT_EQ(state(), THR_WORK_STATE) << "it has the lock";
    mutex(ompt_event_release_lock, 0x55);
    EXPECT_EQ(take_names(), "");
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_LKWT").status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

class OldRuntimeTask : public testing::TestWithParam<bool> {
  protected:
    // The task that the thread executes ends, and the thread goes back to another. By the report
    // the end comes first, in libomp the switch.
    static void end(ompt_task_id_t task, ompt_task_id_t next) {
        if (GetParam()) {
            task_switches(task, next);
        }
        task_ends(task);
        if (!GetParam()) {
            task_switches(0, next);
        }
    }
};
INSTANTIATE_TEST_SUITE_P(EndFollowsSwitch, OldRuntimeTask, testing::Bool());

TEST_P(OldRuntimeTask, RunsInABarrier) {
    in_fresh_process({"OCB_LOG=warn"}, [] {
        const OldScene scene;
        for (int event = kLastEvent + 1; event <= kLastTaskEvent; ++event) {
            register_callback(event, record);
        }
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        take_seen();
        // Twice: after the first a runtime's order is known.
        for (ompt_task_id_t task = 100; task < 102; ++task) {
            task_begins(task);
            EXPECT_EQ(take_names(), "BEGIN_CREATE_TASK END_CREATE_TASK_DEL");
            barrier(true, kRegion);
            wait_barrier(true, kRegion);
            wait_barrier(false, kRegion);
            task_switches(kMastersTask, task);
            EXPECT_EQ(state(), THR_WORK_STATE);
            EXPECT_NE(test::task(), -1);
            end(task, kMastersTask);
            EXPECT_EQ(test::task(), -1);
            wait_barrier(true, kRegion);
            EXPECT_EQ(state(), THR_IBAR_STATE);
            wait_barrier(false, kRegion);
            barrier(false, kRegion);
            const std::string seen = take_names();
            const std::string exact = "BEGIN_IBAR END_IBAR BEGIN_EXEC_TASK BEGIN_FINISH_TASK "
                                      "END_FINISH_TASK BEGIN_IBAR END_IBAR";
            if (!GetParam() || task != 100) {
                EXPECT_EQ(seen, exact);
            }
        }
        tr2::leave(kRegion, kMastersTask);
        join(kRegion);
    });
}

TEST_P(OldRuntimeTask, SuspendsAnother) {
    in_fresh_process({"OCB_LOG=warn"}, [] {
        const OldScene scene;
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        // Makes the runtime's order known.
        task_begins(99);
        task_switches(kMastersTask, 99);
        end(99, kMastersTask);
        for (int event = kLastEvent + 1; event <= kLastTaskEvent; ++event) {
            register_callback(event, record);
        }
        take_seen();
        task_begins(100);
        task_switches(kMastersTask, 100);
        const int outer = task();
        task_begins(101);
        task_switches(100, 101);
        EXPECT_NE(task(), outer);
        EXPECT_EQ(parent_task(), outer);
        end(101, 100);
        EXPECT_EQ(task(), outer);
        end(100, kMastersTask);
        EXPECT_EQ(task(), -1);
        EXPECT_EQ(take_names(),
                  "BEGIN_CREATE_TASK END_CREATE_TASK_DEL BEGIN_EXEC_TASK "
                  "BEGIN_CREATE_TASK END_CREATE_TASK_DEL BEGIN_SUSPEND_TASK BEGIN_EXEC_TASK "
                  "BEGIN_FINISH_TASK END_FINISH_TASK END_SUSPEND_TASK "
                  "BEGIN_FINISH_TASK END_FINISH_TASK");
        tr2::leave(kRegion, kMastersTask);
        join(kRegion);
    });
}

// libomp 3.7 reports no switches: a task begins where it is entered and ends where it is left.
OCB_FRESH_TEST(OldRuntimeTasks, BeginAndEndWhereThereAreNoSwitches) {
    settings.refused = {ompt_event_task_switch};
    const OldScene scene;
    for (int event = kLastEvent + 1; event <= kLastTaskEvent; ++event) {
        register_callback(event, record);
    }
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    take_seen();
    barrier(true, kRegion);
    wait_barrier(true, kRegion);
    task_begins(100);
    EXPECT_EQ(state(), THR_WORK_STATE);
    const int outer = task();
    task_begins(101);
    EXPECT_NE(task(), outer);
    EXPECT_EQ(parent_task(), outer);
    task_ends(101);
    EXPECT_EQ(task(), outer);
    EXPECT_EQ(state(), THR_WORK_STATE);
    task_ends(100);
    EXPECT_EQ(state(), THR_IBAR_STATE);
    wait_barrier(false, kRegion);
    barrier(false, kRegion);
    EXPECT_EQ(take_names(),
              "BEGIN_IBAR BEGIN_CREATE_TASK END_CREATE_TASK_DEL END_IBAR BEGIN_EXEC_TASK "
              "BEGIN_CREATE_TASK END_CREATE_TASK_DEL BEGIN_SUSPEND_TASK BEGIN_EXEC_TASK "
              "BEGIN_FINISH_TASK END_FINISH_TASK END_SUSPEND_TASK "
              "BEGIN_FINISH_TASK END_FINISH_TASK BEGIN_IBAR END_IBAR");
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

} // namespace
} // namespace ocb::test
