// SPDX-License-Identifier: Apache-2.0
//
// Ranks that never ran, merged in many ways.
#include "made_files.h"

#include "command.h"
#include "command_options.h"
#include "failure.h"
#include "job_builder.h"
#include "job_command.h"
#include "job_figures.h"
#include "job_file.h"
#include "job_formats.h"
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

// A saved run of one rank has a report of its own kind; merged, it has the job's.
TEST(Merge, AMergedFileOfOneRankHasAReport) {
    MadeFiles made({.ranks = 1});
    CommandOptions options;
    options.format = "text";
    options.output = made.folder.file("report.txt");
    options.files = {made.files[0]};
    EXPECT_FALSE(report_job(options, {}, load));
    options.files = {made.saved(made.files, "merged.ompc")};
    ASSERT_TRUE(report_job(options, {}, load));
    std::ostringstream text;
    text << std::ifstream(options.output).rdbuf();
    EXPECT_NE(text.str().find("1 rank on 1 host"), std::string::npos) << text.str();
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

// A node's time has what is below it: of each rank all of its nodes of that name.
TEST(Merge, ANodeHasTheLeastAndTheMostOfARank) {
    const auto with_second_call = [](unsigned rank) {
        Process process = made_rank({.ranks = 4, .late_rank = 2}, rank);
        Node call = process.nodes[2];
        call.offset += 1; // elsewhere in the same function
        process.nodes.push_back(call);
        process.cells.push_back({0, static_cast<int>(process.nodes.size()) - 1, THR_SERIAL_STATE,
                                 0.25 * (rank + 1), 0, 0});
        return process;
    };
    MadeFiles made({.ranks = 0});
    for (unsigned rank = 0; rank < 4; ++rank) {
        made.add(with_second_call(rank), "rank-" + std::to_string(rank) + ".ompc");
    }
    const Job job = made.merged(made.files);
    const auto rank_of = [&](PlaceKey key) {
        return std::find_if(job.ranks.begin(), job.ranks.end(),
                            [&](const RankRow &rank) { return rank.key == key; })
            ->rank;
    };
    const auto spread = [&](const std::string &name) {
        return std::find_if(job.nodes.begin(), job.nodes.end(),
                            [&](const JobNode &node) { return node.function == name; })
            ->wall;
    };
    // Of 10 s rank 2 works for 8 and the others for 4; each has 1 s of other serial code.
    const RankSpread call = spread("MPI_Allreduce");
    EXPECT_EQ(call.ranks, 4U);
    EXPECT_EQ(call.least, whole_ns(1 + 0.75));
    EXPECT_EQ(rank_of(call.least_rank), 2);
    EXPECT_EQ(call.most, whole_ns(5 + 1));
    EXPECT_EQ(rank_of(call.most_rank), 3);
    EXPECT_EQ(call.sum, whole_ns(3 * 5 + 1 + 0.25 * 10));
    const RankSpread main = spread("main");
    EXPECT_NEAR(static_cast<double>(main.most), (16 + 1 + 1 + 0.75) * 1e9, 2);
    EXPECT_EQ(rank_of(main.most_rank), 2);
    EXPECT_NEAR(static_cast<double>(main.least), (8 + 5 + 1 + 0.25) * 1e9, 2);
    EXPECT_EQ(rank_of(main.least_rank), 0);
    // Whatever the grouping.
    const std::string part = made.saved({made.files[1], made.files[3]}, "part.ompc");
    EXPECT_EQ(made.bytes({part, made.files[2], made.files[0]}), job_bytes(job));
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
    EXPECT_NEAR(all.openmp, all.serialisation * all.load_balance * all.scheduling, 1e-9);
    EXPECT_NEAR(all.parallel, all.mpi * all.openmp, 1e-9);
    EXPECT_NEAR(all.parallel, 44 / 80.0, 1e-6);
}

TEST(JobFigures, TheLateRankIsTheFirstFinding) {
    MadeFiles made({.ranks = 4, .late_rank = 3});
    const Job job = made.merged(made.files);
    const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
    ASSERT_FALSE(findings.empty());
    const JobFinding &first = findings.front();
    EXPECT_EQ(first.cause, Cause::kMpiImbalance);
    EXPECT_EQ(first.rank, 3);
    EXPECT_NEAR(first.gain, 9 - (5 + 5 + 5 + 9) / 4.0, 1e-6);
    EXPECT_NE(first.evidence.find("rank 3 on n1 comes last"), std::string::npos) << first.evidence;
    EXPECT_NE(first.evidence.find("in MPI_Allreduce"), std::string::npos) << first.evidence;
    EXPECT_NE(first.evidence.find("difference is in solve solver.c:10"), std::string::npos)
        << first.evidence;
}

// MPI is MPI wherever it is called.
TEST(JobFigures, TheLateRankIsTheFirstFindingWhoeverCallsMpi) {
    for (const MadeCaller caller : {MadeCaller::kMasterInside, MadeCaller::kAllInside}) {
        SCOPED_TRACE(static_cast<int>(caller));
        MadeFiles made({.ranks = 4, .paths = 2, .late_rank = 3, .caller = caller});
        const Job job = made.merged(made.files);
        EXPECT_NEAR(in_seconds(job.ranks[0].mpi_elapsed), 5, 1e-6);
        EXPECT_NEAR(in_seconds(job.ranks[3].mpi_elapsed), 1, 1e-6);
        const JobEfficiency all = job_efficiency(job);
        EXPECT_NEAR(all.mpi, 1 - (3 * 10 + 2) / 80.0, 1e-6);
        const std::vector<JobFinding> findings = job_findings(job, all);
        ASSERT_FALSE(findings.empty());
        EXPECT_EQ(findings[0].cause, Cause::kMpiImbalance);
        EXPECT_EQ(findings[0].rank, 3);
        EXPECT_NEAR(findings[0].gain, 3, 1e-6);
        EXPECT_NE(findings[0].evidence.find("it computes for 9.00 s"), std::string::npos)
            << findings[0].evidence;
    }
}

// Each of four ranks is in MPI for half of the time: in turn with the others, or whenever they are.
Process made_half_in_mpi(unsigned rank, bool takes_turns) {
    Process process = made_rank({.ranks = 4, .late_rank = 9, .samples = 0}, rank);
    constexpr unsigned kSamples = 1000;
    unsigned random = rank;
    for (unsigned i = 0; i < kSamples; ++i) {
        random = random * 1103515245 + 12345;
        const bool in_mpi = takes_turns ? (i / 50 + rank) % 2 == 0 : (random >> 16) % 2 == 0;
        process.samples.push_back(
            {10.0 * i / kSamples, 0, in_mpi ? 3 : 1, in_mpi ? THR_SERIAL_STATE : THR_WORK_STATE});
    }
    return process;
}

TEST(JobFigures, RanksThatTakeTurnsAreNoMessages) {
    for (const bool takes_turns : {true, false}) {
        JobBuilder builder;
        for (unsigned rank = 0; rank < 4; ++rank) {
            builder.add(made_half_in_mpi(rank, takes_turns));
        }
        const Job job = builder.take();
        const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
        ASSERT_FALSE(findings.empty());
        EXPECT_EQ(findings[0].cause, takes_turns ? Cause::kMpiVarying : Cause::kMpiCommunication);
        EXPECT_LE(findings[0].gain, 5 + 1e-6);
        EXPECT_GE(findings[0].gain, 4); // a stretch may have the end of a turn in it
        const auto other = std::count_if(findings.begin(), findings.end(), [&](const auto &each) {
            return each.cause == Cause::kMpiVarying || each.cause == Cause::kMpiImbalance;
        });
        EXPECT_EQ(other, takes_turns ? 1 : 0);
    }
}

TEST(JobFigures, FilesOfMpiHaveTheirOwnCure) {
    JobBuilder builder;
    for (unsigned rank = 0; rank < 4; ++rank) {
        Process process = made_half_in_mpi(rank, false);
        process.nodes[2].function = "MPI_File_write_at_all";
        builder.add(process);
    }
    const Job job = builder.take();
    const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
    ASSERT_FALSE(findings.empty());
    EXPECT_EQ(findings[0].cause, Cause::kMpiFiles);
    EXPECT_TRUE(std::none_of(findings.begin(), findings.end(), [](const JobFinding &each) {
        return each.cause == Cause::kMpiCommunication || each.cause == Cause::kMpiVarying;
    }));
    EXPECT_NEAR(findings[0].gain, 5, 1e-6);
    EXPECT_NE(findings[0].evidence.find("MPI_File_write_at_all 5.00 s"), std::string::npos)
        << findings[0].evidence;
}

// What nothing reads is not written.
TEST(Merge, RunsThatAreNoRanksAreRefused) {
    MadeFiles made({.ranks = 0});
    std::vector<std::string> words = {"merge", "-o", made.folder.file("job.ompc")};
    for (unsigned i = 0; i < 2; ++i) {
        Process process = made_rank({.ranks = 2}, i);
        process.rank.clear();
        process.ranks = 0;
        words.push_back(made.add(process, "run-" + std::to_string(i) + ".ompc"));
    }
    try {
        report_command(words);
        ADD_FAILURE() << "merged";
    } catch (const ompcollect::Failure &why) {
        EXPECT_EQ(why.exit_code(), 2) << why.what();
        EXPECT_NE(std::string(why.what()).find("no ranks of a job"), std::string::npos);
    }
    EXPECT_FALSE(std::ifstream(words[2]).good());
}

TEST(Merge, AJobOfOneRankIsReadBack) {
    MadeFiles made({.ranks = 1});
    const std::string job = made.folder.file("job.ompc");
    const std::string text = made.folder.file("report.txt");
    EXPECT_EQ(report_command({"merge", "-o", job, made.files[0]}), 0);
    EXPECT_EQ(report_command({"report", job, "-o", text}), 0);
    std::ostringstream content;
    content << std::ifstream(text).rdbuf();
    EXPECT_NE(content.str().find("1 rank on 1 host"), std::string::npos) << content.str();
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
        return std::find_if(findings.begin(), findings.end(), [&](const JobFinding &finding) {
            return cause_key(finding.cause) == key;
        });
    };
    ASSERT_NE(find("mpi-start"), findings.end());
    EXPECT_EQ(findings.back().cause, Cause::kMpiStart); // however long it is
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
    EXPECT_EQ(findings[0].cause, Cause::kImbalance);
    EXPECT_NEAR(findings[0].seconds, 2 * 100 * 0.02, 1e-6);
    EXPECT_EQ(findings[0].places.size(), 100U);
}

