// SPDX-License-Identifier: Apache-2.0
//
// Who called the system call that a thread sleeps in: for each call, of both compilers, with frame
// pointers and without (programs/waiting/calls.c).
#include "command.h"
#include "launcher_run.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)
using ompcollect::kAsleepState;

// Adds each sleeping function's chain of callers, from main() on.
void add_chains(const char *program, std::set<std::string> &chains) {
    const TemporaryFolder folder;
    const std::string file = folder.file("run.ompc");
    const Outcome outcome =
        launch({"-o", file, std::string(OCB_TEST_PROGRAMS "/sleepers/") + program});
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    const Process process = load_run(file, {}).processes.front();
    for (const Cell &cell : process.cells) {
        if (cell.state != kAsleepState || cell.wall <= 0) {
            continue;
        }
        std::string chain;
        for (int node = cell.node; node >= 0;
             node = process.nodes[static_cast<size_t>(node)].parent) {
            const std::string &name = process.nodes[static_cast<size_t>(node)].function;
            const bool is_ours = name.starts_with("in_") || name == "nested" || name == "main" ||
                                 name == "leave_frames" || name == "compared";
            if (is_ours && !chain.starts_with(name + " ")) {
                chain.insert(0, name + " ");
            }
        }
        chains.insert(chain);
    }
}

class CallingSleepers : public testing::TestWithParam<const char *> {};

TEST_P(CallingSleepers, AreFoundForEachCall) {
    OCB_SKIP_IF_SANITIZED();
    std::set<std::string> wanted = {"main "}; // of main() itself, and of the region
    for (const char *call :
         {"poll", "nanosleep", "clock_nanosleep", "usleep", "select", "read", "wait", "epoll",
          "recv", "condition", "semaphore", "sigtimedwait", "futex", "large_frame", "any_length"}) {
        wanted.insert(std::string("main nested in_") + call + " ");
    }
    // A machine with much other work misses one now and then.
    constexpr int kRuns = 3;
    std::set<std::string> chains;
    const auto has_all = [&] {
        return std::includes(chains.begin(), chains.end(), wanted.begin(), wanted.end());
    };
    for (int i = 0; i < kRuns && !has_all(); ++i) {
        ASSERT_NO_FATAL_FAILURE(add_chains(GetParam(), chains));
    }
    EXPECT_TRUE(has_all()) << testing::PrintToString(chains);
    for (const std::string &chain : chains) { // one that earlier calls have left is nobody's
        EXPECT_EQ(chain.find("leave_frames"), std::string::npos) << chain;
        EXPECT_EQ(chain.find("compared"), std::string::npos) << chain;
    }
}

INSTANTIATE_TEST_SUITE_P(Programs, CallingSleepers,
                         testing::Values("gcc-o0", "gcc-o2", "gcc-frames", "clang-o0", "clang-o2",
                                         "clang-frames"),
                         [](const auto &made) {
                             std::string name = made.param;
                             name[name.find('-')] = '_';
                             return name;
                         });

} // namespace
} // namespace ocb_test
