// SPDX-License-Identifier: Apache-2.0
//
// Mutexes for which nobody queues, in the profile.
#include "beside_loops.h"

namespace ocb_test {
namespace {

double in_state(const Process &process, unsigned state) {
    double seconds = 0;
    for (const ompcollect::report::Cell &cell : process.cells) {
        seconds += state_within(cell) == state ? cell.wall : 0;
    }
    return seconds;
}

// libgomp-ompt had a third of the time in such a loop as a wait: its state was one for the length
// of each call.
TEST(QueuesOfThreads, AreNotWhereEachHasAMutexOfItsOwn) {
    OCB_SKIP_IF_SANITIZED();
    for (const char *program : {"clang/queues", "gcc/queues"}) {
        const Process process = profile_of({{program, "400"}, true, {}});
        const double all = in_state(process, THR_WORK_STATE) + in_state(process, THR_OVHD_STATE);
        const double queued = in_state(process, THR_LKWT_STATE) + in_state(process, THR_CTWT_STATE);
        EXPECT_GT(all, 0.7) << program;
        EXPECT_LT(queued, 0.02 * all) << program;
    }
}

} // namespace
} // namespace ocb_test
