// SPDX-License-Identifier: Apache-2.0
//
// A job reads the losses of its ranks. So a job of one rank has the findings of that rank's report.
#include "made_job.h"
#include "made_runs.h"

#include "findings.h"
#include "job_builder.h"
#include "job_figures.h"
#include "job_file.h"
#include "job_merge.h"
#include "job_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

namespace ocb_test {
namespace {

constexpr double kNano = 1e-7; // a job has whole nanoseconds of each loss

struct OneRank {
    const char *name;
    Process process;
};
void PrintTo(const OneRank &one, std::ostream *to) {
    *to << one.name;
}

// Its master is in MPI for 5 of 10 s.
Process made_in_mpi() {
    return made_rank({.ranks = 1, .late_rank = 9}, 0);
}

// One in three of its threads' time in the region is in MPI, by the master alone.
Process made_mpi_in_region() {
    MadeProcess made(2, 3);
    const int region = made.region("exchange", 7, 10);
    const int call = made.function("MPI_Waitall", 8, region);
    made.time(0, region, THR_WORK_STATE, 1);
    made.time(0, call, THR_WORK_STATE, 2);
    made.time(1, region, THR_WORK_STATE, 1);
    made.time(1, region, THR_IBAR_STATE, 2);
    return made.process;
}

class JobOfOneRank : public testing::TestWithParam<OneRank> {};

TEST_P(JobOfOneRank, SaysTheSameAsItsOwnReport) {
    const Conclusions own(GetParam().process);
    const Job job = job_of_bytes(job_bytes(job_of_run({{GetParam().process}})), "job");
    const JobEfficiency all = job_efficiency(job);
    EXPECT_NEAR(all.mpi, own.figures.efficiency.mpi, kNano);
    EXPECT_NEAR(all.serialisation, own.figures.efficiency.serialisation, kNano);
    EXPECT_NEAR(all.load_balance, own.figures.efficiency.load_balance, kNano);
    EXPECT_NEAR(all.scheduling, own.figures.efficiency.scheduling, kNano);
    EXPECT_NEAR(all.parallel, own.figures.efficiency.parallel, kNano);
    const std::vector<JobFinding> findings = job_findings(job, all);
    ASSERT_EQ(findings.size(), own.findings.size());
    for (size_t i = 0; i < findings.size(); ++i) {
        const JobFinding &of_job = findings[i];
        const Finding &of_rank = own.findings[i];
        EXPECT_STREQ(cause_key(of_job.cause), cause_key(of_rank.cause));
        EXPECT_NEAR(of_job.gain, of_rank.seconds, kNano);
        EXPECT_NEAR(of_job.least_gain, of_rank.is_at_most ? 0 : of_rank.seconds, kNano);
        EXPECT_EQ(of_job.evidence, of_rank.evidence);
        ASSERT_FALSE(of_job.places.empty());
        EXPECT_EQ(of_job.places[0].name, of_rank.place);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, JobOfOneRank,
    testing::Values(OneRank{"imbalance", made_imbalance()}, OneRank{"serial", made_serial_part()},
                    OneRank{"tiny", made_tiny_regions()},
                    OneRank{"critical", made_contended_critical()},
                    OneRank{"ordered", made_false_ordered()},
                    OneRank{"single", made_single_in_loop()},
                    OneRank{"nested", made_nested_oversubscription()},
                    OneRank{"tasks", made_task_flood()}, OneRank{"triangle", made_triangle()},
                    OneRank{"convoy", made_lock_convoy()}, OneRank{"healthy", made_healthy()},
                    OneRank{"mpi", made_in_mpi()}, OneRank{"mpi_in_region", made_mpi_in_region()}),
    [](const auto &of) { return std::string(of.param.name); });

// Of a rank that waits nobody can say "make this part parallel".
TEST(JobOfOneRank, TimeInMpiIsNoSerialPart) {
    const Conclusions own(made_in_mpi());
    ASSERT_FALSE(own.findings.empty());
    EXPECT_EQ(own.findings[0].cause, Cause::kMpi);
    EXPECT_NEAR(own.findings[0].seconds, 5, kNano);
    EXPECT_NE(own.findings[0].evidence.find("MPI_Allreduce 5.00 s"), std::string::npos)
        << own.findings[0].evidence;
    EXPECT_NEAR(own.figures.efficiency.mpi, 0.5, kNano);
}

TEST(JobOfOneRank, MpiInsideOfARegionIsMpisToo) {
    const Conclusions own(made_mpi_in_region());
    double in_mpi = 0;
    double all = 0;
    for (const Loss &loss : own.figures.losses) {
        in_mpi += loss.cause == Cause::kMpi ? loss.seconds : 0;
        all += loss.seconds;
    }
    EXPECT_NEAR(in_mpi, 2, kNano); // of one of two threads, for which the other waits
    EXPECT_NEAR(all, 2, kNano);
}

// A thread for MPI alone keeps nobody from computing beside it.
TEST(JobOfOneRank, ComputesWhileAThreadOfItDoes) {
    MadeProcess made(2, 3);
    const int region = made.region("exchange", 7, 10);
    made.time(0, made.function("MPI_Waitall", 8, region), THR_WORK_STATE, 3);
    made.time(1, region, THR_WORK_STATE, 2);
    made.time(1, region, THR_IBAR_STATE, 1);
    const Job job = job_of_run({{made.process}});
    EXPECT_NEAR(in_seconds(job.ranks[0].mpi), 3, kNano);
    EXPECT_NEAR(in_seconds(job.ranks[0].mpi_elapsed), 1, kNano);
}

// Two ranks: one has all of a cause, so the job may gain as much as that one, and nothing.
TEST(JobOfRanks, GainIsBetweenTheRankWithLeastAndTheOneWithMost) {
    Process uneven = made_imbalance();
    Process even = made_healthy();
    for (Process *process : {&uneven, &even}) {
        process->ranks = 2;
    }
    uneven.rank = "0";
    even.rank = "1";
    even.pid += 1;
    const Job job = job_of_run({{uneven, even}});
    const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
    const auto found = std::find_if(findings.begin(), findings.end(), [](const JobFinding &each) {
        return each.cause == Cause::kImbalance;
    });
    ASSERT_NE(found, findings.end());
    EXPECT_NEAR(found->gain, figures_of(uneven).losses[0].seconds, kNano);
    EXPECT_LT(found->least_gain, 0.05);
    EXPECT_NE(found->evidence.find("rank 0 on "), std::string::npos) << found->evidence;
}

// What others on the machine took may be most of it.
TEST(JobOfRanks, GainsAreUpperBoundsOnASharedMachine) {
    Process process = made_imbalance();
    const auto least_gain_of = [&](double waited_for_others) {
        process.cpu_seconds = 5;
        process.waited_for_own = 0;
        process.waited_for_others = waited_for_others;
        const Job job = job_of_run({{process}});
        return job_findings(job, job_efficiency(job)).at(0).least_gain;
    };
    EXPECT_GT(least_gain_of(0), 0);
    EXPECT_EQ(least_gain_of(5), 0);
}

// Two ranks wait for messages, in each a thread is ready to run without a processor meanwhile.
TEST(JobOfRanks, WaitForNoMessagesOfWhoLacksAProcessor) {
    const auto has_messages = [](double waited_for_others) {
        JobBuilder builder;
        for (unsigned rank = 0; rank < 2; ++rank) {
            MadeProcess made(1, 4);
            made.process.rank = std::to_string(rank);
            made.process.ranks = 2;
            made.process.pid += rank;
            made.process.cpu_seconds = 2;
            made.process.waited_for_own = 0;
            made.process.waited_for_others = waited_for_others;
            const int call = made.function("MPI_Allreduce", 7);
            made.time(0, call, THR_SERIAL_STATE, 2);
            made.time(0, made.function("compute", 8), ompcollect::kNoProcessorState, 2, 0);
            made.process.cells.back().within = THR_SERIAL_STATE;
            builder.add(made.process);
        }
        const Job job = builder.take();
        const std::vector<JobFinding> findings = job_findings(job, job_efficiency(job));
        return std::any_of(findings.begin(), findings.end(), [](const JobFinding &each) {
            return each.cause == Cause::kMpiCommunication;
        });
    };
    EXPECT_TRUE(has_messages(0));
    EXPECT_FALSE(has_messages(2));
}

// Their threads have one processor: what each rank's own report warns of is in the job's, too.
TEST(JobOfRanks, HasTheWarningsOfItsRanks) {
    JobBuilder builder;
    for (unsigned rank = 0; rank < 3; ++rank) {
        Process process = made_rank({.ranks = 3}, rank);
        process.threads_on_one_cpu = rank < 2 ? 2 : 1;
        process.lines_left_out = rank + 1;
        builder.add(process);
    }
    // As a reader of the text gets them.
    Job job = builder.take();
    make_printable(job);
    const std::vector<std::string> doubts = job_doubts(job);
    ASSERT_EQ(doubts.size(), 2U);
    EXPECT_EQ(doubts[0], "ranks 0-2: 1 source lines with little time are not in the table of lines "
                         "(of one; the others have other numbers)");
    EXPECT_EQ(doubts[1], "ranks 0, 1: 2 threads may run on one and the same processor only; look "
                         "at OMP_PROC_BIND, OMP_PLACES, taskset and cpusets");
}

} // namespace
} // namespace ocb_test
