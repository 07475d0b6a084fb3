// SPDX-License-Identifier: Apache-2.0
//
// Names that hold commands for a terminal: in a saved run made by hand, in the symbols and the
// environment of a program that is run, and in the names and contents of files. Nothing of them
// reaches what people read: the end of a run, report, diff, and lines about errors.
#include "command.h"
#include "formats.h"
#include "made_runs.h"
#include "process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

// Clears the screen, goes back to the line's begin, rings, deletes, sets the title by a control
// character of two bytes, turns what follows around, and ends the line.
constexpr char kHostile[] = "a\x1b[2J\rb\x07\x7f\x08\xc2\x9b"
                            "0;x\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf\ncount\t\x01";
constexpr char kVisible[] = "a\\x1b[2J\\x0db\\x07\\x7f";
// No UTF-8: a single byte of C1, a cut character, one that is longer than it must be.
constexpr char kNoText[] = "\x9b"
                           "1m \xe2\x82 \xc0\xaf \xff";

// What must not be in a text for people; empty: nothing.
std::string what_is_unfit(const std::string &text) {
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte < 0x20 && byte != '\n') || byte == 0x7f) {
            return "byte " + std::to_string(byte) + " at " + std::to_string(i) + ": " +
                   text.substr(i > 40 ? i - 40 : 0, 80);
        }
    }
    for (const char *sequence : {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xef\xbb\xbf",
                                 "\2331m", "\xe2\x82 ", "\xc0\xaf", "\xff"}) {
        if (text.find(sequence) != std::string::npos) {
            return std::string("hidden characters: ") + text;
        }
    }
    return {};
}

std::string without_carriage_returns(std::string text) {
    for (size_t at = 0; (at = text.find("\r\n", at)) != std::string::npos;) {
        text.erase(at, 1);
    }
    return text;
}

// Every text of it is hostile.
Process hostile_process() {
    MadeProcess made(2, 10);
    Process &process = made.process;
    for (std::string *text :
         {&process.program, &process.host, &process.rank, &process.missing, &process.affinity,
          &process.runtime, &process.runtime_file, &process.producer, &process.samples_end_early,
          &process.lines_missing, &process.python_missing}) {
        *text = kHostile;
    }
    process.stacks = "full";
    process.samples_missed = 3;
    process.arguments = {kHostile, kHostile};
    process.environment = {kHostile};
    process.omp_version = 202011;
    const int region = made.region(kHostile, 1, 10);
    const int inner = made.region(kHostile, 2, 10, region);
    const int function = made.function(kHostile, 3, inner);
    for (Node &node : process.nodes) {
        node.source = kHostile;
        node.module = kHostile;
    }
    made.time(0, function, THR_WORK_STATE, 8);
    made.time(1, region, THR_IBAR_STATE, 6);
    made.time(1, function, THR_WORK_STATE, 2);
    made.time(1, inner, THR_CTWT_STATE, 2);
    made.serial(2, made.function(kHostile, 4));
    made.lock(THR_CTWT_STATE, kHostile, 100, 2);
    process.locks.back().first_wait = {kHostile, kHostile};
    process.locks.back().holders = {{function, {kHostile, kHostile}, 2, 200}};
    process.knows_holders = true;
    process.lines = {{kHostile, kHostile, kHostile, {}, 5, kHostile}};
    process.lines.back().times.wall[THR_WORK_STATE] = 8;
    process.samples = {{1, 0, function, THR_WORK_STATE},
                       {1, 1, region, THR_IBAR_STATE},
                       {1.01, 0, function, THR_WORK_STATE},
                       {1.01, 1, region, THR_IBAR_STATE}};
    return process;
}

Outcome ompcollect_with(const std::vector<std::string> &words,
                        const std::map<std::string, std::string> &environment = {}) {
    Command command;
    command.arguments = {OCB_TEST_BIN_FOLDER "/ompcollect"};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = environment;
    return run(command);
}

class HostileRun : public testing::Test {
  protected:
    const TemporaryFolder folder_;
    const std::string saved_ = folder_.file(std::string("run") + kHostile + ".ompc");
    void SetUp() override { save_run({{hostile_process()}}, saved_); }
};

TEST_F(HostileRun, IsReportedInEveryFormat) {
    for (const Format &format : formats()) {
        if (!format.is_text) {
            continue; // bytes or a folder, which are not for the screen
        }
        const Outcome outcome =
            ompcollect_with({"report", saved_, "--all", "--format", format.name});
        ASSERT_TRUE(outcome.succeeded()) << format.name << outcome.describe();
        const bool is_csv = std::string(format.name) == "csv";
        const bool is_page = std::string(format.name) == "html";
        const std::string text = is_csv    ? without_carriage_returns(outcome.out)
                                 : is_page ? outcome.out.substr(outcome.out.find("{\"run\""))
                                           : outcome.out;
        EXPECT_EQ(what_is_unfit(text), "") << format.name;
        EXPECT_NE(text.find("[2J"), std::string::npos) << format.name;
        EXPECT_EQ(what_is_unfit(outcome.err), "") << format.name;
    }
}

