// SPDX-License-Identifier: Apache-2.0
//
// Ranks that never ran, merged in many ways.
#include "made_job.h"
#include "process.h"

#include "command.h"
#include "failure.h"
#include "job_builder.h"
#include "job_figures.h"
#include "job_file.h"
#include "job_merge.h"
#include "job_text.h"
#include "text_layout.h"
#include "text_report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

Run load(const std::string &path) {
    return load_run(path, {});
}

// A file for each rank.
class MadeFiles {
  public:
    explicit MadeFiles(const MadeJob &job) {
        for (unsigned rank = 0; rank < job.ranks; ++rank) {
            add(made_rank(job, rank), "rank-" + std::to_string(rank) + ".ompc");
        }
    }
    std::string add(const Process &process, const std::string &name) {
        files.push_back(folder.file(name));
        save_run({{process}}, files.back());
        return files.back();
    }
    Job merged(const std::vector<std::string> &names) {
        return merge(job_inputs(names), load, complaints);
    }
    std::string bytes(const std::vector<std::string> &names) { return job_bytes(merged(names)); }
    std::string saved(const std::vector<std::string> &names, const std::string &name) {
        const std::string path = folder.file(name);
        std::ofstream(path, std::ios::binary) << bytes(names);
        return path;
    }

    TemporaryFolder folder;
    std::vector<std::string> files;
    std::vector<std::string> complaints;
};

uint64_t all_wall(const Job &job) {
    uint64_t sum = 0;
    for (const JobCell &cell : job.cells) {
        sum += cell.wall.sum;
    }
    return sum;
}

TEST(Merge, AnyOrderAndGroupingMakesTheSameBytes) {
    MadeFiles made({.ranks = 7, .late_rank = 3});
    const std::vector<std::string> &files = made.files;
    const std::string whole = made.bytes(files);
    std::vector<std::string> backwards(files.rbegin(), files.rend());
    EXPECT_EQ(made.bytes(backwards), whole);
    const std::string left = made.saved({files[5], files[0], files[3]}, "left.ompc");
    const std::string right = made.saved({files[1], files[6]}, "right.ompc");
    EXPECT_EQ(made.bytes({left, files[2], right, files[4]}), whole);
    const std::string twice = made.saved({left, right}, "twice.ompc");
    EXPECT_EQ(made.bytes({files[4], twice, files[2]}), whole);
    EXPECT_EQ(made.complaints, std::vector<std::string>());
}

TEST(Merge, KeepsEachSecondAndEachSample) {
    const MadeJob job = {.ranks = 5, .late_rank = 2};
    MadeFiles made(job);
    const Job merged = made.merged(made.files);
    double wall = 0;
    uint64_t samples = 0;
    uint64_t timed = 0;
    for (unsigned rank = 0; rank < job.ranks; ++rank) {
        const Process process = made_rank(job, rank);
        for (const Cell &cell : process.cells) {
            wall += cell.wall;
            samples += cell.samples;
        }
        timed += process.samples.size();
    }
    EXPECT_NEAR(static_cast<double>(all_wall(merged)) * 1e-9, wall, 1e-6);
    uint64_t merged_samples = 0;
    for (const JobCell &cell : merged.cells) {
        merged_samples += cell.samples;
    }
    EXPECT_EQ(merged_samples, samples);
    uint64_t binned = 0;
    for (const RankRow &rank : merged.ranks) {
        for (const Bin &bin : rank.bins) {
            binned += bin.samples;
        }
    }
    EXPECT_EQ(binned, timed);
}

TEST(Merge, AFunctionIsOneNodeWhereverASampleWas) {
    MadeFiles made({.ranks = 6});
    const Job job = made.merged(made.files);
    EXPECT_EQ(std::count_if(job.nodes.begin(), job.nodes.end(),
                            [](const JobNode &node) { return node.function == "MPI_Allreduce"; }),
              1);
}

TEST(Merge, SpreadNamesTheRank) {
    MadeFiles made({.ranks = 6, .late_rank = 4});
    const Job job = made.merged(made.files);
    const auto key_of = [&](int rank) { return job.ranks[static_cast<size_t>(rank)].key; };
    size_t looked_at = 0;
    for (const JobCell &cell : job.cells) {
        if (cell.state == THR_WORK_STATE) {
            EXPECT_EQ(cell.wall.most_rank, key_of(4));
            EXPECT_NEAR(static_cast<double>(cell.wall.most),
                        2.0 * static_cast<double>(cell.wall.least), 2);
            EXPECT_EQ(cell.wall.ranks, 6U);
            ++looked_at;
        }
    }
    EXPECT_GT(looked_at, 0U);
}

