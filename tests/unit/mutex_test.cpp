// SPDX-License-Identifier: Apache-2.0
// Locks, critical, atomic and ordered regions: a wait is what finds the mutex with another thread
// (the runtime announces every acquisition alike). Each test uses wait ids of its own: what is held
// is kept for the process.
#include "fresh_process.h"
#include "omp_collector_bridge.h"
#include "ompt5/entry_points.h"
#include "recorded_team.h"
#include "scene.h"

#include <vector>

namespace ocb::test {
namespace {

using ompt5::ompt_mutex_lock;
using ompt5::ompt_mutex_nest_lock;
using ompt5::ompt_mutex_ordered;

struct Row {
    const char *name;
    ompt5::ompt_mutex_t kind;
    int begin; // END is the next number
    int state;
};
constexpr Row kMutexKinds[] = {
    {"Lock", ompt_mutex_lock, OMP_EVENT_THR_BEGIN_LKWT, THR_LKWT_STATE},
    {"NestLock", ompt_mutex_nest_lock, OMP_EVENT_THR_BEGIN_LKWT, THR_LKWT_STATE},
    {"Critical", ompt5::ompt_mutex_critical, OMP_EVENT_THR_BEGIN_CTWT, THR_CTWT_STATE},
    {"Atomic", ompt5::ompt_mutex_atomic, OMP_EVENT_THR_BEGIN_ATWT, THR_ATWT_STATE},
};

class MutexKinds : public testing::TestWithParam<Row> {
  protected:
    // A mutex that no other test has.
    static std::uint64_t new_mutex() {
        static std::uint64_t last = 0x4D00000;
        return last += 64;
    }
};
std::string name_of_row(const testing::TestParamInfo<Row> &info) {
    return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Each, MutexKinds, testing::ValuesIn(kMutexKinds), name_of_row);

std::string names_of_pair(const Row &row) {
    return std::string(name_of_event(row.begin)) + " " + name_of_event(row.begin + 1);
}

TEST_P(MutexKinds, HeldByAnotherIsAWait) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t id = region(), mutex = new_mutex();
    team.worker.run([&] { take_mutex(row.kind, mutex); });
    mutex_acquire(row.kind, mutex);
    const StateAnswer waiting = ask_state();
    EXPECT_EQ(waiting.state, row.state);
    EXPECT_EQ(waiting.wait_id, mutex);
    EXPECT_EQ(region(), id);
    team.worker.run([&] { mutex_released(row.kind, mutex); });
    mutex_acquired(row.kind, mutex);
    EXPECT_EQ(state(), THR_WORK_STATE);
    mutex_released(row.kind, mutex);
    EXPECT_EQ(take_seen(), (std::vector<Seen>{{row.begin, row.state, id, 0, mutex},
                                              {row.begin + 1, row.state, id, 0, mutex}}));
    EXPECT_EQ(team.worker.ask(take_names), "");
}

TEST_P(MutexKinds, FreeIsNoWait) {
    const Row &row = GetParam();
    const Scene scene;
    const Team team;
    const std::uint64_t mutex = new_mutex();
    for (int round = 0; round < 2; ++round) {
        mutex_acquire(row.kind, mutex);
        EXPECT_EQ(state(), THR_WORK_STATE);
        mutex_acquired(row.kind, mutex);
        EXPECT_EQ(state(), THR_WORK_STATE);
        mutex_released(row.kind, mutex);
    }
    EXPECT_EQ(take_names(), "");
}

// A thread keeps the place of its last mutex: another one has its own.
TEST_P(MutexKinds, AnotherThanTheLastIsLookedUp) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t last = new_mutex(), other = new_mutex();
    take_mutex(row.kind, last);
    mutex_released(row.kind, last);
    team.worker.run([&] { take_mutex(row.kind, other); });
    mutex_acquire(row.kind, other);
    EXPECT_EQ(state(), row.state);
    team.worker.run([&] { mutex_released(row.kind, other); });
    mutex_acquired(row.kind, other);
    mutex_released(row.kind, other);
    EXPECT_EQ(take_names(), names_of_pair(row));
}

