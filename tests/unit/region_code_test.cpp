// SPDX-License-Identifier: Apache-2.0
// The code of a region, as collectors ask for it: its outlined function, where the fork was noted,
// and its address; the same in both events of a pair.
#include "fresh_process.h"
#include "omp_collector_bridge.h"
#include "scene.h"

#include <utility>
#include <vector>

extern "C" ocb::ompt5::ompt_start_tool_result_t *ompt_start_tool(unsigned, const char *);
extern "C" void *Tau_get_gomp_proxy_address();

namespace ocb::test {
namespace {

// Where the fake runtime's forks come from.
const void *fork_address() {
    return reinterpret_cast<const void *>(&ompt_start_tool);
}

const void *outlined() {
    static const char kCode = 0;
    return &kCode;
}

const void *seen_function, *seen_address;
void look(OMP_COLLECTORAPI_EVENT) {
    seen_function = omp_collector_bridge_region_function();
    seen_address = omp_collector_bridge_region_address();
}

TEST(RegionCode, IsKnownInForkAndInTheRegion) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, look);
    FakeRegion region(1);
    omp_collector_bridge_note_fork(outlined(), fork_address());
    region.begin_on_master();
    EXPECT_EQ(seen_function, outlined());
    EXPECT_EQ(seen_address, fork_address());
    EXPECT_EQ(omp_collector_bridge_region_function(), outlined());
    FakeRegion inner(1);
    inner.begin_on_master();
    EXPECT_EQ(omp_collector_bridge_region_function(), nullptr) << "nobody noted this fork";
    EXPECT_EQ(omp_collector_bridge_region_address(), fork_address());
    inner.end_on_master();
    EXPECT_EQ(omp_collector_bridge_region_function(), outlined());
    region.end_on_master();
    EXPECT_EQ(omp_collector_bridge_region_function(), nullptr);
    EXPECT_EQ(omp_collector_bridge_region_address(), nullptr);
}

omp_collector_bridge_region seen_region;
omp_collector_bridge_fork seen_fork;
omp_collector_bridge_forked_region seen_fork_region;
RegionAnswer seen_current, seen_parent;
void look_at_once(OMP_COLLECTORAPI_EVENT) {
    seen_fork = *omp_collector_bridge_own_fork();
    seen_fork_region = *seen_fork.region;
    omp_collector_bridge_caller_region(&seen_region);
    seen_current = ask_region();
    seen_parent = ask_parent();
}

void expect_same_answers(std::uint64_t parent) {
    EXPECT_NE(seen_region.id, 0U);
    EXPECT_EQ(seen_region.id, seen_current.id);
    EXPECT_EQ(seen_region.has_parent, 1);
    EXPECT_EQ(seen_region.parent_id, seen_parent.id);
    EXPECT_EQ(seen_region.parent_id, parent);
    EXPECT_EQ(seen_region.address, fork_address());
    // And without a call.
    EXPECT_EQ(seen_fork.id, seen_current.id);
    EXPECT_EQ(seen_fork.thread, omp_collector_bridge_own_thread());
    EXPECT_EQ(seen_fork_region.parent_id, parent);
    EXPECT_EQ(seen_fork_region.address, fork_address());
    EXPECT_EQ(seen_fork.call, nullptr) << "no front marks calls";
}

TEST(RegionCode, OneCallHasTheAnswersOfThreeQuestions) {
    const Scene scene;
    register_callback(OMP_EVENT_FORK, look_at_once);
    register_callback(OMP_EVENT_JOIN, look_at_once);
    FakeRegion region(1);
    region.begin_on_master();
    expect_same_answers(0);
    const std::uint64_t outer = seen_region.id;
    FakeRegion inner(1);
    inner.begin_on_master();
    expect_same_answers(outer);
    inner.end_on_master();
    expect_same_answers(outer);
    region.end_on_master();
    expect_same_answers(0);
    EXPECT_EQ(seen_region.id, outer);
    omp_collector_bridge_caller_region(&seen_region);
    EXPECT_EQ(seen_region.id, 0U);
    EXPECT_EQ(seen_region.address, nullptr);
    EXPECT_EQ(omp_collector_bridge_own_fork()->region, nullptr) << "in no callback";
    Worker worker;
    FakeRegion team(2);
    team.fork();
    team.enter(0);
    worker.run([&] {
        team.enter(1);
        omp_collector_bridge_caller_region(&seen_region);
    });
    EXPECT_EQ(seen_region.id, seen_current.id);
    EXPECT_EQ(seen_region.has_parent, 0) << "not the master of its team";
    EXPECT_EQ(seen_region.parent_id, 0U);
    worker.run([&] { team.arrive(); });
    team.arrive();
    team.leave();
    team.join();
}

TEST(RegionCode, NoteOfAnotherForkIsNotBelieved) {
    const Scene scene;
    omp_collector_bridge_note_fork(outlined(), outlined());
    FakeRegion region(1);
    region.begin_on_master();
    EXPECT_EQ(omp_collector_bridge_region_function(), nullptr);
    EXPECT_EQ(omp_collector_bridge_region_address(), fork_address());
    region.end_on_master();
    // And it is gone.
    FakeRegion next(1);
    next.begin_on_master();
    EXPECT_EQ(omp_collector_bridge_region_function(), nullptr);
    next.end_on_master();
}

TEST(RegionCode, WorkersKnowItWhileTheRegionRuns) {
    const Scene scene;
    Worker worker;
    FakeRegion region(2);
    omp_collector_bridge_note_fork(outlined(), fork_address());
    region.fork();
    region.enter(0);
    worker.run([&] { region.enter(1); });
    EXPECT_EQ(worker.ask([] { return omp_collector_bridge_region_function(); }), outlined());
    worker.run([&] { region.arrive(); });
    region.arrive();
    region.leave();
    region.join();
    EXPECT_EQ(worker.ask([] { return omp_collector_bridge_region_function(); }), nullptr);
}