TEST(Merge, ADamagedFileIsALineAndTheRestIsMerged) {
    MadeFiles made({.ranks = 4});
    const std::string whole = made.saved({made.files[2]}, "whole.ompc");
    std::string bytes;
    {
        std::ifstream in(whole, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        bytes = text.str();
    }
    bytes[bytes.size() / 2] ^= 1;
    std::ofstream(made.folder.file("damaged.ompc"), std::ios::binary) << bytes;
    std::ofstream(made.folder.file("cut.ompc"), std::ios::binary) << bytes.substr(0, 100);
    std::ofstream(made.folder.file("text.ompc")) << "{ no run";
    const Job job = made.merged({made.files[0], made.folder.file("damaged.ompc"), made.files[1],
                                 made.folder.file("cut.ompc"), made.folder.file("text.ompc")});
    EXPECT_EQ(job.ranks.size(), 2U);
    ASSERT_EQ(made.complaints.size(), 3U);
    for (const char *name : {"damaged.ompc", "cut.ompc", "text.ompc"}) {
        EXPECT_TRUE(std::any_of(made.complaints.begin(), made.complaints.end(),
                                [&](const std::string &line) {
                                    return line.find(name) != std::string::npos &&
                                           line.ends_with("; left out");
                                }))
            << name;
    }
}

TEST(Merge, ACopyOfARankCountsOnce) {
    MadeFiles made({.ranks = 3});
    const std::string whole = made.bytes(made.files);
    std::vector<std::string> files = made.files;
    files.push_back(made.add(made_rank({.ranks = 3}, 1), "copy.ompc"));
    EXPECT_EQ(made.bytes(files), whole);
    ASSERT_EQ(made.complaints.size(), 1U);
    EXPECT_NE(made.complaints[0].find("rank 1, is in another file, too"), std::string::npos)
        << made.complaints[0];
    // Of a merged job nothing can be taken away: it is left out as a whole.
    made.complaints.clear();
    const std::string merged = made.saved({made.files[0], made.files[2]}, "merged.ompc");
    EXPECT_EQ(made.merged({made.files[0], made.files[1], merged}).ranks.size(), 2U);
    ASSERT_EQ(made.complaints.size(), 1U);
    EXPECT_NE(made.complaints[0].find("has ranks that are in other files"), std::string::npos);
}

std::string doubts_of(const Job &job) {
    std::string all;
    for (const std::string &doubt : job_doubts(job)) {
        all += doubt + "\n";
    }
    return all;
}

TEST(JobDoubts, AWholeJobHasNone) {
    MadeFiles made({.ranks = 4});
    EXPECT_EQ(doubts_of(made.merged(made.files)), "");
}

TEST(JobDoubts, MissingRanksAreNamed) {
    MadeFiles made({.ranks = 8});
    std::ofstream(made.folder.file("rank-5.none")) << "n2\nit has no OpenMP\n";
    for (const int rank : {1, 2, 3, 5}) {
        std::remove(made.files[static_cast<size_t>(rank)].c_str());
    }
    const std::string doubts = doubts_of(made.merged({made.folder.file("")}));
    EXPECT_NE(doubts.find("rank 5 without a profile, on n2: it has no OpenMP"), std::string::npos)
        << doubts;
    EXPECT_NE(doubts.find("ranks 1-3 missing of 8: "), std::string::npos) << doubts;
}

TEST(JobDoubts, OddRunsAreNamed) {
    MadeFiles made({.ranks = 2});
    Process other = made_rank({.ranks = 2}, 1);
    other.pid = 77;
    other.begin += 3600;
    other.host = "far";
    other.program = "/somewhere/other";
    other.job = "job.8";
    other.ending = ompcollect::Ending::kNone;
    made.add(other, "other.ompc");
    const std::string doubts = doubts_of(made.merged(made.files));
    EXPECT_NE(doubts.find("rank 1 there more than once"), std::string::npos) << doubts;
    EXPECT_NE(doubts.find("different programs are in it: other (1), solver (2)"), std::string::npos)
        << doubts;
    EXPECT_NE(doubts.find("the clocks of n0 and far are 3600 s apart"), std::string::npos)
        << doubts;
    EXPECT_NE(doubts.find("rank 1 ended early: killed, or left by _exit"), std::string::npos)
        << doubts;
}

// 4 ranks with 2 threads, 10 s: rank 3 works for 8 s, the others for 4.
TEST(JobFigures, EfficienciesAreThoseOfTheirDefinition) {
    MadeFiles made({.ranks = 4, .late_rank = 3, .samples = 0});
    const JobEfficiency all = job_efficiency(made.merged(made.files));
    EXPECT_NEAR(all.elapsed * all.threads, 80, 1e-6);
    // MPI: 5 s of three masters with their workers, 1 s of one.
    EXPECT_NEAR(all.mpi, 1 - (3 * 10 + 2) / 80.0, 1e-6);
    EXPECT_NEAR(all.mpi_communication, 1 - 1 / 10.0, 1e-6);
    EXPECT_NEAR(all.mpi_balance * all.mpi_communication, all.mpi, 1e-9);
    EXPECT_NEAR(all.balance_in_hosts * all.balance_between_hosts, all.mpi_balance, 1e-9);
    // The worker of each rank is idle for 1 s of serial code; of the 2 s of work of 2 threads none
    // is lost.
    EXPECT_NEAR(all.serialisation, 1 - 4 / 48.0, 1e-6);
    EXPECT_NEAR(all.openmp, all.serialisation * all.openmp_balance * all.scheduling, 1e-9);
    EXPECT_NEAR(all.parallel, all.mpi * all.openmp, 1e-9);
    EXPECT_NEAR(all.parallel, 44 / 80.0, 1e-6);
}

TEST(JobFigures, TheLateRankIsTheFirstFinding) {
    MadeFiles made({.ranks = 4, .late_rank = 3});
    const Job job = made.merged(made.files);
    const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
    ASSERT_FALSE(findings.empty());
    const JobFinding &first = findings.front();
    EXPECT_EQ(first.key, "mpi-imbalance");
    EXPECT_EQ(first.rank, 3);
    EXPECT_NEAR(first.gain, 9 - (5 + 5 + 5 + 9) / 4.0, 1e-6);
    EXPECT_NE(first.evidence.find("rank 3 on n1 comes last"), std::string::npos) << first.evidence;
    EXPECT_NE(first.evidence.find("in MPI_Allreduce"), std::string::npos) << first.evidence;
    EXPECT_NE(first.evidence.find("difference is in solve solver.c:10"), std::string::npos)
        << first.evidence;
}

// 10 s in MPI_Init of each rank are none of its communication, and nobody waits there for others.
TEST(JobFigures, TheStartOfMpiIsAFindingOfItsOwn) {
    JobBuilder builder;
    for (unsigned rank = 0; rank < 4; ++rank) {
        Process process = made_rank({.ranks = 4, .late_rank = 3}, rank);
        Node node;
        node.kind = NodeKind::kFunction;
        node.function = "MPI_Init_thread";
        process.nodes.push_back(node);
        process.cells.push_back(
            {0, static_cast<int>(process.nodes.size()) - 1, THR_SERIAL_STATE, 10, 1, 100});
        process.seconds += 10;
        builder.add(process);
    }
    const Job job = builder.take();
    const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
    const auto find = [&](const std::string &key) {
        return std::find_if(findings.begin(), findings.end(),
                            [&](const JobFinding &finding) { return finding.key == key; });
    };
    ASSERT_NE(find("mpi-start"), findings.end());
    EXPECT_EQ(findings.back().key, "mpi-start"); // however long it is
    EXPECT_NEAR(find("mpi-start")->gain, 10, 1e-6);
    ASSERT_NE(find("mpi-communication"), findings.end());
    EXPECT_NEAR(find("mpi-communication")->gain, 1, 1e-6); // of the rank that comes last
    ASSERT_NE(find("mpi-imbalance"), findings.end());
    EXPECT_EQ(find("mpi-imbalance")->evidence.find("MPI_Init"), std::string::npos);
    EXPECT_EQ(find("mpi-imbalance")->rank, 3);
}

// Of 5 s in MPI 3 s were without a processor, and so without a path.
TEST(JobFigures, WhatHasNoProcessorIsSharedOut) {
    Process process = made_rank({.ranks = 2, .late_rank = 9}, 0);
    for (Cell &cell : process.cells) {
        if (cell.state == THR_SERIAL_STATE && cell.node != kOutside && cell.wall > 4) {
            cell.wall -= 3;
        }
    }
    const Job without = job_of_run({{process}});
    process.cells.push_back({0, kOutside, THR_SERIAL_STATE, 3, 0, 300});
    const Job with = job_of_run({{process}});
    const double known = computing_seconds(without.ranks[0]);
    EXPECT_NEAR(known, 8, 1e-6);
    // MPI has 2 of the 3 s of serial time that have a path.
    EXPECT_NEAR(computing_seconds(with.ranks[0]), known - 3 * 2 / 3.0, 1e-6);
}

// One in a hundred of the time in each of a hundred regions.
TEST(JobFigures, WhatIsSpreadThinIsFound) {
    Process process = made_rank({.ranks = 2, .late_rank = 9}, 0);
    process.cells.clear();
    for (int i = 0; i < 100; ++i) {
        Node node;
        node.kind = NodeKind::kRegion;
        node.function = "loop_" + std::to_string(i);
        node.module = std::string("/somewhere/solver");
        node.offset = 0x1000 + static_cast<uint64_t>(i);
        const int at = static_cast<int>(process.nodes.size());
        process.nodes.push_back(node);
        process.cells.push_back({0, at, THR_WORK_STATE, 0.1, 0.1, 10});
        process.cells.push_back({1, at, THR_WORK_STATE, 0.08, 0.08, 8});
        process.cells.push_back({1, at, THR_IBAR_STATE, 0.02, 0.02, 2});
    }
    Process second = process;
    second.pid += 1;
    second.rank = "1";
    const Job job = job_of_run({{process, second}});
    const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].key, "openmp-imbalance");
    EXPECT_NEAR(findings[0].seconds, 2 * 100 * 0.02, 1e-6);
    EXPECT_EQ(findings[0].places.size(), 100U);
}

