// SPDX-License-Identifier: Apache-2.0
//
// At what frequency a rank's processors run: which ranks stand out, and what real ones measure
// where the kernel's files are the test's own.
#include "launched.h"
#include "made_job.h"

#include "job_builder.h"
#include "job_figures.h"
#include "job_file.h"
#include "job_json.h"
#include "job_text.h"
#include "text_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

// Ranks of these frequencies, two on each host.
Job job_at(const std::vector<unsigned> &megahertz, unsigned late_rank = 0) {
    const auto ranks = static_cast<unsigned>(megahertz.size());
    JobBuilder builder;
    for (unsigned rank = 0; rank < ranks; ++rank) {
        Process process = made_rank({.ranks = ranks, .late_rank = late_rank}, rank);
        process.megahertz = megahertz[rank];
        builder.add(process);
    }
    return builder.take();
}

std::vector<std::string> sentences(const Job &job) {
    std::vector<std::string> all = job_outliers(job);
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const std::string &one) { return !contains(one, "MHz"); }),
              all.end());
    return all;
}

using Sentences = std::vector<std::string>;

TEST(JobFrequency, ASlowRankIsNamedWithBothFigures) {
    std::vector<unsigned> all(16, 2400);
    all[5] = 1800;
    EXPECT_EQ(sentences(job_at(all)), Sentences{"rank 5 on n2 has processors at 1800 MHz, the "
                                                "middle of all ranks is 2400 MHz"});
}

TEST(JobFrequency, OfEqualOnesNoneStandsOut) {
    EXPECT_EQ(sentences(job_at({2400, 2400, 2400, 2400})), Sentences());
    EXPECT_EQ(sentences(job_at({2400, 2281, 2400, 2519})), Sentences()); // less than a twentieth
    EXPECT_EQ(sentences(job_at({2400, 2279, 2400, 2400})).size(), 1U);
}

TEST(JobFrequency, WhatIsNotKnownDoesNotStandOut) {
    EXPECT_EQ(sentences(job_at({0, 0, 0, 0})), Sentences());
    EXPECT_EQ(sentences(job_at({2400, 0, 0, 0})), Sentences()); // nothing to compare it with
    EXPECT_EQ(sentences(job_at({2400, 0, 2400, 0})), Sentences());
    EXPECT_EQ(sentences(job_at({2400, 0, 2400, 1200})).size(), 1U);
}

TEST(JobFrequency, OfTwoHostsTheSlowOneIsNamed) {
    EXPECT_EQ(sentences(job_at({1700, 1800, 2400, 2400})),
              Sentences{"ranks 0, 1 on n0 have processors at 1700 to 1800 MHz, the middle of all "
                        "ranks is 2400 MHz"});
}

TEST(JobFrequency, AFastHostIsNamedWhereMostAreSlow) {
    EXPECT_EQ(sentences(job_at({1800, 1800, 1800, 1800, 3000, 1800})),
              Sentences{"rank 4 on n2 has processors at 3000 MHz, the middle of all ranks is 1800 "
                        "MHz"});
}

TEST(JobFrequency, ManyHostsAreCounted) {
    std::vector<unsigned> all(20, 2400);
    for (const size_t rank : {2U, 4U, 9U}) {
        all[rank] = 1200;
    }
    EXPECT_EQ(sentences(job_at(all)), Sentences{"ranks 2, 4, 9 on 3 hosts have processors at 1200 "
                                                "MHz, the middle of all ranks is 2400 MHz"});
}

// Whoever reads that a rank comes last need not give it less work then.
TEST(JobFrequency, TheCureOfALateRankHasIt) {
    const auto cure = [](const Job &job) {
        const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
        return findings.empty() || findings[0].cause != Cause::kMpiImbalance ? ""
                                                                             : findings[0].cure;
    };
    EXPECT_TRUE(contains(cure(job_at({2400, 2400, 1200, 2400}, 2)),
                         "; or faster processors: its own are at 1200 MHz, the middle of all ranks "
                         "is 2400 MHz"));
    const std::string of_another = cure(job_at({2400, 2400, 1200, 2400}, 1));
    EXPECT_TRUE(contains(of_another, "give rank 1 less of the work")) << of_another;
    EXPECT_FALSE(contains(of_another, "MHz")) << of_another;
}

// Nor where others have its processors: of 8 s in its region 5 s are without one.
TEST(JobFrequency, TheCureOfALateRankHasWhatOthersTook) {
    JobBuilder builder;
    for (unsigned rank = 0; rank < 4; ++rank) {
        Process process = made_rank({.ranks = 4, .threads = 1, .paths = 1, .late_rank = 2}, rank);
        if (rank == 2) {
            Cell &work = process.cells.front();
            work.wall -= 5;
            work.cpu -= 5;
            Cell without = work;
            without.state = ompcollect::kNoProcessorState;
            without.within = THR_WORK_STATE;
            without.wall = 5;
            without.cpu = 0;
            process.cells.push_back(without);
        }
        builder.add(process);
    }
    const Job job = builder.take();
    const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].rank, 2);
    EXPECT_TRUE(contains(findings[0].cure,
                         "; or processors to itself: each of its threads was ready to run without "
                         "one for 5.00 s, a rank's in the mean for 1.25 s"))
        << findings[0].cure;
}