// ---- both events of a pair ---------------------------------------------------------------------

const void *other_outlined() {
    static const char kCode = 0;
    return &kCode;
}

struct Named {
    int event;
    const void *function;
    const void *address;
    bool operator==(const Named &) const = default;
};
thread_local std::vector<Named> named;

void name_event(OMP_COLLECTORAPI_EVENT event) {
    EXPECT_EQ(Tau_get_gomp_proxy_address(), omp_collector_bridge_region_function());
    named.push_back(
        {event, omp_collector_bridge_region_function(), omp_collector_bridge_region_address()});
}

std::vector<Named> take_named() {
    return std::move(named);
}

void fork_noted(FakeRegion &region, const void *function) {
    omp_collector_bridge_note_fork(function, fork_address());
    region.begin_on_master();
}

constexpr int kPairEvents[] = {OMP_EVENT_THR_BEGIN_IDLE, OMP_EVENT_THR_END_IDLE,
                               OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_END_IBAR};
void name_these(std::initializer_list<int> events) {
    for (const int event : events) {
        ASSERT_EQ(register_callback(event, name_event), OMP_ERRCODE_OK);
    }
}
void name_pairs() {
    for (const int event : kPairEvents) {
        ASSERT_EQ(register_callback(event, name_event), OMP_ERRCODE_OK);
    }
}

// The master is in its next region when the worker tells of the end of the first, and the next
// region has the first one's record.
void run_two_regions(FakeThread &worker, FakeRegion &first, FakeRegion &second) {
    fork_noted(first, outlined());
    worker.run([&] { first.enter(1); });
    worker.run([&] { first.arrive(); });
    first.end_on_master();
    fork_noted(second, other_outlined());
    worker.run([&] { second.enter(1); });
}

std::vector<Named> names_in_two_regions() {
    const void *at = fork_address();
    return {
        {OMP_EVENT_THR_BEGIN_IDLE, outlined(), at}, {OMP_EVENT_THR_END_IDLE, outlined(), at},
        {OMP_EVENT_THR_BEGIN_IBAR, outlined(), at}, {OMP_EVENT_THR_END_IBAR, outlined(), at},
        {OMP_EVENT_THR_BEGIN_IDLE, outlined(), at}, {OMP_EVENT_THR_END_IDLE, other_outlined(), at}};
}

void expect_the_same_names_in_pairs() {
    const Scene scene;
    name_pairs();
    FakeThread worker;
    worker.run(worker_begins);
    FakeRegion first(2), second(2);
    run_two_regions(worker, first, second);
    EXPECT_EQ(worker.ask(take_named), names_in_two_regions());
    worker.run([&] { second.arrive(); });
    second.end_on_master();
    worker.run(worker_ends);
    take_named();
}
TEST(RegionCode, IsTheSameInBothEventsOfAPair) {
    expect_the_same_names_in_pairs();
}
OCB_FRESH_TEST_WITH(RegionCode, IsTheSameInBothEventsOfADeferredPair, "OCB_IDLE_EVENTS=deferred") {
    expect_the_same_names_in_pairs();
}

// Nobody asks between END_IDLE and BEGIN_IDLE, but for a region that the worker itself has forked.
OCB_FRESH_TEST_WITH(RegionCode, OfTheWorkersOwnForksIsAnother, "OCB_IDLE_EVENTS=deferred") {
    const Scene scene;
    name_these({OMP_EVENT_THR_BEGIN_IDLE, OMP_EVENT_THR_END_IDLE, OMP_EVENT_FORK, OMP_EVENT_JOIN});
    FakeThread worker;
    worker.run(worker_begins);
    FakeRegion first(2), second(2);
    fork_noted(first, outlined());
    worker.run([&] {
        first.enter(1);
        FakeRegion inner(1);
        fork_noted(inner, other_outlined());
        inner.end_on_master();
        first.arrive();
    });
    first.end_on_master();
    fork_noted(second, other_outlined());
    worker.run([&] { second.enter(1); });
    const void *at = fork_address();
    EXPECT_EQ(worker.ask(take_named),
              (std::vector<Named>{{OMP_EVENT_THR_BEGIN_IDLE, outlined(), at},
                                  {OMP_EVENT_THR_END_IDLE, outlined(), at},
                                  {OMP_EVENT_FORK, other_outlined(), at},
                                  {OMP_EVENT_JOIN, other_outlined(), at},
                                  {OMP_EVENT_THR_BEGIN_IDLE, outlined(), at},
                                  {OMP_EVENT_THR_END_IDLE, other_outlined(), at}}));
    worker.run([&] { second.arrive(); });
    second.end_on_master();
    worker.run(worker_ends);
    take_named();
}

// Outside of callbacks an idle worker is in no region.
TEST(RegionCode, IsNoneOutsideTheCallbackOfAnIdleWorker) {
    const Scene scene;
    name_pairs();
    Worker worker;
    FakeRegion region(2);
    fork_noted(region, outlined());
    worker.run([&] { region.enter(1); });
    worker.run([&] { region.arrive(); });
    EXPECT_EQ(worker.ask([] { return omp_collector_bridge_region_function(); }), outlined());
    region.end_on_master();
    EXPECT_EQ(worker.ask([] { return omp_collector_bridge_region_function(); }), nullptr);
    EXPECT_EQ(worker.ask([] { return omp_collector_bridge_region_address(); }), nullptr);
    take_named();
}

} // namespace
} // namespace ocb::test
