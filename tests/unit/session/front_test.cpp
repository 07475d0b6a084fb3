// SPDX-License-Identifier: Apache-2.0
// What a front marks, written here as compat/front/ does: the runtime's own time around a region.
#include "fresh_process.h"
#include "scene.h"

#include "omp_collector_bridge.h"
#include "tracker/tracker.h"

extern "C" ocb::ompt5::ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);

namespace ocb::test {
namespace {

int in_program, in_runtime; // addresses that calls return to
int outlined;

// Where the fake runtime's forks come from.
std::uintptr_t fork_address() {
    return reinterpret_cast<std::uintptr_t>(&ompt_start_tool);
}

// The stack of a call that forks: below the frame the caller's frame pointer, the outlined
// function, the number of copied arguments, these, and the runtime's return address.
class ForkCall {
  public:
    explicit ForkCall(std::uintptr_t arguments, const void *call_site = &in_program) {
        outer() = front().innermost;
        stack_[kFrame + 1] = reinterpret_cast<std::uintptr_t>(call_site);
        stack_[kFrame - 2] = reinterpret_cast<std::uintptr_t>(&outlined);
        stack_[kFrame - 3] = arguments;
        stack_[kFrame - 4 - arguments] = fork_address();
        front().innermost = reinterpret_cast<std::uintptr_t>(&outer()) + OMP_COLLECTOR_BRIDGE_FORKS;
    }
    ~ForkCall() {
        if (front().covered == front().innermost) { // the region goes on behind the call
            front().covered = outer();
        }
        front().innermost = outer();
    }
    ForkCall(const ForkCall &) = delete;
    ForkCall &operator=(const ForkCall &) = delete;

    static omp_collector_bridge_front &front() { return *omp_collector_bridge_own_front; }
    [[nodiscard]] const std::uintptr_t *frame() const { return &stack_[kFrame]; }

  private:
    static constexpr int kFrame = 30;
    std::uintptr_t &outer() { return stack_[kFrame]; }
    alignas(16) std::uintptr_t stack_[kFrame + 2] = {};
};

// A call through the front inside of the region.
class InnerCall {
  public:
    InnerCall() : stack_{0, reinterpret_cast<std::uintptr_t>(&in_runtime), front().innermost, 0} {
        front().innermost = reinterpret_cast<std::uintptr_t>(&stack_[2]);
    }
    ~InnerCall() { front().innermost = stack_[2]; }
    InnerCall(const InnerCall &) = delete;
    InnerCall &operator=(const InnerCall &) = delete;

  private:
    static omp_collector_bridge_front &front() { return ForkCall::front(); }
    alignas(16) std::uintptr_t stack_[4];
};

class FrontOfFork : public testing::TestWithParam<std::uintptr_t> {};
INSTANTIATE_TEST_SUITE_P(Arguments, FrontOfFork, testing::Values(0, 2, 20));

TEST_P(FrontOfFork, IsTheRuntimesTimeAroundAnInnerRegion) {
    const Scene scene;
    FakeRegion region(1);
    region.begin_on_master();
    EXPECT_EQ(state(), THR_WORK_STATE);
    FakeRegion inner(1);
    {
        const ForkCall call(GetParam());
        EXPECT_EQ(state(), THR_OVHD_STATE) << "before FORK";
        inner.fork();
        EXPECT_EQ(state(), THR_OVHD_STATE);
        inner.enter(0);
        EXPECT_EQ(state(), THR_WORK_STATE);
        EXPECT_EQ(omp_collector_bridge_region_address(), &in_program);
        EXPECT_EQ(omp_collector_bridge_region_function(), &outlined);
        inner.leave();
        EXPECT_EQ(state(), THR_OVHD_STATE);
        inner.join();
        EXPECT_EQ(state(), THR_OVHD_STATE) << "behind JOIN";
    }
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
}

const std::uintptr_t *call_at_fork;
void look_at_call(OMP_COLLECTORAPI_EVENT) {
    call_at_fork = omp_collector_bridge_own_fork()->call;
}

// From there a collector may walk the program's stack.
TEST_P(FrontOfFork, IsShownToTheCallbackOfFork) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, look_at_call);
    FakeRegion region(1);
    region.begin_on_master();
    EXPECT_EQ(call_at_fork, nullptr) << "nobody marks this call";
    for (const void *call_site : {&in_program, &in_runtime}) {
        const ForkCall call(GetParam(), call_site);
        FakeRegion inner(1);
        inner.begin_on_master();
        ASSERT_EQ(call_at_fork, call.frame());
        EXPECT_EQ(call_at_fork[1], reinterpret_cast<std::uintptr_t>(call_site));
        inner.end_on_master();
    }
    FakeRegion unmarked(1);
    unmarked.begin_on_master();
    EXPECT_EQ(call_at_fork, nullptr) << "that call is over";
    unmarked.end_on_master();
    region.end_on_master();
}

