// SPDX-License-Identifier: Apache-2.0
// What a thread does, asked by another one: the answers must be those that the thread itself gets.
#include "omp_collector_bridge.h"
#include "ompt5/callbacks.h"
#include "scene.h"

namespace ocb::test {
namespace {

// The thread's own answers and the ones from outside, side by side.
struct Both {
    StateAnswer own;
    std::uint64_t own_region = 0;
    omp_collector_bridge_thread_answer outside{};
    int result = -1;
};

// Of `worker`, asked by the calling thread while it does nothing else.
Both ask_both(FakeThread &worker) {
    Both both;
    const void *handle = worker.ask([] { return omp_collector_bridge_own_thread(); });
    worker.run([&] {
        both.own = ask_state();
        both.own_region = region();
    });
    both.result = omp_collector_bridge_ask_thread(handle, &both.outside);
    return both;
}

void expect_same(const Both &both, int state) {
    ASSERT_EQ(both.result, 1);
    EXPECT_EQ(both.own.state, state);
    EXPECT_EQ(both.outside.state, both.own.state);
    EXPECT_EQ(both.outside.region_id, both.own_region);
}

class FromOutside : public PerFlavour {};
OCB_FOR_EACH_FLAVOUR(FromOutside);

TEST_P(FromOutside, AnswersAreTheThreadsOwn) {
    const Scene scene(GetParam());
    observe_everything();
    ask_state();
    Worker worker;
    expect_same(ask_both(worker), THR_IDLE_STATE);
    FakeRegion region(2);
    begin_team(region, worker);
    Both both = ask_both(worker);
    // Until its first event after somebody has asked for waits, the runtime's own word counts.
    if (both.result == 1) {
        expect_same(both, THR_WORK_STATE);
    }

    take_mutex(ompt5::ompt_mutex_critical, 0x5D00040);
    worker.run([] { mutex_acquire(ompt5::ompt_mutex_critical, 0x5D00040); });
    both = ask_both(worker);
    expect_same(both, THR_CTWT_STATE);
    EXPECT_EQ(both.outside.wait_id, 0x5D00040U);
    EXPECT_EQ(both.own.wait_id, 0x5D00040U);
    mutex_released(ompt5::ompt_mutex_critical, 0x5D00040);
    worker.run([] {
        mutex_acquired(ompt5::ompt_mutex_critical, 0x5D00040);
        mutex_released(ompt5::ompt_mutex_critical, 0x5D00040);
    });
    expect_same(ask_both(worker), THR_WORK_STATE);

    worker.run([&] { region.arrive(); });
    both = ask_both(worker);
    expect_same(both, THR_IBAR_STATE);
    EXPECT_EQ(both.outside.wait_id, both.own.wait_id);
    end_team(region, worker);
    both = ask_both(worker);
    expect_same(both, THR_IDLE_STATE);
    EXPECT_EQ(both.outside.region_id, 0U);
}

omp_collector_bridge_thread_answer seen;
int seen_result = -1;
const void *main_handle;
void ask_for_main(OMP_COLLECTORAPI_EVENT) {
    std::thread([] { seen_result = omp_collector_bridge_ask_thread(main_handle, &seen); }).join();
}

TEST_P(FromOutside, InACallbackTheEventsAnswersHold) {
    const Scene scene(GetParam());
    main_handle = omp_collector_bridge_own_thread();
    register_callback(OMP_EVENT_FORK, ask_for_main);
    FakeRegion inner(1);
    inner.begin_on_master();
    EXPECT_EQ(seen_result, 1);
    EXPECT_EQ(seen.state, THR_OVHD_STATE);
    EXPECT_EQ(seen.region_id, region());
    inner.end_on_master();
}

TEST(FromOutsideAlone, NobodyIsNotAnswered) {
    const Scene scene;
    omp_collector_bridge_thread_answer answer;
    EXPECT_EQ(omp_collector_bridge_ask_thread(nullptr, &answer), 0);
    FakeThread unknown;
    EXPECT_EQ(unknown.ask([] { return omp_collector_bridge_own_thread(); }), nullptr);
}

} // namespace
} // namespace ocb::test
