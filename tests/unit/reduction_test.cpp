// SPDX-License-Identifier: Apache-2.0
// Reductions: the combining of the critical method lies in the body, that of the tree method inside
// a barrier, whose wait it interrupts.
#include "scene.h"

#include <vector>

namespace ocb::test {
namespace {

class Reduction : public PerFlavour {};
OCB_FOR_EACH_FLAVOUR(Reduction);

TEST_P(Reduction, TreeMethodInterruptsTheBarrier) {
    constexpr int kChildren = 2;
    const Scene scene(GetParam());
    record_all_events();
    state(); // no event needs reductions
    FakeRegion region(4);
    region.begin_on_master();
    take_seen();
    const std::uint64_t id = ocb::test::region();
    barrier_begins(Barrier::kImplementation);
    const std::uint64_t wait_id = ask_state().wait_id;
    for (int child = 0; child < kChildren; ++child) {
        reduction_begins();
        EXPECT_EQ(state(), THR_REDUC_STATE);
        EXPECT_EQ(ocb::test::region(), id);
        reduction_ends();
        const StateAnswer again = ask_state();
        EXPECT_EQ(again.state, THR_IBAR_STATE);
        EXPECT_EQ(again.wait_id, wait_id);
    }
    barrier_ends(Barrier::kImplementation);
    EXPECT_EQ(state(), THR_WORK_STATE);
    const Seen begin{OMP_EVENT_THR_BEGIN_IBAR, THR_IBAR_STATE, id, 0, wait_id};
    const Seen end{OMP_EVENT_THR_END_IBAR, THR_IBAR_STATE, id, 0, wait_id};
    EXPECT_EQ(take_seen(), (std::vector<Seen>{begin, end, begin, end, begin, end}));
    region.end_on_master();
    take_seen();
}

// While it waits for its critical region the runtime shows a lock.
TEST_P(Reduction, CriticalMethodIsReductionAlsoWhileItWaits) {
    const Scene scene(GetParam());
    record_all_events();
    state();
    FakeRegion region(2);
    region.begin_on_master();
    take_seen();
    reduction_begins();
    caller().state = ompt5::ompt_state_wait_lock;
    EXPECT_EQ(state(), THR_REDUC_STATE);
    caller().state = ompt5::ompt_state_work_parallel;
    EXPECT_EQ(state(), THR_REDUC_STATE);
    reduction_ends();
    EXPECT_EQ(state(), THR_WORK_STATE);
    EXPECT_EQ(take_names(), "");
    region.end_on_master();
    take_seen();
}

TEST_P(Reduction, EndWhoseBeginNobodySawChangesNothing) {
    const Scene scene(GetParam());
    state();
    FakeRegion region(2);
    region.begin_on_master();
    reduction_ends();
    EXPECT_EQ(state(), THR_WORK_STATE);
    barrier_begins(Barrier::kImplementation);
    reduction_ends();
    EXPECT_EQ(state(), THR_IBAR_STATE);
    barrier_ends(Barrier::kImplementation);
    EXPECT_EQ(state(), THR_WORK_STATE);
    region.end_on_master();
}

} // namespace
} // namespace ocb::test
