// SPDX-License-Identifier: Apache-2.0
//
// Nothing is lost: ranks under a launcher each, and one launcher around them, whatever starts them.
// Most of it needs the variables of a launcher alone; the last ones are real MPI programs.
#include "launched.h"

#include "job_file.h"
#include "job_variables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

struct Variables {
    const char *name;
    const char *of_rank; // an assignment each; RANK is the rank
    const char *rank_only = nullptr;
};

class Ranks : public testing::TestWithParam<Variables> {};

// As mpirun does: a launcher for each rank, all with the same words.
TEST_P(Ranks, LieInOnePlace) {
    const TemporaryFolder folder;
    std::string variables = GetParam().of_rank;
    for (size_t at = 0; (at = variables.find("RANK=@", at)) != std::string::npos;) {
        variables.replace(at + 5, 1, "$rank");
    }
    const Outcome outcome = shell("for rank in 0 1 2; do env " + variables +
                                      " \"$0\" -o \"$2\" \"$1\" exit 0 & done; wait",
                                  {folder.file("job.ompc")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    const std::string text = report(folder.file("job.ompc"));
    EXPECT_TRUE(contains(text, "  3 ranks on 1 host (")) << text << outcome.describe();
    EXPECT_TRUE(contains(text, "rank 2 ")) << text;
    EXPECT_FALSE(warns(text)) << text;
    EXPECT_TRUE(contains(report(folder.file("job.ompc"), "--rank 1"), ", rank 1,"));
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, Ranks,
    testing::Values(Variables{"OpenMPI",
                              "OMPI_COMM_WORLD_RANK=@ OMPI_COMM_WORLD_SIZE=3 PMIX_RANK=@ "
                              "PMIX_NAMESPACE=7"},
                    Variables{"MPICH", "PMI_RANK=@ PMI_SIZE=3 MPI_LOCALRANKID=0"},
                    Variables{"PMIx", "PMIX_RANK=@ SLURM_NTASKS=3 SLURM_PROCID=@ SLURM_STEP_ID=0 "
                                      "PMIX_NAMESPACE=slurm.pmix.1.0"},
                    Variables{"Slurm", "SLURM_PROCID_RANK=@ SLURM_PROCID=$rank SLURM_STEP_ID=0 "
                                       "SLURM_JOB_ID=9 SLURM_STEP_NUM_TASKS=3"},
                    Variables{"Flux", "FLUX_TASK_RANK=@ FLUX_JOB_SIZE=3 FLUX_JOB_ID=x"},
                    Variables{"PALS", "PALS_RANKID=$rank PMI_SIZE=3 PALS_APID=y"},
                    Variables{"jsrun", "JSM_NAMESPACE_RANK=@ JSM_NAMESPACE_SIZE=3"},
                    Variables{"MVAPICH2", "MV2_COMM_WORLD_RANK=@ MV2_COMM_WORLD_SIZE=3"},
                    Variables{"ALPS", "ALPS_APP_PE=$rank"},
                    // The batch system's outlive its step: MPI's own win.
                    Variables{"OldStep",
                              "OMPI_COMM_WORLD_RANK=@ OMPI_COMM_WORLD_SIZE=3 SLURM_PROCID=0 "
                              "SLURM_NTASKS=1 SLURM_STEP_ID=0"}),
    [](const auto &row) { return row.param.name; });

// Row by row: the variable of the rank, and those of the number of ranks.
TEST(Jobs, TheDocumentHasTheTableOfLaunchers) {
    std::ifstream document(OCB_TEST_SOURCES "/docs/JOBS.md");
    std::string line;
    while (std::getline(document, line) && line != "| launcher | rank | number of ranks |") {
    }
    std::getline(document, line); // of dashes
    for (const auto &row : ompcollect::kJobVariables) {
        std::string sizes;
        for (const char *size : row.size) {
            sizes += size ? (sizes.empty() ? "`" : ", `") + std::string(size) + "`" : "";
        }
        ASSERT_TRUE(std::getline(document, line)) << row.launcher;
        EXPECT_TRUE(contains(line, " | `" + std::string(row.rank) + "`")) << line;
        EXPECT_TRUE(line.ends_with(sizes.empty() ? "| |" : "| " + sizes + " |")) << line;
    }
    std::getline(document, line);
    EXPECT_EQ(line, "") << "a row that the code does not have";
}

TEST(Jobs, LaunchersThatNothingTellsApartLoseNothing) {
    const TemporaryFolder folder;
    const Outcome outcome =
        shell("\"$0\" -o \"$2\" \"$1\" exit 0 2>/dev/null;"
              "for i in 1 2 3 4; do \"$0\" -o \"$2\" \"$1\" exit 0 & done; wait",
              {folder.file("run.ompc")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    const std::string text = report(folder.file("run.ompc"));
    size_t heads = 0;
    for (size_t at = 0; (at = text.find("== OpenMP profile of ", at)) != std::string::npos; ++at) {
        ++heads;
    }
    EXPECT_EQ(heads, 4U) << text; // and not the one of the run before
}

TEST(Jobs, TheScriptOfABatchJobIsNoRank) {
    const TemporaryFolder folder;
    const Outcome outcome =
        shell("SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=5 \"$0\" -o \"$2\" \"$1\" exit 0",
              {folder.file("run.ompc")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_TRUE(fs::is_regular_file(folder.file("run.ompc")));
    EXPECT_FALSE(contains(report(folder.file("run.ompc")), "rank"));
}

TEST(Jobs, RanksOfAnEarlierJobDoNotStay) {
    const TemporaryFolder folder;
    const std::string script = R"SH(
        for size in 3 2; do
            for rank in $(seq 0 $((size - 1))); do
                PMI_RANK=$rank PMI_SIZE=$size "$0" -o "$2" "$1" exit 0 &
            done
            wait
        done
    )SH";
    EXPECT_TRUE(shell(script, {folder.file("job.ompc")}).succeeded());
    const std::string text = report(folder.file("job.ompc"));
    EXPECT_TRUE(contains(text, "  2 ranks on 1 host (")) << text;
    EXPECT_FALSE(warns(text)) << text;
}

TEST(Jobs, MissingRanksAreNamedWithTheirCause) {
    const TemporaryFolder folder;
    const std::string script = R"SH(
        export PMI_SIZE=4
        PMI_RANK=0 "$0" -o "$2" "$1" exit 0 &
        PMI_RANK=1 "$0" -o "$2" "$1" signal 9 &
        PMI_RANK=2 "$0" -o "$2" /bin/true &
        wait
    )SH";
    shell(script, {folder.file("job.ompc")});
    std::string text = report(folder.file("job.ompc"), "--format json");
    EXPECT_TRUE(contains(text, "rank 1 ended early: killed by signal 9")) << text;
    EXPECT_TRUE(contains(text, "rank 2 without a profile, on ")) << text;
    EXPECT_TRUE(contains(text, "rank 3 missing of 4")) << text;
}

TEST(Jobs, ALoneRanksFileNamesTheOthers) {
    const TemporaryFolder folder;
    const std::string script = R"SH(
        PMI_SIZE=4 PMI_RANK=2 "$0" -o "$2" "$1" exit 0
    )SH";
    EXPECT_TRUE(shell(script, {folder.file("job.ompc")}).succeeded());
    const std::string text = report(folder.file("job.ompc/rank-2.ompc"));
    EXPECT_TRUE(contains(text, "  1 rank on 1 host (")) << text;
    EXPECT_TRUE(contains(text, "ranks 0, 1, 3 missing of 4")) << text;
}

// Open MPI kills the launchers of all ranks when one rank was killed.
TEST(Jobs, AKilledLauncherLeavesWhatWasMeasured) {
    const TemporaryFolder folder;
    const std::string script = R"SH(
        export PMI_SIZE=2
        PMI_RANK=0 "$0" -o "$2" "$1" exit 0
        PMI_RANK=1 "$0" -o "$2" "$1" await "$3" & launcher=$!
        until [ -f "$3" ]; do sleep 0.05; done
        program=$(pgrep -P $launcher)
        kill -KILL $launcher $program
        wait $launcher 2>/dev/null
        while [ -d /proc/$program ] && ! grep -q '^State:.Z' /proc/$program/status; do
            sleep 0.05
        done
    )SH";
    shell(script, {folder.file("job.ompc"), folder.file("ready")});
    const std::string text = report(folder.file("job.ompc"));
    EXPECT_TRUE(contains(text, "  2 ranks on 1 host (")) << text;
    EXPECT_TRUE(contains(text, "rank 1 ended early: killed, or left by _exit")) << text;
}

TEST(Jobs, NamesMayHoldVariables) {
    const TemporaryFolder folder;
    const std::string script = R"SH(
        for rank in 0 1; do
            MY_CASE=large PMI_RANK=$rank PMI_SIZE=2 "$0" -o "$2/%q{MY_CASE}-%r.ompc" "$1" exit 0
        done
        "$0" -o "$2/%q{MY_CASE.ompc" "$1" exit 0
    )SH";
    const Outcome outcome = shell(script, {folder.file("")});
    EXPECT_EQ(outcome.exit_code, 125) << outcome.describe();
    EXPECT_TRUE(fs::is_regular_file(folder.file("large-0.ompc")));
    EXPECT_TRUE(fs::is_regular_file(folder.file("large-1.ompc")));
    const Outcome both = shell("\"$0\" report \"$2\"/*.ompc", {folder.file("")});
    EXPECT_TRUE(contains(both.out, "  2 ranks on 1 host (")) << both.describe();
}

// One rank takes another one of the pragma's three forks first: the job has one region of both.
TEST(Jobs, ForksOfOnePragmaAreOneRegionWhicheverWasFirst) {
    for (const char *compiler : {"clang", "gcc"}) {
        const TemporaryFolder folder;
        const std::string job = folder.file("job.ompc");
        const std::string program = std::string(OCB_TEST_DISEASES "/") + compiler + "/diseases";
        const Outcome outcome =
            shell("rank=0; for order in several-forks several-forks-turned; do"
                  " OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=2 \"$0\" --rate 1997"
                  " -o \"$2\" \"$3\" $order || exit 1; rank=1; done",
                  {job, program});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::string json = report(job, "--format json");
        const size_t regions = json.find("\"regions\": [");
        ASSERT_NE(regions, std::string::npos) << json;
        const std::string list = json.substr(regions, json.find(']', regions) - regions);
        size_t count = 0;
        for (size_t at = 0; (at = list.find("\"name\": \"fork_here ", at)) != std::string::npos;
             ++at) {
            ++count;
        }
        EXPECT_EQ(count, 1U) << list;
        EXPECT_EQ(std::count(list.begin(), list.end(), '{'), 1) << list;
        // Neither rank has less in it than a third of what the other one has.
        const size_t least = list.find("\"min\": ");
        const size_t most = list.find("\"max\": ");
        ASSERT_NE(least, std::string::npos) << list;
        EXPECT_GT(3 * std::atof(list.c_str() + least + 7), std::atof(list.c_str() + most + 7));
    }
}

struct Mpi {
    const char *name;
    const char *command; // up to the program
    bool inside;         // a launcher in each rank, or one around
};

class RealRanks : public testing::TestWithParam<Mpi> {
  protected:
    // "$1" of the script is the program for this MPI, "$2" the run.
    Outcome launch(const std::string &run, const std::string &words) {
        const std::string mpi = GetParam().command;
        const std::string program =
            std::string(OCB_TEST_RANKS) + (contains(mpi, "openmpi") ? ".openmpi" : ".mpich");
        const std::string collect = " \"$0\" --rate 997 -o \"$2\" ";
        return shell((GetParam().inside ? mpi + collect : collect + mpi) + " '" + program + "' " +
                         words,
                     {run}, {{"OMP_WAIT_POLICY", "passive"}});
    }
    void expect_late_rank(const std::string &words, const std::string &region);
};

// The share of the gain that the program itself has measured by which the report's is off.
double gain_error(const std::string &printed, const std::string &json) {
    const size_t at = json.find("\"cause\": \"mpi-imbalance\"");
    const size_t gain = json.find("\"gain\": ", at);
    if (at == std::string::npos || gain == std::string::npos) {
        return 1;
    }
    return std::abs(atof(json.c_str() + gain + 8) / atof(printed.c_str()) - 1);
}

// Where others had more than a fifth of the processors that its threads might have had, they
// decided who waited for whom: a run that is wrong then does not count.
bool was_calm(const std::string &json, double threads) {
    const size_t share = json.find("\"on_processor\": ");
    const double fair = std::min(1.0, static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)) / threads);
    return share != std::string::npos && atof(json.c_str() + share + 16) >= 0.8 * fair;
}

