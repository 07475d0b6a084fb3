// SPDX-License-Identifier: Apache-2.0
// Explicit tasks: a task that a waiting thread executes is work, and afterwards the thread is in
// the wait that it left, with its wait id; waiting in taskwait and taskgroup is the runtime's
// overhead.
#include "scene.h"

#include <vector>

namespace ocb::test {
namespace {

constexpr std::uint64_t kLockOfTasks = 0x7A5C;

// A region of two on the calling thread, with all events recorded.
struct InTeamOfTwo {
    InTeamOfTwo() {
        record_all_events();
        region.begin_on_master();
        take_seen();
    }
    ~InTeamOfTwo() {
        region.end_on_master();
        take_seen();
    }
    InTeamOfTwo(const InTeamOfTwo &) = delete;
    InTeamOfTwo &operator=(const InTeamOfTwo &) = delete;

    FakeRegion region{2};
};

void expect_task_state(int expected) {
    EXPECT_STREQ(name_of_state(state()), name_of_state(expected));
}

struct BarrierOfTasks {
    Barrier barrier;
    int begin; // END is the next number
    int state;
};
class TaskInBarrier : public testing::TestWithParam<BarrierOfTasks> {};
INSTANTIATE_TEST_SUITE_P(
    Each, TaskInBarrier,
    testing::Values(BarrierOfTasks{Barrier::kExplicit, OMP_EVENT_THR_BEGIN_EBAR, THR_EBAR_STATE},
                    BarrierOfTasks{Barrier::kWorkshare, OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE},
                    BarrierOfTasks{Barrier::kImplementation, OMP_EVENT_THR_BEGIN_IBAR,
                                   THR_IBAR_STATE}));

TEST_P(TaskInBarrier, IsWorkBetweenTwoWaits) {
    const BarrierOfTasks &row = GetParam();
    const Scene scene;
    const InTeamOfTwo in_region;
    const std::uint64_t id = region();
    FakeTask tasks[2];
    for (FakeTask &task : tasks) {
        task_created(task);
    }
    barrier_begins(row.barrier);
    const std::uint64_t wait_id = ask_state().wait_id;
    for (FakeTask &task : tasks) {
        task_starts(task);
        expect_task_state(THR_WORK_STATE);
        EXPECT_EQ(region(), id);
        // Overwrites what the thread waited for.
        take_mutex(ompt5::ompt_mutex_lock, kLockOfTasks);
        mutex_released(ompt5::ompt_mutex_lock, kLockOfTasks);
        task_completes(task);
        const StateAnswer again = ask_state();
        EXPECT_EQ(again.state, row.state);
        EXPECT_EQ(again.wait_id, wait_id);
    }
    barrier_ends(row.barrier);
    expect_task_state(THR_WORK_STATE);
    const Seen begin{row.begin, row.state, id, 0, wait_id};
    const Seen end{row.begin + 1, row.state, id, 0, wait_id};
    EXPECT_EQ(take_seen(), (std::vector<Seen>{begin, end, begin, end, begin, end}));
}

// A cancelled region's tasks: libomp reports them as complete, those of a taskgroup as cancelled.
TEST_P(TaskInBarrier, LeavesItsThreadThereWhenThrownAwayUnrun) {
    const BarrierOfTasks &row = GetParam();
    const Scene scene;
    const InTeamOfTwo in_region;
    const std::uint64_t id = region();
    FakeTask ran, tasks[2];
    task_created(ran);
    for (FakeTask &task : tasks) {
        task_created(task);
    }
    barrier_begins(row.barrier);
    const std::uint64_t wait_id = ask_state().wait_id;
    task_starts(ran);
    task_completes(ran);
    take_seen();
    task_completes(tasks[0], ompt5::ompt_task_complete);
    task_completes(tasks[1], ompt5::ompt_task_cancel);
    EXPECT_EQ(take_seen(), std::vector<Seen>{});
    const StateAnswer still = ask_state();
    EXPECT_EQ(still.state, row.state);
    EXPECT_EQ(still.wait_id, wait_id);
    barrier_ends(row.barrier);
    expect_task_state(THR_WORK_STATE);
    EXPECT_EQ(take_seen(), (std::vector<Seen>{{row.begin + 1, row.state, id, 0, wait_id}}));
}

class TaskWait : public testing::TestWithParam<Barrier> {};
INSTANTIATE_TEST_SUITE_P(Each, TaskWait, testing::Values(Barrier::kTaskWait, Barrier::kTaskGroup));

TEST_P(TaskWait, IsOverheadButForTheTasks) {
    const Scene scene;
    const InTeamOfTwo in_region;
    const std::uint64_t id = region();
    barrier_begins(GetParam());
    expect_task_state(THR_OVHD_STATE);
    EXPECT_EQ(region(), id);
    FakeTask task;
    task_starts(task);
    expect_task_state(THR_WORK_STATE);
    task_completes(task);
    expect_task_state(THR_OVHD_STATE);
    barrier_ends(GetParam());
    expect_task_state(THR_WORK_STATE);
    EXPECT_EQ(take_names(), "");
}

TEST_P(TaskWait, InSerialCode) {
    const Scene scene;
    state(); // from here on waits are observed
    barrier_begins(GetParam());
    expect_task_state(THR_OVHD_STATE);
    barrier_ends(GetParam());
    expect_task_state(THR_SERIAL_STATE);
}

// The barrier's id is counted by barriers alone.
TEST_P(TaskWait, DoesNotCountAsABarrier) {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    barrier_begins(GetParam());
    barrier_ends(GetParam());
    const auto id_of_barrier = [] {
        barrier_begins(Barrier::kExplicit);
        const std::uint64_t id = ask_state().wait_id;
        barrier_ends(Barrier::kExplicit);
        return id;
    };
    EXPECT_EQ(id_of_barrier(), worker.ask(id_of_barrier));
    end_team(region, worker);
    take_seen();
}

TEST(Task, TaskwaitOfATaskInsideABarrier) {
    const Scene scene;
    const InTeamOfTwo in_region;
    FakeTask outer, inner;
    barrier_begins(Barrier::kExplicit);
    task_starts(outer);
    barrier_begins(Barrier::kTaskWait);
    expect_task_state(THR_OVHD_STATE);
    task_starts_in(outer, inner);
    expect_task_state(THR_WORK_STATE);
    task_completes_into(inner, outer);
    expect_task_state(THR_OVHD_STATE);
    barrier_ends(Barrier::kTaskWait);
    expect_task_state(THR_WORK_STATE);
    task_completes(outer);
    expect_task_state(THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR BEGIN_EBAR END_EBAR");
}

class TaskEnds : public testing::TestWithParam<ompt5::ompt_task_status_t> {};
INSTANTIATE_TEST_SUITE_P(Each, TaskEnds,
                         testing::Values(ompt5::ompt_task_complete, ompt5::ompt_task_cancel,
                                         ompt5::ompt_task_detach));

TEST_P(TaskEnds, ReturnToTheWait) {
    const Scene scene;
    const InTeamOfTwo in_region;
    FakeTask task;
    barrier_begins(Barrier::kWorkshare);
    task_starts(task);
    task_completes(task, GetParam());
    expect_task_state(THR_IBAR_STATE);
    barrier_ends(Barrier::kWorkshare);
    EXPECT_EQ(take_names(), "BEGIN_IBAR END_IBAR BEGIN_IBAR END_IBAR");
}

class TaskFulfilled : public testing::TestWithParam<ompt5::ompt_task_status_t> {};
INSTANTIATE_TEST_SUITE_P(Each, TaskFulfilled,
                         testing::Values(ompt5::ompt_task_early_fulfill,
                                         ompt5::ompt_task_late_fulfill));

// An event that is fulfilled concerns a task that the thread is not in.
TEST_P(TaskFulfilled, ChangesNothing) {
    const Scene scene;
    const InTeamOfTwo in_region;
    FakeTask detached;
    task_fulfilled(detached, GetParam());
    expect_task_state(THR_WORK_STATE);
    barrier_begins(Barrier::kExplicit);
    task_fulfilled(detached, GetParam());
    expect_task_state(THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR");
}

// An untied task is left in its taskwait by one thread and goes on on another.
TEST(Task, UntiedTaskGoesOnOnAnotherThread) {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    take_seen();
    worker.run([] { take_seen(); });
    FakeTask untied, other;
    task_starts(untied);
    barrier_begins(Barrier::kTaskWait);
    task_starts_in(untied, other);
    expect_task_state(THR_WORK_STATE);
    task_completes(other); // into the implicit task: the untied one waits for a thread
    expect_task_state(THR_WORK_STATE);
    worker.run([&] {
        barrier_begins(Barrier::kExplicit);
        task_starts(untied);
        expect_task_state(THR_OVHD_STATE);
        barrier_ends(Barrier::kTaskWait);
        expect_task_state(THR_WORK_STATE);
        task_completes(untied);
        expect_task_state(THR_EBAR_STATE);
        barrier_ends(Barrier::kExplicit);
        EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR BEGIN_EBAR END_EBAR");
    });
    EXPECT_EQ(take_names(), "");
    end_team(region, worker);
    take_seen();
}

TEST(Task, UndeferredTaskIsWork) {
    const Scene scene;
    const InTeamOfTwo in_region;
    FakeTask task;
    task_created(task, ompt5::ompt_task_undeferred);
    task_starts(task);
    expect_task_state(THR_WORK_STATE);
    task_completes(task);
    expect_task_state(THR_WORK_STATE);
    EXPECT_EQ(take_names(), "");
}

// A mutex wait inside a task inside a barrier: three states on top of one another.
TEST(Task, MutexWaitInATaskInABarrier) {
    const Scene scene;
    const InTeamOfTwo in_region;
    UserThread lock_holder;
    lock_holder.run([] { take_mutex(ompt5::ompt_mutex_critical, kLockOfTasks); });
    FakeTask task;
    barrier_begins(Barrier::kExplicit);
    task_starts(task);
    mutex_acquire(ompt5::ompt_mutex_critical, kLockOfTasks);
    expect_task_state(THR_CTWT_STATE);
    lock_holder.run([] { mutex_released(ompt5::ompt_mutex_critical, kLockOfTasks); });
    mutex_acquired(ompt5::ompt_mutex_critical, kLockOfTasks);
    expect_task_state(THR_WORK_STATE);
    mutex_released(ompt5::ompt_mutex_critical, kLockOfTasks);
    task_completes(task);
    expect_task_state(THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR BEGIN_CTWT END_CTWT BEGIN_EBAR END_EBAR");
}

} // namespace
} // namespace ocb::test