// Its memory was freed while it was locked: what is made there is another lock.
TEST_P(MutexKinds, MadeAnewIsFree) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t mutex = new_mutex();
    for (const auto &begin_or_end : {lock_initialised, lock_destroyed}) {
        team.worker.run([&] { take_mutex(row.kind, mutex); });
        EXPECT_EQ(omp_collector_bridge_watch_mutex(mutex), 1);
        begin_or_end(row.kind, mutex);
        EXPECT_EQ(omp_collector_bridge_watch_mutex(mutex), 0);
        mutex_acquire(row.kind, mutex);
        EXPECT_EQ(state(), THR_WORK_STATE);
        mutex_acquired(row.kind, mutex);
        mutex_released(row.kind, mutex);
    }
    EXPECT_EQ(take_names(), "");
}

// Who releases it, where somebody has asked for that: once for each time, in the holder's thread,
// with what others wait in and for.
TEST_P(MutexKinds, ReleaseIsReportedWhereItIsAskedFor) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t id = region(), mutex = new_mutex();
    EXPECT_EQ(omp_collector_bridge_watch_mutex(mutex), 0); // of nobody
    record_events({OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED});
    const auto take_and_release = [&] {
        take_mutex(row.kind, mutex);
        mutex_released(row.kind, mutex);
    };
    team.worker.run(take_and_release);
    EXPECT_EQ(team.worker.ask(take_seen), (std::vector<Seen>{}));
    team.worker.run([&] { take_mutex(row.kind, mutex); });
    EXPECT_EQ(omp_collector_bridge_watch_mutex(mutex), 1);
    team.worker.run([&] { mutex_released(row.kind, mutex); });
    EXPECT_EQ(team.worker.ask(take_seen),
              (std::vector<Seen>{
                  {OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED, row.state, id, kNotMaster, mutex}}));
    team.worker.run(take_and_release);
    EXPECT_EQ(team.worker.ask(take_seen), (std::vector<Seen>{}));
    EXPECT_EQ(omp_collector_bridge_watch_mutex(mutex), 0); // held no more
}

// The next holder is not taken for the one that was asked for.
TEST_P(MutexKinds, NextHoldersReleaseIsNotTheOneAskedFor) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t mutex = new_mutex();
    record_events({OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED});
    take_mutex(row.kind, mutex);
    EXPECT_EQ(omp_collector_bridge_watch_mutex(mutex), 1);
    team.worker.run([&] { take_mutex(row.kind, mutex); });
    team.worker.run([&] {
        take_seen();
        mutex_released(row.kind, mutex);
    });
    EXPECT_EQ(team.worker.ask(take_seen), (std::vector<Seen>{}));
    mutex_released(row.kind, mutex); // late, as runtimes report it
    EXPECT_EQ(take_seen().size(), 1U);
}

TEST_P(MutexKinds, HandedOnAndFreeAgain) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t mutex = new_mutex();
    take_mutex(row.kind, mutex);
    mutex_released(row.kind, mutex);
    team.worker.run([&] {
        take_mutex(row.kind, mutex);
        mutex_released(row.kind, mutex);
    });
    EXPECT_EQ(team.worker.ask(take_names), "");
    take_mutex(row.kind, mutex);
    mutex_released(row.kind, mutex);
    EXPECT_EQ(take_names(), "");
}

// The runtime reports a release after it has released: the next owner may have said so before.
TEST_P(MutexKinds, LateReleaseDoesNotFreeTheNextOwnersMutex) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    UserThread third;
    const std::uint64_t mutex = new_mutex();
    take_mutex(row.kind, mutex);
    team.worker.run([&] { take_mutex(row.kind, mutex); });
    mutex_released(row.kind, mutex);
    // Without a queue: only the holder tells.
    third.run([&] { mutex_acquire(row.kind, mutex, MutexImpl::kSpinning); });
    EXPECT_EQ(third.ask(ask_state).state, row.state);
    team.worker.run([&] { mutex_released(row.kind, mutex); });
    third.run([&] {
        mutex_acquired(row.kind, mutex);
        mutex_released(row.kind, mutex);
    });
    EXPECT_EQ(team.worker.ask(take_names), names_of_pair(row));
    EXPECT_EQ(third.ask(take_names), names_of_pair(row));
    EXPECT_EQ(take_names(), "");
}

