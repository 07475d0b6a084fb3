// SPDX-License-Identifier: Apache-2.0
// A hundred kinds of what gcc's code does, each with a result that is known (programs/kinds.h),
// alone and in each way in which people run them: nobody sees a difference.
#include "libgomp_run.h"

#include <gtest/gtest.h>

#include <fstream>

namespace ocb_test {
namespace {

constexpr const char *kOnBoth[] = {"kinds_of_regions", "kinds_of_loops", "kinds_of_mutexes",
                                   "kinds_of_tasks"};
constexpr const char *kOnLibgompAlone = "kinds_without_libomp";

constexpr const char *kLibomp = OCB_LIBGOMP_LIBOMPS "/14/lib/libomp.so.5";

// With tool and validating tool they are run by same_test.cpp and validated_test.cpp.
struct Start {
    const char *name;
    std::vector<std::string> preload;
    std::vector<std::string> launcher;
    const char *runs_on; // the runtime to compare with; null: libgomp
};
const Start kStarts[] = {
    {"Alone", {}, {}, nullptr},
    {"Library", {OCB_LIBGOMP_OMPT}, {}, nullptr},
    {"BridgeAndCollector",
     {OCB_LIBGOMP_OMPT, "libomp-collector-bridge.so", "libocb-fake-collector.so"},
     {},
     nullptr},
    {"Launched", {}, {OCB_LIBGOMP_LAUNCHER}, nullptr},
    {"LaunchedOnLibomp", {}, {OCB_LIBGOMP_LAUNCHER, "--runtime", kLibomp}, kLibomp},
};

void PrintTo(const Start &start, std::ostream *out) {
    *out << start.name;
}

class Kinds : public testing::TestWithParam<std::tuple<Start, bool>> {
  protected:
    [[nodiscard]] static const Start &start() { return std::get<0>(GetParam()); }

    // All that a user can see.
    static void expect_all_right(const std::string &name, int fewest) {
        SCOPED_TRACE(name);
        const TemporaryFolder folder;
        Command command;
        if (!start().launcher.empty()) {
            command.arguments = start().launcher;
            command.arguments.insert(command.arguments.end(),
                                     {"-o", folder.file("report.txt"), "--"});
        }
        command.arguments.push_back(program_path(name));
        command.environment = {{"OMP_WAIT_POLICY", "passive"},
                               {"OMP_CANCELLATION", std::get<1>(GetParam()) ? "true" : "false"},
                               {"LD_LIBRARY_PATH", OCB_LIBGOMP_LIBRARIES}};
        for (const std::string &library : start().preload) {
            command.environment["LD_PRELOAD"] += library + " ";
        }
        command.time_limit_s = 300;
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ("", outcome.err);
        EXPECT_EQ(0U, count(outcome.out, "wrong")) << outcome.out;
        EXPECT_LE(fewest, static_cast<int>(count(outcome.out, " right\n"))) << outcome.out;
        EXPECT_EQ(start().launcher.empty(), !std::ifstream(folder.file("report.txt")).good());
    }
};

TEST_P(Kinds, AreRight) {
    constexpr int kFewest[] = {23, 43, 16, 27};
    for (std::size_t i = 0; i < std::size(kOnBoth); ++i) {
        expect_all_right(kOnBoth[i], kFewest[i]);
    }
    if (start().runs_on == nullptr) {
        expect_all_right(kOnLibgompAlone, 10);
    }
}

std::string kinds_name(const testing::TestParamInfo<Kinds::ParamType> &info) {
    return std::string(std::get<0>(info.param).name) +
           (std::get<1>(info.param) ? "Cancelling" : "");
}
INSTANTIATE_TEST_SUITE_P(In, Kinds, testing::Combine(testing::ValuesIn(kStarts), testing::Bool()),
                         kinds_name);

} // namespace
} // namespace ocb_test
