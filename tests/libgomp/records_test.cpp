// SPDX-License-Identifier: Apache-2.0
// Records that libgomp-ompt uses again: nothing of what they were before is left in them.
#include "libgomp_run.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ocb_test {
namespace {

const LibgompRun kWithRecorder{{OCB_LIBGOMP_OMPT, OCB_LIBGOMP_RECORDER}, {}, {}};

// The recorder finds each new task's and each initial region's word empty, and fills it.
TEST(Records, OfThreadsAreNewWhenUsedAgain) {
    LibgompRun with = kWithRecorder;
    with.environment["OCB_RECORD_WORDS"] = "yes";
    const Recorded run = run_recorded(program_path("threads_again"), with);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ(5, run.counts.at("parallel_begin").first);
    EXPECT_EQ(0, run.counts.at("misfits").first);
}

// Four threads began before the fork, and one ends in the child.
TEST(Records, OfOtherThreadsAreForgottenInAForkedChild) {
    const Recorded run = run_recorded(program_path("forked_end"), kWithRecorder);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ(4, run.counts.at("thread_begin").first);
    EXPECT_EQ(1, run.counts.at("thread_end").first);
    EXPECT_EQ(0, run.counts.at("misfits").first);
}

// Where they are not, the process grows by 37 MB.
TEST(Records, OfDroppedTasksAreFoundAgain) {
    LibgompRun with = kWithRecorder;
    with.environment["OMP_CANCELLATION"] = "true";
    const Recorded run = run_recorded(program_path("dropped_tasks"), with);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    std::istringstream said(run.outcome.out);
    long grown_kib = 0;
    long dropped = 0;
    ASSERT_TRUE(said >> grown_kib >> dropped) << run.outcome.out;
    EXPECT_EQ(300000, dropped);
    EXPECT_LT(grown_kib, 4096);
    EXPECT_EQ(303000, run.counts.at("task_create").first); // 3,000 create the others
    EXPECT_EQ(0, run.counts.at("misfits").first);
}

} // namespace
} // namespace ocb_test