// Between a release and the next owner's notice nobody holds: with a queue, who comes later waits.
TEST_P(MutexKinds, BehindSomebodyInAQueue) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t mutex = new_mutex();
    team.worker.run([&] { mutex_acquire(row.kind, mutex); });
    mutex_acquire(row.kind, mutex);
    EXPECT_EQ(ask_state().state, row.state);
    team.worker.run([&] {
        mutex_acquired(row.kind, mutex);
        mutex_released(row.kind, mutex);
    });
    mutex_acquired(row.kind, mutex);
    mutex_released(row.kind, mutex);
    EXPECT_EQ(take_names(), names_of_pair(row));
    EXPECT_EQ(team.worker.ask(take_names), "");
}

// Without one, whoever is quicker gets it: no events, but STATE goes by what has become of it.
TEST_P(MutexKinds, AtTheSameTimeWithoutAQueue) {
    const Row &row = GetParam();
    const Scene scene;
    Team team;
    const std::uint64_t mutex = new_mutex();
    team.worker.run([&] { mutex_acquire(row.kind, mutex, MutexImpl::kSpinning); });
    mutex_acquire(row.kind, mutex, MutexImpl::kSpinning);
    EXPECT_EQ(state(), THR_WORK_STATE);
    team.worker.run([&] { mutex_acquired(row.kind, mutex); });
    const StateAnswer waiting = ask_state();
    EXPECT_EQ(waiting.state, row.state);
    EXPECT_EQ(waiting.wait_id, mutex);
    team.worker.run([&] { mutex_released(row.kind, mutex); });
    mutex_acquired(row.kind, mutex);
    EXPECT_EQ(state(), THR_WORK_STATE);
    mutex_released(row.kind, mutex);
    EXPECT_EQ(take_names(), "");
}

// The runtime itself shows the wait, under a name of its own for the lock.
TEST_P(MutexKinds, WaitThatOnlyTheRuntimeShows) {
    const Row &row = GetParam();
    const Scene scene;
    const Team team;
    const std::uint64_t mutex = new_mutex();
    mutex_acquire(row.kind, mutex);
    caller().state = ompt5::ompt_state_wait_lock;
    caller().wait_id = mutex + 1;
    const StateAnswer waiting = ask_state();
    EXPECT_EQ(waiting.state, row.state);
    EXPECT_EQ(waiting.wait_id, mutex);
    mutex_acquired(row.kind, mutex);
    EXPECT_EQ(state(), THR_WORK_STATE);
    mutex_released(row.kind, mutex);
}

TEST_P(MutexKinds, AllAcquisitionsOnRequest) {
    in_fresh_process({"OCB_WAIT_EVENTS=all"}, [] {
        const Row &row = MutexKinds::GetParam();
        const Scene scene;
        const Team team;
        const std::uint64_t mutex = new_mutex();
        mutex_acquire(row.kind, mutex);
        EXPECT_EQ(take_seen(), (std::vector<Seen>{{row.begin, row.state, region(), 0, mutex}}));
        mutex_acquired(row.kind, mutex);
        EXPECT_EQ(take_seen(), (std::vector<Seen>{{row.begin + 1, row.state, region(), 0, mutex}}));
        mutex_released(row.kind, mutex);
        EXPECT_EQ(take_names(), "");
    });
}