class ReportOfRanks : public testing::TestWithParam<unsigned> {};

TEST_P(ReportOfRanks, FitsAScreenOrTwo) {
    const MadeJob made = {.ranks = GetParam(), .threads = 4, .paths = 40, .late_rank = 1};
    JobBuilder builder;
    for (unsigned rank = 0; rank < made.ranks; ++rank) {
        Process process = made_rank(made, rank);
        if (rank % 3 == 1) { // the worst that can be said of it
            process.ending = ompcollect::Ending::kNone;
            process.how_it_ended = "killed by signal " + std::to_string(rank);
            process.most_threads = 4 + rank;
            process.processors = rank;
        }
        builder.add(process);
    }
    const std::string text = job_text(builder.take(), {});
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 120) << text;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        EXPECT_LE(columns_of(line), 80U) << line;
    }
    EXPECT_NE(text.find("mpi-imbalance, rank 1 on n0"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Job, ReportOfRanks, testing::Values(2U, 16U, 17U, 1000U));

// The head is above each, and what a job has by ranks is its threads'.
TEST(JobText, ShowsThePartsThatAreNamed) {
    JobBuilder builder;
    for (unsigned rank = 0; rank < 4; ++rank) {
        builder.add(made_rank({.ranks = 4, .late_rank = 1}, rank));
    }
    const Job job = builder.take();
    const auto shown = [&job](const char *names) {
        TextStyle style;
        style.parts = parts_named(names);
        const std::string text = job_text(job, style);
        EXPECT_TRUE(text.starts_with("== OpenMP profile of a job")) << text;
        std::string found;
        for (const char *words : {"Verdict:", "1. ", "\nRegions ", "\nTime by rank", "a job has"}) {
            found += text.find(words) != std::string::npos ? '1' : '0';
        }
        return found;
    };
    EXPECT_EQ(shown(""), "11110");
    EXPECT_EQ(shown("all"), "11110");
    EXPECT_EQ(shown("verdict"), "11000");
    EXPECT_EQ(shown("regions"), "00100");
    EXPECT_EQ(shown("threads,verdict"), "11010");
    EXPECT_EQ(shown("regions,locks"), "00101");
}

} // namespace
} // namespace ocb_test