// Two of three runs that count decide.
void RealRanks::expect_late_rank(const std::string &words, const std::string &region) {
    constexpr double kTolerance = 0.1;
    constexpr int kMostRuns = 7;
    int right = 0;
    int wrong = 0;
    std::string seen;
    for (int runs = 0; runs < kMostRuns && right < 2 && wrong < 2; ++runs) {
        const TemporaryFolder folder;
        const std::string job = folder.file("job.ompc");
        const Outcome outcome = launch(job, words);
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::string text = report(job);
        EXPECT_TRUE(contains(text, "  4 ranks on 1 host (")) << text;
        EXPECT_TRUE(contains(text, "in MPI_Allreduce ")) << text;
        EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 120) << text;
        const std::string json = report(job, "--format json");
        seen += outcome.out + text;
        const bool is_first =
            contains(text, "\n1. ") && contains(text, "mpi-imbalance, rank 3 on ") &&
            text.find("mpi-imbalance, rank 3 on ") < text.find("\n2. ") && contains(text, region);
        const bool is_right = is_first && gain_error(outcome.out, json) <= kTolerance;
        right += is_right ? 1 : 0;
        wrong += !is_right && was_calm(json, 8) ? 1 : 0;
    }
    EXPECT_EQ(right, 2) << seen;
}

