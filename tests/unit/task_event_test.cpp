// SPDX-License-Identifier: Apache-2.0
// OpenUH's extension for explicit tasks: its events with their states and ids, the requests TASK_ID
// and TASK_PID, and that none of it shows where nobody has asked. Ids are dealt to threads in
// blocks, so that a test compares ids with each other, never with numbers.
#include "fresh_process.h"
#include "omp_collector_bridge.h"
#include "scene.h"

#include <string>
#include <vector>

namespace ocb::test {
namespace {

constexpr int kNone = -1;

// What a task event was told, as "NAME STATE task 3 of -1", tasks called by letters in the order of
// their creation.
thread_local std::vector<std::string> told;
std::vector<int> known;

std::string letter_of(int id) {
    if (id == kNone) {
        return "-";
    }
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i] == id) {
            return std::string(1, static_cast<char>('a' + i));
        }
    }
    known.push_back(id);
    return letter_of(id);
}

void tell(OMP_COLLECTORAPI_EVENT event) {
    const std::string task_name = letter_of(task());
    told.push_back(std::string(name_of_event(event)) + " " + name_of_state(state()) + " " +
                   task_name + "<" + letter_of(parent_task()));
}

std::string take_told() {
    std::string text;
    for (const std::string &line : told) {
        text += line + "\n";
    }
    told.clear();
    return text;
}

void tell_all_task_events() {
    known.clear();
    for (int event = OMP_EVENT_THR_BEGIN_CREATE_TASK; event <= kLastTaskEvent; ++event) {
        register_callback(event, tell); // some cannot be
    }
}

struct InRegion {
    InRegion() { region.begin_on_master(); }
    ~InRegion() { region.end_on_master(); }
    InRegion(const InRegion &) = delete;
    InRegion &operator=(const InRegion &) = delete;

    FakeRegion region{2};
};

constexpr const char *kCreated = "BEGIN_CREATE_TASK TASK_CREATE -<-\n"
                                 "END_CREATE_TASK_DEL TASK_CREATE a<-\n";

