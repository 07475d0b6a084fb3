// SPDX-License-Identifier: Apache-2.0
//
// The subcommands: what they read and write, and that completion and manual have the options that
// --help has. The comparison of runs is in tests/diff.
#include "command.h"
#include "command_options.h"
#include "failure.h"
#include "formats.h"
#include "made_runs.h"
#include "option_names.h"
#include "option_texts.h"
#include "process.h"
#include "run_file.h"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Runs `ompcollect report run.ompc --open more...` in the folder, with an xdg-open that the text
// makes; empty: there is none.
Outcome opened_with(const TemporaryFolder &folder, const std::string &opener,
                    const std::vector<std::string> &more = {}) {
    save_run({{made_with_samples()}}, folder.file("run.ompc"));
    fs::create_directories(folder.file("programs"));
    if (!opener.empty()) {
        const std::string file = folder.file("programs/xdg-open");
        std::ofstream(file) << "#!/bin/sh\n" << opener;
        fs::permissions(file, fs::perms::owner_all);
    }
    Command command;
    command.arguments = {"/bin/sh",
                         "-c",
                         "cd \"$0\" && export PATH=\"$PWD/programs\" && exec \"$@\"",
                         folder.file("."),
                         std::string(OCB_TEST_BIN_FOLDER) + "/ompcollect",
                         "report",
                         "run.ompc",
                         "--open"};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    return run(command);
}

TEST(ReportCommand, OpensThePageInTheUsersBrowser) {
    const TemporaryFolder folder;
    const Outcome outcome = opened_with(folder, "printf '%s|' \"$#\" \"$1\" > \"${0%/*}/asked\"\n");
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    const std::string asked = content_of(folder.file("programs/asked"));
    ASSERT_EQ(asked.substr(0, 3), "1|/") << outcome.describe();
    const std::string page = asked.substr(2, asked.size() - 3);
    EXPECT_TRUE(fs::equivalent(page, folder.file("run.html"))) << page;
    EXPECT_NE(content_of(page).find("<!doctype html>"), std::string::npos);
    EXPECT_NE(outcome.err.find("the page is " + page), std::string::npos) << outcome.err;
}

TEST(ReportCommand, PrintsThePathOfThePageWhereNothingOpensIt) {
    for (const char *opener : {"", "exit 3\n"}) {
        const TemporaryFolder folder;
        const Outcome outcome = opened_with(folder, opener, {"-o", "other.html"});
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_NE(outcome.err.find("other.html; there is no xdg-open"), std::string::npos)
            << outcome.err;
        EXPECT_TRUE(fs::exists(folder.file("other.html")));
        EXPECT_FALSE(fs::exists(folder.file("run.html")));
    }
}

TEST(ReportCommand, OpensNothingThatIsNoPage) {
    const TemporaryFolder folder;
    for (const std::vector<std::string> &more :
         {std::vector<std::string>{"--format", "csv"}, {"-o", "-"}}) {
        const Outcome outcome = opened_with(folder, "", more);
        EXPECT_FALSE(outcome.succeeded());
        EXPECT_NE(outcome.err.find("--open"), std::string::npos) << outcome.err;
    }
}

TEST(ReportCommand, MakesEveryFormatOfASavedRun) {
    const TemporaryFolder folder;
    const std::string file = folder.file("run.ompc");
    save_run({{made_with_samples()}}, file);
    for (const Format &format : formats()) {
        const std::string out = folder.file(std::string("out.") + format.suffix);
        EXPECT_EQ(report_command({"report", file, "--format", format.name, "-o", out}), 0);
        EXPECT_TRUE(fs::exists(out)) << format.name;
        EXPECT_FALSE(fs::exists(out + ".partial")) << format.name;
    }
    EXPECT_EQ(load_run(folder.file("out.json"), {}).processes.front().samples.size(), 400U);
    EXPECT_NE(content_of(folder.file("out.txt")).find("Verdict:"), std::string::npos);
}

// As everybody expects who names a file a.html.
TEST(ReportCommand, TakesTheFormatByTheNameOfTheOutput) {
    const TemporaryFolder folder;
    const std::string file = folder.file("run.ompc");
    save_run({{made_with_samples()}}, file);
    for (const Format &format : formats()) {
        const std::string named = folder.file(std::string("named.") + format.suffix);
        const std::string out = folder.file(std::string("out.") + format.suffix);
        EXPECT_EQ(report_command({"report", file, "-o", named}), 0);
        EXPECT_EQ(report_command({"report", file, "--format", format.name, "-o", out}), 0);
        EXPECT_EQ(fs::is_directory(named), fs::is_directory(out)) << format.name;
        EXPECT_EQ(content_of(named), content_of(out)) << format.name;
    }
    const std::string other = folder.file("other.dat");
    EXPECT_EQ(report_command({"report", file, "-o", other}), 0);
    EXPECT_NE(content_of(other).find("Verdict:"), std::string::npos);
    EXPECT_EQ(report_command({"report", file, "--format", "text", "-o", folder.file("a.csv")}), 0);
    EXPECT_EQ(content_of(folder.file("a.csv")), content_of(other));
}

