// SPDX-License-Identifier: Apache-2.0
//
// Queues for mutexes in the profile, beside loops that take a part of each processor. The program
// reads the clock itself.
#include "beside_loops.h"

#include <cstdio>

namespace ocb_test {
namespace {

double in_state(const Process &process, unsigned state) {
    double seconds = 0;
    for (const ompcollect::report::Cell &cell : process.cells) {
        seconds += state_within(cell) == state ? cell.wall : 0;
    }
    return seconds;
}

double of_locks(const Process &process, unsigned state) {
    double seconds = 0;
    for (const ompcollect::report::Lock &lock : process.locks) {
        seconds += lock.state == state ? lock.wall : 0;
    }
    return seconds;
}

// Some tenths of a second pass before others are noticed; until then samples have to do. The work
// is nearly all in system calls: a timer that does not count there had 1.7 to 2 times the queues.
void expect_what_the_clock_has(const std::string &program, const char *kind, unsigned state) {
    std::string out;
    const Process process = profile_of({{program, kind, "60"}, false, {}}, &out);
    double queued = 0;
    ASSERT_EQ(std::sscanf(out.c_str(), "%lf", &queued), 1) << out;
    EXPECT_NEAR(in_state(process, state), queued, 0.15 * queued) << program << " " << kind;
    EXPECT_NEAR(of_locks(process, state), queued, 0.15 * queued) << program << " " << kind;
}

// libgomp-ompt had a third of the time in such a loop as a wait: its state was one for the length
// of each call.
TEST(QueuesOfThreads, AreNotWhereEachHasAMutexOfItsOwn) {
    OCB_SKIP_IF_SANITIZED();
    for (const char *program : {"clang/queues", "gcc/queues"}) {
        const Process process = profile_of({{program, "none", "400"}, true, {}});
        const double all = in_state(process, THR_WORK_STATE) + in_state(process, THR_OVHD_STATE);
        const double queued = in_state(process, THR_LKWT_STATE) + in_state(process, THR_CTWT_STATE);
        EXPECT_GT(all, 0.7) << program;
        EXPECT_LT(queued, 0.02 * all) << program;
    }
}

TEST(QueuesOfThreads, AreWhatTheClockHasBesideOthers) {
    OCB_SKIP_IF_SANITIZED();
    expect_what_the_clock_has("clang/queues", "critical", THR_CTWT_STATE);
}

TEST(QueuesOfThreads, AreWhatTheClockHasBesideOthersOnLibgomp) {
    OCB_SKIP_IF_SANITIZED();
    expect_what_the_clock_has("gcc/queues", "critical", THR_CTWT_STATE);
    expect_what_the_clock_has("gcc/queues", "lock", THR_LKWT_STATE);
}

} // namespace
} // namespace ocb_test