TEST(TaskEvent, LifeOfADeferredTask) {
    const Scene scene;
    tell_all_task_events();
    const InRegion in_region;
    FakeTask a;
    task_created(a);
    EXPECT_EQ(take_told(), kCreated);
    EXPECT_EQ(task(), kNone);
    barrier_begins(Barrier::kExplicit);
    task_starts(a);
    EXPECT_EQ(take_told(), "BEGIN_EXEC_TASK WORK a<-\n");
    EXPECT_EQ(letter_of(task()), "a");
    EXPECT_EQ(parent_task(), kNone);
    EXPECT_EQ(state(), THR_WORK_STATE);
    task_completes(a);
    EXPECT_EQ(take_told(), "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                           "END_FINISH_TASK TASK_FINISH a<-\n");
    EXPECT_EQ(task(), kNone);
    EXPECT_EQ(state(), THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
}

TEST(TaskEvent, UndeferredTaskIsCreatedImmediate) {
    const Scene scene;
    tell_all_task_events();
    const InRegion in_region;
    FakeTask a;
    task_created(a, ompt5::ompt_task_undeferred);
    EXPECT_EQ(take_told(), "BEGIN_CREATE_TASK TASK_CREATE -<-\n"
                           "END_CREATE_TASK_IMM TASK_CREATE a<-\n");
    task_starts(a);
    task_completes(a);
    EXPECT_EQ(take_told(), "BEGIN_EXEC_TASK WORK a<-\n"
                           "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                           "END_FINISH_TASK TASK_FINISH a<-\n");
}

TEST(TaskEvent, TaskOnAnotherThread) {
    const Scene scene;
    tell_all_task_events();
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    FakeTask a;
    task_created(a);
    EXPECT_EQ(take_told(), kCreated);
    worker.run([&] {
        barrier_begins(Barrier::kExplicit);
        task_starts(a);
        EXPECT_EQ(letter_of(task()), "a");
        task_completes(a);
        barrier_ends(Barrier::kExplicit);
        EXPECT_EQ(take_told(), "BEGIN_EXEC_TASK WORK a<-\n"
                               "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                               "END_FINISH_TASK TASK_FINISH a<-\n");
    });
    EXPECT_EQ(take_told(), "");
    end_team(region, worker);
}

TEST(TaskEvent, ATaskSuspendsForItsChild) {
    const Scene scene;
    tell_all_task_events();
    const InRegion in_region;
    FakeTask a, b;
    task_created(a);
    task_starts(a);
    take_told();
    task_created(b);
    EXPECT_EQ(take_told(), "BEGIN_CREATE_TASK TASK_CREATE a<-\n"
                           "END_CREATE_TASK_DEL TASK_CREATE b<a\n");
    barrier_begins(Barrier::kTaskWait);
    task_starts_in(a, b);
    EXPECT_EQ(take_told(), "BEGIN_SUSPEND_TASK TASK_SUSPEND a<-\n"
                           "BEGIN_EXEC_TASK WORK b<a\n");
    EXPECT_EQ(letter_of(task()), "b");
    EXPECT_EQ(letter_of(parent_task()), "a");
    task_completes_into(b, a);
    EXPECT_EQ(take_told(), "BEGIN_FINISH_TASK TASK_FINISH b<a\n"
                           "END_FINISH_TASK TASK_FINISH b<a\n"
                           "END_SUSPEND_TASK TASK_SUSPEND a<-\n");
    EXPECT_EQ(letter_of(task()), "a");
    EXPECT_EQ(state(), THR_OVHD_STATE);
    barrier_ends(Barrier::kTaskWait);
    task_completes(a);
    EXPECT_EQ(take_told(), "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                           "END_FINISH_TASK TASK_FINISH a<-\n");
}

// The thread that has suspended an untied task is done with it when it goes back to what lies
// below; whoever goes on with it begins to execute.
TEST(TaskEvent, UntiedTaskGoesOnElsewhere) {
    const Scene scene;
    tell_all_task_events();
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    FakeTask a, b;
    task_created(a);
    task_created(b);
    take_told();
    task_starts(a);
    task_starts_in(a, b);
    EXPECT_EQ(take_told(), "BEGIN_EXEC_TASK WORK a<-\n"
                           "BEGIN_SUSPEND_TASK TASK_SUSPEND a<-\n"
                           "BEGIN_EXEC_TASK WORK b<-\n");
    task_completes(b);
    EXPECT_EQ(take_told(), "BEGIN_FINISH_TASK TASK_FINISH b<-\n"
                           "END_FINISH_TASK TASK_FINISH b<-\n"
                           "END_SUSPEND_TASK TASK_SUSPEND a<-\n");
    EXPECT_EQ(task(), kNone);
    worker.run([&] {
        task_starts(a);
        EXPECT_EQ(letter_of(task()), "a");
        task_completes(a);
        EXPECT_EQ(take_told(), "BEGIN_EXEC_TASK WORK a<-\n"
                               "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                               "END_FINISH_TASK TASK_FINISH a<-\n");
    });
    end_team(region, worker);
}

// A region inside a task: its implicit tasks are no explicit ones; afterwards the task goes on.
TEST(TaskEvent, RegionInsideATask) {
    const Scene scene;
    tell_all_task_events();
    const InRegion in_region;
    FakeTask a, b, c;
    task_created(a);
    task_created(b);
    task_starts(a);
    task_starts_in(a, b);
    take_told();
    FakeRegion inner(1);
    inner.fork();
    EXPECT_EQ(letter_of(task()), "b");
    inner.enter(0);
    EXPECT_EQ(task(), kNone);
    task_created(c, ompt5::ompt_task_undeferred);
    task_starts(c);
    task_completes(c);
    // Back to the implicit task: what is suspended outside stays so.
    EXPECT_EQ(take_told(), "BEGIN_CREATE_TASK TASK_CREATE -<-\n"
                           "END_CREATE_TASK_IMM TASK_CREATE c<-\n"
                           "BEGIN_EXEC_TASK WORK c<-\n"
                           "BEGIN_FINISH_TASK TASK_FINISH c<-\n"
                           "END_FINISH_TASK TASK_FINISH c<-\n");
    EXPECT_EQ(task(), kNone);
    inner.leave();
    inner.join();
    EXPECT_EQ(letter_of(task()), "b");
    task_completes_into(b, a);
    EXPECT_EQ(take_told(), "BEGIN_FINISH_TASK TASK_FINISH b<-\n"
                           "END_FINISH_TASK TASK_FINISH b<-\n"
                           "END_SUSPEND_TASK TASK_SUSPEND a<-\n");
    task_completes(a);
    take_told();
}

// FORK and JOIN of a region inside a task are the task's.
TEST(TaskEvent, ForkAndJoinAreInTheTask) {
    const Scene scene;
    tell_all_task_events();
    for (const int event : {OMP_EVENT_FORK, OMP_EVENT_JOIN}) {
        ASSERT_EQ(register_callback(event, tell), OMP_ERRCODE_OK);
    }
    FakeTask a;
    task_created(a, ompt5::ompt_task_undeferred);
    task_starts(a);
    take_told();
    FakeRegion region(1);
    region.begin_on_master();
    region.end_on_master();
    EXPECT_EQ(take_told(), "FORK OVHD a<-\nJOIN OVHD a<-\n");
    task_completes(a);
    take_told();
}

TEST(TaskEvent, CancelledAndDetachedTasksFinish) {
    const Scene scene;
    tell_all_task_events();
    const InRegion in_region;
    for (const auto status : {ompt5::ompt_task_cancel, ompt5::ompt_task_detach}) {
        FakeTask a;
        task_created(a);
        task_starts(a);
        take_told();
        known.clear();
        task_completes(a, status);
        EXPECT_EQ(take_told(), "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                               "END_FINISH_TASK TASK_FINISH a<-\n");
    }
}

// More than the bridge keeps: the innermost give no event, the others end as they began.
TEST(TaskEvent, SuspendedDeepDown) {
    constexpr int kDepth = 70;
    constexpr int kKept = 32;
    const Scene scene;
    static int begun, ended;
    begun = ended = 0;
    ASSERT_EQ(register_callback(OMP_EVENT_THR_BEGIN_SUSPEND_TASK,
                                [](OMP_COLLECTORAPI_EVENT) { ++begun; }),
              OMP_ERRCODE_OK);
    ASSERT_EQ(
        register_callback(OMP_EVENT_THR_END_SUSPEND_TASK, [](OMP_COLLECTORAPI_EVENT) { ++ended; }),
        OMP_ERRCODE_OK);
    const InRegion in_region;
    std::vector<FakeTask> tasks(kDepth);
    for (FakeTask &each : tasks) {
        task_created(each);
    }
    task_starts(tasks[0]);
    for (std::size_t i = 1; i < tasks.size(); ++i) {
        task_starts_in(tasks[i - 1], tasks[i]);
    }
    EXPECT_EQ(begun, kKept);
    EXPECT_EQ(ended, 0);
    for (std::size_t i = tasks.size() - 1; i > 0; --i) {
        const int before = task();
        task_completes_into(tasks[i], tasks[i - 1]);
        EXPECT_NE(task(), before);
    }
    EXPECT_EQ(ended, kKept);
    task_completes(tasks[0]);
    EXPECT_EQ(task(), kNone);
}

struct OneEvent {
    int event;
    const char *told;
};
std::string name_of_one(const testing::TestParamInfo<OneEvent> &info) {
    return name_of_event(info.param.event);
}

class OnlyOne : public testing::TestWithParam<OneEvent> {};

TEST_P(OnlyOne, IsDelivered) {
    const Scene scene;
    known.clear();
    ASSERT_EQ(register_callback(GetParam().event, tell), OMP_ERRCODE_OK);
    const InRegion in_region;
    FakeTask a, b;
    task_created(a);
    task_starts(a);
    task_created(b, ompt5::ompt_task_undeferred);
    task_starts_in(a, b);
    task_completes_into(b, a);
    task_completes(a);
    EXPECT_EQ(take_told(), GetParam().told);
}

INSTANTIATE_TEST_SUITE_P(
    Of, OnlyOne,
    testing::Values(
        OneEvent{OMP_EVENT_THR_BEGIN_CREATE_TASK, "BEGIN_CREATE_TASK TASK_CREATE -<-\n"
                                                  "BEGIN_CREATE_TASK TASK_CREATE a<-\n"},
        OneEvent{OMP_EVENT_THR_END_CREATE_TASK_IMM, "END_CREATE_TASK_IMM TASK_CREATE a<b\n"},
        OneEvent{OMP_EVENT_THR_END_CREATE_TASK_DEL, "END_CREATE_TASK_DEL TASK_CREATE a<-\n"},
        OneEvent{OMP_EVENT_THR_BEGIN_SUSPEND_TASK, "BEGIN_SUSPEND_TASK TASK_SUSPEND a<-\n"},
        OneEvent{OMP_EVENT_THR_END_SUSPEND_TASK, "END_SUSPEND_TASK TASK_SUSPEND a<-\n"},
        OneEvent{OMP_EVENT_THR_BEGIN_EXEC_TASK, "BEGIN_EXEC_TASK WORK a<-\n"
                                                "BEGIN_EXEC_TASK WORK b<a\n"},
        OneEvent{OMP_EVENT_THR_BEGIN_FINISH_TASK, "BEGIN_FINISH_TASK TASK_FINISH a<b\n"
                                                  "BEGIN_FINISH_TASK TASK_FINISH b<-\n"},
        OneEvent{OMP_EVENT_THR_END_FINISH_TASK, "END_FINISH_TASK TASK_FINISH a<b\n"
                                                "END_FINISH_TASK TASK_FINISH b<-\n"}),
    name_of_one);

// Header, code and capability rows agree on what can never be delivered.
TEST(TaskEvent, WhatIsNeverDeliveredCannotBeRegistered) {
    const Scene scene;
    std::size_t count = 0;
    const auto *rows = omp_collector_bridge_capabilities(&count);
    int never = 0;
    for (const auto *row = rows; row != rows + count; ++row) {
        if (row->kind != OMP_COLLECTOR_BRIDGE_EVENT) {
            continue;
        }
        const bool is_never = row->status == OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE;
        never += is_never ? 1 : 0;
        EXPECT_EQ(register_callback(row->number, tell),
                  is_never ? OMP_ERRCODE_UNSUPPORTED : OMP_ERRCODE_OK)
            << row->name;
        EXPECT_EQ(unregister(row->number), OMP_ERRCODE_OK) << row->name;
    }
    EXPECT_EQ(never, 5);
}

// PAUSE between the two ends of a pair, and UNREGISTER of the BEGIN alone.
TEST(TaskEvent, PairsAreStrict) {
    const Scene scene;
    tell_all_task_events();
    const InRegion in_region;
    FakeTask a, b;
    task_created(a);
    task_created(b);
    task_starts(a);
    take_told();
    request(OMP_REQ_PAUSE);
    task_starts_in(a, b);
    request(OMP_REQ_RESUME);
    EXPECT_EQ(letter_of(task()), "b"); // ids go on
    task_completes_into(b, a);
    EXPECT_EQ(take_told(), "BEGIN_FINISH_TASK TASK_FINISH b<-\n"
                           "END_FINISH_TASK TASK_FINISH b<-\n");
    EXPECT_EQ(unregister(OMP_EVENT_THR_BEGIN_FINISH_TASK), OMP_ERRCODE_OK);
    task_completes(a);
    EXPECT_EQ(take_told(), "END_FINISH_TASK TASK_FINISH a<-\n");
}

TEST(TaskEvent, InSerialCode) {
    const Scene scene;
    tell_all_task_events();
    FakeTask a;
    task_created(a, ompt5::ompt_task_undeferred);
    task_starts(a);
    EXPECT_EQ(state(), THR_SERIAL_STATE);
    EXPECT_EQ(letter_of(task()), "a");
    task_completes(a);
    EXPECT_EQ(take_told(), "BEGIN_CREATE_TASK TASK_CREATE -<-\n"
                           "END_CREATE_TASK_IMM TASK_CREATE a<-\n"
                           "BEGIN_EXEC_TASK SERIAL a<-\n"
                           "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                           "END_FINISH_TASK TASK_FINISH a<-\n");
}

TEST(TaskEvent, TasksThatACallbackCreatesGiveNone) {
    static FakeTask inner;
    static int created;
    inner = {};
    created = 0;
    const Scene scene;
    ASSERT_EQ(register_callback(OMP_EVENT_THR_BEGIN_EXEC_TASK,
                                [](OMP_COLLECTORAPI_EVENT) {
                                    task_created(inner, ompt5::ompt_task_undeferred);
                                    task_starts(inner);
                                    task_completes(inner);
                                }),
              OMP_ERRCODE_OK);
    ASSERT_EQ(register_callback(OMP_EVENT_THR_BEGIN_CREATE_TASK,
                                [](OMP_COLLECTORAPI_EVENT) { ++created; }),
              OMP_ERRCODE_OK);
    FakeTask a;
    task_created(a);
    task_starts(a);
    EXPECT_EQ(created, 1);
    task_completes(a);
}

TEST(TaskId, OfAThreadThatIsUnknown) {
    const Session session;
    FakeThread thread;
    EXPECT_EQ(thread.ask(task), kNone);
    EXPECT_EQ(thread.ask(parent_task), kNone);
}

OCB_FRESH_TEST(TaskId, AskedWithoutEvents) {
    const Scene scene;
    const InRegion in_region;
    EXPECT_EQ(task(), kNone);
    FakeTask a, b;
    task_created(a);
    task_starts(a);
    const int first = task();
    EXPECT_GE(first, 1);
    EXPECT_EQ(parent_task(), kNone);
    task_created(b);
    task_starts_in(a, b);
    EXPECT_EQ(task(), first + 1);
    EXPECT_EQ(parent_task(), first);
    task_completes_into(b, a);
    EXPECT_EQ(task(), first);
    task_completes(a);
}

// A task that was there before anybody asked: no id, no events, and its children are nobody's.
OCB_FRESH_TEST(TaskId, OfATaskFromBefore) {
    const Scene scene;
    state(); // so that tasks are observed, but for their ids
    const InRegion in_region;
    FakeTask old, a;
    task_created(old);
    EXPECT_EQ(old.data.value, 0U);
    task_starts(old);
    EXPECT_EQ(task(), kNone);
    tell_all_task_events();
    task_created(a);
    EXPECT_EQ(take_told(), kCreated);
    task_starts_in(old, a);
    task_completes_into(a, old);
    EXPECT_EQ(take_told(), "BEGIN_EXEC_TASK WORK a<-\n"
                           "BEGIN_FINISH_TASK TASK_FINISH a<-\n"
                           "END_FINISH_TASK TASK_FINISH a<-\n");
    task_completes(old);
    EXPECT_EQ(take_told(), "");
}

// With all 22 events and all answers of the contract: no id is given, no state above 11 shows.
OCB_FRESH_TEST(TaskId, NothingShowsWhereNobodyAsks) {
    const Scene scene;
    record_all_events();
    state();
    FakeRegion region(2);
    region.begin_on_master();
    FakeTask a, b;
    task_created(a);
    EXPECT_EQ(a.data.value, 0U);
    task_starts(a);
    EXPECT_EQ(state(), THR_WORK_STATE);
    task_created(b, ompt5::ompt_task_undeferred);
    EXPECT_EQ(b.data.value, 0U);
    task_starts_in(a, b);
    EXPECT_EQ(state(), THR_WORK_STATE);
    task_completes_into(b, a);
    task_completes(a);
    region.end_on_master();
    EXPECT_EQ(take_names(), "FORK BEGIN_IBAR END_IBAR JOIN");
}

} // namespace
} // namespace ocb::test
