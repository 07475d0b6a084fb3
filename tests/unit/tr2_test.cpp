// SPDX-License-Identifier: Apache-2.0
// What the generations of before TR6 tell, as the collector sees it: ids in place of words, idle
// workers, waits that are told only where they happen, events that are accepted and never come.
#include "fake_tr2.h"
#include "fresh_process.h"
#include "million.h"
#include "scene.h"

#include "tr2/ids.h"

#include "omp_collector_bridge.h"

#include <atomic>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ocb::test {
namespace {

using namespace tr2;

omp_collector_bridge_capability here(const std::string &name) {
    omp_collector_bridge_capability row{};
    for (std::size_t i = 0; omp_collector_bridge_capability_here(i, &row) == 1; ++i) {
        if (name == row.name) {
            return row;
        }
    }
    ADD_FAILURE() << "no row " << name;
    return row;
}

// An old runtime under a session that has asked for everything, its initial thread the caller.
struct OldScene {
    explicit OldScene(bool has_session = true) {
        EXPECT_TRUE(attach());
        thread_begins(ompt_thread_initial, 1);
        if (has_session) {
            start();
        }
    }
    ~OldScene() {
        request(OMP_REQ_STOP);
        thread_ends(ompt_thread_initial);
        shut_down();
        reset();
        take_seen();
    }
    static void start() {
        EXPECT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
        record_all_events();
        take_seen();
    }
};

struct OldWorker : FakeThread {
    explicit OldWorker(ompt_thread_id_t id) {
        run([id] {
            thread_begins(ompt_thread_worker, id);
            idle(true);
        });
    }
    ~OldWorker() {
        run([] {
            idle(false);
            thread_ends(ompt_thread_worker);
        });
    }
};

constexpr ompt_parallel_id_t kRegion = 0xF000000000000001;
constexpr ompt_task_id_t kMastersTask = 20, kWorkersTask = 21;

void begin_team(OldWorker &worker, ompt_parallel_id_t id = kRegion) {
    tr2::fork(id);
    enter(id, kMastersTask);
    worker.run([id] {
        idle(false);
        enter(id, kWorkersTask);
    });
}

// A whole barrier on one thread, in which it waits.
void pass_barrier(int kind = ompt_state_wait_barrier_implicit, ompt_parallel_id_t id = kRegion) {
    barrier(true, id);
    wait_barrier(true, id, kind);
    wait_barrier(false, id);
    barrier(false, id);
}

void end_team(OldWorker &worker, ompt_parallel_id_t id = kRegion) {
    worker.run([id] {
        pass_barrier(ompt_state_wait_barrier_implicit, id);
        tr2::leave(id, kWorkersTask);
        idle(true);
    });
    pass_barrier(ompt_state_wait_barrier_implicit, id);
    tr2::leave(id, kMastersTask);
    join(id);
}

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

TEST(OldRuntimeIdle, IsTheRuntimesOwnWord) {
    const OldScene scene;
    OldWorker worker(2);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    worker.run([] { take_seen(); });
    begin_team(worker);
    const std::vector<Seen> begin = worker.ask(take_seen);
    ASSERT_EQ(begin.size(), 1U);
    EXPECT_EQ(begin[0].event, OMP_EVENT_THR_END_IDLE);
    EXPECT_EQ(begin[0].region, region()) << "the region that it enters";
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

TEST(OldRuntimeLife, ControlActsOnTheSession) {
    const OldScene scene;
    enum { kStart = 1, kPause = 2, kFlush = 3, kEnd = 4 };
    const auto forks = [] {
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        tr2::leave(kRegion, kMastersTask);
        join(kRegion);
        return take_names();
    };
    EXPECT_EQ(forks(), "FORK JOIN");
    control(kPause);
    EXPECT_EQ(forks(), "");
    control(kStart);
    control(kFlush);
    EXPECT_EQ(forks(), "FORK JOIN");
    control(kEnd);
    EXPECT_EQ(forks(), "");
    EXPECT_EQ(request(OMP_REQ_PAUSE), OMP_ERRCODE_SEQUENCE_ERR);
}

OCB_FRESH_TEST(OldRuntimeLife, EndsAndComesBackByItsInitializerAlone) {
    const Initializer initializer = ask_for_tool();
    for (int life = 0; life < 2; ++life) {
        run_initializer(initializer);
        EXPECT_GT(count_of_callbacks(), 0);
        thread_begins(ompt_thread_initial, 1);
        if (life == 0) {
            OldScene::start();
        }
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        EXPECT_EQ(state(), THR_WORK_STATE);
        tr2::leave(kRegion, kMastersTask);
        join(kRegion);
        EXPECT_EQ(take_names(), "FORK JOIN");
        thread_ends(ompt_thread_initial);
        shut_down();
        EXPECT_EQ(state(), THR_SERIAL_STATE);
        omp_collector_bridge_runtime_info info{};
        omp_collector_bridge_runtime(&info);
        EXPECT_STREQ(info.generation, "");
    }
}

OCB_FRESH_TEST(OldRuntimeLife, AsksAgainInAForkedChild) {
    const OldScene scene;
    const pid_t child = ::fork();
    if (child == 0) {
        const bool is_attached = attach();
        thread_begins(ompt_thread_initial, 1);
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        const bool is_right = is_attached && state() == THR_WORK_STATE && region() != 0;
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    // And in this process it has its place.
    capture_stderr();
    initialize(0, 0, 0);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("a second OpenMP runtime"),
              std::string::npos);
}

OCB_FRESH_TEST_WITH(OldRuntimeLife, FurtherToolIsLeftOut, "OCB_LOG=warn",
                    "OCB_TOOL_LIBRARIES=/somewhere/libtool.so") {
    capture_stderr();
    ASSERT_TRUE(attach());
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "[omp-collector-bridge] warning: a client tool is left out: the runtime's tools "
              "interface is older than OpenMP 5.0: TR2\n");
}

// A thread that the runtime knows and has not told us of: its answers come from the inquiries.
TEST(OldRuntimeFacts, OfAThreadThatWasNotTold) {
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    const std::uint64_t id = region();
    FakeThread other;
    EXPECT_EQ(other.ask(state), THR_SERIAL_STATE);
    other.run([] {
        tr2::caller().id = 3;
        tr2::caller().regions[0] = kRegion;
        tr2::caller().state = ompt_state_wait_barrier_explicit;
    });
    EXPECT_EQ(other.ask(state), THR_EBAR_STATE);
    EXPECT_EQ(other.ask(region), id);
    EXPECT_EQ(other.ask(parent), kNotMaster);
    // libomp shows idle workers the region that they were in.
    other.run([] {
        tr2::caller().regions[0] = 0x4444;
        tr2::caller().state = ompt_state_idle;
    });
    EXPECT_EQ(other.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(other.ask(region), 0U);
    // And the events that it then has make it known: here of a region within its team's.
    other.run([] {
        tr2::caller().regions[0] = kRegion;
        tr2::fork(50);
        enter(50, 51);
    });
    EXPECT_EQ(other.ask(parent), id);
    other.run([] {
        tr2::leave(50, 51);
        join(50);
        tr2::thread_ends(ompt_thread_worker);
    });
    end_team(worker);
}

// As on libomp, which has one state for all barriers.
OCB_FRESH_TEST(OldRuntimeCapabilities, ExplicitBarriersAreNotSeenWithoutTheirState) {
    const OldScene scene;
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_EBAR").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    pass_barrier(ompt_state_wait_barrier);
    for (const char *name : {"OMP_EVENT_THR_BEGIN_EBAR", "THR_EBAR_STATE"}) {
        EXPECT_EQ(here(name).status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
        EXPECT_NE(std::string(here(name).reason).find("without their kind"), std::string::npos);
    }
    EXPECT_EQ(here("THR_IBAR_STATE").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

OCB_FRESH_TEST(OldRuntimeCapabilities, SayWhatTheGenerationTells) {
    settings.refused = {ompt_event_wait_critical, ompt_event_wait_taskwait_begin};
    ASSERT_TRUE(attach());
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_IDLE").status, OMP_COLLECTOR_BRIDGE_EXACT);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_LKWT").status, OMP_COLLECTOR_BRIDGE_EXACT);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_EBAR").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    EXPECT_EQ(here("OMP_EVENT_THR_END_CREATE_TASK_IMM").status,
              OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    const omp_collector_bridge_capability critical = here("OMP_EVENT_THR_BEGIN_CTWT");
    EXPECT_EQ(critical.status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    EXPECT_STREQ(critical.reason,
                 "the runtime answered the registration of wait_critical with: impossible");
    // A refusal is no matter of what does not rest on it.
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_IBAR").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    EXPECT_EQ(here("OMP_EVENT_FORK").status, OMP_COLLECTOR_BRIDGE_EXACT);
}

// ---- the table of ids --------------------------------------------------------------------------

using Table = ompt::IdTable<4>;

TEST(OldRuntimeIds, NodesAreUsedAgain) {
    static Table table;
    std::set<const IdNode *> nodes;
    constexpr std::uint64_t kIds = kMillion, kAlive = 10;
    for (std::uint64_t id = 1; id <= kIds; ++id) {
        IdNode *node = table.insert(id << 20, id);
        ASSERT_NE(node, nullptr);
        EXPECT_EQ(node->word.load(), 0U);
        node->word.store(id);
        nodes.insert(node);
        if (id <= kAlive) {
            continue;
        }
        IdNode *old = table.find((id - kAlive) << 20);
        ASSERT_NE(old, nullptr);
        ASSERT_EQ(old->word.load(), id - kAlive);
        table.erase(*old);
        ASSERT_EQ(table.find((id - kAlive) << 20), nullptr);
    }
    EXPECT_LE(nodes.size(), kAlive * 16) << "at most so many were alive in each of 16 lists";
    EXPECT_EQ(table.insert(0, 0), nullptr);
    EXPECT_EQ(table.find(0), nullptr);
    EXPECT_EQ(table.insert(~0ULL, 0), nullptr);
}

TEST(OldRuntimeIds, ThreadsDoNotDisturbEachOther) {
    static Table table;
    constexpr std::uint64_t kThreads = 4, kRounds = 50000;
    std::atomic<std::uint64_t> wrong{0};
    const auto work = [&](std::uint64_t thread) {
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            const std::uint64_t id = (round << 8 | thread) + 1;
            IdNode *node = table.insert(id, thread);
            node->word.store(id);
            const IdNode *found = table.find(id);
            if (found != node || found->word.load() != id || found->owner.load() != thread) {
                ++wrong;
            }
            table.erase(*node);
            if (table.find(id) != nullptr) {
                ++wrong;
            }
        }
    };
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back(work, thread);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong.load(), 0U);
}

} // namespace
} // namespace ocb::test
