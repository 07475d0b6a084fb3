// SPDX-License-Identifier: Apache-2.0
// Explicit tasks where the front marks every call: nobody reports them, and the runtime is asked
// which task a thread executes when STATE is. The front is written here as compat/front/ does.
#include "fresh_process.h"
#include "scene.h"

#include "omp_collector_bridge.h"
#include "tracker/tracker.h"

#include <optional>

namespace ocb::test {
namespace {

constexpr std::uint64_t kLockOfTask = 0x7A5C;
constexpr int kMayBeInTask = 2;
unsigned tasks_are_created = 0;

// A runtime with a front before it, and the session behind both: tasks are not reported.
struct SceneWithFront {
    explicit SceneWithFront(unsigned can_create_tasks = 1)
        : scene(Flavour::kLibomp19, Begin::kWithoutSession) {
        tasks_are_created = can_create_tasks;
        tracker::know_calls(&tasks_are_created);
        EXPECT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
        ask_state();
    }
    ~SceneWithFront() { tracker::know_calls(nullptr); }
    SceneWithFront(const SceneWithFront &) = delete;
    SceneWithFront &operator=(const SceneWithFront &) = delete;

    Scene scene;
};

// The caller's stack, downwards: a call at an odd place, the frame of a task at an even one.
class Stack {
  public:
    void *frame_of_task(int depth) { return &words_[kWords - 8 * depth]; }
    std::uintptr_t *frame_of_call(int depth) { return &words_[kWords - 8 * depth]; }

  private:
    static constexpr int kWords = 80;
    alignas(16) std::uintptr_t words_[kWords + 2] = {};
};

class Call {
  public:
    explicit Call(std::uintptr_t *frame) : frame_(frame) {
        frame_[0] = front().innermost;
        front().innermost = reinterpret_cast<std::uintptr_t>(frame);
    }
    ~Call() { front().innermost = frame_[0]; }
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

  private:
    static omp_collector_bridge_front &front() { return *omp_collector_bridge_own_front; }
    std::uintptr_t *frame_;
};

// What the runtime keeps while the caller executes the task.
class Execution {
  public:
    explicit Execution(void *frame, int extra_flags = 0) {
        frame_.exit_frame.ptr = frame;
        TaskLevel level;
        level.flags = ompt5::ompt_task_explicit | extra_flags;
        level.frame = &frame_;
        level.parallel_data = caller().innermost().parallel_data;
        caller().enter(level);
        caller().state = ompt5::ompt_state_work_parallel;
    }
    ~Execution() {
        --caller().depth;
        caller().state = state_before_;
    }
    Execution(const Execution &) = delete;
    Execution &operator=(const Execution &) = delete;

