// SPDX-License-Identifier: Apache-2.0
//
// Where a thread's time counts that no sample of its own has seen: at its end.
#include "beside_loops.h"
#include "calm.h"

#include "omp_collector_api.h"

namespace ocb_test {
namespace {

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
    if (!is_decided) {
        GTEST_SKIP() << "others had the processors in each of " << kMostRuns << " runs";
    }
    EXPECT_GE(all, kLeast);
    EXPECT_GE(work / all, kLeastPart);
}

} // namespace
} // namespace ocb_test
