// SPDX-License-Identifier: Apache-2.0
//
// What ranks are in MPI for: waits for ranks that take turns, and files. Of programs that know it.
#include "launched.h"

namespace ocb_test {
namespace {

struct Planted {
    const char *name;
    const char *words; // of the program; behind them the name of a file
    const char *cause;
    const char *cure;
    double least; // of the seconds that the program has measured
};

class MpiKinds : public testing::TestWithParam<std::tuple<const char *, Planted>> {};

// The program has measured the seconds itself. One of three runs decides: what others do with the
// processors, or with the disk, is in a run, too.
TEST_P(MpiKinds, AreToldApart) {
    const auto &[mpi, planted] = GetParam();
    const std::string program =
        std::string(OCB_TEST_RANKS) + (contains(mpi, "openmpi") ? ".openmpi" : ".mpich");
    std::string seen;
    bool is_right = false;
    bool is_shared = false;
    for (int runs = 0; runs < 3 && !is_right; ++runs) {
        const TemporaryFolder folder;
        const std::string job = folder.file("job.ompc");
        const Outcome outcome =
            shell(std::string(mpi) + " \"$0\" --rate 997 -o \"$2\" '" + program + "' 10 200 " +
                      planted.words + " \"$3\"",
                  {job, folder.file("written")}, {{"OMP_WAIT_POLICY", "passive"}});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        const std::string json = report(job, "--format json");
        const size_t first = json.find("\"cause\": \"");
        const size_t gain = json.find("\"gain\": ", first);
        ASSERT_NE(gain, std::string::npos) << json.substr(0, 2000);
        const double part = atof(json.c_str() + gain + 8) / atof(outcome.out.c_str());
        is_right = json.find(planted.cause, first) == first + 10 && part >= planted.least &&
                   part <= 1.15 && contains(report(job), planted.cure);
        is_shared = contains(json, "the machine was shared");
        seen += outcome.out + report(job);
    }
    if (!is_right && is_shared) {
        GTEST_SKIP() << "the machine was shared";
    }
    EXPECT_TRUE(is_right) << seen;
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, MpiKinds,
    testing::Combine(testing::Values("mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to "
                                     "none --mca mpi_yield_when_idle 0 -n 4",
                                     "mpiexec.hydra -n 4"),
                     testing::Values(Planted{"Varying", "varying", "mpi-varying-imbalance\"",
                                             "share each step's work", 0.5},
                                     Planted{"Files", "files", "mpi-files\"", "MPI_File_", 0.85})),
    [](const auto &row) {
        return std::string(contains(std::get<0>(row.param), "openmpi") ? "OpenMPI" : "MPICH") +
               std::get<1>(row.param).name;
    });

} // namespace
} // namespace ocb_test
