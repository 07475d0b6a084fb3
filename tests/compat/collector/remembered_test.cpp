// SPDX-License-Identifier: Apache-2.0
//
// What the collector remembers of addresses, stacks, threads and processes ends with what it was
// true of. tests/robustness/RESULTS.md has the table of all that is remembered.
#include "launcher_run.h"

#include "profile_files.h"
#include "read_profile.h"

#include "omp_collector_api.h"

#include <set>

namespace ocb_test {
namespace {

using namespace ompcollect;

struct Way {
    const char *name;
    const char *compiler;
    const char *preloaded;
};

class Remembered : public ::testing::TestWithParam<Way> {
  protected:
    void SetUp() override { OCB_SKIP_IF_SANITIZED(); }

    // The profiles of the program and of its children, in the order of their processes' numbers.
    // LD_PRELOAD takes no path with a space, so the libraries are found by name.
    std::vector<Process> run_with_profiles(std::vector<std::string> words) {
        const TemporaryFolder folder;
        words.insert(words.begin(),
                     std::string(OCB_TEST_PROGRAMS "/") + GetParam().compiler + "/remembered");
        Command command;
        command.arguments = words;
        command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIB_FOLDER},
                               {"LD_PRELOAD", GetParam().preloaded},
                               {"OMPCOLLECT_PROFILE_DIR", folder.file("")}};
        outcome_ = run(command);
        EXPECT_TRUE(outcome_.succeeded()) << outcome_.describe();
        std::vector<Process> profiles;
        for (const auto &file : profile_files(folder.file(""))) {
            EXPECT_EQ(why_not_read(file, profiles.emplace_back()), "");
        }
        std::sort(profiles.begin(), profiles.end(),
                  [](const Process &a, const Process &b) { return a.pid < b.pid; });
        return profiles;
    }

    Outcome outcome_;
};

// From the root: what each call, and each region's fork, is an address of.
std::string path_of(const Process &process, int number) {
    if (number < 0) {
        return "";
    }
    const report::Node &node = process.nodes[static_cast<size_t>(number)];
    const char *const kind = node.kind == report::NodeKind::kRegion ? " fork at " : " call at ";
    return path_of(process, node.parent) + kind + node.module.str() + "+" +
           std::to_string(node.offset);
}

std::set<std::string> paths_of_regions(const Process &process) {
    std::set<std::string> paths;
    for (size_t i = 0; i < process.nodes.size(); ++i) {
        if (process.nodes[i].kind == report::NodeKind::kRegion) {
            paths.insert(path_of(process, static_cast<int>(i)));
        }
    }
    return paths;
}

// Of a child, the places of code that its parent has met before.
TEST_P(Remembered, PlacesEndWithTheProfile) {
    const std::vector<Process> profiles = run_with_profiles({"forks"});
    ASSERT_EQ(profiles.size(), 2U);
    const std::set<std::string> of_parent = paths_of_regions(profiles[0]);
    const std::set<std::string> of_child = paths_of_regions(profiles[1]);
    EXPECT_EQ(of_parent.size(), 5U);
    EXPECT_EQ(of_child.size(), 2U); // the region in which it was forked, and one inside
    for (const std::string &path : of_child) {
        EXPECT_EQ(of_parent.count(path), 1U) << path;
    }
}

// Of a stack that was left by longjmp, and that other calls have then.
TEST_P(Remembered, StacksEndWithTheirCalls) {
    const std::vector<Process> profiles = run_with_profiles({"jumps"});
    ASSERT_EQ(profiles.size(), 1U);
    if (profiles[0].stacks == "off") {
        GTEST_SKIP() << "no stacks on this machine";
    }
    const std::vector<std::string> places = words_of(outcome_.out);
    ASSERT_EQ(places.size(), 16U);
    EXPECT_EQ(std::set<std::string>(places.begin(), places.end()).size(), 1U)
        << "nothing is tested: the two ways lie apart";
    EXPECT_EQ(paths_of_regions(profiles[0]).size(), 2U);
    EXPECT_EQ(entries_of(profiles[0]), 16U);
    EXPECT_LE(profiles[0].fork_walks, 4U) << "a way is not known when it is gone again";
}

// Of a region, the ids that come behind it: its worker knows nothing else of it.
TEST_P(Remembered, IdsEndWithTheirRegions) {
    const std::vector<Process> profiles = run_with_profiles({"outlasts"});
    ASSERT_EQ(profiles.size(), 1U);
    EXPECT_EQ(entries_of(profiles[0]), 301U);
    double in_region = 0, elsewhere = 0;
    for (const report::Cell &cell : profiles[0].cells) {
        const bool is_worker = !profiles[0].threads[cell.thread].is_initial;
        if (is_worker && report::state_within(cell) == THR_WORK_STATE) {
            (cell.node >= 0 ? in_region : elsewhere) += cell.wall;
        }
    }
    EXPECT_GT(in_region, 0.2);
    EXPECT_LT(elsewhere, 0.1) << "seconds of the worker in no region";
}

constexpr const char *kDefault = "libomp-collector-front.so libompcollect-preload.so";
INSTANTIATE_TEST_SUITE_P(
    On, Remembered,
    ::testing::Values(Way{"clang", "clang", kDefault}, Way{"gcc", "gcc", kDefault},
                      Way{"clang_without_front", "clang", "libompcollect-preload.so"},
                      Way{"gcc_without_front", "gcc", "libompcollect-preload.so libgomp-ompt.so"}),
    [](const auto &way) { return std::string(way.param.name); });

} // namespace
} // namespace ocb_test
