// SPDX-License-Identifier: Apache-2.0
//
// What the model says of threads that do not run: asleep and in which call, without a processor and
// due to whom, bound to which processors. Programs of clang and gcc that do just that.
#include "calm.h"
#include "command.h"
#include "launcher_run.h"
#include "processor_sets.h"
#include "run.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)
using ompcollect::kAsleepState;
using ompcollect::kNoProcessorState;

class OffTheProcessor : public testing::TestWithParam<const char *> {
  protected:
    void run_it(const char *what, const std::vector<std::string> &options = {},
                const std::map<std::string, std::string> &environment = {}) {
        OCB_SKIP_IF_SANITIZED();
        const TemporaryFolder folder;
        const std::string file = folder.file("run.ompc");
        std::vector<std::string> words = {"-o", file};
        words.insert(words.end(), options.begin(), options.end());
        words.push_back(std::string(OCB_TEST_PROGRAMS "/") + GetParam() + "/off_processor");
        words.emplace_back(what);
        const Outcome outcome = launch(words, environment);
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const auto run = load_run(file, {});
        ASSERT_EQ(run.processes.size(), 1U);
        process_ = run.processes.front();
    }

    [[nodiscard]] bool is_below(int node, const std::string &function) const {
        for (; node >= 0; node = process_.nodes[static_cast<size_t>(node)].parent) {
            if (process_.nodes[static_cast<size_t>(node)].function == function) {
                return true;
            }
        }
        return false;
    }
    // Seconds of the cells that `is_it` takes.
    template <class IsIt> double seconds_of(IsIt is_it) const {
        double sum = 0;
        for (const Cell &cell : process_.cells) {
            sum += is_it(cell) ? cell.wall : 0;
        }
        return sum;
    }

    void expect_oversubscription() const; // of "oversubscribed"

    Process process_;
};

TEST_P(OffTheProcessor, AsleepInARegionAndInSerialCode) {
    run_it("sleep");
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    const auto asleep = [&](const char *function, const std::string &call, unsigned within) {
        return seconds_of([&](const Cell &cell) {
            return cell.state == kAsleepState && cell.within == within &&
                   is_below(cell.node, function) &&
                   call_name(process_, cell).find(call) != std::string::npos;
        });
    };
    EXPECT_NEAR(asleep("rest", "nanosleep", THR_WORK_STATE), 0.8, 0.1);
    EXPECT_NEAR(asleep("wait_for_nothing", "poll", THR_SERIAL_STATE), 0.6, 0.1);
    // Who sleeps in a state of the runtime is in that state.
    EXPECT_EQ(seconds_of([](const Cell &cell) {
                  return cell.state == kAsleepState && cell.within != THR_WORK_STATE &&
                         cell.within != THR_SERIAL_STATE;
              }),
              0);
}

// Nobody runs for most of the time, so that looks are spared. Both kinds of sleep have their time
// all the same, and the time line as many samples.
TEST_P(OffTheProcessor, AsleepByTurns) {
    const auto asleep_in = [&](const std::string &call) {
        return seconds_of([&](const Cell &cell) {
            return cell.state == kAsleepState &&
                   call_name(process_, cell).find(call) != std::string::npos;
        });
    };
    // On a busy machine the sampling thread may miss a turn, and so an eighth of a run.
    constexpr int kMostRuns = 3;
    double longer = 0, all = 1;
    for (int runs = 0; runs < kMostRuns && std::abs(longer / all - 0.75) > 0.08; ++runs) {
        run_it("turns");
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        longer = asleep_in("nanosleep");
        all = longer + asleep_in("poll");
    }
    EXPECT_GT(all, 1.2); // seconds; it is 1.28
    EXPECT_NEAR(longer / all, 0.75, 0.08);
    const auto count = static_cast<double>(process_.samples.size());
    EXPECT_GT(count, all * 97 / 2);
}

// Both threads sleep in one barrier: the one in a task's own code, the other waits.
TEST_P(OffTheProcessor, AsleepInATaskOrForOne) {
    run_it("task");
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    const double slept = seconds_of([&](const Cell &cell) {
        return cell.state == kAsleepState && cell.within == THR_WORK_STATE &&
               is_below(cell.node, "rest");
    });
    EXPECT_NEAR(slept, 0.8, 0.1);
    const double waited = seconds_of([&](const Cell &cell) {
        const unsigned state = state_within(cell);
        return state == THR_IBAR_STATE || state == THR_EBAR_STATE;
    });
    // One thread waits as long as the other sleeps. Two would wait twice as long as the run takes.
    EXPECT_GT(waited, 0.65);
    EXPECT_LT(waited, 1.5 * process_.seconds);
}

void OffTheProcessor::expect_oversubscription() const {
    // Eight for each processor, which others may use too: of eight seconds seven at least.
    const auto in_burn = [&](const Cell &cell) { return is_below(cell.node, "burn"); };
    const double all = seconds_of(in_burn);
    const double ready = seconds_of(
        [&](const Cell &cell) { return in_burn(cell) && cell.state == kNoProcessorState; });
    EXPECT_GT(ready, 0.75 * all);
    const double work = seconds_of([&](const Cell &cell) { return cell.state == THR_WORK_STATE; });
    EXPECT_NEAR(work, 0.2 * static_cast<double>(process_.threads.size()), 0.1 * work);
    ASSERT_TRUE(is_known(process_.waited_for_own));
    EXPECT_GT(process_.waited_for_own, process_.waited_for_others);
    double waited = 0;
    for (const Thread &thread : process_.threads) {
        waited += thread.waited_seconds;
    }
    const double charged =
        seconds_of([](const Cell &cell) { return cell.state == kNoProcessorState; });
    EXPECT_NEAR(charged, waited, 0.1 * waited);
}

