// SPDX-License-Identifier: Apache-2.0
//
// Findings of waits that OpenMP knows nothing of, and of regions that nobody observes.
#include "findings.h"
#include "made_runs.h"
#include "report_parts.h"
#include "verdict.h"
#include "warnings.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

using ompcollect::kAsleepState;

// Who queues for a mutex of the program's own, or joins a thread, works no more than who sleeps.
TEST(Findings, WaitsThatAreNotOpenMPsHaveNamesAndPlaces) {
    MadeProcess made(2, 4);
    made.process.calls = {"futex"};
    made.process.other_threads = 1;
    made.process.other_cpu_seconds = 0.5;
    const auto libc = [&made](const char *name, int parent) {
        const int node = made.function(name, 0, parent);
        made.process.nodes.back().module = "/lib/x86_64-linux-gnu/libc.so.6";
        return node;
    };
    const auto asleep = [&made](unsigned thread, int node, unsigned within, double seconds) {
        made.time(thread, node, kAsleepState, seconds, 0);
        made.process.cells.back().within = within;
        made.process.cells.back().call = 0;
    };
    const int main = made.function("main", 1);
    const int join = libc("pthread_join", made.function("collect", 2, main));
    const int region = made.region("main", 5, 1, main);
    const int add = made.function("add", 3, region);
    const int lock = libc("__lll_lock_wait", libc("pthread_mutex_lock", add));
    asleep(0, join, THR_SERIAL_STATE, 1);
    made.time(1, kOutside, THR_IDLE_STATE, 1, 0);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, region, THR_WORK_STATE, 1);
        asleep(i, lock, THR_WORK_STATE, 1.5);
        made.time(i, lock, THR_WORK_STATE, 0.5);
    }
    const auto findings = findings_of(made.process, figures_of(made.process));
    ASSERT_EQ(findings.size(), 2U);
    EXPECT_EQ(findings[0].cause, Cause::kForeignLock);
    EXPECT_EQ(findings[0].place, "add made.c:3");
    EXPECT_NEAR(findings[0].seconds, 2, 1e-9);
    EXPECT_EQ(findings[0].evidence, "in the region threads wait 4.00 s for locks that are not "
                                    "OpenMP's, most of it in pthread_mutex_lock");
    EXPECT_EQ(findings[1].cause, Cause::kOwnThread);
    EXPECT_EQ(findings[1].place, "collect made.c:2");
    EXPECT_NEAR(findings[1].seconds, 1, 1e-9);
    EXPECT_EQ(findings[1].evidence,
              "outside parallel regions threads wait 1.00 s for other threads of the program, most "
              "of it in pthread_join; 1 thread without OpenMP ran for 0.50 s");
}

// The initial thread waits for two others, which want the processor of a worker that waits awake.
class SpinningWorkers : public testing::Test {
  protected:
    SpinningWorkers() {
        process().calls = {"futex"};
        process().other_threads = 2;
        process().other_waited_seconds = 3;
        process().waited_for_own = 3;
        process().waited_for_others = 0;
        const int main = made_.function("main", 1);
        const int join = made_.function("pthread_join", 0, made_.function("collect", 2, main));
        process().nodes.back().module = "/lib/x86_64-linux-gnu/libc.so.6";
        made_.time(0, made_.region("main", 5, 1, main), THR_WORK_STATE, 1);
        made_.time(1, made_.region("main", 5, 1, main), THR_WORK_STATE, 1);
        made_.time(0, join, kAsleepState, 9, 0);
        process().cells.back().within = THR_SERIAL_STATE;
        process().cells.back().call = 0;
        made_.time(1, kOutside, THR_IDLE_STATE, 9, 4);
    }
    ompcollect::report::Process &process() { return made_.process; }
    std::vector<Finding> findings() { return findings_of(process(), figures_of(process())); }

  private:
    MadeProcess made_{2, 10};
};

TEST_F(SpinningWorkers, AreNamedFirstAndTakenFromTheWaits) {
    const std::vector<Finding> found = findings();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].cause, Cause::kSpinning);
    EXPECT_EQ(found[0].place, "collect made.c:2");
    EXPECT_NEAR(found[0].seconds, 3, 1e-9);
    EXPECT_TRUE(found[0].is_at_most);
    EXPECT_EQ(found[0].evidence, "idle workers ran for 4.00 s, waiting awake, while 2 threads "
                                 "without OpenMP waited 3.00 s for a processor");
    EXPECT_EQ(found[1].cause, Cause::kOwnThread);
    EXPECT_NEAR(found[1].seconds, 9 - 3, 1e-9);
    process().other_waited_seconds = 5; // more than workers ran
    EXPECT_NEAR(findings()[0].seconds, 4, 1e-9);
}

TEST_F(SpinningWorkers, AreOneFromATwentiethOfTheTimeOnAndForTheProgramsOwn) {
    for (const auto &[waited, own, is_one] :
         {std::tuple{0.5, 1.0, true}, {0.49, 1.0, false}, {3.0, 0.5, true}, {3.0, 0.49, false}}) {
        process().other_waited_seconds = waited;
        process().waited_for_own = own;
        process().waited_for_others = 1 - own;
        const std::vector<Finding> found = findings();
        ASSERT_FALSE(found.empty());
        EXPECT_EQ(found[0].cause == Cause::kSpinning, is_one) << waited << " " << own;
    }
}

