// SPDX-License-Identifier: Apache-2.0
//
// Ten real programs with one classical disease each, through launcher, bridge and collector: the
// saved run has the verdict. Work is measured in processor time, so that a busy machine changes
// little; what a machine with few processors adds to a verdict may stand beside it.
#include "calm.h"
#include "command.h"
#include "findings.h"
#include "omp_collector_api.h"
#include "process.h"
#include "rate_here.h"
#include "region_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

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

// Runs the program with that disease, built by that compiler, and reads what was saved.
void profile_of(const std::string &compiler, const std::string &name, Process &to,
                std::string &report) {
    const TemporaryFolder folder;
    const std::string saved = folder.file("run.ompc");
    const std::string ompcollect = OCB_TEST_BIN_FOLDER "/ompcollect";
    const std::string programs = OCB_TEST_PROGRAMS "/";
    Command command;
    // The programs are short: many samples a second, so that a verdict has enough to rest on. Above
    // the kernel's tick none comes before OpenMP is first used.
    const bool is_own_program = name.ends_with("_jump");
    const bool is_before_openmp = name == "serial-part";
    // Before other tests, where that is permitted: a thread without a processor waits for nobody.
    command.arguments = {"/usr/bin/nice",
                         "-n",
                         "-20",
                         ompcollect,
                         "--rate",
                         is_before_openmp ? "100" : "1997",
                         "-o",
                         saved,
                         programs + compiler + (is_own_program ? "/" + name : "/diseases"),
                         name};
    command.environment["LD_LIBRARY_PATH"] = OCB_TEST_LIBOMPS "/19/lib";
    if (compiler == "gcc") {
        // libgomp's threads, waiting busily, take each other's processor where others run beside
        // them.
        command.environment["OMP_WAIT_POLICY"] = "passive";
    }
    if (name.rfind("held-", 0) == 0) {
        // Who waits sleeps, as the holder's is the time that is judged.
        command.environment["KMP_LOCK_KIND"] = "futex";
    }
    const Outcome outcome = run(command);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    ASSERT_TRUE(std::filesystem::exists(saved)) << outcome.describe();
    auto made = load_run(saved, {});
    ASSERT_EQ(made.processes.size(), 1U);
    to = std::move(made.processes.front());
    report = outcome.err;
}

// What the launcher prints by default, without the line that names the saved run.
void expect_a_screen(const std::string &printed) {
    const std::string report = printed.substr(0, printed.find("ompcollect: the run is in "));
    std::istringstream in(report);
    size_t lines = 0;
    for (std::string line; std::getline(in, line); ++lines) {
        EXPECT_LE(line.size(), 80U) << line;
    }
    EXPECT_GT(lines, 10U) << report;
    EXPECT_LE(lines, 40U) << report;
    EXPECT_NE(report.find("\n   at:    "), std::string::npos) << report;
}

// For who needs all of a run to be as on a machine of its own.
void calm_profile_of(const std::string &compiler, const std::string &name, Process &to,
                     std::string &report) {
    for (int i = 0; i < kMostRuns && (i == 0 || !was_calm(to)); ++i) {
        ASSERT_NO_FATAL_FAILURE(profile_of(compiler, name, to, report));
    }
}

// Whether the first finding of a run is the disease, at its place. On a shared machine there may be
// none of its region.
void look_for(const Disease &disease, const std::string &compiler, std::string &report, bool &found,
              bool &is_calm, bool &is_silent) {
    Process process;
    ASSERT_NO_FATAL_FAILURE(profile_of(compiler, disease.name, process, report));
    is_calm = was_calm(process);
    const auto findings = findings_of(process, figures_of(process));
    const std::string name = disease.name;
    const std::string function = disease.function;
    const std::string other = disease.or_else ? disease.or_else : disease.name;
    found = false;
    is_silent = is_shared(process) &&
                std::all_of(findings.begin(), findings.end(), [&](const Finding &finding) {
                    return cause_kind(finding.cause) == LossKind::kSerial ||
                           finding.place.find(function) == std::string::npos;
                });
    if (!findings.empty()) {
        const std::string cause = cause_key(findings[0].cause);
        found = findings[0].place.find(function) != std::string::npos &&
                (cause == name || cause == other);
    }
}

// The second is the compiler that built the program.
class RealDisease : public testing::TestWithParam<std::tuple<Disease, const char *>> {};

TEST_P(RealDisease, HasItsVerdict) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    if (rate_here("1997") != "1997") {
        GTEST_SKIP() << "no rate above the kernel's tick can be had here";
    }
    const auto &[disease, compiler] = GetParam();
    std::string report;
    bool found = false;
    bool is_calm = false;
    bool is_silent = false;
    constexpr int kMostSilent = 3; // the machine stays shared
    int silent = 0;
    for (int i = 0; i < kMostRuns && silent < kMostSilent && !found && !is_calm; ++i) {
        ASSERT_NO_FATAL_FAILURE(look_for(disease, compiler, report, found, is_calm, is_silent));
        silent += is_silent ? 1 : 0;
    }
    if (is_silent) {
        GTEST_SKIP() << "the machine was shared in each of the runs";
    }
    EXPECT_TRUE(found) << report;
    EXPECT_NE(report.find("Verdict:"), std::string::npos) << report;
    expect_a_screen(report);
}

