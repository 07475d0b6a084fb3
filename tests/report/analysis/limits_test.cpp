// SPDX-License-Identifier: Apache-2.0
//
// The table of limits: its document, and the sides of those that no other test stands on.
#include "verdict_limits.h"

#include "job_figures.h"
#include "loss_rules.h"
#include "region_shape.h"
#include "words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

std::string document() {
    std::ifstream file(OCB_SOURCE_DIR "/docs/VERDICT.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

TEST(Limits, AreFewAndInTheDocument) {
    const std::string text = document();
    std::set<std::string> names;
    EXPECT_LE(all_limits().size(), 25U);
    EXPECT_EQ(all_limits().size(), static_cast<size_t>(Limit::kCount));
    for (const LimitRow &row : all_limits()) {
        EXPECT_EQ(&row - all_limits().data(), static_cast<long>(row.limit)) << row.name;
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        const std::string line = ompcollect::report::format("| %s | %.4g %s | %s |\n", row.name,
                                                            row.value, row.unit, row.reason);
        EXPECT_NE(text.find(line), std::string::npos) << line;
    }
}

// Not beside the table, under names of their own.
TEST(Limits, AreNowhereElse) {
    const std::set<std::string> others = {"kDecides",     "kDecidesOfMany", // levels of intervals
                                          "kLongestStep", // of a time line's frames, for a viewer
                                          "kLeast",       // of a page's call tree
                                          "kRounded",     // what a figure on the screen shows
                                          "kSlack"};      // of a job's start
    for (const char *folder : {"analysis", "job"}) {
        for (const auto &file : std::filesystem::directory_iterator(
                 std::string(OCB_SOURCE_DIR "/compat/ompcollect/") + folder)) {
            std::ifstream text(file.path());
            for (std::string line; std::getline(text, line);) {
                const size_t at = line.find("constexpr double k");
                const size_t name = line.find(" k", at == line.npos ? 0 : at) + 1;
                EXPECT_TRUE(at == line.npos ||
                            others.count(line.substr(name, line.find(' ', name) - name)) != 0)
                    << file.path() << ": " << line;
            }
        }
    }
}

class TinyLosses : public LossRules {
  protected:
    Cause cause_of(uint64_t entries, double work) {
        figures.regions.clear();
        RegionFigures &small = region(made.region("small", 7, entries));
        small.work_mean = work * static_cast<double>(entries);
        small.work[0].runtime = small.work[1].runtime = 10; // as much as both work
        small.within.wall[THR_OVHD_STATE] = 20;
        const Cause cause = losses().front().cause;
        made.process.nodes.clear();
        return cause;
    }
};

TEST_F(TinyLosses, BeginAtAHundredEntriesOfAHundredMicroseconds) {
    EXPECT_EQ(cause_of(100, 99e-6), Cause::kTinyRegions);
    EXPECT_EQ(cause_of(99, 99e-6), Cause::kRuntimeWork);
    EXPECT_EQ(cause_of(100, 101e-6), Cause::kRuntimeWork);
}

// One thread is there at a time. All others were made in forks.
TEST_F(TinyLosses, AreOfRemadeTeamsWhereEachFourthForkMakesAThread) {
    made.process.most_threads = 1;
    const auto cause_with = [&](uint64_t others, uint64_t forks) {
        made.process.threads[1].threads = others; // two rows of one worker each are left
        events(OMP_EVENT_FORK, forks - 100);
        return cause_of(100, 99e-6);
    };
    EXPECT_EQ(cause_with(99, 400), Cause::kRemadeTeams);
    EXPECT_EQ(cause_with(98, 100), Cause::kTinyRegions);
    EXPECT_EQ(cause_with(99, 401), Cause::kTinyRegions);
    made.process.threads[1].events[OMP_EVENT_FORK] = 1; // threads of the program
    EXPECT_EQ(cause_with(99, 400), Cause::kTinyRegions);
    made.process.threads[1].events[OMP_EVENT_FORK] = 0;
    made.process.most_threads = 2; // no more than the team
    EXPECT_EQ(cause_with(100, 400), Cause::kTinyRegions);
}

// Three of its threads lack a processor by turns, and one is there at a time: that is no crowd.
TEST_F(TinyLosses, OfRemadeTeamsAreNotOfTooManyThreads) {
    made.process.most_threads = 1;
    made.process.processors = 2;
    half_is_own();
    events(OMP_EVENT_FORK, 0);
    made.process.threads[1].threads = 400;
    const int at = made.region("small", 7, 400);
    for (unsigned i = 0; i < 3; ++i) {
        made.time(i, at, THR_WORK_STATE, 1);
        made.time(i, at, ompcollect::kNoProcessorState, 3, 0);
        made.process.cells.back().within = THR_WORK_STATE;
    }
    made.time(0, at, THR_IBAR_STATE, 12);
    RegionFigures &small = region(at);
    EXPECT_EQ(loss_by(Cause::kOversubscription).cause, Cause::kCount);
    small.work.resize(1); // no more rows than threads
    EXPECT_EQ(loss_by(Cause::kOversubscription).cause, Cause::kOversubscription);
}

TEST(ShortLived, ThreadsHaveNoTimeForASecondSample) {
    MadeProcess made(1, 10);
    Thread &thread = made.process.threads[0];
    const auto is_short = [&](double cpu, uint64_t samples) {
        thread.cpu_seconds = cpu;
        thread.samples = samples;
        return is_short_lived(made.process, 0);
    };
    EXPECT_TRUE(is_short(0.019, 9)); // of 10 ms
    EXPECT_FALSE(is_short(0.02, 9));
    EXPECT_FALSE(is_short(0.019, 10));
    EXPECT_FALSE(is_short(kNotKnown, 9));
    made.process.rate = 0;
    EXPECT_FALSE(is_short(0.019, 9));
}

// Two ranks that are in MPI by turns, each for a stretch.
Job by_turns(unsigned stretches) {
    Job job;
    for (int number = 0; number < 2; ++number) {
        RankRow &rank = job.ranks.emplace_back();
        rank.rank = number;
        rank.key = static_cast<PlaceKey>(number);
        rank.bin_shift = 30;
        rank.elapsed = uint64_t{stretches} << rank.bin_shift;
        rank.mpi_elapsed = rank.elapsed / 2;
        for (unsigned bin = static_cast<unsigned>(number); bin < stretches; bin += 2) {
            rank.bins.push_back({bin, kMpiColumn, 1000});
        }
    }
    return job;
}

TEST(JobVarying, NeedsFourStretches) {
    EXPECT_GT(varying_seconds(by_turns(4)), 2);
    EXPECT_GT(varying_seconds(by_turns(6)), 3);
    EXPECT_EQ(varying_seconds(by_turns(3)), 0);
}

} // namespace
} // namespace ocb_test