// As much as a thousand ranks can have: each stretch of time has four states, and there are more
// times by rank and region than fit. The longest are kept.
TEST(JobPage, OfAThousandRanksIsSmall) {
    Process process = made_rank({.ranks = 1000, .samples = 0}, 0);
    const int inside = process.cells[3].node;
    for (int i = 0; i < 200; ++i) {
        Node node;
        node.kind = NodeKind::kRegion;
        node.function = "loop_" + std::to_string(i);
        node.module = std::string("/somewhere/solver");
        node.offset = 0x1000 + static_cast<uint64_t>(i);
        process.nodes.push_back(node);
        const int at = static_cast<int>(process.nodes.size()) - 1;
        for (const unsigned state : {THR_WORK_STATE, THR_IBAR_STATE}) {
            process.cells.push_back({0, at, state, 1e-3 * (i + 1), 0, 1});
        }
    }
    for (int i = 0; i < 512; ++i) {
        const unsigned states[] = {THR_WORK_STATE, THR_IBAR_STATE, THR_OVHD_STATE,
                                   THR_SERIAL_STATE};
        process.samples.push_back({10.0 * i / 512, 0, inside, states[i % 4]});
    }
    JobBuilder builder;
    for (unsigned rank = 0; rank < 1000; ++rank) {
        process.pid = 1000 + rank;
        process.rank = std::to_string(rank);
        builder.add(process);
    }
    std::ostringstream page;
    write_job_html(builder.take(), {}, page);
    EXPECT_LT(page.str().size(), 10'000'000U);
    EXPECT_NE(page.str().find("\"least_time_shown\":0.07"), std::string::npos);
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
