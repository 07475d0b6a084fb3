// SPDX-License-Identifier: Apache-2.0
// Threads that were there before START: until their next event the runtime's own entry points
// answer for them, state by state. What has once been observed stays observed, so each test needs a
// process of its own.
#include "fresh_process.h"
#include "sanitized.h"
#include "scene.h"

#include "records/region.h"
#include "tracker/tracker.h"

#include <memory>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ocb::test {
namespace {

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

OCB_FRESH_TEST(LateRegistration, StateOfUnknownThreadInSerialCode) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    start_session();
    thread.run([] {
        for (const StateRow &row : kStates) {
            SCOPED_TRACE(testing::Message() << "ompt state " << row.ompt);
            forget_unknown_thread(); // as if another thread asked
            expect_answer(row.ompt, row.in_serial);
            EXPECT_EQ(region(), 0U);
        }
    });
}

// What has been heard of a thread holds until it reports something.
OCB_FRESH_TEST(LateRegistration, RuntimeIsAskedOnceOfAWaitOrOfWork) {
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
    start_session();
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

// Whoever is answered before the runtime reports all would be shown in a region whose end nobody
// reports: here one that ends while START is at it in another thread.
OCB_FRESH_TEST(LateRegistration, NobodyIsAnsweredBeforeTheRuntimeReports) {
    Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread master;
    Worker worker;
    FakeRegion running(2);
    master.run([&] { running.begin_on_master(); });
    worker.run([&] {
        running.enter(1);
        running.arrive();
    });
    int callbacks = 0;
    scene.runtime.at_set_callback([&] {
        if (++callbacks != 1) {
            return;
        }
        EXPECT_EQ(master.ask(ask_state).error, OMP_ERRCODE_SEQUENCE_ERR);
        EXPECT_EQ(worker.ask(ask_state).error, OMP_ERRCODE_SEQUENCE_ERR);
        master.run([&] { running.end_on_master(); });
    });
    start_session();
    ASSERT_GT(callbacks, 1);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
    EXPECT_EQ(master.ask(state), THR_SERIAL_STATE);
}

// It may change without a report.
OCB_FRESH_TEST(LateRegistration, RuntimeIsAskedAgainOfItsOwnTime) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread thread;
    FakeRegion running(1);
    thread.run([&] { running.begin_on_master(); });
    start_session();
    thread.run([&] {
        caller().state = ompt5::ompt_state_overhead;
        EXPECT_EQ(state(), THR_OVHD_STATE);
        caller().state = ompt5::ompt_state_work_parallel;
        EXPECT_EQ(state(), THR_WORK_STATE);
        running.end_on_master();
    });
}

// The caller of START is in the program.
OCB_FRESH_TEST(LateRegistration, RuntimeIsNotAskedOfTheThreadThatStarts) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeRegion running(1);
    running.begin_on_master();
    start_session();
    ask_state();
    caller().state = ompt5::ompt_state_overhead; // nobody looks
    EXPECT_EQ(state(), THR_WORK_STATE);
    caller().state = ompt5::ompt_state_work_parallel;
    running.end_on_master();
    EXPECT_EQ(state(), THR_SERIAL_STATE);
}

