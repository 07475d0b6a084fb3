// SPDX-License-Identifier: Apache-2.0
//
// capabilities_test.cpp - ompcollect --capabilities: the runtime that a program gets, what it
// answers to the bridge, and the rows of requests, events and states as they are on it.
#include "bridge_info.h"
#include "launcher_run.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

using ompcollect::BridgeInfo;

const std::string kBridgeFile = OCB_TEST_LIB_FOLDER "/libomp-collector-bridge.so";

std::string libomp(int version) {
    return OCB_TEST_LIBOMPS "/" + std::to_string(version) + "/lib/libomp.so.5";
}

std::vector<std::string> lines_of(const std::string &text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

// The beginning of an ELF file.
const std::string kHeadOf32Bits("\x7f"
                                "ELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0",
                                24);

// The line of the table that names the row; empty if there is none.
std::string row_in(const std::string &text, const std::string &name) {
    for (const std::string &line : lines_of(text)) {
        const std::vector<std::string> words = words_of(line);
        if (words.size() > 3 && words[2] == name) {
            return line;
        }
    }
    return {};
}

void expect_attached(const Outcome &outcome, const std::string &file) {
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ("", outcome.err);
    const std::vector<std::string> lines = lines_of(outcome.out);
    ASSERT_LT(3U, lines.size());
    EXPECT_EQ("OpenMP runtime: " + file + ", attached", lines[0]);
    EXPECT_EQ("START answers:  OK", lines[2]);
    // Every callback that the bridge uses was asked for and will be served.
    EXPECT_EQ(0U, count(outcome.out, "not asked")) << outcome.out;
    EXPECT_EQ(1U, count(outcome.out, "\n  parallel_begin      always\n")) << outcome.out;
    EXPECT_EQ(1U, count(outcome.out, "\n  masked              always\n")) << outcome.out;
}

TEST(Capabilities, AreThoseOfTheRuntimeThatIsNamed) {
    OCB_SKIP_IF_SANITIZED();
    for (const int version : {14, 19}) {
        const Outcome outcome = launch({"--capabilities", "--libomp", libomp(version)});
        expect_attached(outcome, libomp(version));
        // One line for each row of the library, in its order.
        const std::vector<std::string> lines = lines_of(outcome.out);
        const BridgeInfo bridge(kBridgeFile);
        const auto rows = bridge.capabilities();
        ASSERT_LT(rows.size(), lines.size());
        for (size_t i = 0; i < rows.size(); ++i) {
            const std::string &line = lines[lines.size() - rows.size() + i];
            EXPECT_EQ(rows[i].name, words_of(line).at(2)) << line;
            EXPECT_NE(line.find(rows[i].reason), std::string::npos) << line;
        }
    }
}

// Built by clang: what its own dynamic linker finds.
TEST(Capabilities, AreThoseOfTheProgramsRuntime) {
    OCB_SKIP_IF_SANITIZED();
    const std::string folder = std::filesystem::path(libomp(19)).parent_path();
    const Outcome outcome = launch({"--capabilities", kClangEnding}, {{"LD_LIBRARY_PATH", folder}});
    expect_attached(outcome, libomp(19));
    EXPECT_NE(row_in(outcome.out, "OMP_EVENT_THR_BEGIN_EBAR").find(" exact "), std::string::npos)
        << outcome.out;
}

TEST(Capabilities, LackWhatGccLeavesOut) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({"--capabilities", "--libomp", libomp(14), kGccEnding});
    expect_attached(outcome, libomp(14));
    for (const char *name :
         {"OMP_EVENT_THR_BEGIN_EBAR", "OMP_EVENT_THR_END_EBAR", "OMP_EVENT_THR_BEGIN_MASTER",
          "OMP_EVENT_THR_END_MASTER", "THR_EBAR_STATE", "THR_REDUC_STATE"}) {
        EXPECT_NE(row_in(outcome.out, name).find(" not observable gcc's code: "), std::string::npos)
            << row_in(outcome.out, name);
    }
    EXPECT_NE(row_in(outcome.out, "OMP_EVENT_FORK").find(" exact "), std::string::npos);
}

TEST(Capabilities, OfLibgompComeByTheLibraryInFrontOfIt) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({"--capabilities", kGccEnding});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(lines_of(outcome.out).at(0).find("libomp-collector-front.so, attached"),
              std::string::npos)
        << outcome.describe();
    EXPECT_NE(row_in(outcome.out, "OMP_EVENT_FORK").find(" exact "), std::string::npos);
}

TEST(Capabilities, AreFewWithoutAToolsInterface) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome found = launch({"--verbose", "--capabilities", "--libomp", "libgomp.so.1"});
    EXPECT_TRUE(found.succeeded()) << found.describe();
    EXPECT_NE(found.out.find("libgomp.so.1, has no tools interface\nSTART answers:  UNSUPPORTED\n"),
              std::string::npos)
        << found.out;
    EXPECT_EQ(0U, count(found.out, " always\n"));
    for (const char *name : {"OMP_REQ_STATE", "OMP_EVENT_FORK", "THR_WORK_STATE"}) {
        EXPECT_NE(
            row_in(found.out, name).find(" not observable the runtime has no tools interface"),
            std::string::npos)
            << row_in(found.out, name);
    }
    EXPECT_NE(row_in(found.out, "OMP_REQ_PAUSE").find(" exact "), std::string::npos);
    EXPECT_EQ(1U,
              lines_with_prefix(found.err, "[omp-collector-bridge] error: START refused").size())
        << found.err;
}

TEST(Capabilities, OfAProgramWithoutOpenMP) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = launch({"--capabilities", OCB_TEST_PROGRAMS "/gcc/plain"});
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(lines_of(outcome.out).at(0),
              "OpenMP runtime: none in the process; one that a plugin brings will be attached");
    EXPECT_EQ(lines_of(outcome.out).at(1), "START answers:  OK");
    EXPECT_NE(row_in(outcome.out, "OMP_EVENT_FORK").find(" exact "), std::string::npos);
}

// Its dynamic linker would pass over all that is preloaded, so nothing is known of it.
TEST(Capabilities, NeedAProgramForThisMachine) {
    const TemporaryFolder folder;
    const std::string program = folder.file("program");
    std::ofstream(program, std::ios::binary) << kHeadOf32Bits << std::string(28, '\0');
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const Outcome outcome = launch({"--capabilities", program});
    EXPECT_EQ(125, outcome.exit_code) << outcome.describe();
    EXPECT_EQ("", outcome.out);
    EXPECT_EQ("ompcollect: " + program +
                  " is a program for another machine or word size than the bridge; build the "
                  "bridge for that machine, if it has 64 bits\n",
              outcome.err);
}

TEST(Capabilities, NeedARuntimeThatIsALibrary) {
    const Outcome outcome = launch({"--capabilities", OCB_TEST_PROGRAMS "/static-libgomp"});
    EXPECT_EQ(125, outcome.exit_code) << outcome.describe();
    EXPECT_EQ("", outcome.out);
    EXPECT_NE(outcome.err.find(" has its OpenMP runtime linked into itself"), std::string::npos)
        << outcome.err;
}

TEST(Capabilities, NeedAProgramThatIsThere) {
    const Outcome outcome = launch({"--capabilities", "/nonexistent/program"});
    EXPECT_EQ(127, outcome.exit_code) << outcome.describe();
    EXPECT_EQ("", outcome.out);
}

} // namespace
} // namespace ocb_test