TEST_P(FrontOfFork, LastsToItsEndWhereACallEndsTheRegion) {
    const Scene scene;
    FakeRegion region(1), inner(1);
    region.begin_on_master();
    {
        const ForkCall call(GetParam());
        inner.begin_on_master();
        {
            const InnerCall call_in_region;
            EXPECT_EQ(state(), THR_OVHD_STATE);
        }
        EXPECT_EQ(state(), THR_WORK_STATE);
        {
            const InnerCall end;
            inner.end_on_master();
        }
        EXPECT_EQ(state(), THR_OVHD_STATE);
    }
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
}

// A call takes its mark back without asking: also where its thread has left OpenMP meanwhile, and
// where it has come back.
TEST(Front, StaysWithAThreadThatLeavesOpenmpInsideOfACall) {
    const Scene scene;
    FakeThread thread;
    thread.run([] {
        user_thread_begins();
        {
            const ForkCall call(0);
            EXPECT_NE(ForkCall::front().innermost, ForkCall::front().covered);
            user_thread_ends();
        }
        ASSERT_NE(omp_collector_bridge_own_front, nullptr);
        EXPECT_EQ(ForkCall::front().innermost, ForkCall::front().covered);
        {
            const ForkCall call(0);
            user_thread_begins();
        }
        EXPECT_EQ(state(), THR_SERIAL_STATE);
        user_thread_ends();
    });
}

// The frame that the runtime keeps with a region's task while the region's function executes, if it
// does. Each test has call sites of its own, as what is known of them holds for the process.
class FunctionFrame : public testing::Test {
  protected:
    FunctionFrame() { region_.begin_on_master(); }
    ~FunctionFrame() override { region_.end_on_master(); }

    void keep_frame() {
        frame_.exit_frame.ptr = &frame_;
        caller().innermost().frame = &frame_;
    }
    void keep_none() {
        frame_.exit_frame.ptr = nullptr;
        caller().innermost().frame = &frame_;
    }
    // An inner region of one whose function runs with a frame, or without; what STATE shows in it.
    int state_in_region(const void *call_site, bool has_frame) {
        const ForkCall call(0, call_site);
        FakeRegion inner(1);
        inner.begin_on_master();
        has_frame ? keep_frame() : keep_none();
        const int shown = state();
        inner.end_on_master();
        return shown;
    }

  private:
    const Scene scene_;
    FakeRegion region_{1};
    ompt5::ompt_frame_t frame_{};
};

TEST_F(FunctionFrame, IsNotMissedWhereTheRuntimeHasNeverKeptIt) {
    static const char kCallSite = 0;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(state_in_region(&kCallSite, false), THR_WORK_STATE);
    }
}

TEST_F(FunctionFrame, IsMissedAroundTheFunctionWhereTheRuntimeKeepsIt) {
    static const char kCallSite = 0;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(state_in_region(&kCallSite, true), THR_WORK_STATE);
        EXPECT_EQ(state_in_region(&kCallSite, false), THR_OVHD_STATE);
    }
}

TEST_F(FunctionFrame, IsNoLongerMissedOnceTheRuntimeDoesWithoutIt) {
    static const char kCallSite = 0;
    EXPECT_EQ(state_in_region(&kCallSite, true), THR_WORK_STATE);
    int missed = 0;
    for (int i = 0; i < 100; ++i) {
        missed += state_in_region(&kCallSite, false) == THR_OVHD_STATE;
    }
    EXPECT_LE(missed, 4);
    EXPECT_EQ(state_in_region(&kCallSite, true), THR_WORK_STATE);
    EXPECT_EQ(state_in_region(&kCallSite, false), THR_OVHD_STATE);
}

TEST_F(FunctionFrame, IsNotMissedAtAnotherPlace) {
    static const char kCallSites[2] = {};
    EXPECT_EQ(state_in_region(&kCallSites[0], true), THR_WORK_STATE);
    EXPECT_EQ(state_in_region(&kCallSites[1], false), THR_WORK_STATE);
}