TEST_P(RealRanks, AreOneJobThatNamesItsLateRank) {
    expect_late_rank("10 200", "relax_large_grid");
}

TEST_P(RealRanks, CallMpiInsideOfARegion) {
    for (const char *words : {"10 200 funnelled", "10 200 multiple"}) {
        expect_late_rank(words, "relax_and_exchange");
    }
}

TEST_P(RealRanks, AKilledRankLeavesItsProfile) {
    const TemporaryFolder folder;
    const std::string job = folder.file("job.ompc");
    launch(job, "4 100 kill");
    const std::string text = report(job);
    EXPECT_TRUE(contains(text, "  4 ranks on 1 host (")) << text;
    EXPECT_TRUE(contains(text, " ended early: ")) << text;
}

constexpr char kOpenMpi[] = "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none "
                            "--mca mpi_yield_when_idle 0 -n 4";
constexpr char kMpich[] = "mpiexec.hydra -n 4";
INSTANTIATE_TEST_SUITE_P(Jobs, RealRanks,
                         testing::Values(Mpi{"OpenMPI_inside", kOpenMpi, true},
                                         Mpi{"OpenMPI_around", kOpenMpi, false},
                                         Mpi{"MPICH_inside", kMpich, true},
                                         Mpi{"MPICH_around", kMpich, false}),
                         [](const auto &row) { return row.param.name; });

