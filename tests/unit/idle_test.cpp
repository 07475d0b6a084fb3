// SPDX-License-Identifier: Apache-2.0
// Workers between regions. The runtime reports the end of a worker's region only when the next one
// begins (at once where tasks were created): what the events make of that under each setting of
// OCB_IDLE_EVENTS, and that STATE goes by the master's leaving whatever the events say.
#include "fresh_process.h"
#include "scene.h"

#include <vector>

namespace ocb::test {
namespace {

#define OCB_DEFERRED_TEST(name) OCB_FRESH_TEST_WITH(IdleDeferred, name, "OCB_IDLE_EVENTS=deferred")

std::string names_on(FakeThread &thread) {
    return thread.ask(take_names);
}

void expect_state(FakeThread &thread, int expected, std::uint64_t region_id) {
    EXPECT_STREQ(name_of_state(thread.ask(state)), name_of_state(expected));
    EXPECT_EQ(thread.ask(region), region_id);
}

class Idle : public PerFlavour {};
OCB_FOR_EACH_FLAVOUR(Idle);

// Two regions and what the worker's events show in them.
TEST_P(Idle, PromptEventsOfTwoRegions) {
    const Scene scene(GetParam());
    record_all_events();
    FakeThread worker;
    worker.run(worker_begins);
    FakeRegion first(2), second(2);
    first.begin_on_master();
    const std::uint64_t first_id = region();
    worker.run([&] { first.enter(1); });
    worker.run([&] { first.arrive(); });
    const std::uint64_t barrier = worker.ask(ask_state).wait_id;
    first.end_on_master();
    EXPECT_EQ(worker.ask(take_seen),
              (std::vector<Seen>{
                  {OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0, kNotMaster},
                  {OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, first_id, kNotMaster},
                  {OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, first_id, kNotMaster, barrier},
                  {OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, first_id, kNotMaster, barrier},
                  {OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0, kNotMaster}}));
    second.begin_on_master();
    const std::uint64_t second_id = region();
    worker.run([&] { second.enter(1); });
    EXPECT_EQ(worker.ask(take_seen),
              (std::vector<Seen>{{OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, second_id, kNotMaster}}));
    worker.run([&] { second.arrive(); });
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
    second.end_on_master();
    worker.run(worker_ends); // in no team
    EXPECT_EQ(names_on(worker), "");
    take_seen();
}

OCB_DEFERRED_TEST(EventsOfTwoRegions) {
    const Scene scene;
    record_all_events();
    FakeThread worker;
    worker.run(worker_begins);
    FakeRegion first(2), second(2);
    first.begin_on_master();
    const std::uint64_t first_id = region();
    worker.run([&] { first.enter(1); });
    EXPECT_EQ(names_on(worker), "BEGIN_IDLE END_IDLE");
    worker.run([&] { first.arrive(); });
    const std::uint64_t barrier = worker.ask(ask_state).wait_id;
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR");
    first.end_on_master();
    EXPECT_EQ(names_on(worker), "");
    second.begin_on_master();
    const std::uint64_t second_id = region();
    worker.run([&] { second.enter(1); });
    EXPECT_EQ(
        worker.ask(take_seen),
        (std::vector<Seen>{{OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, first_id, kNotMaster, barrier},
                           {OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0, kNotMaster},
                           {OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, second_id, kNotMaster}}));
    worker.run([&] { second.arrive(); });
    second.end_on_master();
    worker.run(worker_ends);
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
    take_seen();
}

// Under both settings.
void expect_state_by_the_master() {
    const Scene scene;
    record_all_events();
    Worker worker;
    expect_state(worker, THR_IDLE_STATE, 0);
    FakeRegion one(2);
    begin_team(one, worker);
    const std::uint64_t id = region();
    worker.run([&] { one.arrive(); });
    expect_state(worker, THR_IBAR_STATE, id);
    one.arrive();
    expect_state(worker, THR_IBAR_STATE, id);
    one.leave();
    one.join();
    expect_state(worker, THR_IDLE_STATE, 0);
    FakeRegion next(2);
    next.begin_on_master();
    expect_state(worker, THR_IDLE_STATE, 0);
    worker.run([&] { next.enter(1); });
    expect_state(worker, THR_WORK_STATE, region());
    end_team(next, worker);
    expect_state(worker, THR_IDLE_STATE, 0);
    take_seen();
}
TEST(IdleWorker, StateGoesByTheMaster) {
    expect_state_by_the_master();
}
OCB_DEFERRED_TEST(StateGoesByTheMaster) {
    expect_state_by_the_master();
}

// Where tasks were created the runtime reports the worker's end in time: no guess is needed.
void expect_events_follow_the_runtime() {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    const std::uint64_t id = region();
    FakeTask task;
    task_created(task);
    worker.run([&] { one.arrive(); });
    EXPECT_EQ(names_on(worker), "BEGIN_IDLE END_IDLE BEGIN_IBAR");
    expect_state(worker, THR_IBAR_STATE, id);
    worker.run(report_region_end); // a moment before the master leaves
    EXPECT_EQ(names_on(worker), "END_IBAR BEGIN_IDLE");
    expect_state(worker, THR_IBAR_STATE, id);
    one.end_on_master();
    expect_state(worker, THR_IDLE_STATE, 0);
    FakeRegion next(2);
    begin_team(next, worker);
    EXPECT_EQ(names_on(worker), "END_IDLE");
    end_team(next, worker);
    take_seen();
}
TEST(IdleWorker, RegionsWithTasksFollowTheRuntime) {
    expect_events_follow_the_runtime();
}
OCB_DEFERRED_TEST(RegionsWithTasksFollowTheRuntime) {
    expect_events_follow_the_runtime();
}

TEST(IdleWorker, TasksOfTheWorkerItselfCount) {
    const Scene scene;
    record_events({OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_BEGIN_IDLE});
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    worker.ask(take_names);
    worker.run([&] {
        FakeTask task;
        task_created(task);
        one.arrive();
    });
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR");
    one.end_on_master();
    take_seen();
}

TEST(IdleWorker, OnlyTasksSinceTheLastBarrierCount) {
    const Scene scene;
    record_events({OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_BEGIN_IDLE});
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    worker.ask(take_names);
    FakeTask task;
    task_created(task);
    for (const auto step : {barrier_begins, barrier_ends}) {
        step(Barrier::kExplicit);
        worker.run([step] { step(Barrier::kExplicit); });
    }
    worker.run([&] { one.arrive(); });
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR BEGIN_IDLE");
    one.end_on_master();
    take_seen();
}

TEST(IdleWorker, UndeferredTasksDoNotCount) {
    const Scene scene;
    record_events({OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_BEGIN_IDLE});
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    worker.ask(take_names);
    FakeTask task;
    task_created(task, ompt5::ompt_task_undeferred);
    worker.run([&] { one.arrive(); });
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR BEGIN_IDLE");
    one.end_on_master();
    take_seen();
}

TEST(IdleWorker, TasksOfTheRegionBeforeDoNotCount) {
    const Scene scene;
    record_events({OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_BEGIN_IDLE});
    Worker worker;
    FakeRegion with(2), without(2);
    begin_team(with, worker);
    FakeTask task;
    task_created(task);
    end_team(with, worker);
    begin_team(without, worker);
    worker.ask(take_names);
    worker.run([&] { without.arrive(); });
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR BEGIN_IDLE");
    without.end_on_master();
    take_seen();
}

TEST(IdleWorker, TaskHandedToAnIdleWorker) {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    const std::uint64_t id = region();
    worker.run([&] { one.arrive(); });
    EXPECT_EQ(names_on(worker), "BEGIN_IDLE END_IDLE BEGIN_IBAR END_IBAR BEGIN_IDLE");
    FakeTask task;
    task_created(task);
    worker.run([&] { task_starts(task); });
    expect_state(worker, THR_WORK_STATE, id);
    worker.run([&] { task_completes(task); });
    expect_state(worker, THR_IBAR_STATE, id);
    EXPECT_EQ(worker.ask(take_seen),
              (std::vector<Seen>{{OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, id, kNotMaster},
                                 {OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0, kNotMaster}}));
    worker.run(report_region_end);
    EXPECT_EQ(names_on(worker), "");
    one.end_on_master();
    expect_state(worker, THR_IDLE_STATE, 0);
    take_seen();
}

OCB_DEFERRED_TEST(TaskHandedToAWaitingWorker) {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    worker.run([&] { one.arrive(); });
    FakeTask task;
    task_created(task);
    worker.run([&] {
        task_starts(task);
        EXPECT_EQ(state(), THR_WORK_STATE);
        task_completes(task);
        EXPECT_EQ(state(), THR_IBAR_STATE);
    });
    EXPECT_EQ(names_on(worker), "BEGIN_IDLE END_IDLE BEGIN_IBAR END_IBAR BEGIN_IBAR");
    one.end_on_master();
    take_seen();
}

// KMP_TASKING=0: the worker's end is reported at its arrival, while the others are still at work.
void expect_early_end(const char *names) {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion one(2);
    begin_team(one, worker);
    const std::uint64_t id = region();
    worker.run([&] {
        one.arrive();
        report_region_end();
    });
    EXPECT_EQ(names_on(worker), names);
    expect_state(worker, THR_IBAR_STATE, id);
    one.end_on_master();
    expect_state(worker, THR_IDLE_STATE, 0);
    FakeRegion next(2);
    begin_team(next, worker);
    EXPECT_EQ(names_on(worker), "END_IDLE");
    expect_state(worker, THR_WORK_STATE, region());
    end_team(next, worker);
    take_seen();
}
TEST(IdleWorker, EarlyReport) {
    expect_early_end("BEGIN_IDLE END_IDLE BEGIN_IBAR END_IBAR BEGIN_IDLE");
}
OCB_DEFERRED_TEST(EarlyReport) {
    expect_early_end("BEGIN_IDLE END_IDLE BEGIN_IBAR END_IBAR BEGIN_IDLE");
}

// A worker that is idle since before START is seen for the first time when its next region comes.
OCB_FRESH_TEST(IdleWorker, WorkerFirstSeenWhileItLeavesARegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    FakeRegion before(2), after(2);
    begin_team(before, worker);
    end_team(before, worker);
    const Session session;
    record_all_events();
    expect_state(worker, THR_IDLE_STATE, 0);
    begin_team(after, worker);
    const std::uint64_t id = region();
    expect_state(worker, THR_WORK_STATE, id);
    EXPECT_EQ(worker.ask(take_seen),
              (std::vector<Seen>{{OMP_EVENT_THR_BEGIN_IDLE, THR_IDLE_STATE, 0, kNotMaster},
                                 {OMP_EVENT_THR_END_IDLE, THR_IDLE_STATE, id, kNotMaster}}));
    end_team(after, worker);
    expect_state(worker, THR_IDLE_STATE, 0);
    take_seen();
}

OCB_FRESH_TEST(IdleWorker, WorkerFirstSeenAtItsFirstRegion) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    Worker worker;
    const Session session;
    record_all_events();
    FakeRegion one(2);
    begin_team(one, worker);
    expect_state(worker, THR_WORK_STATE, region());
    worker.ask(take_names);
    worker.run([&] { one.arrive(); });
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
    one.end_on_master();
    expect_state(worker, THR_IDLE_STATE, 0);
    take_seen();
}

OCB_FRESH_TEST(IdleWorker, WorkerFirstSeenAtItsEnd) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    FakeThread worker;
    worker.run(worker_begins);
    FakeRegion before(2);
    before.begin_on_master();
    worker.run([&] {
        before.enter(1);
        before.arrive();
    });
    before.end_on_master();
    const Session session;
    record_all_events();
    worker.run(worker_ends);
    const std::string names = names_on(worker);
    EXPECT_TRUE(names.empty() || names == "BEGIN_IDLE") << names;
    EXPECT_EQ(worker.ask(state), THR_SERIAL_STATE);
}

// A worker that is the master of a nested team passes that team's last barrier as its master.
TEST(IdleWorker, WorkerThatForksIsNotIdleAtTheInnerEnd) {
    const Scene scene;
    record_all_events();
    Worker worker;
    FakeRegion outer(2), inner(2);
    begin_team(outer, worker);
    worker.ask(take_names);
    worker.run([&] {
        inner.begin_on_master();
        inner.arrive();
        EXPECT_EQ(state(), THR_IBAR_STATE);
        inner.leave();
        inner.join();
        EXPECT_EQ(state(), THR_WORK_STATE);
    });
    EXPECT_EQ(names_on(worker), "FORK BEGIN_IBAR END_IBAR JOIN");
    end_team(outer, worker);
    EXPECT_EQ(names_on(worker), "BEGIN_IBAR END_IBAR BEGIN_IDLE");
    take_seen();
}

} // namespace
} // namespace ocb::test