// libomp loses it there.
TEST_F(FunctionFrame, IsNotMissedBehindAnInnerRegion) {
    static const char kCallSites[2] = {};
    EXPECT_EQ(state_in_region(&kCallSites[0], true), THR_WORK_STATE);
    const ForkCall call(0, &kCallSites[0]);
    FakeRegion outer(1);
    outer.begin_on_master();
    EXPECT_EQ(state_in_region(&kCallSites[1], true), THR_WORK_STATE);
    keep_none();
    EXPECT_EQ(state(), THR_WORK_STATE);
    outer.end_on_master();
}

// In each of them the runtime may do otherwise.
TEST_F(FunctionFrame, IsNotMissedInALeagueOrALargerTeamForWhatASmallOneKeeps) {
    static const char kCallSite = 0;
    EXPECT_EQ(state_in_region(&kCallSite, true), THR_WORK_STATE);
    {
        const ForkCall call(0, &kCallSite);
        FakeRegion team(2);
        team.begin_on_master();
        keep_none();
        EXPECT_EQ(state(), THR_WORK_STATE);
        team.end_on_master();
    }
    FakeRegion league(2, kFlagsLeague);
    league.begin_on_master();
    EXPECT_EQ(state_in_region(&kCallSite, false), THR_WORK_STATE);
    league.end_on_master();
}

// What the program calls, as the front keeps it. A single construct is reported by the callback
// that each loop has, too, so it is registered where there is one.
class CallsOfProgram {
  public:
    explicit CallsOfProgram(unsigned made) : scene_(Flavour::kLibomp19, Begin::kWithoutSession) {
        now = made;
        tracker::know_calls(&now);
        start_session();
        record_events({OMP_EVENT_FORK, OMP_EVENT_THR_BEGIN_SINGLE});
    }
    ~CallsOfProgram() { tracker::know_calls(nullptr); }
    CallsOfProgram(const CallsOfProgram &) = delete;
    CallsOfProgram &operator=(const CallsOfProgram &) = delete;

    // An object that has one is opened.
    static void call_single() {
        now &= ~unsigned{OMP_COLLECTOR_FRONT_NO_SINGLES};
        omp_collector_bridge_note_fork(nullptr, nullptr);
    }

  private:
    static unsigned now;
    Scene scene_;
};
unsigned CallsOfProgram::now = 0;

bool observes_singles() {
    return FakeRuntime::has_callback(ompt5::ompt_callback_work);
}

void fork_unmarked() {
    FakeRegion region(1);
    region.begin_on_master();
    region.end_on_master();
}

void fork_marked() {
    const ForkCall call(0);
    fork_unmarked();
}

OCB_FRESH_TEST(CallsOfProgram, AreNotObservedWhereThereAreNone) {
    const CallsOfProgram program(OMP_COLLECTOR_FRONT_NO_SINGLES);
    fork_marked();
    EXPECT_FALSE(observes_singles());
    EXPECT_TRUE(FakeRuntime::has_callback(ompt5::ompt_callback_parallel_begin));
    CallsOfProgram::call_single();
    EXPECT_TRUE(observes_singles());
    take_names();
    single_begins();
    EXPECT_EQ(take_names(), "BEGIN_SINGLE");
    single_ends();
}

OCB_FRESH_TEST(CallsOfProgram, AreObservedFromTheBeginWhereThereIsOne) {
    const CallsOfProgram program(0);
    EXPECT_TRUE(observes_singles());
}

OCB_FRESH_TEST(CallsOfProgram, AreNotObservedForNobody) {
    Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    start_session();
    record_events({OMP_EVENT_FORK});
    omp_collector_bridge_note_fork(nullptr, nullptr);
    EXPECT_FALSE(observes_singles());
}

// A thread's first call comes before its record, and so without a mark.
OCB_FRESH_TEST(CallsOfProgram, AreNotTrustedBehindACallThatIsNotMarked) {
    const CallsOfProgram program(OMP_COLLECTOR_FRONT_NO_SINGLES);
    fork_unmarked();
    fork_marked();
    EXPECT_FALSE(observes_singles());
    EXPECT_FALSE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
    fork_unmarked();
    EXPECT_TRUE(observes_singles());
    EXPECT_TRUE(FakeRuntime::has_callback(ompt5::ompt_callback_task_schedule));
}

// Without a front there is nothing to trust, and all are observed.
OCB_FRESH_TEST(CallsOfProgram, AreObservedWithoutAFront) {
    Scene scene(Flavour::kLibomp19, Begin::kWithoutSession);
    start_session();
    record_events({OMP_EVENT_FORK, OMP_EVENT_THR_BEGIN_SINGLE});
    EXPECT_TRUE(observes_singles());
}

} // namespace
} // namespace ocb::test
