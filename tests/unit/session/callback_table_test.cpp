// SPDX-License-Identifier: Apache-2.0
// Pay for what is asked: which OMPT callbacks the runtime has from the library after each request.
// What has once been asked for stays (a callback is never taken back), so each case needs a process
// in which nothing has been asked yet. By default START asks for all that STATE rests on.
#include "fresh_process.h"
#include "scene.h"

#include <set>

namespace ocb::test {
namespace {

using Callbacks = std::set<int>;

const Callbacks kRegionGroup = {
    ompt5::ompt_callback_thread_begin,   ompt5::ompt_callback_thread_end,
    ompt5::ompt_callback_parallel_begin, ompt5::ompt_callback_parallel_end,
    ompt5::ompt_callback_implicit_task,  ompt5::ompt_callback_control_tool};
const Callbacks kWaitGroup = {ompt5::ompt_callback_task_create, ompt5::ompt_callback_task_schedule,
                              ompt5::ompt_callback_sync_region_wait};
const Callbacks kTaskGroup = {ompt5::ompt_callback_task_create, ompt5::ompt_callback_task_schedule};
const Callbacks kMutexGroup = {
    ompt5::ompt_callback_mutex_acquire,  ompt5::ompt_callback_mutex_acquired,
    ompt5::ompt_callback_mutex_released, ompt5::ompt_callback_nest_lock,
    ompt5::ompt_callback_lock_init,      ompt5::ompt_callback_lock_destroy};
const Callbacks kReductionGroup = {ompt5::ompt_callback_reduction};
const Callbacks kSingleGroup = {ompt5::ompt_callback_work};
const Callbacks kMasterGroup = {ompt5::ompt_callback_masked};

Callbacks operator+(Callbacks left, const Callbacks &right) {
    left.insert(right.begin(), right.end());
    return left;
}

Callbacks registered() {
    constexpr int kMostCallbacks = 64;
    Callbacks found;
    for (int callback = 1; callback < kMostCallbacks; ++callback) {
        if (FakeRuntime::has_callback(callback)) {
            found.insert(callback);
        }
    }
    return found;
}

#define OCB_THRIFTY_TEST(name) OCB_FRESH_TEST_WITH(CallbackTable, name, "OCB_OBSERVE=registered")

OCB_FRESH_TEST(CallbackTable, StartBringsTheStateGroup) {
    const Scene scene;
    EXPECT_EQ(registered(), kRegionGroup + kWaitGroup + kMutexGroup + kReductionGroup);
    state();
    EXPECT_EQ(registered(), kRegionGroup + kWaitGroup + kMutexGroup + kReductionGroup);
}

OCB_FRESH_TEST(CallbackTable, NeverStartedMeansNone) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    for (int number = OMP_REQ_REGISTER; number <= OMP_REQ_LAST; ++number) {
        request(number);
    }
    register_callback(OMP_EVENT_THR_BEGIN_LKWT, record);
    ask_state();
    FakeRegion region(1);
    region.begin_on_master();
    region.end_on_master();
    EXPECT_EQ(registered(), Callbacks());
}

OCB_THRIFTY_TEST(StartBeforeTheRuntimeBringsTheRegionGroup) {
    const Scene scene;
    EXPECT_EQ(registered(), kRegionGroup);
}

OCB_THRIFTY_TEST(StartAfterTheRuntimeBringsTheRegionGroup) {
    const Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    EXPECT_EQ(registered(), Callbacks());
    ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
    EXPECT_EQ(registered(), kRegionGroup);
}

OCB_THRIFTY_TEST(RequestsWithoutNeedsBringNothing) {
    const Scene scene;
    region();
    parent();
    unregister(OMP_EVENT_THR_BEGIN_LKWT);
    register_callback(OMP_EVENT_THR_BEGIN_LKWT, nullptr);
    register_callback(kLastTaskEvent + 1, record);
    request(OMP_REQ_PAUSE);
    request(OMP_REQ_RESUME);
    EXPECT_EQ(registered(), kRegionGroup);
}

OCB_THRIFTY_TEST(FirstStateBringsTheStateGroup) {
    const Scene scene;
    state();
    EXPECT_EQ(registered(), kRegionGroup + kWaitGroup + kMutexGroup + kReductionGroup);
}

OCB_THRIFTY_TEST(FirstTaskIdBringsTheTaskGroup) {
    const Scene scene;
    task();
    EXPECT_EQ(registered(), kRegionGroup + kTaskGroup);
}

OCB_THRIFTY_TEST(NothingIsTakenBack) {
    const Scene scene;
    record_all_events();
    const Callbacks before = registered();
    EXPECT_EQ(before, kRegionGroup + kWaitGroup + kMutexGroup + kSingleGroup + kMasterGroup);
    for (int event = kFirstEvent; event <= kLastEvent; ++event) {
        unregister(event);
    }
    request(OMP_REQ_PAUSE);
    request(OMP_REQ_STOP);
    EXPECT_EQ(registered(), before);
}

OCB_FRESH_TEST(CallbackTable, RuntimeThatComesAnewGetsAllAgain) {
    Scene scene;
    state();
    const Callbacks before = registered();
    user_thread_ends();
    scene.runtime.finalize(); // a hard pause
    EXPECT_EQ(registered(), Callbacks());
    ASSERT_TRUE(scene.runtime.attach());
    user_thread_begins();
    EXPECT_EQ(registered(), before);
}

OCB_THRIFTY_TEST(RuntimeThatLacksACallbackServesTheRest) {
    ASSERT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
    EXPECT_EQ(register_callback(OMP_EVENT_THR_BEGIN_MASTER, record), OMP_ERRCODE_OK);
    EXPECT_EQ(register_callback(OMP_EVENT_THR_BEGIN_SINGLE, record), OMP_ERRCODE_OK);
    FakeRuntime runtime(Flavour::kLibomp14);
    runtime.never_call(ompt5::ompt_callback_masked);
    ASSERT_TRUE(runtime.attach());
    EXPECT_EQ(registered(), kRegionGroup + kSingleGroup);
}

struct NeedsRow {
    int event;
    Callbacks callbacks;
};

const NeedsRow kNeedsOfEvents[] = {
    {OMP_EVENT_FORK, {}},
    {OMP_EVENT_JOIN, {}},
    {OMP_EVENT_THR_BEGIN_IDLE, kWaitGroup},
    {OMP_EVENT_THR_END_IDLE, kWaitGroup},
    {OMP_EVENT_THR_BEGIN_IBAR, kWaitGroup},
    {OMP_EVENT_THR_END_IBAR, kWaitGroup},
    {OMP_EVENT_THR_BEGIN_EBAR, kWaitGroup},
    {OMP_EVENT_THR_END_EBAR, kWaitGroup},
    {OMP_EVENT_THR_BEGIN_LKWT, kMutexGroup},
    {OMP_EVENT_THR_END_LKWT, kMutexGroup},
    {OMP_EVENT_THR_BEGIN_CTWT, kMutexGroup},
    {OMP_EVENT_THR_END_CTWT, kMutexGroup},
    {OMP_EVENT_THR_BEGIN_ODWT, kMutexGroup},
    {OMP_EVENT_THR_END_ODWT, kMutexGroup},
    {OMP_EVENT_THR_BEGIN_MASTER, kMasterGroup},
    {OMP_EVENT_THR_END_MASTER, kMasterGroup},
    {OMP_EVENT_THR_BEGIN_SINGLE, kSingleGroup},
    {OMP_EVENT_THR_END_SINGLE, kSingleGroup + kWaitGroup}, // gcc's ends at the next barrier
    {OMP_EVENT_THR_BEGIN_ORDERED, kMutexGroup},
    {OMP_EVENT_THR_END_ORDERED, kMutexGroup},
    {OMP_EVENT_THR_BEGIN_ATWT, kMutexGroup},
    {OMP_EVENT_THR_END_ATWT, kMutexGroup},
    {OMP_EVENT_THR_BEGIN_CREATE_TASK, kTaskGroup},
    {OMP_EVENT_THR_END_CREATE_TASK_IMM, kTaskGroup},
    {OMP_EVENT_THR_END_CREATE_TASK_DEL, kTaskGroup},
    {OMP_EVENT_THR_BEGIN_SUSPEND_TASK, kTaskGroup},
    {OMP_EVENT_THR_END_SUSPEND_TASK, kTaskGroup},
    {OMP_EVENT_THR_BEGIN_EXEC_TASK, kTaskGroup},
    {OMP_EVENT_THR_BEGIN_FINISH_TASK, kTaskGroup},
    {OMP_EVENT_THR_END_FINISH_TASK, kTaskGroup},
};

class CallbacksOfEvent : public testing::TestWithParam<NeedsRow> {};

TEST_P(CallbacksOfEvent, AreRegisteredWithIt) {
    in_fresh_process({"OCB_OBSERVE=registered"}, [] {
        const NeedsRow &row = CallbacksOfEvent::GetParam();
        const Scene scene;
        EXPECT_EQ(registered(), kRegionGroup);
        record_events({row.event});
        EXPECT_EQ(registered(), kRegionGroup + row.callbacks);
    });
}

std::string name_of_row(const testing::TestParamInfo<NeedsRow> &info) {
    return name_of_event(info.param.event);
}
INSTANTIATE_TEST_SUITE_P(Each, CallbacksOfEvent, testing::ValuesIn(kNeedsOfEvents), name_of_row);

} // namespace
} // namespace ocb::test