// libomp beside libgomp: no serial part, and no word that nothing stands out.
TEST(Findings, RegionsThatAreNotObservedAreNoSerialPart) {
    MadeProcess made(2, 4);
    made.process.other_runtimes = "libomp.so.5";
    const int main = made.function("main", 1);
    const int region = made.region("main", 5, 1, main);
    const auto other = made.function("part [region, not observed]", 9, main);
    for (unsigned i = 0; i < 2; ++i) {
        made.time(i, region, THR_WORK_STATE, 2);
    }
    made.time(0, other, THR_SERIAL_STATE, 2);
    made.time(1, kOutside, THR_IDLE_STATE, 2, 0);
    const Conclusions drawn(made.process);
    EXPECT_TRUE(drawn.findings.empty());
    EXPECT_EQ(
        no_finding(made.process, drawn.figures),
        "What regions of a runtime that is not observed lose in 2.00 s is not known: make the "
        "program and its libraries use one OpenMP runtime.");
    const auto warnings = warnings_of(made.process);
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_EQ(warnings[0].name, std::string("unobserved_runtime"));
    made.process.other_runtimes.clear();
    EXPECT_TRUE(warnings_of(made.process).empty());
}

// The creator is in the runtime for 3 s, from the line of the text.
class TaskWaits : public testing::Test {
  protected:
    TaskWaits() : made_(2, 4), region_(made_.region("spread", 7, 1)) {
        made_.time(0, region_, THR_WORK_STATE, 1);
        made_.time(0, region_, THR_OVHD_STATE, 3);
        ompcollect::report::Line line;
        line.source = "made.c:9";
        line.function = "spread";
        line.times.wall[THR_OVHD_STATE] = 3;
        made_.process.lines.push_back(line);
    }
    // While its team-mate works for so long, and else waits at the barrier.
    Finding first(const char *text, double works) {
        made_.process.lines.back().text = text;
        made_.time(1, region_, THR_WORK_STATE, works);
        if (works < 4) {
            made_.time(1, region_, THR_IBAR_STATE, 4 - works);
        }
        const auto findings = findings_of(made_.process, figures_of(made_.process));
        return findings.empty() ? Finding() : findings[0];
    }

    MadeProcess made_;
    int region_;
};

TEST_F(TaskWaits, AreNoWorkOfTheRuntime) {
    const Finding found = first("#pragma omp taskwait", 4);
    EXPECT_EQ(found.cause, Cause::kTaskWaits);
    EXPECT_EQ(found.place, "spread made.c:7");
    EXPECT_NEAR(found.seconds, 1.5, 1e-9);
    EXPECT_EQ(found.evidence, "threads wait 3.00 s in taskwait for tasks that others execute, and "
                              "there is no other one for them");
}

TEST_F(TaskWaits, AreKnownByFortransWordsToo) {
    EXPECT_EQ(first("  !$OMP END TASKGROUP", 4).cause, Cause::kTaskWaits);
}

// Nobody executes a task meanwhile: tasks are too small.
TEST_F(TaskWaits, AreNoLongerThanOthersWork) {
    const Finding found = first("#pragma omp taskwait", 0.05);
    EXPECT_EQ(found.cause, Cause::kRuntimeWork);
}

TEST_F(TaskWaits, AreNotTheCreationOfTasks) {
    EXPECT_EQ(first("#pragma omp task", 4).cause, Cause::kRuntimeWork);
}

TEST_F(TaskWaits, AreOfAPragmaNotOfAName) {
    EXPECT_EQ(first("start_taskwait_timer();", 4).cause, Cause::kRuntimeWork);
}

// What the kernel counts of a quota is the least.
TEST(Findings, OfWhichTheLeastIsKnownSaySo) {
    for (unsigned i = 0; i < static_cast<unsigned>(Cause::kCount); ++i) {
        const auto cause = static_cast<Cause>(i);
        EXPECT_EQ(ompcollect::report::is_at_least(cause),
                  cause == Cause::kQuota || cause == Cause::kForeignLock);
    }
    MadeProcess made(2, 4);
    Conclusions drawn(made.process);
    for (const auto &[cause, words] :
         {std::pair{Cause::kQuota, "1. saves at least 2.00 s of 4.00 s ("},
          {Cause::kCritical, "1. saves 2.00 s of 4.00 s ("}}) {
        Finding finding;
        finding.cause = cause;
        finding.seconds = 2;
        finding.share = 0.5;
        finding.places.emplace_back().place = "main";
        drawn.findings = {finding};
        drawn.figures.samples = 1000;
        TextStyle style;
        style.parts = kAllParts;
        EXPECT_NE(verdict_text(made.process, drawn, style).find(words), std::string::npos)
            << verdict_text(made.process, drawn, style);
    }
}

} // namespace
} // namespace ocb_test
