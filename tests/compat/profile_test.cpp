// SPDX-License-Identifier: Apache-2.0
//
// The profile between collector and launcher: written, read, named, printed.
#include "failure.h"
#include "process.h"
#include "profile.h"
#include "raw_profile.h"
#include "raw_reader.h"
#include "source_lines.h"
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
        profile.program = "/a b/pro\tgram";
        profile.rate = 100;
        profile.seconds = 1.5;
        profile.late_samples = 3;
        profile.lost_samples = 1;
        for (EventRow &event : profile.events) {
            event.registered = -1;
        }
        profile.events[OMP_EVENT_FORK] = {OMP_ERRCODE_OK, 7};
        profile.events[OMP_EVENT_THR_BEGIN_ATWT] = {OMP_ERRCODE_UNSUPPORTED, 0};
        threads[0] = {0, 42, ThreadKind::kInitial, 0, {}};
        threads[0].samples[THR_WORK_STATE] = 100;
        threads[1] = {1, 43, ThreadKind::kCreated, 0, {}};
        threads[1].samples[THR_IDLE_STATE] = 50;
        threads[1].samples[THR_CTWT_STATE] = 50;
        regions[0].entries = 5;
        regions[0].parent = -1;
        regions[0].place = {"/bin/x y", 0x1234, "outer", nullptr};
        regions[0].samples[THR_WORK_STATE] = 100;
        regions[1].entries = 2;
        regions[1].parent = 0;
        locks[0] = {THR_CTWT_STATE, 0xfeedf00d, 9, 50, {}, {"/bin/x", 0x99, nullptr, nullptr}};
        profile.serial[THR_IDLE_STATE] = 50;
        profile.threads = threads;
        profile.thread_count = 2;
        profile.regions = regions;
        profile.region_count = 2;
        profile.locks = locks;
        profile.lock_count = 1;
    }
};

TEST(RawProfile, IsReadAsItWasWritten) {
    const Sample sample;
    std::istringstream in(text_of(sample.profile, write_raw_profile));
    const auto loaded = read_raw_profile(in, "test");
    const Profile &profile = loaded->profile;
    EXPECT_EQ(profile.pid, 42);
    EXPECT_STREQ(profile.program, "/a b/pro gram");
    EXPECT_EQ(profile.rate, 100U);
    EXPECT_TRUE(profile.wall_clock);
    EXPECT_DOUBLE_EQ(profile.seconds, 1.5);
    EXPECT_EQ(profile.late_samples, 3U);
    EXPECT_EQ(profile.lost_samples, 1U);
    EXPECT_EQ(profile.events[OMP_EVENT_FORK].count, 7U);
    EXPECT_EQ(profile.events[OMP_EVENT_THR_BEGIN_ATWT].registered, OMP_ERRCODE_UNSUPPORTED);
    ASSERT_EQ(profile.thread_count, 2U);
    EXPECT_EQ(profile.threads[1].tid, 43);
    EXPECT_EQ(profile.threads[1].samples[THR_CTWT_STATE], 50U);
    ASSERT_EQ(profile.region_count, 2U);
    EXPECT_STREQ(profile.regions[0].place.module, "/bin/x y");
    EXPECT_STREQ(profile.regions[0].place.symbol, "outer");
    EXPECT_EQ(profile.regions[0].place.offset, 0x1234U);
    EXPECT_EQ(profile.regions[1].place.module, nullptr);
    EXPECT_EQ(profile.regions[1].parent, 0);
    EXPECT_EQ(profile.serial[THR_IDLE_STATE], 50U);
    ASSERT_EQ(profile.lock_count, 1U);
    EXPECT_EQ(profile.locks[0].wait_id, 0xfeedf00dU);
    EXPECT_EQ(profile.locks[0].first_wait.offset, 0x99U);
}

TEST(RawProfile, IsRefusedWhereItIsIncompleteOrStrange) {
    const Sample sample;
    std::string text = text_of(sample.profile, write_raw_profile);
    std::istringstream cut(text.substr(0, text.size() - 4));
    EXPECT_THROW(read_raw_profile(cut, "cut"), Failure);
    std::istringstream strange("something else\n");
    EXPECT_THROW(read_raw_profile(strange, "strange"), Failure);
    std::istringstream empty;
    EXPECT_THROW(read_raw_profile(empty, "empty"), Failure);
}

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