// Disease, compiler.
class RealHolder : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

// The finding names the code that held the mutex, by function and line; waits that it did not cause
// are not charged to it.
TEST_P(RealHolder, IsNamed) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    const auto &[disease, compiler] = GetParam();
    Process process;
    std::string report;
    ASSERT_NO_FATAL_FAILURE(calm_profile_of(compiler, disease, process, report));
    EXPECT_TRUE(process.knows_holders);
    const bool is_lock = std::string(disease) == "held-lock";
    const std::string longer = is_lock ? "hold_long" : "enter_long";
    const std::string shorter = is_lock ? "hold_briefly" : "enter_briefly";
    double by_longer = 0;
    double by_shorter = 0;
    double waited = 0;
    for (const Lock &lock : process.locks) {
        waited += lock.wall;
        for (const Holder &holder : lock.holders) {
            const bool is_longer = holder.place.text().find(longer) != std::string::npos;
            const bool is_shorter = holder.place.text().find(shorter) != std::string::npos;
            EXPECT_TRUE(is_longer || is_shorter) << holder.place.text();
            (is_longer ? by_longer : by_shorter) += holder.wall;
            EXPECT_NE(holder.place.text().find(".c:"), std::string::npos) << holder.place.text();
            const auto path = path_names(process, holder.node);
            EXPECT_EQ(path.empty() ? "" : path.back(), is_longer ? longer : shorter);
        }
    }
    EXPECT_GT(by_longer + by_shorter, 0.8 * waited) << report;
    EXPECT_LT(by_longer + by_shorter, 1.001 * waited) << report;
    EXPECT_GT(by_longer, 0.6 * (by_longer + by_shorter)) << report;
    const std::vector<Finding> findings = findings_of(process, figures_of(process));
    const bool named = std::any_of(findings.begin(), findings.end(), [&](const Finding &finding) {
        return finding.evidence.find("; held by " + longer) != std::string::npos;
    });
    EXPECT_TRUE(named) << report;
    EXPECT_NE(report.find("held by"), std::string::npos) << report;
}

// A pragma that the compiler has copied is one region, with all entries and samples. Its forks are
// at different addresses.
void the_one_region(const std::string &compiler, const std::string &program, Node &to) {
    Process process;
    std::string report;
    ASSERT_NO_FATAL_FAILURE(profile_of(compiler, program, process, report));
    const auto is_first = [](const Node &node) {
        return node.kind == NodeKind::kRegion && node.same_as < 0;
    };
    const std::vector<Node> &nodes = process.nodes;
    for (const Node &node : nodes) { // clang joins calls, which then have the line 0
        EXPECT_FALSE(node.source.str().ends_with(":0")) << node.source.str();
    }
    EXPECT_EQ(std::count_if(nodes.begin(), nodes.end(), is_first), 1) << report;
    const auto region = std::find_if(nodes.begin(), nodes.end(), is_first);
    ASSERT_NE(region, nodes.end()) << report;
    EXPECT_EQ(region->entries, 3U) << report;
    const auto number = static_cast<int>(region - nodes.begin());
    EXPECT_NE(place_name(process, number).find("fork_here"), std::string::npos) << report;
    to = *region;
}

TEST(RealForks, OfOnePragmaAreOneRegion) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    for (const char *compiler : {"clang", "gcc"}) {
        Node region;
        Node turned;
        ASSERT_NO_FATAL_FAILURE(the_one_region(compiler, "several-forks", region));
        ASSERT_NO_FATAL_FAILURE(the_one_region(compiler, "several-forks-turned", turned));
        // So that it is one in a job, whichever fork came first in each of its processes.
        EXPECT_EQ(region.offset, turned.offset) << compiler;
    }
}

// The inner region is forked from no stack frame of the program. Each thread's fork has another
// caller.
TEST(RealForks, ByAJumpAreWhereTheRegionsCodeBegins) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    for (const char *compiler : {"clang", "gcc"}) {
        Process process;
        std::string report;
        ASSERT_NO_FATAL_FAILURE(profile_of(compiler, "inner_jump", process, report));
        std::vector<uint64_t> entries;
        for (size_t i = 0; i < process.nodes.size(); ++i) {
            if (process.nodes[i].kind == NodeKind::kRegion && process.nodes[i].same_as < 0) {
                const std::string name = place_name(process, static_cast<int>(i));
                EXPECT_NE(name.find(" inner_jump.c:"), std::string::npos) << name;
                entries.push_back(process.nodes[i].entries);
            }
        }
        EXPECT_EQ(entries, (std::vector<uint64_t>{3, 6})) << report;
    }
}