// Futex locks have no queue, though the runtime says so.
OCB_FRESH_TEST_WITH(Mutex, FutexesHaveNoQueue, "KMP_LOCK_KIND=futex") {
    constexpr std::uint64_t kLock = 0xF01;
    const Scene scene;
    Team team;
    team.worker.run([] { mutex_acquire(ompt_mutex_lock, kLock); });
    take_mutex(ompt_mutex_lock, kLock);
    mutex_released(ompt_mutex_lock, kLock);
    team.worker.run([] { mutex_acquired(ompt_mutex_lock, kLock); });
    mutex_acquire(ompt_mutex_lock, kLock);
    EXPECT_EQ(take_names(), "BEGIN_LKWT");
    team.worker.run([] { mutex_released(ompt_mutex_lock, kLock); });
    mutex_acquired(ompt_mutex_lock, kLock);
    mutex_released(ompt_mutex_lock, kLock);
    EXPECT_EQ(take_names(), "END_LKWT");
}

TEST(Mutex, NestLockTakenAgainIsNoWait) {
    constexpr std::uint64_t kLock = 0xE51;
    const Scene scene;
    Team team;
    take_mutex(ompt_mutex_nest_lock, kLock);
    nest_lock_again(kLock);
    EXPECT_EQ(state(), THR_WORK_STATE);
    team.worker.run([] { mutex_acquire(ompt_mutex_nest_lock, kLock); });
    EXPECT_EQ(team.worker.ask(ask_state).state, THR_LKWT_STATE);
    nest_lock_again(kLock); // with another thread in the queue behind us
    EXPECT_EQ(state(), THR_WORK_STATE);
    nest_lock_inner_release(kLock);
    nest_lock_inner_release(kLock);
    EXPECT_EQ(team.worker.ask(ask_state).state, THR_LKWT_STATE);
    mutex_released(ompt_mutex_nest_lock, kLock);
    team.worker.run([] {
        mutex_acquired(ompt_mutex_nest_lock, kLock);
        mutex_released(ompt_mutex_nest_lock, kLock);
    });
    EXPECT_EQ(take_names(), "");
    EXPECT_EQ(team.worker.ask(take_names), "BEGIN_LKWT END_LKWT");
}

// An attempt that fails is announced like an acquisition before libomp 17, and has no end: whatever
// the thread does next ends it.
TEST(Mutex, FailedTestIsClosedByWhatComesNext) {
    constexpr std::uint64_t kLock = 0x7E50;
    const Scene scene(Flavour::kLibomp14);
    Team team;
    team.worker.run([] { take_mutex(ompt_mutex_lock, kLock); });
    test_lock(kLock, false);
    barrier_begins(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "BEGIN_LKWT END_LKWT BEGIN_EBAR END_EBAR");
    test_lock(kLock, false);
    test_lock(kLock, false);
    single_begins();
    EXPECT_EQ(take_names(), "BEGIN_LKWT END_LKWT BEGIN_LKWT END_LKWT BEGIN_SINGLE");
    single_ends();
    team.worker.run([] { mutex_released(ompt_mutex_lock, kLock); });
    take_seen();
}

// Where the runtime's test_lock is found, its code says that it is a test.
TEST(Mutex, TestIsKnownByItsCode) {
    constexpr std::uint64_t kLock = 0x7E51;
    constexpr ompt5::CodeRange kEverything{0, ~std::uintptr_t{0}};
    const Scene scene(Flavour::kLibomp14);
    Team team;
    team.worker.run([] { take_mutex(ompt_mutex_lock, kLock); });
    for (ompt5::CodeRange *code : {&ompt5::test_lock_code, &ompt5::test_nest_lock_code}) {
        const ompt5::CodeRange before = *code;
        *code = kEverything;
        test_lock(kLock, false);
        *code = before;
        EXPECT_EQ(state(), THR_WORK_STATE);
    }
    EXPECT_EQ(take_names(), "");
    team.worker.run([] { mutex_released(ompt_mutex_lock, kLock); });
}

