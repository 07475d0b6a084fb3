// SPDX-License-Identifier: Apache-2.0
//
// The profile: named and printed.
#include "process.h"
#include "profile.h"
#include "source_lines.h"
#include "text_output.h"
#include "text_report.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ompcollect {
namespace {

// What `write` makes of the profile.
template <typename Write> std::string text_of(const Profile &profile, Write write) {
    const ocb_test::TemporaryFolder folder;
    const std::string path = folder.file("text");
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    {
        TextOutput out(fd);
        write(profile, out);
        out.flush();
        EXPECT_TRUE(out.good());
    }
    close(fd);
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

struct Sample {
    ThreadRow threads[2] = {};
    RegionRow regions[2] = {};
    LockRow locks[1] = {};
    Profile profile;

    Sample() {
        profile.pid = 42;
        profile.program = "/a b/program";
        profile.rate = 100;
        profile.seconds = 1.5;
        profile.off_processor = OffProcessor::kFromOutside;
        profile.late_samples = 3;
        profile.lost_samples = 1;
        profile.events[OMP_EVENT_FORK] = {OMP_ERRCODE_OK, 7};
        profile.events[OMP_EVENT_THR_BEGIN_ATWT] = {OMP_ERRCODE_UNSUPPORTED, 0};
        threads[0].tid = 42;
        threads[0].kind = ThreadKind::kInitial;
        threads[0].samples = 100;
        threads[0].times.wall[THR_WORK_STATE] = 1;
        threads[1].number = 1;
        threads[1].tid = 43;
        threads[1].samples = 100;
        threads[1].times.wall[THR_IDLE_STATE] = 0.5;
        threads[1].times.wall[THR_CTWT_STATE] = 0.5;
        regions[0].entries = 5;
        regions[0].place = {"/bin/x y", 0x1234, "outer", nullptr};
        regions[0].times.wall[THR_WORK_STATE] = 1;
        regions[1].entries = 2;
        regions[1].parent = 0;
        locks[0].state = THR_CTWT_STATE;
        locks[0].wait_id = 0xfeedf00d;
        locks[0].waits = 9;
        locks[0].wall = 0.5;
        locks[0].first_wait = {"/bin/x", 0x99, nullptr, nullptr};
        profile.serial.wall[THR_IDLE_STATE] = 0.5;
        profile.threads = threads;
        profile.thread_count = 2;
        profile.regions = regions;
        profile.region_count = 2;
        profile.locks = locks;
        profile.lock_count = 1;
    }
};

TEST(Report, ShowsEachTable) {
    const Sample sample;
    const std::string report = text_of(sample.profile, write_text_report);
    for (const char *expected : {
             "(pid 42)",
             "all                           200     0.0    50.0     0.0    25.0    25.0",
             "outer (x y+0x1234)",
             "inside outer",
             "(outside any region)",
             "0xfeedf00d",
             "FORK 7",
             "Not offered here: BEGIN_ATWT (UNSUPPORTED)",
             "Samples: 200 (3 of them delivered late), lost 1; 100 a second",
         }) {
        EXPECT_NE(report.find(expected), std::string::npos) << expected << "\n" << report;
    }
}

TEST(Report, SaysWhyThereIsNothing) {
    Profile refused;
    refused.program = "p";
    refused.start_code = OMP_ERRCODE_SEQUENCE_ERR;
    EXPECT_NE(text_of(refused, write_text_report).find("refused with SEQUENCE_ERR"),
              std::string::npos);
    Profile unused;
    unused.program = "p";
    unused.rate = 97;
    EXPECT_NE(text_of(unused, write_text_report).find("No parallel region"), std::string::npos);
}

constexpr int kLineBefore = __LINE__;
extern "C" __attribute__((noinline)) int a_function_of_the_test() {
    return kLineBefore;
}
constexpr int kLineAfter = __LINE__;

TEST(SourceLines, NamesFunctionAndLine) {
    const auto address = reinterpret_cast<uintptr_t>(&a_function_of_the_test);
    Dl_info info;
    ASSERT_NE(dladdr(reinterpret_cast<void *>(address), &info), 0);
    SourceLines lines;
    const SourcePlace place =
        lines.look_up("/proc/self/exe", address - reinterpret_cast<uintptr_t>(info.dli_fbase));
    EXPECT_EQ(place.symbol, "a_function_of_the_test");
    const std::string file = "profile_test.cpp:";
    ASSERT_EQ(place.source.find(file), 0U) << place.source;
    const int line = std::stoi(place.source.substr(file.size()));
    EXPECT_GT(line, kLineBefore);
    EXPECT_LT(line, kLineAfter);
}

TEST(SourceLines, SaysNothingWhereNothingIsKnown) {
    SourceLines lines;
    // Without debug information or outside of everything: empty, not a guess.
    EXPECT_EQ(lines.look_up("/nonexistent", 0x1000).source, "");
    EXPECT_EQ(lines.look_up(OCB_TEST_DRIVER, 0).symbol, "");
    EXPECT_EQ(demangled("_ZN1a1bEv"), "a::b()");
    EXPECT_EQ(demangled("f"), "f");
}

} // namespace
} // namespace ompcollect