TEST(JobFrequency, IsInAMergedJob) {
    const Job job = job_at({2400, 1200, 0});
    const Job read = job_of_bytes(job_bytes(job), "job.ompc");
    ASSERT_EQ(read.ranks.size(), 3U);
    EXPECT_EQ(read.ranks[0].megahertz, 2400U);
    EXPECT_EQ(read.ranks[1].megahertz, 1200U);
    EXPECT_EQ(read.ranks[2].megahertz, 0U);
}

// Written once, before a rank had a frequency, and never again.
TEST(JobFrequency, AJobOfBeforeHasNone) {
    std::ifstream in(OCB_TEST_KEPT_JOB, std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    const Job job = job_of_bytes(bytes.str(), "first.ompc");
    ASSERT_EQ(job.ranks.size(), 2U);
    EXPECT_EQ(job.ranks[0].megahertz, 0U);
    EXPECT_EQ(sentences(job), Sentences());
    const std::string text = job_text(job, {});
    EXPECT_TRUE(contains(text, "1. saves 2.00 s of 10.00 s (8.00 s of threads, 20 %): one rank "
                               "comes last,\n   mpi-imbalance, rank 1 on n0"))
        << text;
    EXPECT_TRUE(contains(text, "merged by an earlier ompcollect")) << text;
}

// Four ranks that work for so long that they are looked at; the third one has files of its own.
// They are mounts, for which the test has to be root.
class RealFrequency : public testing::Test {
  protected:
    void SetUp() override { OCB_SKIP_WITHOUT_MOUNTS(); }
    void write(const std::string &name, const std::string &text) const {
        std::ofstream(folder_.file(name)) << text;
    }
    // As the kernel has it, with a part behind the point. Empty: without frequencies.
    void write_cpuinfo(const std::string &name, const std::string &frequency) const {
        std::string text;
        for (long i = 0; i < sysconf(_SC_NPROCESSORS_CONF); ++i) {
            text += "processor\t: " + std::to_string(i) + "\nflags\t\t: " + std::string(2000, 'x') +
                    "\n" + (frequency.empty() ? "" : "cpu MHz\t\t: " + frequency + "\n") + "\n";
        }
        write(name, text);
    }
    // `hidden` is run in the namespace of the rank; "$files" is the folder.
    Json job_of(const std::string &usual, const std::string &of_third) {
        write("usual", usual);
        write("third", of_third);
        const Outcome outcome = shell(R"SH(
            export PMI_SIZE=4 files="$2"
            for rank in 0 1 2 3; do
                [ $rank = 2 ] && mounts=third || mounts=usual
                PMI_RANK=$rank unshare -m sh -ec '. "$files/$0"; exec "$@"' $mounts \
                    "$0" -o "$2/job.ompc" "$3" 60 || exit
            done
        )SH",
                                      {folder_.file(""), OCB_TEST_PROGRAMS "/clang/rates"});
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        return Json::parse(report(folder_.file("job.ompc"), "--format json"));
    }
    const TemporaryFolder folder_;
};

unsigned megahertz_of(const Json &job, size_t rank) {
    return job["ranks"][rank]["megahertz"].get<unsigned>();
}

constexpr char kNoGovernor[] = "mount -t tmpfs none /sys/devices/system/cpu\n";

TEST_F(RealFrequency, IsThatOfTheListOfProcessors) {
    write_cpuinfo("fast", "2399.998");
    write_cpuinfo("slow", "1799.998");
    const std::string mount = std::string(kNoGovernor) + "mount --bind \"$files/";
    const Json job = job_of(mount + "fast\" /proc/cpuinfo", mount + "slow\" /proc/cpuinfo");
    for (const size_t rank : {0U, 1U, 3U}) {
        EXPECT_EQ(megahertz_of(job, rank), 2399U) << job;
    }
    EXPECT_EQ(megahertz_of(job, 2), 1799U) << job;
    const std::string host = job["ranks"][2]["host"];
    EXPECT_TRUE(contains(job["outliers"].dump(), "rank 2 on " + host +
                                                     " has processors at 1799 MHz, the middle of "
                                                     "all ranks is 2399 MHz"))
        << job["outliers"];
}

// What the governor has is newer than the list.
TEST_F(RealFrequency, IsThatOfTheGovernor) {
    write_cpuinfo("list", "999.0");
    const auto mount = [](const char *khz) {
        return std::string(kNoGovernor) + R"SH(
            mount --bind "$files/list" /proc/cpuinfo
            for i in $(seq 0 $(($(getconf _NPROCESSORS_CONF) - 1))); do
                mkdir -p /sys/devices/system/cpu/cpu$i/cpufreq
                echo )SH" +
               khz + R"SH( > /sys/devices/system/cpu/cpu$i/cpufreq/scaling_cur_freq
            done
        )SH";
    };
    const Json job = job_of(mount("3000000"), mount("1500000"));
    EXPECT_EQ(megahertz_of(job, 0), 3000U) << job;
    EXPECT_EQ(megahertz_of(job, 2), 1500U) << job;
}

TEST_F(RealFrequency, IsNotKnownWhereTheKernelHasNone) {
    write_cpuinfo("list", "");
    const std::string mount =
        std::string(kNoGovernor) + "mount --bind \"$files/list\" /proc/cpuinfo";
    const Json job = job_of(mount, mount);
    EXPECT_EQ(megahertz_of(job, 0), 0U) << job;
    EXPECT_FALSE(contains(job["outliers"].dump(), "MHz")) << job["outliers"];
}

} // namespace
} // namespace ocb_test
