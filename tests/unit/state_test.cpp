// SPDX-License-Identifier: Apache-2.0
// STATE on known threads: each of the eleven states where its construct puts it, the wait ids that
// go with them, and what lies around them (serial code, the moments inside the runtime).
#include "scene.h"

namespace ocb::test {
namespace {

class State : public PerFlavour {};
OCB_FOR_EACH_FLAVOUR(State);

void expect_state(int expected) {
    EXPECT_STREQ(name_of_state(state()), name_of_state(expected));
}

TEST_P(State, Serial) {
    const Scene scene(GetParam());
    expect_state(THR_SERIAL_STATE);
    UserThread other;
    EXPECT_EQ(other.ask(state), THR_SERIAL_STATE);
}

TEST_P(State, OverheadBetweenForkAndBodyAndBetweenBodyAndJoin) {
    const Scene scene(GetParam());
    FakeRegion region(2);
    region.fork();
    expect_state(THR_OVHD_STATE);
    region.enter(0);
    expect_state(THR_WORK_STATE);
    region.arrive();
    region.leave();
    expect_state(THR_OVHD_STATE);
    region.join();
    expect_state(THR_SERIAL_STATE);
}

TEST_P(State, OverheadAroundASerializedRegion) {
    const Scene scene(GetParam());
    FakeRegion region(1, kFlagsIfFalse);
    region.fork();
    expect_state(THR_OVHD_STATE);
    region.enter(0);
    expect_state(THR_WORK_STATE);
    region.leave();
    expect_state(THR_OVHD_STATE);
    region.join();
    expect_state(THR_SERIAL_STATE);
}

TEST_P(State, WorkOnMasterAndWorker) {
    const Scene scene(GetParam());
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    expect_state(THR_WORK_STATE);
    EXPECT_EQ(worker.ask(state), THR_WORK_STATE);
    end_team(region, worker);
}

TEST_P(State, WorkAgainAfterANestedRegion) {
    const Scene scene(GetParam());
    FakeRegion outer(1), inner(1);
    outer.begin_on_master();
    inner.begin_on_master();
    inner.end_on_master();
    // The runtime's own state is that of serial code here.
    expect_state(THR_WORK_STATE);
    outer.end_on_master();
    expect_state(THR_SERIAL_STATE);
}

struct BarrierRow {
    Barrier barrier;
    int state;
};
constexpr BarrierRow kBarriers[] = {
    {Barrier::kExplicit, THR_EBAR_STATE},
    {Barrier::kWorkshare, THR_IBAR_STATE},
    {Barrier::kImplementation, THR_IBAR_STATE},
    {Barrier::kTeams, THR_IBAR_STATE},
};

TEST_P(State, Barriers) {
    const Scene scene(GetParam());
    state(); // from here on barriers are observed
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    const auto expect_barrier = [](const BarrierRow &row) {
        barrier_begins(row.barrier);
        const StateAnswer answer = ask_state();
        EXPECT_STREQ(name_of_state(answer.state), name_of_state(row.state));
        EXPECT_NE(answer.wait_id, 0U);
        barrier_ends(row.barrier);
        expect_state(THR_WORK_STATE);
    };
    for (const BarrierRow &row : kBarriers) {
        SCOPED_TRACE(static_cast<int>(row.barrier));
        expect_barrier(row);
        worker.run([&] { expect_barrier(row); });
    }
    end_team(region, worker);
}

// After orphaned constructs in serial code the runtime's own state stays "parallel".
TEST_P(State, OrphanedBarriersInSerialCode) {
    const Scene scene(GetParam());
    state();
    for (const BarrierRow &row : kBarriers) {
        barrier_begins(row.barrier);
        expect_state(row.state);
        EXPECT_EQ(region(), 0U);
        barrier_ends(row.barrier);
        expect_state(THR_SERIAL_STATE);
    }
}

TEST_P(State, BarrierAtARegionsEnd) {
    const Scene scene(GetParam());
    state();
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    worker.run([&] { region.arrive(); });
    const StateAnswer at_worker = worker.ask(ask_state);
    EXPECT_EQ(at_worker.state, THR_IBAR_STATE);
    region.arrive();
    const StateAnswer at_master = ask_state();
    EXPECT_EQ(at_master.state, THR_IBAR_STATE);
    EXPECT_NE(at_master.wait_id, 0U);
    EXPECT_EQ(at_master.wait_id, at_worker.wait_id);
    region.leave();
    region.join();
    expect_state(THR_SERIAL_STATE);
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
}

TEST_P(State, IdleFromAWorkersBeginningOn) {
    const Scene scene(GetParam());
    Worker worker;
    EXPECT_EQ(worker.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(worker.ask(region), 0U);
}

TEST_P(State, Reduction) {
    const Scene scene(GetParam());
    state();
    FakeRegion region(2);
    region.begin_on_master();
    reduction_begins();
    expect_state(THR_REDUC_STATE);
    EXPECT_NE(ocb::test::region(), 0U);
    reduction_ends();
    expect_state(THR_WORK_STATE);
    region.end_on_master();
}

struct MutexRow {
    ompt5::ompt_mutex_t kind;
    int state;
};
constexpr MutexRow kMutexes[] = {
    {ompt5::ompt_mutex_lock, THR_LKWT_STATE},     {ompt5::ompt_mutex_nest_lock, THR_LKWT_STATE},
    {ompt5::ompt_mutex_critical, THR_CTWT_STATE}, {ompt5::ompt_mutex_atomic, THR_ATWT_STATE},
    {ompt5::ompt_mutex_ordered, THR_ODWT_STATE},
};

TEST_P(State, MutexHeldByAnotherThread) {
    const Scene scene(GetParam());
    state();
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    std::uint64_t wait_id = 0x57A7E;
    for (const MutexRow &row : kMutexes) {
        SCOPED_TRACE(static_cast<int>(row.kind));
        ++wait_id;
        worker.run([&] { take_mutex(row.kind, wait_id); });
        mutex_acquire(row.kind, wait_id);
        const StateAnswer answer = ask_state();
        EXPECT_STREQ(name_of_state(answer.state), name_of_state(row.state));
        EXPECT_EQ(answer.wait_id, wait_id);
        worker.run([&] { mutex_released(row.kind, wait_id); });
        mutex_acquired(row.kind, wait_id);
        expect_state(THR_WORK_STATE);
        mutex_released(row.kind, wait_id);
        expect_state(THR_WORK_STATE);
    }
    end_team(region, worker);
}

TEST_P(State, MutexInSerialCode) {
    constexpr std::uint64_t kLock = 0x5E81A1;
    const Scene scene(GetParam());
    state();
    UserThread holder;
    holder.run([] { take_mutex(ompt5::ompt_mutex_lock, kLock); });
    mutex_acquire(ompt5::ompt_mutex_lock, kLock);
    expect_state(THR_LKWT_STATE);
    EXPECT_EQ(region(), 0U);
    holder.run([] { mutex_released(ompt5::ompt_mutex_lock, kLock); });
    mutex_acquired(ompt5::ompt_mutex_lock, kLock);
    expect_state(THR_SERIAL_STATE);
    mutex_released(ompt5::ompt_mutex_lock, kLock);
}

// A single's or master's body, an ordered region: work like any other.
TEST_P(State, WorkInsideBodies) {
    constexpr std::uint64_t kOrdered = 0x08DE8ED;
    const Scene scene(GetParam());
    record_all_events();
    FakeRegion region(2);
    region.begin_on_master();
    single_begins();
    expect_state(THR_WORK_STATE);
    single_ends();
    masked_begins();
    expect_state(THR_WORK_STATE);
    masked_ends();
    take_mutex(ompt5::ompt_mutex_ordered, kOrdered);
    expect_state(THR_WORK_STATE);
    mutex_released(ompt5::ompt_mutex_ordered, kOrdered);
    expect_state(THR_WORK_STATE);
    region.end_on_master();
    take_seen();
}

// A league's initial tasks lie around regions of one thread each.
TEST_P(State, LeagueAndTheRegionsInIt) {
    const Scene scene(GetParam());
    FakeRegion league(2, kFlagsLeague), inside(1);
    league.begin_on_master();
    expect_state(THR_SERIAL_STATE);
    EXPECT_EQ(region(), 0U);
    inside.begin_on_master();
    expect_state(THR_WORK_STATE);
    EXPECT_NE(region(), 0U);
    inside.end_on_master();
    league.end_on_master();
    expect_state(THR_SERIAL_STATE);
}

TEST_P(State, AfterTheThreadsEndItIsUnknown) {
    const Scene scene(GetParam());
    FakeThread thread;
    thread.run([] { user_thread_begins(); });
    FakeRegion region(1);
    thread.run([&] { region.begin_on_master(); });
    thread.run([] { user_thread_ends(); });
    EXPECT_EQ(thread.ask(state), THR_SERIAL_STATE);
    EXPECT_EQ(thread.ask(ocb::test::region), 0U);
}

} // namespace
} // namespace ocb::test