TEST(ReportCommand, WritesNoEscapesToATerminalThatKnowsNone) {
    const TemporaryFolder folder;
    const std::string file = folder.file("run.ompc");
    save_run({{made_imbalance()}}, file);
    for (const auto &[name, may] : {std::pair{"dumb", false}, {"xterm", true}}) {
        Command command;
        command.arguments = {"/usr/bin/script", "-qec",
                             OCB_TEST_BIN_FOLDER "/ompcollect report " + file, "/dev/null"};
        command.environment = {{"TERM", name}, {"SHELL", "/bin/sh"}};
        const Outcome outcome = run(command);
        EXPECT_NE(outcome.out.find("Verdict:"), std::string::npos) << outcome.describe();
        EXPECT_EQ(outcome.out.find('\033') != std::string::npos, may) << name << outcome.out;
    }
}

TEST(ReportCommand, SaysWhatIsWrong) {
    const TemporaryFolder folder;
    const std::string file = folder.file("run.ompc");
    save_run({{made_imbalance()}}, file);
    std::ofstream(folder.file("other")) << "hello";
    const std::vector<std::vector<std::string>> wrong = {
        {"report", folder.file("nothing.ompc")}, {"report", folder.file("other")},
        {"report", file, "--format", "pdf"},     {"report", file, "--no-such-option"},
        {"report", file, "--format", "gprofng"}, {"report", file, "-o", "/nonexistent/x"},
        {"report", file, "-o", "/dev/full"},     {"diff", file, "--", folder.file("nothing.ompc")},
    };
    for (const auto &arguments : wrong) {
        EXPECT_THROW(report_command(arguments), ompcollect::Failure)
            << testing::PrintToString(arguments);
    }
}

TEST(ReportCommand, TakesTheNewestRunOfTheFolder) {
    const TemporaryFolder folder;
    EXPECT_EQ(newest_run(folder.file(".")), "");
    const std::string first = folder.file("first.ompc");
    const std::string second = folder.file("second.ompc");
    save_run({{made_imbalance()}}, first);
    save_run({{made_imbalance()}}, second);
    std::ofstream(folder.file("newer.txt")) << "no run";
    fs::last_write_time(first, fs::last_write_time(second) + std::chrono::seconds(5));
    EXPECT_EQ(fs::path(newest_run(folder.file("."))).filename(), "first.ompc");
}

TEST(ReportCommand, LeavesRawProfilesToTheirReader) {
    const TemporaryFolder folder;
    const std::string file = folder.file("raw");
    std::ofstream(file) << "OMPCPROF and numbers";
    std::string asked;
    const auto reader = [&](const std::string &path) {
        asked = path;
        return ompcollect::report::Run{{made_imbalance()}};
    };
    EXPECT_EQ(load_run(file, reader).processes.size(), 1U);
    EXPECT_EQ(asked, file);
    EXPECT_THROW(load_run(file, {}), ompcollect::Failure);
}

std::string without_backslashes(std::string text) {
    std::erase(text, '\\');
    return text;
}

class OptionTexts : public testing::Test {
  protected:
    CommandOptions report_options_;
    CommandOptions diff_options_;
    const std::unique_ptr<CLI::App> report_ = report_parser(report_options_);
    const std::unique_ptr<CLI::App> diff_ = diff_parser(diff_options_);
    const std::vector<ompcollect::report::Command> commands_ = {
        {"report", "[options] [run.ompc]", report_.get()}, {"diff", "[options] runs", diff_.get()}};

    // What bash offers for the words, the last of which is being typed.
    [[nodiscard]] std::set<std::string> offered(const std::string &words) const {
        const TemporaryFolder folder;
        std::ofstream(folder.file("completion")) << bash_completion(commands_);
        ocb_test::Command command;
        command.arguments = {"/bin/bash", "-c",
                             ". \"$0\"; COMP_WORDS=(" + words +
                                 "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ompcollect; "
                                 "printf '%s\\n' \"${COMPREPLY[@]}\"",
                             folder.file("completion")};
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        std::istringstream in(outcome.out);
        std::set<std::string> to;
        for (std::string line; std::getline(in, line);) {
            to.insert(line);
        }
        return to;
    }
};

TEST_F(OptionTexts, ManualAndCompletionHaveTheOptionsOfTheHelp) {
    for (const ompcollect::report::Command &each : commands_) {
        const std::set<std::string> help = options_in(each.parser->help());
        EXPECT_GE(help.size(), 5U);
        const std::string manual = without_backslashes(manual_page({each}, "1"));
        EXPECT_EQ(options_in(manual.substr(manual.find("\n.TP"))), help) << manual;
        std::set<std::string> completed;
        for (const std::string &word : offered("ompcollect " + each.name + " --")) {
            completed.insert(word);
        }
        EXPECT_EQ(completed, help);
    }
}

TEST_F(OptionTexts, CompletionOffersValuesAndSubcommands) {
    const std::set<std::string> offers = offered("ompcollect report --format ''");
    for (const Format &format : formats()) {
        EXPECT_TRUE(offers.count(format.name)) << format.name;
    }
    EXPECT_EQ(offered("ompcollect diff --by fu"), (std::set<std::string>{"function"}));
    EXPECT_TRUE(offered("ompcollect re").count("report"));
}

TEST_F(OptionTexts, TheManualIsReadByMan) {
    if (!fs::exists("/usr/bin/nroff")) {
        GTEST_SKIP() << "nroff is not installed";
    }
    const TemporaryFolder folder;
    std::ofstream(folder.file("ompcollect.1")) << manual_page(commands_, "1");
    ocb_test::Command command;
    command.arguments = {"/usr/bin/nroff", "-man", "-ww", folder.file("ompcollect.1")};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("kcachegrind"), std::string::npos) << outcome.out;
}

} // namespace
} // namespace ocb_test