// Of our own wrapper of MPI's functions, and of the report.
struct MpiSeconds {
    double by_wrapper = 0;
    double by_samples = 0;
    [[nodiscard]] double error() const {
        return by_wrapper > 0 ? std::abs(by_samples / by_wrapper - 1) : 1;
    }
};

MpiSeconds mpi_seconds(const std::string &printed, const std::string &json, bool with_start) {
    MpiSeconds sum;
    std::istringstream lines(printed);
    const size_t calls = json.find("\"mpi_calls\": [");
    std::string name;
    for (double seconds = 0; lines >> name >> seconds;) {
        if (name.starts_with("MPI_") && (with_start || !name.starts_with("MPI_Init"))) {
            sum.by_wrapper += seconds;
            const size_t at = json.find("\"" + name + "\"", calls);
            const size_t value = json.find("\"seconds\": ", at);
            sum.by_samples += at != std::string::npos ? atof(json.c_str() + value + 11) : 0;
        }
    }
    return sum;
}

struct Crew {
    const char *name;
    const char *mpi;
    int ranks;
    int threads; // of each rank, in times half of the processors
};

double middle_of(std::vector<double> numbers) {
    std::sort(numbers.begin(), numbers.end());
    return numbers[numbers.size() / 2];
}

class MpiTime : public testing::TestWithParam<Crew> {};

