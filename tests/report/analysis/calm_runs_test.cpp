// SPDX-License-Identifier: Apache-2.0
//
// What is said of a run without waits, and of places that are not the program's.
#include "findings.h"
#include "made_runs.h"
#include "warnings.h"

#include <gtest/gtest.h>

namespace ocb_test {
namespace {

// What a compiler has put into the program's own code is no place.
TEST(Findings, SerialTimeOfTheLibrarysCodeIsItsCallers) {
    for (const char *name : {"std::mutex::lock", "__gthread_mutex_lock", "__gnu_cxx::__exchange",
                             "void std::__introsort_loop<int*>(int*, int*)"}) {
        MadeProcess made(2, 10);
        const int caller = made.function("sort_all<std::less<int> >", 3);
        made.serial(10, made.function(name, 749, caller));
        const auto findings = findings_of(made.process, figures_of(made.process));
        ASSERT_EQ(findings.size(), 1U);
        EXPECT_EQ(findings[0].place, "sort_all<std::less<int> > made.c:3") << name;
    }
}

// Where nothing is lost in waits the kernel may have the time.
TEST(Findings, NoneSaysWhatTheKernelTakes) {
    Process process = made_healthy();
    process.cpu_seconds = 10;
    process.kernel_seconds = 1;
    EXPECT_NE(no_finding(process, figures_of(process)).find("ompcollect scale -t 1,4 shows"),
              std::string::npos);
    process.kernel_seconds = 1.1;
    process.page_faults = 640000;
    EXPECT_EQ(no_finding(process, figures_of(process)),
              "No time is lost in waits (0.5 %). Slow code is not seen here: 11 % of the processor "
              "time is in the kernel, with 640,000 page faults.");
}

TEST(Warnings, OneThreadIsToldWhereProcessorsAreFree) {
    MadeProcess made(1, 10);
    made.process.processors = 4;
    made.process.cpu_seconds = 10;
    made.process.others_cpu_seconds = 20.9; // of 40
    made.time(0, made.region("alone", 3, 1), THR_WORK_STATE, 6);
    const auto told = [&] {
        for (const Warning &each : warnings_of(made.process)) {
            if (std::string(each.name) == "one_thread") {
                return each.text;
            }
        }
        return std::string();
    };
    EXPECT_EQ(told(), "its regions had one thread, and 4 processors were there: more of them save "
                      "up to 4.50 s of 10.00 s (OMP_NUM_THREADS, OMP_THREAD_LIMIT, OMP_DYNAMIC, "
                      "num_threads)");
    made.process.environment = {"OMP_STACKSIZE=1M", "OMP_NUM_THREADS=1", "OMP_DYNAMIC=true"};
    EXPECT_NE(told().find("(OMP_NUM_THREADS=1 OMP_DYNAMIC=true)"), std::string::npos) << told();
    made.process.others_cpu_seconds = 21.1; // they have the rest
    EXPECT_EQ(told(), "");
    made.process.others_cpu_seconds = kNotKnown;
    EXPECT_NE(told(), "");
    made.process.most_threads = 2;
    EXPECT_EQ(told(), "");
    made.process.most_threads = 1;
    made.process.cells[0].wall = 0.5; // a twentieth
    EXPECT_EQ(told(), "");
}

} // namespace
} // namespace ocb_test