TEST(Mutex, TestThatFailsIsNoWait) {
    constexpr std::uint64_t kLock = 0x7E52;
    const Scene scene(Flavour::kLibomp19);
    Team team;
    team.worker.run([] { take_mutex(ompt_mutex_lock, kLock); });
    test_lock(kLock, false);
    EXPECT_EQ(state(), THR_WORK_STATE);
    EXPECT_EQ(take_names(), "");
    team.worker.run([] { mutex_released(ompt_mutex_lock, kLock); });
}

TEST(Mutex, TestThatSucceedsHolds) {
    constexpr std::uint64_t kLock = 0x7E53;
    const Scene scene(Flavour::kLibomp19);
    Team team;
    team.worker.run([] { test_lock(kLock, true); });
    EXPECT_EQ(team.worker.ask(take_names), "");
    mutex_acquire(ompt_mutex_lock, kLock);
    EXPECT_EQ(take_names(), "BEGIN_LKWT");
    team.worker.run([] { mutex_released(ompt_mutex_lock, kLock); });
    mutex_acquired(ompt_mutex_lock, kLock);
    mutex_released(ompt_mutex_lock, kLock);
    EXPECT_EQ(take_names(), "END_LKWT");
}

// An attempt may succeed unannounced while the thread has another mutex in hand, which it did not
// get.
TEST(Mutex, TakenOneIsNotTheOneInHand) {
    constexpr std::uint64_t kInHand = 0x7E54, kTaken = 0x7E55;
    const Scene scene(Flavour::kLibomp14);
    Team team;
    take_mutex(ompt_mutex_lock, kInHand);
    mutex_released(ompt_mutex_lock, kInHand);
    test_lock(kInHand, false);
    mutex_acquired(ompt_mutex_lock, kTaken);
    team.worker.run([] {
        mutex_acquire(ompt_mutex_lock, kTaken);
        EXPECT_EQ(state(), THR_LKWT_STATE);
    });
    mutex_released(ompt_mutex_lock, kTaken);
    team.worker.run([] {
        mutex_acquired(ompt_mutex_lock, kTaken);
        mutex_released(ompt_mutex_lock, kTaken);
    });
}

// The turn of an ordered region: in a team the runtime does not say whether it has come already.
TEST(Mutex, OrderedInATeam) {
    constexpr std::uint64_t kOrdered = 0x08D;
    const Scene scene;
    const Team team;
    const std::uint64_t id = region();
    mutex_acquire(ompt_mutex_ordered, kOrdered);
    const StateAnswer waiting = ask_state();
    EXPECT_EQ(waiting.state, THR_ODWT_STATE);
    EXPECT_EQ(waiting.wait_id, kOrdered);
    mutex_acquired(ompt_mutex_ordered, kOrdered);
    EXPECT_EQ(state(), THR_WORK_STATE);
    mutex_released(ompt_mutex_ordered, kOrdered);
    EXPECT_EQ(take_seen(),
              (std::vector<Seen>{{OMP_EVENT_THR_BEGIN_ODWT, THR_ODWT_STATE, id, 0, kOrdered},
                                 {OMP_EVENT_THR_END_ODWT, THR_ODWT_STATE, id, 0, kOrdered},
                                 {OMP_EVENT_THR_BEGIN_ORDERED, THR_WORK_STATE, id, 0},
                                 {OMP_EVENT_THR_END_ORDERED, THR_WORK_STATE, id, 0}}));
}

TEST(Mutex, OrderedAlone) {
    constexpr std::uint64_t kOrdered = 0x08E;
    const Scene scene;
    record_all_events();
    FakeRegion alone(1);
    alone.begin_on_master();
    take_seen();
    mutex_acquire(ompt_mutex_ordered, kOrdered);
    EXPECT_EQ(state(), THR_WORK_STATE);
    mutex_acquired(ompt_mutex_ordered, kOrdered);
    mutex_released(ompt_mutex_ordered, kOrdered);
    EXPECT_EQ(take_names(), "BEGIN_ORDERED END_ORDERED");
    alone.end_on_master();
    take_seen();
}

} // namespace
} // namespace ocb::test
