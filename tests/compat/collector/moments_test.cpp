// SPDX-License-Identifier: Apache-2.0
//
// Where a thread's time counts that no sample of its own has seen: at its end, and while it hardly
// runs.
#include "beside_loops.h"
#include "calm.h"

#include "omp_collector_api.h"

#include <algorithm>
#include <map>

namespace ocb_test {
namespace {

using ompcollect::kNoProcessorState;

// Each thread lives for two samples and a half, and ends in a state in which it was for no time.
TEST(MomentsOfThreads, AtTheEndAreWhereTheLastSampleWas) {
    OCB_SKIP_IF_SANITIZED();
    double work = 0;
    double all = 0;
    constexpr double kLeast = 25 * 2 * 0.026;
    constexpr double kLeastPart = 0.93;
    bool is_decided = false;
    for (int i = 0; i < kMostRuns && !is_decided; ++i) {
        const Process process = profile_of({{"gcc/lives", "25", "2", "26"},
                                            true,
                                            {"OMPCOLLECT_RATE=97", "OMP_WAIT_POLICY=passive"}});
        work = all = 0;
        for (const ompcollect::report::Cell &cell : process.cells) {
            work += cell.state == THR_WORK_STATE ? cell.cpu : 0;
            all += cell.cpu;
        }
        is_decided = work >= kLeastPart * all || was_calm(process);
    }
    EXPECT_GE(all, kLeast);
    EXPECT_GE(work / all, kLeastPart);
}

// What the thread with the shorter task waited for a processor: in its barrier, beside in its task.
double off_in_barrier_beside_task() {
    const Process process = profile_of({{"clang/late_task"}, false, {"OMPCOLLECT_RATE=10"}});
    struct Sums {
        double work = 0;
        double off_in_task = 0;
        double off_in_barrier = 0;
    };
    std::map<unsigned, Sums> by_thread;
    for (const ompcollect::report::Cell &cell : process.cells) {
        Sums &to = by_thread[cell.thread];
        const bool is_off = cell.state == kNoProcessorState;
        const unsigned within = state_within(cell);
        to.work += cell.state == THR_WORK_STATE ? cell.cpu : 0;
        to.off_in_task += is_off && within == THR_WORK_STATE ? cell.wall : 0;
        to.off_in_barrier += is_off && within == THR_IBAR_STATE ? cell.wall : 0;
    }
    EXPECT_EQ(by_thread.size(), 2U);
    const auto waits =
        std::min_element(by_thread.begin(), by_thread.end(), [](const auto &a, const auto &b) {
            return a.second.work < b.second.work;
        });
    return waits == by_thread.end() ? 0 : waits->second.off_in_barrier / waits->second.off_in_task;
}

// libomp waits for tasks awake, and gives its processor to others at once. Its next sample comes
// late, so the last one, in the task that has ended, shows nothing. The wait is four times as long
// as the task, or more.
TEST(MomentsOfThreads, InWaitsAwakeAreNotInTheTaskBefore) {
    OCB_SKIP_IF_SANITIZED();
    double beside = 0;
    constexpr double kLeast = 2;
    for (unsigned tries = 0; tries < 3 && beside < kLeast; ++tries) {
        beside = off_in_barrier_beside_task();
    }
    EXPECT_GE(beside, kLeast);
}

} // namespace
} // namespace ocb_test