TEST_P(OffTheProcessor, MoreThreadsThanProcessors) {
    run_it("oversubscribed");
    if (!IsSkipped() && !HasFatalFailure()) {
        expect_oversubscription();
    }
}

TEST_P(OffTheProcessor, BoundToOneProcessorByTheProgram) {
    run_it("bound");
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    ASSERT_EQ(process_.threads.size(), 2U);
    for (const Thread &thread : process_.threads) {
        EXPECT_EQ(processors_in(thread.fewest_processors), 1U) << thread.number;
        EXPECT_EQ(thread.fewest_processors, process_.threads[0].fewest_processors);
        EXPECT_EQ(thread.last_processors, thread.fewest_processors);
        EXPECT_NEAR(thread.cpu_seconds, 0.5, 0.2);
    }
    EXPECT_EQ(process_.threads_on_one_cpu, 2U);
    // One second of work on one processor, which processes of others may use too.
    ASSERT_TRUE(is_known(process_.waited_for_own));
    EXPECT_GT(process_.waited_for_own + process_.waited_for_others, 0.6);
    EXPECT_GT(process_.waited_for_own, 0.3);
}

// Who waits for a mutex and wants a processor waits for the mutex, also in a program with tasks.
TEST_P(OffTheProcessor, QueuesOnOneProcessor) {
    const auto within = [&](unsigned state) {
        return seconds_of([&](const Cell &cell) { return state_within(cell) == state; });
    };
    double work = 0;
    double waited = 0;
    double at_barrier = 0;
    // Time without a processor is charged by chance: a run of a second may be off.
    bool is_right = false;
    for (int i = 0; i < 3 && !is_right; ++i) {
        run_it("queue");
        if (IsSkipped() || HasFatalFailure()) {
            return;
        }
        work = within(THR_WORK_STATE);
        waited = within(THR_CTWT_STATE);
        at_barrier = within(THR_IBAR_STATE);
        is_right = waited + at_barrier > 0.4 * work && work < 1.5 * process_.seconds;
    }
    // One at a time is inside. Who has been inside forty times waits at the end.
    EXPECT_LT(work, 1.5 * process_.seconds);
    EXPECT_GT(waited, 0.2 * work);
    EXPECT_GT(waited + at_barrier, 0.4 * work) << process_.waited_for_others;
}

// And who waits at a barrier does not work.
TEST_P(OffTheProcessor, ComesLateOnOneProcessor) {
    run_it("late", {}, {{"OMP_WAIT_POLICY", "active"}});
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    ASSERT_EQ(process_.threads.size(), 2U);
    double work = 0;
    double waited = 0;
    for (const Cell &cell : process_.cells) {
        const unsigned state = state_within(cell);
        const bool is_barrier =
            state == THR_EBAR_STATE || state == THR_IBAR_STATE; // gcc joins both
        work += cell.thread == 1 && state == THR_WORK_STATE ? cell.wall : 0;
        waited += cell.thread == 1 && is_barrier ? cell.wall : 0;
    }
    EXPECT_GT(waited, 0.25);
    EXPECT_LT(work, waited);
}

// By the clock of processors there is no word on what threads do off them.
TEST_P(OffTheProcessor, IsNotSeenByTheProcessorsClock) {
    run_it("sleep", {"--clock", "cpu"});
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    EXPECT_FALSE(process_.has_wall_times);
    EXPECT_EQ(seconds_of([](const Cell &cell) {
                  return cell.state == kAsleepState || cell.state == kNoProcessorState;
              }),
              0);
}

// Runtimes of TR2 cannot be asked from outside: a thread's own samples show how it rests.
class OffTheProcessorOnAnOldRuntime : public OffTheProcessor {
  protected:
    void run_it(const char *what) {
        OffTheProcessor::run_it(what, {}, {{"LD_LIBRARY_PATH", OCB_TEST_TR2_RUNTIME}});
    }
};

TEST_P(OffTheProcessorOnAnOldRuntime, AsleepInARegionAndInSerialCode) {
    run_it("sleep");
    if (IsSkipped() || HasFatalFailure()) {
        return;
    }
    EXPECT_EQ(process_.ompt_generation, "TR2");
    const auto asleep = [&](const char *function, unsigned within) {
        return seconds_of([&](const Cell &cell) {
            return cell.state == kAsleepState && cell.within == within &&
                   is_below(cell.node, function);
        });
    };
    EXPECT_NEAR(asleep("rest", THR_WORK_STATE), 0.8, 0.1);
    EXPECT_NEAR(asleep("wait_for_nothing", THR_SERIAL_STATE), 0.6, 0.1);
    // Processor time is known, too: no second of sleep has any.
    ASSERT_TRUE(process_.has_cpu_times);
    double ran = 0;
    for (const Cell &cell : process_.cells) {
        ran += cell.cpu;
        EXPECT_FALSE(cell.state == kAsleepState && cell.cpu > 0);
    }
    EXPECT_NEAR(ran, process_.cpu_seconds, 0.1 * process_.cpu_seconds);
}

TEST_P(OffTheProcessorOnAnOldRuntime, MoreThreadsThanProcessors) {
    run_it("oversubscribed");
    if (!IsSkipped() && !HasFatalFailure()) {
        expect_oversubscription();
    }
}

INSTANTIATE_TEST_SUITE_P(Compilers, OffTheProcessorOnAnOldRuntime, testing::Values("clang"));
INSTANTIATE_TEST_SUITE_P(Compilers, OffTheProcessor, testing::Values("clang", "gcc"),
                         [](const auto &made) { return std::string(made.param); });

} // namespace
} // namespace ocb_test