// A run has eight thousand samples of MPI: the middle of three runs is judged.
TEST_P(MpiTime, IsThatOfAWrapper) {
    constexpr double kTolerance = 0.05;
    constexpr size_t kRuns = 3;
    const Crew &crew = GetParam();
    const bool is_open = contains(crew.mpi, "openmpi");
    const std::string threads =
        std::to_string(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN) * crew.threads / 2 / crew.ranks));
    std::vector<double> errors;
    std::vector<double> starts;
    std::string seen;
    while (errors.size() < kRuns) {
        const TemporaryFolder folder;
        const std::string job = folder.file("job.ompc");
        const std::string program =
            std::string(OCB_TEST_MPI_TIME) + (is_open ? ".openmpi" : ".mpich");
        const Outcome outcome =
            shell(std::string(crew.mpi) + " -n " + std::to_string(crew.ranks) +
                      " \"$0\" --rate 997 -o \"$2\" '" + program + "' 15 200 " + threads,
                  {job}, {{"OMP_WAIT_POLICY", "passive"}});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::string json = report(job, "--format json");
        errors.push_back(mpi_seconds(outcome.out, json, false).error());
        const MpiSeconds all = mpi_seconds(outcome.out, json, true);
        const MpiSeconds steps = mpi_seconds(outcome.out, json, false);
        starts.push_back((all.by_samples - steps.by_samples) / (all.by_wrapper - steps.by_wrapper));
        seen += std::to_string(errors.back()) + ", at the start " + std::to_string(starts.back()) +
                "\n" + outcome.out;
    }
    EXPECT_LE(middle_of(errors), kTolerance) << seen;
    // What comes before the program's first OpenMP call has its class, too.
    EXPECT_GT(middle_of(starts), 0.5) << seen;
}

constexpr char kOpenMpiRun[] = "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none";
INSTANTIATE_TEST_SUITE_P(Jobs, MpiTime,
                         testing::Values(Crew{"OpenMPI_half", kOpenMpiRun, 2, 1},
                                         Crew{"OpenMPI_all", kOpenMpiRun, 2, 2},
                                         Crew{"OpenMPI_twice", kOpenMpiRun, 2, 4},
                                         Crew{"MPICH_half", "mpiexec.hydra", 2, 1},
                                         Crew{"MPICH_all", "mpiexec.hydra", 2, 2},
                                         Crew{"MPICH_twice", "mpiexec.hydra", 2, 4}),
                         [](const auto &row) { return row.param.name; });