// A name does not end its line, and is in verdict, call tree, tables and locks.
TEST_F(HostileRun, IsVisibleInTheReport) {
    const Outcome outcome = ompcollect_with({"report", saved_, "--all"}, {{"COLUMNS", "900"}});
    for (const char *begin : {"== OpenMP profile of", "Verdict:", "Regions by potential gain",
                              "Call paths", "Parallel regions", "Most contended locks"}) {
        const size_t at = outcome.out.find(begin);
        ASSERT_NE(at, std::string::npos) << begin << outcome.describe();
        EXPECT_NE(outcome.out.find(kVisible, at), std::string::npos) << begin << outcome.out;
    }
    EXPECT_TRUE(lines_with_prefix(outcome.out, "count").empty()) << outcome.out;
}

TEST_F(HostileRun, IsCompared) {
    for (const char *format : {"text", "csv"}) {
        const Outcome outcome =
            ompcollect_with({"diff", saved_, saved_, "--by", "all", "--all", "--format", format},
                            {{"COLUMNS", "900"}});
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(what_is_unfit(without_carriage_returns(outcome.out)), "") << format;
        EXPECT_NE(outcome.out.find(kVisible), std::string::npos) << outcome.out;
        EXPECT_TRUE(lines_with_prefix(outcome.out, "count").empty()) << outcome.out;
    }
}

// Errors quote names of files, words of the command line, and contents.
TEST_F(HostileRun, IsNotInLinesAboutErrors) {
    const std::string contents = folder_.file(std::string("contents") + kNoText + ".ompc");
    std::ofstream(contents) << "{\"format\": \"" << kHostile << kNoText << "\"}";
    const std::string other = folder_.file("other.ompc");
    std::ofstream(other) << kHostile << kNoText;
    const std::string missing = folder_.file(std::string(kHostile) + kNoText);
    const std::vector<std::vector<std::string>> wrong = {
        {"report", contents},
        {"report", other},
        {"report", missing},
        {"report", saved_, "--format", kHostile},
        {"report", saved_, std::string("--") + kHostile},
        {"report", saved_, "--top", kHostile},
        {"report", saved_, "-o", missing + "/" + kNoText},
        {"diff", saved_, missing},
        {"diff", saved_, contents},
        {"diff", saved_, saved_, kHostile},
        {"--collector", missing, "/bin/true"},
        {"--rate", kHostile, "/bin/true"},
        {"--output", missing + "/x", "/bin/true"},
        {std::string("--") + kHostile},
        {missing},
    };
    for (const auto &words : wrong) {
        const Outcome outcome = ompcollect_with(words);
        EXPECT_NE(outcome.exit_code, 0) << testing::PrintToString(words);
        EXPECT_NE(outcome.err, "") << testing::PrintToString(words);
        EXPECT_EQ(what_is_unfit(outcome.out + outcome.err), "") << testing::PrintToString(words);
        EXPECT_TRUE(lines_with_prefix(outcome.err, "count").empty()) << outcome.err;
    }
}

// Symbols of its file, its name, environment and rank; and words of the command in a dry run.
TEST(HostileProgram, IsShownAsText) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    const TemporaryFolder folder;
    const std::string plain = folder.file("plain");
    const std::string program = folder.file(std::string("odd") + kHostile + kNoText);
    fs::copy_file(OCB_TEST_PROGRAMS "/gcc/diseases", plain);
    Command rename;
    rename.arguments = {"/bin/sh",
                        "-c",
                        R"(objcopy -g "$0" "$0.bare" && nm "$0.bare" |
awk -v odd="$2" '$2 ~ /[tT]/ && $3 !~ /^(_|main$)/ { printf "%s %s%s\n", $3, odd, $3 }' > "$0.names" &&
objcopy --redefine-syms="$0.names" "$0.bare" "$1")",
                        plain,
                        program,
                        "\x1b[31m\xc2\x9b\xff\x07"};
    const Outcome renamed = run(rename);
    ASSERT_TRUE(renamed.succeeded()) << renamed.describe();
    const std::map<std::string, std::string> environment = {{"OMPI_COMM_WORLD_RANK", kHostile},
                                                            {"OMP_ODD", kHostile},
                                                            {"OMP_WAIT_POLICY", "passive"},
                                                            {"COLUMNS", "400"}};
    const Outcome outcome =
        ompcollect_with({"--rate", "997", "--all", program, "imbalance"}, environment);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(what_is_unfit(outcome.err), "");
    EXPECT_NE(outcome.err.find("\\x1b[31m\\xc2\\x9b\\xff\\x07"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("Verdict:"), std::string::npos) << outcome.err;
    const Outcome dry = ompcollect_with({"--dry-run", program, "imbalance", kHostile}, environment);
    ASSERT_TRUE(dry.succeeded()) << dry.describe();
    EXPECT_EQ(what_is_unfit(dry.out + dry.err), "");
}

} // namespace
} // namespace ocb_test
