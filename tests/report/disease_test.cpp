// SPDX-License-Identifier: Apache-2.0
//
// Ten real programs with one classical disease each, through launcher, bridge and collector: the
// saved run has the verdict. Work is measured in processor time, so that a busy machine changes
// little; what a machine with few processors adds to a verdict may stand beside it.
#include "command.h"
#include "findings.h"
#include "process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

struct Disease {
    const char *name;     // of the program's disease and of the cause
    const char *function; // where it is found
    const char *or_else;  // another cause that is true as well; null: none
};

void PrintTo(const Disease &disease, std::ostream *out) {
    *out << disease.name;
}

// The second is the compiler that built the program.
class RealDisease : public testing::TestWithParam<std::tuple<Disease, const char *>> {};

TEST_P(RealDisease, HasItsVerdict) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    const auto &[disease, compiler] = GetParam();
    const TemporaryFolder folder;
    const std::string saved = folder.file("run.ompc");
    const std::string ompcollect = OCB_TEST_BIN_FOLDER "/ompcollect";
    const std::string programs = OCB_TEST_PROGRAMS "/";
    Command command;
    // The programs are short: many samples a second, so that a verdict has enough to rest on.
    command.arguments = {
        ompcollect, "--rate", "997", "-o", saved, programs + compiler + "/diseases", disease.name};
    command.environment["LD_LIBRARY_PATH"] = OCB_TEST_LIBOMPS "/19/lib";
    const Outcome outcome = run(command);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    ASSERT_TRUE(std::filesystem::exists(saved)) << outcome.describe();
    const auto made = load_run(saved, {});
    ASSERT_EQ(made.processes.size(), 1U);
    const Process &process = made.processes.front();
    const auto findings = findings_of(process, figures_of(process));
    const std::string name = disease.name;
    const std::string function = disease.function;
    const std::string other = disease.or_else ? disease.or_else : disease.name;
    const bool found = std::any_of(findings.begin(), findings.end(), [&](const Finding &finding) {
        const std::string cause = cause_key(finding.cause);
        return (finding.place.find(function) != std::string::npos ||
                finding.cause == Cause::kSerial) &&
               (cause == name || cause == other);
    });
    EXPECT_TRUE(found) << outcome.err;
    EXPECT_NE(outcome.err.find("Verdict:"), std::string::npos) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(
    Ten, RealDisease,
    testing::Combine(
        testing::Values(Disease{"imbalance", "imbalance", nullptr},
                        Disease{"serial-part", "serial_part", nullptr},
                        Disease{"tiny-regions", "tiny_regions", nullptr},
                        Disease{"contended-critical", "contended_critical", nullptr},
                        Disease{"false-ordered", "false_ordered", nullptr},
                        Disease{"single-in-loop", "single_in_loop", nullptr},
                        Disease{"nested-oversubscription", "nested_oversubscription", nullptr},
                        // Where the runtime's own time is not seen, it shows as the creator's work.
                        Disease{"runtime-work", "task_flood", "lone-thread"},
                        // Of two threads nobody can tell a slant from an imbalance.
                        Disease{"slanted-work", "triangle", "imbalance"},
                        Disease{"lock-convoy", "lock_convoy", nullptr}),
        testing::Values("clang", "gcc")),
    [](const auto &each) {
        std::string name = std::get<0>(each.param).name;
        std::replace(name.begin(), name.end(), '-', '_');
        return name + "_" + std::get<1>(each.param);
    });

} // namespace
} // namespace ocb_test