OCB_FRESH_TEST(LateRegistration, StateOfUnknownThreadsInARunningRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    UserThread master;
    Worker worker;
    FakeRegion running(2);
    master.run([&] { running.begin_on_master(); });
    worker.run([&] { running.enter(1); });
    start_session();
    const auto id = master.ask(region);
    ASSERT_NE(id, 0U);
    worker.run([&] {
        for (const StateRow &row : kStates) {
            SCOPED_TRACE(testing::Message() << "ompt state " << row.ompt);
            forget_unknown_thread(); // as if another thread asked
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
    UserThread another;
    another.run([&] {
        other.begin_on_master();
        barrier_begins(Barrier::kExplicit);
    });
    if (!is_known) {
        start_session();
    }
    const StateAnswer here = ask_state();
    EXPECT_EQ(here.state, THR_EBAR_STATE);
    EXPECT_NE(here.wait_id, 0U);
    EXPECT_EQ(worker.ask(ask_state).wait_id, here.wait_id);
    EXPECT_NE(another.ask(ask_state).wait_id, here.wait_id);
    another.run([&] {
        barrier_ends(Barrier::kExplicit);
        other.end_on_master();
    });
    worker.run([] { barrier_ends(Barrier::kExplicit); });
    barrier_ends(Barrier::kExplicit);
    end_team(region, worker);
}

OCB_FRESH_TEST_WITH(LateRegistration, WaitIdOfABarrierFromBeforeTheFirstState,
                    "OCB_OBSERVE=registered") {
    expect_one_wait_id(true);
}

OCB_FRESH_TEST(LateRegistration, WaitIdOfABarrierFromBeforeStart) {
    expect_one_wait_id(false);
}

OCB_FRESH_TEST(LateRegistration, StateOfWorkerWhoseRegionEndedBeforeStart) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    FakeRegion ended(2);
    begin_team(ended, worker);
    end_team(ended, worker);
    start_session();
    worker.run([] {
        for (const StateRow &row : kStates) {
            if (row.left_behind != THR_IDLE_STATE) {
                continue; // where it is working it is in a region
            }
            SCOPED_TRACE(testing::Message() << "ompt state " << row.ompt);
            forget_unknown_thread(); // as if another thread asked
            expect_answer(row.ompt, THR_IDLE_STATE);
            EXPECT_EQ(region(), 0U);
            EXPECT_EQ(parent(), kNotMaster);
        }
    });
}

// Once it is known to be idle the runtime is not asked again, until it reports a region.
OCB_FRESH_TEST(LateRegistration, IdleWorkerGoesOnWithItsNextRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    FakeRegion ended(2), next(2);
    begin_team(ended, worker);
    end_team(ended, worker);
    start_session();
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

OCB_FRESH_TEST(LateRegistration, StateOfWorkerThatHasHadNoRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    start_session();
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
}

OCB_FRESH_TEST(LateRegistration, ForeignThreadIsSerial) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    start_session();
    FakeThread thread;
    EXPECT_EQ(thread.ask(state), THR_SERIAL_STATE);
    EXPECT_EQ(thread.ask(region), 0U);
    EXPECT_EQ(thread.ask(parent), kNotMaster);
}

// ---- what has been heard of a thread without a record is true no longer -----------------------

OCB_FRESH_TEST(LateRegistration, ForeignThreadThatForksIsTheChildsInitialOne) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    start_session();
    FakeThread thread;
    thread.run([] {
        ASSERT_EQ(parent(), kNotMaster);
        const pid_t child = fork();
        if (child == 0) {
            _exit(parent() == 0 ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0) << "in serial code the initial thread is a master";
        EXPECT_EQ(parent(), kNotMaster);
    });
}

OCB_FRESH_TEST(LateRegistration, ThreadThatHasEndedIsInNoRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeThread thread;
    FakeRegion running(1);
    thread.run([&] {
        user_thread_begins();
        running.begin_on_master();
    });
    start_session();
    thread.run([&] {
        ASSERT_EQ(state(), THR_WORK_STATE);
        ASSERT_NE(region(), 0U);
        running.end_on_master();
        user_thread_ends();
        EXPECT_EQ(state(), THR_SERIAL_STATE);
        EXPECT_EQ(region(), 0U);
    });
}

// The record that a report asks for cannot be had: the runtime is asked again.
OCB_FRESH_TEST(LateRegistration, ThreadWithoutMemoryForItsRecordGoesOn) {
    if (is_sanitized()) {
        return; // it needs memory of its own
    }
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    constexpr int kMoreThanSpare = 64;
    std::vector<std::unique_ptr<FakeThread>> others;
    for (int i = 0; i < kMoreThanSpare; ++i) {
        others.push_back(std::make_unique<FakeThread>());
        others.back()->run([] {}); // it is there
    }
    UserThread thread;
    FakeRegion running(1);
    start_session();
    ASSERT_EQ(thread.ask(state), THR_SERIAL_STATE);
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &none), 0);
    bool is_used_up = false;
    int begun = 0;
    for (; !is_used_up && begun < kMoreThanSpare; ++begun) {
        others[static_cast<std::size_t>(begun)]->run([&] {
            user_thread_begins();
            is_used_up = own_record == nullptr;
        });
    }
    int in_region = 0;
    thread.run([&] {
        running.begin_on_master();
        in_region = own_record == nullptr ? state() : -1;
        running.end_on_master();
    });
    setrlimit(RLIMIT_AS, &before);
    EXPECT_TRUE(is_used_up);
    EXPECT_EQ(in_region, THR_WORK_STATE);
    while (begun-- > 0) {
        others[static_cast<std::size_t>(begun)]->run(user_thread_ends);
    }
}

} // namespace
} // namespace ocb::test