  private:
    ompt5::ompt_frame_t frame_{};
    const int state_before_ = caller().state;
};

void expect_state(int expected) {
    EXPECT_STREQ(name_of_state(state()), name_of_state(expected));
}

OCB_FRESH_TEST(AskedTask, IsReportedOnlyWhereAnEventRestsOnIt) {
    const SceneWithFront scene;
    EXPECT_TRUE(FakeRuntime::has_callback(ompt5::ompt_callback_sync_region_wait));
    EXPECT_FALSE(FakeRuntime::has_callback(ompt5::ompt_callback_task_create));
    EXPECT_FALSE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
    register_callback(OMP_EVENT_THR_BEGIN_EBAR, record);
    EXPECT_FALSE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
    register_callback(OMP_EVENT_THR_END_EBAR, record);
    EXPECT_TRUE(FakeRuntime::has_callback(ompt5::ompt_callback_task_create));
    EXPECT_TRUE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
}

OCB_FRESH_TEST(AskedTask, IsReportedWithoutAFront) {
    const Scene scene;
    EXPECT_TRUE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
}

OCB_FRESH_TEST(AskedTask, IsWorkInABarrier) {
    const SceneWithFront scene;
    FakeRegion region(2);
    region.begin_on_master();
    Stack stack;
    {
        const Call call(stack.frame_of_call(1));
        barrier_begins(Barrier::kExplicit);
        expect_state(THR_EBAR_STATE);
        const std::uint64_t wait_id = ask_state().wait_id;
        {
            const Execution task(stack.frame_of_task(2));
            expect_state(THR_WORK_STATE);
            const Call inner(stack.frame_of_call(3));
            expect_state(THR_OVHD_STATE);
            take_mutex(ompt5::ompt_mutex_lock, kLockOfTask);
            mutex_released(ompt5::ompt_mutex_lock, kLockOfTask);
            expect_state(THR_OVHD_STATE);
        }
        EXPECT_EQ(ask_state().state, THR_EBAR_STATE);
        EXPECT_EQ(ask_state().wait_id, wait_id) << "not the lock's";
        barrier_ends(Barrier::kExplicit);
    }
    expect_state(THR_WORK_STATE);
    region.end_on_master();
}

OCB_FRESH_TEST(AskedTask, IsWorkInAWorkersLastBarrier) {
    const SceneWithFront scene;
    FakeRegion region(2);
    Worker worker;
    begin_team(region, worker);
    worker.run([&] {
        region.arrive();
        Stack stack;
        expect_state(THR_IBAR_STATE);
        {
            const Execution task(stack.frame_of_task(2));
            expect_state(THR_WORK_STATE);
            const Call call(stack.frame_of_call(3));
            expect_state(THR_OVHD_STATE);
        }
        expect_state(THR_IBAR_STATE);
    });
    region.end_on_master();
    worker.run([] { expect_state(THR_IDLE_STATE); });
}

OCB_FRESH_TEST(AskedTask, WaitsForItsOwnTasks) {
    const SceneWithFront scene;
    FakeRegion region(2);
    region.begin_on_master();
    Stack stack;
    {
        const Call outer_wait(stack.frame_of_call(1));
        barrier_begins(Barrier::kTaskWait);
        expect_state(THR_OVHD_STATE);
        const Execution task(stack.frame_of_task(2));
        expect_state(THR_WORK_STATE);
        {
            const Call wait(stack.frame_of_call(3));
            barrier_begins(Barrier::kTaskWait);
            expect_state(THR_OVHD_STATE);
            {
                const Execution inner(stack.frame_of_task(4));
                expect_state(THR_WORK_STATE);
            }
            expect_state(THR_OVHD_STATE);
            barrier_ends(Barrier::kTaskWait);
        }
        expect_state(THR_WORK_STATE);
    }
    region.end_on_master();
}

// The program calls such a task itself, and the runtime takes for its frame what is in a register.
OCB_FRESH_TEST(AskedTask, LiesInTheOneAroundItWhereTheProgramCallsIt) {
    const SceneWithFront scene;
    FakeRegion region(2);
    region.begin_on_master();
    Stack stack;
    const auto here = reinterpret_cast<std::uintptr_t>(&stack);
    for (const std::uintptr_t wrong :
         {std::uintptr_t{0}, std::uintptr_t{7}, here + (1U << 20), here - (1U << 20)}) {
        const Call wait(stack.frame_of_call(1));
        barrier_begins(Barrier::kTaskWait);
        const Execution task(stack.frame_of_task(2));
        const Execution at_once(reinterpret_cast<void *>(wrong), ompt5::ompt_task_undeferred);
        expect_state(THR_WORK_STATE);
        {
            const Call inner(stack.frame_of_call(3));
            expect_state(THR_OVHD_STATE);
        }
        barrier_ends(Barrier::kTaskWait);
    }
    region.end_on_master();
}

OCB_FRESH_TEST(AskedTask, MayForkARegionInsideOfABarrier) {
    const SceneWithFront scene;
    FakeRegion region(2);
    region.begin_on_master();
    Stack stack;
    {
        const Call call(stack.frame_of_call(1));
        barrier_begins(Barrier::kExplicit);
        const std::uint64_t wait_id = ask_state().wait_id;
        {
            const Execution task(stack.frame_of_task(2));
            FakeRegion inner(1);
            inner.begin_on_master();
            inner.end_on_master();
            expect_state(THR_WORK_STATE);
        }
        EXPECT_EQ(ask_state().state, THR_EBAR_STATE);
        EXPECT_EQ(ask_state().wait_id, wait_id);
        barrier_ends(Barrier::kExplicit);
    }
    expect_state(THR_WORK_STATE);
    region.end_on_master();
}

OCB_FRESH_TEST(AskedTask, IsNotAskedForWhereNobodyCreatesAny) {
    const SceneWithFront scene(0);
    FakeRegion region(2);
    region.begin_on_master();
    barrier_begins(Barrier::kExplicit);
    {
        Stack stack;
        const Execution task(stack.frame_of_task(2));
        expect_state(THR_EBAR_STATE);
        tasks_are_created = 1; // an object that does is opened
        expect_state(THR_WORK_STATE);
    }
    barrier_ends(Barrier::kExplicit);
    region.end_on_master();
}

// A thread that sleeps in a wait is asked by another one, which cannot ask the runtime.
OCB_FRESH_TEST(AskedTask, IsADoubtFromOutside) {
    const SceneWithFront scene;
    FakeRegion region(2);
    Worker worker;
    begin_team(region, worker);
    const void *handle = worker.ask([] { return omp_collector_bridge_own_thread(); });
    EXPECT_FALSE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
    omp_collector_bridge_thread_answer answer{};
    EXPECT_EQ(omp_collector_bridge_ask_thread(handle, &answer), 1);
    EXPECT_EQ(answer.state, THR_WORK_STATE);
    worker.run([] { barrier_begins(Barrier::kExplicit); });
    EXPECT_EQ(omp_collector_bridge_ask_thread(handle, &answer), kMayBeInTask);
    EXPECT_EQ(answer.state, THR_EBAR_STATE);
    EXPECT_NE(answer.wait_id, 0U);
    EXPECT_NE(answer.region_id, 0U);
    tasks_are_created = 0;
    EXPECT_EQ(omp_collector_bridge_ask_thread(handle, &answer), 1) << "the program has no tasks";
    tasks_are_created = 1;
    request(OMP_REQ_TASK_ID);
    EXPECT_TRUE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
    EXPECT_EQ(omp_collector_bridge_ask_thread(handle, &answer), 1) << "they are reported";
    EXPECT_EQ(answer.state, THR_EBAR_STATE);
    worker.run([&] {
        barrier_ends(Barrier::kExplicit);
        region.arrive();
    });
    EXPECT_EQ(omp_collector_bridge_ask_thread(handle, &answer), 1);
    EXPECT_EQ(answer.state, THR_IBAR_STATE);
    region.end_on_master();
    EXPECT_EQ(omp_collector_bridge_ask_thread(handle, &answer), 1) << "the region is over";
    EXPECT_EQ(answer.state, THR_IDLE_STATE);
}

// None begins there.
OCB_FRESH_TEST(AskedTask, IsNoDoubtWhereAMutexIsWaitedFor) {
    const SceneWithFront scene;
    FakeRegion region(2);
    Worker worker;
    begin_team(region, worker);
    const void *handle = worker.ask([] { return omp_collector_bridge_own_thread(); });
    take_mutex(ompt5::ompt_mutex_critical, kLockOfTask);
    Stack stack;
    omp_collector_bridge_thread_answer answer{};
    const auto expect_answer = [&](int result, int state) {
        EXPECT_EQ(omp_collector_bridge_ask_thread(handle, &answer), result);
        EXPECT_STREQ(name_of_state(answer.state), name_of_state(state));
    };
    std::optional<Call> call;
    worker.run([&] { call.emplace(stack.frame_of_call(1)); });
    expect_answer(kMayBeInTask, THR_OVHD_STATE);
    worker.run([] { mutex_acquire(ompt5::ompt_mutex_critical, kLockOfTask); });
    expect_answer(1, THR_CTWT_STATE);
    mutex_released(ompt5::ompt_mutex_critical, kLockOfTask);
    worker.run([&] {
        mutex_acquired(ompt5::ompt_mutex_critical, kLockOfTask);
        mutex_released(ompt5::ompt_mutex_critical, kLockOfTask);
        call.reset();
        region.arrive();
    });
    region.end_on_master();
}

// Its own stack tells a thread which of both holds.
OCB_FRESH_TEST(AskedTask, IsNoDoubtForTheThreadItself) {
    const SceneWithFront scene;
    FakeRegion region(2);
    region.begin_on_master();
    const void *self = omp_collector_bridge_own_thread();
    Stack stack;
    omp_collector_bridge_thread_answer answer{};
    const auto expect_answer = [&](int result, int state) {
        EXPECT_EQ(omp_collector_bridge_ask_thread(self, &answer), result);
        EXPECT_STREQ(name_of_state(answer.state), name_of_state(state));
    };
    expect_answer(1, THR_WORK_STATE);
    {
        const Call call(stack.frame_of_call(1));
        barrier_begins(Barrier::kExplicit);
        expect_answer(kMayBeInTask, THR_EBAR_STATE);
        {
            const Execution task(stack.frame_of_task(2));
            expect_answer(kMayBeInTask, THR_WORK_STATE);
        }
        barrier_ends(Barrier::kExplicit);
    }
    expect_answer(1, THR_WORK_STATE);
    region.end_on_master();
}

} // namespace
} // namespace ocb::test
