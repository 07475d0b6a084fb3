// SPDX-License-Identifier: Apache-2.0
// The example of compat/examples in real programs: the numbers that it prints are true, and the
// docs/COLLECTOR-GUIDE.md shows the file as it is.
#include "omp_collector_api.h"
#include "openmp_run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace ocb_test {
namespace {

// "        2 FORK" -> {"FORK", 2}
std::map<std::string, long> counts_in(const std::string &text) {
    std::map<std::string, long> counts;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        long count = 0;
        std::string name;
        if (words >> count && std::getline(words >> std::ws, name)) {
            counts[name] = count;
        }
    }
    return counts;
}

std::string text_of(const std::string &path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
}

class Example : public testing::TestWithParam<Runtime> {};

TEST_P(Example, CountsEventsAndSamples) {
    Options options;
    options.collector = "libevent-counter.so";
    const Outcome outcome =
        run_program(OCB_TEST_PROGRAM_FOLDER, "two_regions", GetParam(), options).outcome;
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    auto counts = counts_in(outcome.out);
    EXPECT_EQ(counts["FORK"], 2) << outcome.out;
    EXPECT_EQ(counts["JOIN"], 2) << outcome.out;
    // The master and one worker, at the end of each region.
    EXPECT_EQ(counts["BEGIN_IBAR"], 4) << outcome.out;
    EXPECT_EQ(counts["END_IBAR"], 4) << outcome.out;
    EXPECT_EQ(counts.count("BEGIN_LKWT"), 0U) << outcome.out;
}

TEST_P(Example, SaysWhyThereIsNoSession) {
    Options options;
    options.preload_only({"libevent-counter.so"});
    const Outcome outcome =
        run_program(OCB_TEST_PROGRAM_FOLDER, "two_regions", GetParam(), options).outcome;
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.err, "no session: no call\n");
}

// Another collector has the session, and keeps it and all of its events.
TEST_P(Example, LeavesAnotherCollectorsSession) {
    Options options;
    const std::vector<std::string> front = is_libgomp(GetParam())
                                               ? std::vector<std::string>{kLibgompOmpt}
                                               : std::vector<std::string>{};
    options.preload_only(front);
    // The constructors of the last library come first.
    for (const char *library : {kBridge, "libevent-counter.so", kCollector}) {
        options.preload->emplace_back(library);
    }
    const ProgramRun run = run_program(OCB_TEST_PROGRAM_FOLDER, "two_regions", GetParam(), options);
    ASSERT_TRUE(run.outcome.succeeded()) << run.outcome.describe();
    EXPECT_EQ("no session: SEQUENCE_ERR\n", run.outcome.err);
    EXPECT_EQ("team of 2\nteam of 2\n", run.outcome.out);
    ASSERT_TRUE(run.log.complete);
    for (const int event : {OMP_EVENT_FORK, OMP_EVENT_JOIN}) {
        EXPECT_EQ(2U, events_of(run.log.threads[0], event).size()) << event;
    }
}

INSTANTIATE_TEST_SUITE_P(Runtimes, Example, testing::ValuesIn(in_both_ways()),
                         [](const auto &runtime) { return name_of(runtime.param); });

// From the first #include on; the licence and the comment are the file's own.
TEST(ExampleInTheGuide, IsTheFile) {
    const std::string file = text_of(OCB_EXAMPLE);
    const std::size_t begin = file.find("#include");
    ASSERT_NE(begin, std::string::npos);
    const std::string block = "```c\n" + file.substr(begin) + "```\n";
    EXPECT_NE(text_of(OCB_GUIDE).find(block), std::string::npos)
        << "docs/COLLECTOR-GUIDE.md lacks this block:\n"
        << block;
}

} // namespace
} // namespace ocb_test