// From no region around it there is only the caller's frame; debug information has what that calls.
TEST(RealForks, ByAJumpOutsideAreTheirFunctions) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    for (const char *compiler : {"clang", "gcc"}) {
        Process process;
        std::string report;
        ASSERT_NO_FATAL_FAILURE(profile_of(compiler, "last_jump", process, report));
        std::map<std::string, uint64_t> entries;
        for (const Node &node : process.nodes) {
            if (node.kind == NodeKind::kRegion && node.same_as < 0) {
                entries[node.function.str()] += node.entries;
                const unsigned line = source_place(node.source.str()).line;
                const unsigned begin = node.function.str() == "first" ? 17 : 22;
                EXPECT_GE(line, begin) << report;
                EXPECT_LE(line, begin + 1) << report;
            }
        }
        const std::map<std::string, uint64_t> expected = {{"first", 2}, {"second", 1}};
        EXPECT_EQ(entries, expected) << report;
    }
}

// Four threads are at work in it: who forked it is counted, so that they are two teams of two.
TEST(RealForks, OfTwoThreadsAreTwoTeams) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    for (const char *compiler : {"clang", "gcc"}) {
        Process process;
        std::string report;
        ASSERT_NO_FATAL_FAILURE(profile_of(compiler, "two-teams", process, report));
        const Figures figures = figures_of(process);
        ASSERT_EQ(figures.regions.size(), 1U) << report;
        EXPECT_EQ(process.nodes[static_cast<size_t>(figures.regions[0].node)].masters, 2U);
        EXPECT_EQ(figures.regions[0].threads, 4U) << report;
        EXPECT_EQ(figures.regions[0].team, 2U) << report;
    }
}

// Where the time is in the source, with the text of the line; a wait is at the call that waits.
TEST(RealLines, HaveTheirText) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    Process process;
    std::string report;
    ASSERT_NO_FATAL_FAILURE(profile_of("gcc", "held-lock", process, report));
    const auto has = [&](unsigned state, const std::string &function, const std::string &text) {
        return std::any_of(process.lines.begin(), process.lines.end(), [&](const Line &line) {
            return line.times.wall[state] > 0 && line.source.find("diseases.c:") == 0 &&
                   line.function == function && line.text == text;
        });
    };
    EXPECT_TRUE(has(THR_LKWT_STATE, "hold_briefly", "omp_set_lock(&shared_lock);"));
    EXPECT_TRUE(
        has(THR_WORK_STATE, "processor_time", "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);"));
}

// Copies that a reduction clears are the pragma's, though clang puts that call on the loop's line.
TEST(RealLines, OfAReductionAreThePragmas) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    for (const char *compiler : {"clang", "gcc"}) {
        Process process;
        std::string report;
        ASSERT_NO_FATAL_FAILURE(profile_of(compiler, "slow-reduction", process, report));
        double on_pragma = 0;
        double on_loop = 0;
        for (const Line &line : process.lines) {
            const double work = line.times.wall[THR_WORK_STATE];
            on_pragma += line.text.starts_with("#pragma omp parallel for") ? work : 0;
            on_loop += line.text.starts_with("for (int j") ? work : 0;
            EXPECT_NE(source_place(line.source).line, 0U) << line.source;
        }
        double clearing = 0;
        for (const Cell &cell : process.cells) {
            const bool is_named = cell.node >= 0 && cell.state == THR_WORK_STATE;
            const std::string name =
                is_named ? process.nodes[static_cast<size_t>(cell.node)].function.str() : "";
            clearing += name.find("memset") != std::string::npos ? cell.wall : 0;
        }
        if (std::string(compiler) == "clang") {               // gcc has a loop here
            EXPECT_GT(clearing, 0.005 * on_pragma) << report; // two samples
            EXPECT_LE(on_loop, clearing / 2) << report;
        }
        EXPECT_GT(on_pragma, 5 * on_loop) << compiler << report;
    }
}

INSTANTIATE_TEST_SUITE_P(Two, RealHolder,
                         testing::Combine(testing::Values("held-lock", "held-critical"),
                                          testing::Values("clang", "gcc")),
                         [](const auto &each) {
                             std::string name = std::get<0>(each.param);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name + "_" + std::get<1>(each.param);
                         });

INSTANTIATE_TEST_SUITE_P(
    Ten, RealDisease,
    testing::Combine(
        testing::Values(Disease{"imbalance", "imbalance", nullptr},
                        // Helpers, each of which has one caller in this run.
                        Disease{"serial-part", "processor_time", nullptr},
                        Disease{"tiny-regions", "tiny_regions", nullptr},
                        Disease{"contended-critical", "contended_critical", nullptr},
                        Disease{"false-ordered", "false_ordered", nullptr},
                        Disease{"single-in-loop", "single_in_loop", nullptr},
                        Disease{"nested-oversubscription", "nested_oversubscription", nullptr},
                        // Where the runtime's own time is not seen, it shows as the creator's work.
                        Disease{"runtime-work", "task_flood", "lone-thread"},
                        // Of two threads a graded imbalance cannot be told from another one.
                        Disease{"graded-imbalance", "triangle", "imbalance"},
                        Disease{"lock-convoy", "lock_convoy", nullptr}),
        testing::Values("clang", "gcc")),
    [](const auto &each) {
        std::string name = std::get<0>(each.param).name;
        std::replace(name.begin(), name.end(), '-', '_');
        return name + "_" + std::get<1>(each.param);
    });

} // namespace
} // namespace ocb_test
