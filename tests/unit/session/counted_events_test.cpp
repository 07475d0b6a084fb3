// SPDX-License-Identifier: Apache-2.0
// Events that the bridge counts in the place of their callback.
#include "fresh_process.h"
#include "omp_collector_bridge.h"
#include "scene.h"

#include <cstdint>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace ocb::test {
namespace {

constexpr std::uint64_t kExplicit = std::uint64_t{1} << OMP_EVENT_THR_BEGIN_EBAR;
constexpr std::uint64_t kImplicit = std::uint64_t{1} << OMP_EVENT_THR_BEGIN_IBAR;
constexpr std::uint64_t kIdle = std::uint64_t{1} << OMP_EVENT_THR_BEGIN_IDLE;

struct Counts {
    std::uint64_t of[OMP_EVENT_THR_END_ATWT + 1] = {};
};

void pass(Barrier barrier) {
    barrier_begins(barrier);
    barrier_ends(barrier);
}

// In a region with a worker. All events are recorded; the calling thread has counts.
struct CountingTeam {
    Scene scene;
    Worker worker;
    FakeRegion region{2};
    Counts counts;
    CountingTeam() {
        record_all_events();
        begin_team(region, worker);
        take_seen();
        worker.run([] { take_seen(); });
        omp_collector_bridge_own_counts(counts.of);
    }
    [[nodiscard]] std::uint64_t count(OMP_COLLECTORAPI_EVENT event) const {
        return counts.of[event];
    }
};

TEST(CountedEvents, ComeAsNumbersOnThreadsThatHaveCounts) {
    CountingTeam team;
    omp_collector_bridge_count_events(~kImplicit);
    pass(Barrier::kExplicit);
    pass(Barrier::kExplicit);
    pass(Barrier::kWorkshare);
    EXPECT_EQ(take_names(), "END_EBAR END_EBAR BEGIN_IBAR END_IBAR");
    EXPECT_EQ(team.count(OMP_EVENT_THR_BEGIN_EBAR), 2U);
    EXPECT_EQ(team.count(OMP_EVENT_THR_BEGIN_IBAR), 0U);
    team.worker.run([] { pass(Barrier::kExplicit); });
    EXPECT_EQ(team.worker.ask(take_names), "BEGIN_EBAR END_EBAR");
    EXPECT_EQ(team.count(OMP_EVENT_THR_BEGIN_EBAR), 2U);
}

// States are what they are without.
TEST(CountedEvents, LeaveTheThreadInItsWait) {
    CountingTeam team;
    omp_collector_bridge_count_events(kExplicit | kImplicit);
    barrier_begins(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_EBAR_STATE);
    barrier_ends(Barrier::kExplicit);
    EXPECT_EQ(state(), THR_WORK_STATE);
    barrier_begins(Barrier::kWorkshare);
    EXPECT_EQ(state(), THR_IBAR_STATE);
    barrier_ends(Barrier::kWorkshare);
    EXPECT_EQ(state(), THR_WORK_STATE);
}

TEST(CountedEvents, AreCalledAgainWhereTheyAreNotToBeCounted) {
    CountingTeam team;
    omp_collector_bridge_count_events(kExplicit);
    pass(Barrier::kExplicit);
    omp_collector_bridge_count_events(0);
    pass(Barrier::kExplicit);
    omp_collector_bridge_count_events(kExplicit);
    omp_collector_bridge_own_counts(nullptr);
    pass(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "END_EBAR BEGIN_EBAR END_EBAR BEGIN_EBAR END_EBAR");
    EXPECT_EQ(team.count(OMP_EVENT_THR_BEGIN_EBAR), 1U);
}

// A worker's idleness has answers of its own, which nobody asks for here.
TEST(CountedEvents, OfAWorkerThatGoesIdle) {
    CountingTeam team;
    Counts counts;
    omp_collector_bridge_count_events(kIdle | kImplicit);
    team.worker.run([&] {
        omp_collector_bridge_own_counts(counts.of);
        team.region.arrive();
    });
    const std::string names = team.worker.ask(take_names);
    EXPECT_EQ(names.find("BEGIN_IDLE"), std::string::npos) << names;
    EXPECT_EQ(names.find("BEGIN_IBAR"), std::string::npos) << names;
    EXPECT_EQ(counts.of[OMP_EVENT_THR_BEGIN_IDLE], 1U);
    EXPECT_EQ(counts.of[OMP_EVENT_THR_BEGIN_IBAR], 1U);
}

// The same with the events alone that a collector counts, and with the END of either: pairs are
// what they are without counts.
struct Idleness {
    const char *name;
    std::vector<int> ends;
    const char *at_arrival;
    const char *at_next_region;
};
class CountedIdleness : public testing::TestWithParam<Idleness> {};
INSTANTIATE_TEST_SUITE_P(
    With, CountedIdleness,
    testing::Values(Idleness{"no_end", {}, "", ""},
                    Idleness{"the_end_of_idleness", {OMP_EVENT_THR_END_IDLE}, "", "END_IDLE"},
                    Idleness{"the_end_of_the_barrier", {OMP_EVENT_THR_END_IBAR}, "END_IBAR", ""}),
    [](const auto &with) { return std::string(with.param.name); });

TEST_P(CountedIdleness, IsCountedOnceForEachRegion) {
    const Scene scene;
    record_events({OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_BEGIN_IDLE});
    record_events(GetParam().ends);
    Worker worker;
    FakeRegion first(2), second(2);
    begin_team(first, worker);
    Counts counts;
    omp_collector_bridge_count_events(kIdle | kImplicit);
    worker.run([&] {
        take_seen();
        omp_collector_bridge_own_counts(counts.of);
        first.arrive();
    });
    EXPECT_EQ(worker.ask(take_names), GetParam().at_arrival);
    EXPECT_EQ(worker.ask([] { return state(); }), THR_IBAR_STATE) << "the master is in the region";
    first.end_on_master();
    EXPECT_EQ(worker.ask([] { return state(); }), THR_IDLE_STATE);
    begin_team(second, worker);
    EXPECT_EQ(worker.ask(take_names), GetParam().at_next_region);
    EXPECT_EQ(worker.ask([] { return state(); }), THR_WORK_STATE);
    EXPECT_EQ(counts.of[OMP_EVENT_THR_BEGIN_IBAR], 1U);
    EXPECT_EQ(counts.of[OMP_EVENT_THR_BEGIN_IDLE], 1U);
    worker.run([&] { second.arrive(); });
    EXPECT_EQ(counts.of[OMP_EVENT_THR_BEGIN_IBAR], 2U);
    EXPECT_EQ(counts.of[OMP_EVENT_THR_BEGIN_IDLE], 2U);
    second.end_on_master();
}

TEST(CountedEvents, AreThoseThatAreRegistered) {
    const Scene scene;
    Counts counts;
    record_events({OMP_EVENT_THR_BEGIN_IBAR});
    Worker worker;
    FakeRegion region(2);
    begin_team(region, worker);
    omp_collector_bridge_own_counts(counts.of);
    omp_collector_bridge_count_events(kExplicit);
    pass(Barrier::kExplicit);
    EXPECT_EQ(counts.of[OMP_EVENT_THR_BEGIN_EBAR], 0U);
}

TEST(CountedEvents, AreForgottenByANewSession) {
    CountingTeam team;
    omp_collector_bridge_count_events(kExplicit);
    EXPECT_EQ(request(OMP_REQ_STOP), OMP_ERRCODE_OK);
    pass(Barrier::kExplicit);
    EXPECT_EQ(request(OMP_REQ_START), OMP_ERRCODE_OK);
    record_all_events();
    pass(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR");
    omp_collector_bridge_count_events(kExplicit); // the thread's counts are gone, too
    pass(Barrier::kExplicit);
    EXPECT_EQ(take_names(), "BEGIN_EBAR END_EBAR");
    EXPECT_EQ(team.count(OMP_EVENT_THR_BEGIN_EBAR), 0U);
}

// The memory may not be there in the child.
TEST(CountedEvents, AreForgottenByAForkedChild) {
    CountingTeam team;
    omp_collector_bridge_count_events(kExplicit);
    EXPECT_EXIT(
        {
            const pid_t child = fork();
            if (child == 0) {
                pass(Barrier::kExplicit);
                const bool is_called = take_names() == "BEGIN_EBAR END_EBAR";
                _exit(is_called && team.count(OMP_EVENT_THR_BEGIN_EBAR) == 0 ? 7 : 1);
            }
            int status = 0;
            waitpid(child, &status, 0);
            _exit(WEXITSTATUS(status));
        },
        testing::ExitedWithCode(7), "");
}

} // namespace
} // namespace ocb::test