// What comes before the program's first OpenMP call has its path, on libgomp and on libomp, which
// initialises only then. The wrapper's own time of MPI_Init is the measure, and the middle of three
// runs is judged.
class MpiStart : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(MpiStart, HasItsCallPath) {
    const auto &[mpi, compiler] = GetParam();
    const bool is_open = contains(mpi, "openmpi");
    const std::string program =
        std::string(OCB_TEST_MPI_TIME) + compiler + (is_open ? ".openmpi" : ".mpich");
    std::vector<double> shares; // of the wrapper's time
    std::string seen;
    while (shares.size() < 3) {
        const TemporaryFolder folder;
        const std::string job = folder.file("job.ompc");
        const Outcome outcome =
            shell(std::string(mpi) + " -n 2 \"$0\" --rate 997 -o \"$2\" '" + program + "' 1 20 1",
                  {job}, {{"OMP_WAIT_POLICY", "passive"}});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::string json = report(job, "--format json");
        const std::string text = report(job);
        EXPECT_TRUE(contains(text, *compiler ? "on LLVM OMP" : "on GNU libgomp")) << text;
        const MpiSeconds all = mpi_seconds(outcome.out, json, true);
        const MpiSeconds steps = mpi_seconds(outcome.out, json, false);
        shares.push_back((all.by_samples - steps.by_samples) / (all.by_wrapper - steps.by_wrapper));
        seen += outcome.out + text;
    }
    std::sort(shares.begin(), shares.end());
    EXPECT_GT(shares[1], 0.5) << seen;
}

INSTANTIATE_TEST_SUITE_P(Jobs, MpiStart,
                         testing::Combine(testing::Values(kOpenMpiRun, "mpiexec.hydra"),
                                          testing::Values("", ".clang")),
                         [](const auto &row) {
                             const bool is_open = contains(std::get<0>(row.param), "openmpi");
                             const bool is_clang = *std::get<1>(row.param) != 0;
                             return std::string(is_open ? "OpenMPI" : "MPICH") +
                                    (is_clang ? "_libomp" : "_libgomp");
                         });

// In a library's constructor OpenMP begins before our own constructor runs.
TEST(Jobs, AProfileBeginsWithTheProcess) {
    const TemporaryFolder folder;
    const time_t before = time(nullptr);
    const Outcome outcome =
        shell("PMI_RANK=0 PMI_SIZE=1 \"$0\" -o \"$2\" \"$3\" none && "
              "\"$0\" merge -o \"$4\" \"$2\"",
              {folder.file("job.ompc"), OCB_TEST_EARLY, folder.file("merged.ompc")});
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    std::ifstream in(folder.file("merged.ompc"), std::ios::binary);
    std::ostringstream bytes;
    bytes << in.rdbuf();
    const ompcollect::report::Job job =
        ompcollect::report::job_of_bytes(bytes.str(), "merged.ompc");
    ASSERT_EQ(job.ranks.size(), 1U);
    EXPECT_GE(job.ranks[0].begin_ns / 1'000'000'000, before - 1);
}

// A program that links OpenMP and never uses it leaves nothing, in a rank neither.
TEST(Jobs, ARankWithoutOpenMpLeavesNothing) {
    const TemporaryFolder folder;
    const Outcome outcome = shell("PMI_RANK=0 PMI_SIZE=1 \"$0\" -o \"$2\" \"$3\" none",
                                  {folder.file("job.ompc"), OCB_TEST_MPI_TIME ".mpich"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const auto &entry : fs::recursive_directory_iterator(folder.file(""))) {
        EXPECT_NE(entry.path().extension(), ".ompc") << entry.path();
    }
}

// Any number of processes, the same bytes.
TEST(Jobs, MergeUnderMpi) {
    const TemporaryFolder folder;
    const std::string script = R"SH(
        set -e
        for rank in 0 1 2 3 4; do
            PMI_RANK=$rank PMI_SIZE=5 "$0" -o "$2/job.ompc" "$1" exit 0
        done
        cd "$2"
        "$0" merge -o alone.ompc job.ompc
        for n in 2 3 8; do
            mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none -n $n \
                "$0" merge -o openmpi.ompc job.ompc
            cmp alone.ompc openmpi.ompc
            mpiexec.hydra -n $n "$0" merge -o mpich.ompc job.ompc
            cmp alone.ompc mpich.ompc
        done
    )SH";
    const Outcome outcome = shell(script, {folder.file("")});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
}

} // namespace
} // namespace ocb_test
