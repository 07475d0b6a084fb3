// SPDX-License-Identifier: Apache-2.0
// What a front marks, written here as compat/front/ does: the runtime's own time around a region.
#include "scene.h"

#include "omp_collector_bridge.h"

extern "C" ocb::ompt5::ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);

namespace ocb::test {
namespace {

int in_program, in_runtime; // addresses that calls return to

// Where the fake runtime's forks come from.
std::uintptr_t fork_address() {
    return reinterpret_cast<std::uintptr_t>(&ompt_start_tool);
}

// The stack of a call that forks: below the frame the caller's frame pointer, the number of copied
// arguments, these, and the runtime's return address.
class ForkCall {
  public:
    explicit ForkCall(std::uintptr_t arguments) {
        outer() = front().innermost;
        stack_[kFrame + 1] = reinterpret_cast<std::uintptr_t>(&in_program);
        stack_[kFrame - 2] = arguments;
        stack_[kFrame - 3 - arguments] = fork_address();
        front().innermost = reinterpret_cast<std::uintptr_t>(&outer()) + OMP_COLLECTOR_BRIDGE_FORKS;
    }
    ~ForkCall() { front().innermost = front().covered = outer(); }
    ForkCall(const ForkCall &) = delete;
    ForkCall &operator=(const ForkCall &) = delete;

    static omp_collector_bridge_front &front() { return *omp_collector_bridge_own_front; }

  private:
    static constexpr int kFrame = 30;
    std::uintptr_t &outer() { return stack_[kFrame]; }
    alignas(16) std::uintptr_t stack_[kFrame + 2] = {};
};

// A call through the front inside of the region: the program's, or one of the runtime's own that
// ends the region; behind that the front leaves the second word as it is.
class InnerCall {
  public:
    enum class By { kProgram, kRuntime };
    explicit InnerCall(By by)
        : stack_{0, reinterpret_cast<std::uintptr_t>(&in_runtime), front().innermost, 0}, by_(by) {
        front().innermost = reinterpret_cast<std::uintptr_t>(&stack_[2]);
    }
    ~InnerCall() {
        if (by_ == By::kProgram) {
            front().covered = stack_[2];
        }
        front().innermost = stack_[2];
    }
    InnerCall(const InnerCall &) = delete;
    InnerCall &operator=(const InnerCall &) = delete;

  private:
    static omp_collector_bridge_front &front() { return ForkCall::front(); }
    alignas(16) std::uintptr_t stack_[4];
    By by_;
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
        inner.leave();
        EXPECT_EQ(state(), THR_OVHD_STATE);
        inner.join();
        EXPECT_EQ(state(), THR_OVHD_STATE) << "behind JOIN";
    }
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
}

TEST_P(FrontOfFork, LastsToItsEndWhereTheRuntimesOwnCallEndsTheRegion) {
    const Scene scene;
    FakeRegion region(1), inner(1);
    region.begin_on_master();
    {
        const ForkCall call(GetParam());
        inner.begin_on_master();
        {
            const InnerCall program(InnerCall::By::kProgram);
            EXPECT_EQ(state(), THR_OVHD_STATE);
        }
        EXPECT_EQ(state(), THR_WORK_STATE);
        {
            const InnerCall runtime(InnerCall::By::kRuntime);
            inner.end_on_master();
        }
        EXPECT_EQ(state(), THR_OVHD_STATE);
    }
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
}

} // namespace
} // namespace ocb::test
