// SPDX-License-Identifier: Apache-2.0
//
// A session on a runtime of before TR6: control, facts of threads, capabilities, the table of ids.
#include "old_scene.h"
#include "sanitized.h"

#include "tr2/ids.h"

#include <atomic>
#include <set>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ocb::test {
namespace {

TEST(OldRuntimeLife, ControlActsOnTheSession) {
    const OldScene scene;
    enum { kStart = 1, kPause = 2, kFlush = 3, kEnd = 4 };
    const auto forks = [] {
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        tr2::leave(kRegion, kMastersTask);
        join(kRegion);
        return take_names();
    };
    EXPECT_EQ(forks(), "FORK JOIN");
    control(kPause);
    EXPECT_EQ(forks(), "");
    control(kStart);
    control(kFlush);
    EXPECT_EQ(forks(), "FORK JOIN");
    control(kEnd);
    EXPECT_EQ(forks(), "");
    EXPECT_EQ(request(OMP_REQ_PAUSE), OMP_ERRCODE_SEQUENCE_ERR);
}

OCB_FRESH_TEST(OldRuntimeLife, EndsAndComesBackByItsInitializerAlone) {
    const Initializer initializer = ask_for_tool();
    for (int life = 0; life < 2; ++life) {
        run_initializer(initializer);
        EXPECT_GT(count_of_callbacks(), 0);
        thread_begins(ompt_thread_initial, 1);
        if (life == 0) {
            OldScene::start();
        }
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        EXPECT_EQ(state(), THR_WORK_STATE);
        tr2::leave(kRegion, kMastersTask);
        join(kRegion);
        EXPECT_EQ(take_names(), "FORK JOIN");
        thread_ends(ompt_thread_initial);
        shut_down();
        EXPECT_EQ(state(), THR_SERIAL_STATE);
        omp_collector_bridge_runtime_info info{};
        omp_collector_bridge_runtime(&info);
        EXPECT_STREQ(info.generation, "");
    }
}

OCB_FRESH_TEST(OldRuntimeLife, AsksAgainInAForkedChild) {
    const OldScene scene;
    const pid_t child = ::fork();
    if (child == 0) {
        const bool is_attached = attach();
        thread_begins(ompt_thread_initial, 1);
        tr2::fork(kRegion);
        enter(kRegion, kMastersTask);
        const bool is_right = is_attached && state() == THR_WORK_STATE && region() != 0;
        _exit(is_right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    // And in this process it has its place.
    capture_stderr();
    initialize(0, 0, 0);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("a second OpenMP runtime"),
              std::string::npos);
}

OCB_FRESH_TEST_WITH(OldRuntimeLife, FurtherToolIsLeftOut, "OCB_LOG=warn",
                    "OCB_TOOL_LIBRARIES=/somewhere/libtool.so") {
    capture_stderr();
    ASSERT_TRUE(attach());
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "[omp-collector-bridge] warning: a client tool is left out: the runtime's tools "
              "interface is older than OpenMP 5.0: TR2\n");
}

// A thread that the runtime knows and has not told us of: its answers come from the inquiries.
TEST(OldRuntimeFacts, OfAThreadThatWasNotTold) {
    const OldScene scene;
    OldWorker worker(2);
    begin_team(worker);
    const std::uint64_t id = region();
    FakeThread other;
    EXPECT_EQ(other.ask(state), THR_SERIAL_STATE);
    other.run([] {
        tr2::caller().id = 3;
        tr2::caller().regions[0] = kRegion;
        tr2::caller().state = ompt_state_wait_barrier_explicit;
    });
    EXPECT_EQ(other.ask(state), THR_EBAR_STATE);
    EXPECT_EQ(other.ask(region), id);
    EXPECT_EQ(other.ask(parent), kNotMaster);
    // libomp shows idle workers the region that they were in.
    other.run([] {
        tr2::caller().regions[0] = 0x4444;
        tr2::caller().state = ompt_state_idle;
    });
    EXPECT_EQ(other.ask(state), THR_IDLE_STATE);
    EXPECT_EQ(other.ask(region), 0U);
    // And the events that it then has make it known: here of a region within its team's.
    other.run([] {
        tr2::caller().regions[0] = kRegion;
        tr2::fork(50);
        enter(50, 51);
    });
    EXPECT_EQ(other.ask(parent), id);
    other.run([] {
        tr2::leave(50, 51);
        join(50);
        tr2::thread_ends(ompt_thread_worker);
    });
    end_team(worker);
}

// As on libomp, which has one state for all barriers.
OCB_FRESH_TEST(OldRuntimeCapabilities, ExplicitBarriersAreNotSeenWithoutTheirState) {
    const OldScene scene;
    tr2::fork(kRegion);
    enter(kRegion, kMastersTask);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_EBAR").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    pass_barrier(ompt_state_wait_barrier);
    for (const char *name : {"OMP_EVENT_THR_BEGIN_EBAR", "THR_EBAR_STATE"}) {
        EXPECT_EQ(here(name).status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
        EXPECT_NE(std::string(here(name).reason).find("without their kind"), std::string::npos);
    }
    EXPECT_EQ(here("THR_IBAR_STATE").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    tr2::leave(kRegion, kMastersTask);
    join(kRegion);
}

OCB_FRESH_TEST(OldRuntimeCapabilities, SayWhatTheGenerationTells) {
    settings.refused = {ompt_event_wait_critical, ompt_event_wait_taskwait_begin};
    ASSERT_TRUE(attach());
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_IDLE").status, OMP_COLLECTOR_BRIDGE_EXACT);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_LKWT").status, OMP_COLLECTOR_BRIDGE_EXACT);
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_EBAR").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    EXPECT_EQ(here("OMP_EVENT_THR_END_CREATE_TASK_IMM").status,
              OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    const omp_collector_bridge_capability critical = here("OMP_EVENT_THR_BEGIN_CTWT");
    EXPECT_EQ(critical.status, OMP_COLLECTOR_BRIDGE_NOT_OBSERVABLE);
    EXPECT_STREQ(critical.reason,
                 "the runtime answered the registration of wait_critical with: impossible");
    // A refusal is no matter of what does not rest on it.
    EXPECT_EQ(here("OMP_EVENT_THR_BEGIN_IBAR").status, OMP_COLLECTOR_BRIDGE_SYNTHESISED);
    EXPECT_EQ(here("OMP_EVENT_FORK").status, OMP_COLLECTOR_BRIDGE_EXACT);
}

using Table = ompt::IdTable<4>;

TEST(OldRuntimeIds, NodesAreUsedAgain) {
    static Table table;
    std::set<const IdNode *> nodes;
    const auto ids = static_cast<std::uint64_t>(million());
    constexpr std::uint64_t kAlive = 10;
    for (std::uint64_t id = 1; id <= ids; ++id) {
        IdNode *node = table.insert(id << 20, id);
        ASSERT_NE(node, nullptr);
        EXPECT_EQ(node->word.load(), 0U);
        node->word.store(id);
        nodes.insert(node);
        if (id <= kAlive) {
            continue;
        }
        IdNode *old = table.find((id - kAlive) << 20);
        ASSERT_NE(old, nullptr);
        ASSERT_EQ(old->word.load(), id - kAlive);
        table.erase(*old);
        ASSERT_EQ(table.find((id - kAlive) << 20), nullptr);
    }
    EXPECT_LE(nodes.size(), kAlive * 16) << "at most so many were alive in each of 16 lists";
    EXPECT_EQ(table.insert(0, 0), nullptr);
    EXPECT_EQ(table.find(0), nullptr);
    EXPECT_EQ(table.insert(~0ULL, 0), nullptr);
}

TEST(OldRuntimeIds, ThreadsDoNotDisturbEachOther) {
    static Table table;
    constexpr std::uint64_t kThreads = 4, kRounds = 50000;
    std::atomic<std::uint64_t> wrong{0};
    const auto work = [&](std::uint64_t thread) {
        for (std::uint64_t round = 0; round < kRounds; ++round) {
            const std::uint64_t id = (round << 8 | thread) + 1;
            IdNode *node = table.insert(id, thread);
            node->word.store(id);
            const IdNode *found = table.find(id);
            if (found != node || found->word.load() != id || found->owner.load() != thread) {
                ++wrong;
            }
            table.erase(*node);
            if (table.find(id) != nullptr) {
                ++wrong;
            }
        }
    };
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back(work, thread);
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong.load(), 0U);
}

} // namespace
} // namespace ocb::test
