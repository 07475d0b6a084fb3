// SPDX-License-Identifier: Apache-2.0
//
// The command: its formats, exit codes and refusals, with saved runs; and with a real program that
// was built in several ways.
#include "command.h"
#include "failure.h"
#include "made_builds.h"
#include "process.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

using Words = std::vector<std::string>;

std::string content_of(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

// Five runs of a build before, and five after that take a quarter longer.
class DiffCommand : public testing::Test {
  protected:
    void SetUp() override {
        Build slower;
        slower.work = 6;
        slower.function = "smooth";
        slower.line = 44;
        constexpr double kFactors[] = {1, 1.01, 0.99, 1.02, 0.98};
        for (size_t i = 0; i < std::size(kFactors); ++i) {
            const std::string number = std::to_string(i) + ".ompc";
            before_.push_back(folder_.file("a" + number));
            after_.push_back(folder_.file("b" + number));
            save_run({{built({}, kFactors[i])}}, before_.back());
            save_run({{built(slower, kFactors[i])}}, after_.back());
        }
    }
    // Of all runs, with these options; gives the exit code.
    int diff(const Words &options) {
        Words words = {"diff"};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), before_.begin(), before_.end());
        words.emplace_back("--");
        words.insert(words.end(), after_.begin(), after_.end());
        return report_command(words);
    }
    std::string written(const std::string &format, Words options = {}) {
        options.insert(options.end(), {"-f", format, "-o", folder_.file("out")});
        code_ = diff(options);
        return content_of(folder_.file("out"));
    }
    void refuses(const Words &words, const std::string &part) {
        try {
            Words all = {"diff"};
            all.insert(all.end(), words.begin(), words.end());
            report_command(all);
            ADD_FAILURE() << testing::PrintToString(words);
        } catch (const ompcollect::Failure &why) {
            EXPECT_EQ(why.exit_code(), 2) << why.what();
            EXPECT_NE(std::string(why.what()).find(part), std::string::npos) << why.what();
        }
    }
    const TemporaryFolder folder_;
    Words before_;
    Words after_;
    int code_ = -1;
};

TEST_F(DiffCommand, EndsWithTheRulesCode) {
    EXPECT_EQ(diff({"-o", folder_.file("out")}), 0);
    EXPECT_EQ(diff({"-o", folder_.file("out"), "--fail-if", "elapsed > +80%"}), 0);
    EXPECT_EQ(diff({"-o", folder_.file("out"), "--fail-if", "elapsed > +5%", "--fail-if",
                    "efficiency < -50pt"}),
              1);
    before_.resize(2);
    EXPECT_EQ(diff({"-o", folder_.file("out"), "--fail-if", "elapsed > +5%"}), 3);
    EXPECT_NE(content_of(folder_.file("out")).find("not decidable: elapsed > +5%: "),
              std::string::npos);
}

TEST_F(DiffCommand, RefusesBadInputBeforeItReads) {
    const std::string nothing = folder_.file("nothing.ompc");
    refuses({"--fail-if", "elapsed > 5", nothing, nothing}, "--fail-if 'elapsed > 5'");
    refuses({nothing}, "diff takes two runs");
    refuses({nothing, nothing, nothing}, "diff takes two runs");
    refuses({"--format", "junit", nothing, nothing}, "--fail-if 'elapsed > +5%'");
    refuses({"--format", "pdf", nothing, nothing}, "--format");
    refuses({before_[0], "--", after_[0], "--all"}, "put options before");
    EXPECT_THROW(report_command({"diff", nothing, nothing}), ompcollect::Failure);
}

TEST_F(DiffCommand, WritesTextToPeople) {
    const std::string text = written("text", {"--fail-if", "elapsed > +5%", "--by", "state"});
    EXPECT_EQ(text.find("== Comparison of made: 5 runs before, 5 after =="), 0U) << text;
    EXPECT_NE(text.find("build-id: relax40 -> smooth44"), std::string::npos) << text;
    EXPECT_NE(text.find("change (96 % interval)"), std::string::npos) << text;
    EXPECT_NE(text.find("smooth, before relax"), std::string::npos) << text;
    EXPECT_NE(text.find("  broken: elapsed > +5%: +2"), std::string::npos) << text;
    EXPECT_NE(text.find("  state\n"), std::string::npos) << text;
}

TEST_F(DiffCommand, WritesCsvAndJson) {
    const std::string csv = written("csv", {"--by", "function"});
    EXPECT_NE(csv.find("function,smooth,solve made.c:44,4,"), std::string::npos) << csv;
    EXPECT_EQ(csv.find("\r\nregion,"), std::string::npos) << csv;
    EXPECT_NE(written("csv").find("\r\nregion,solve made.c:44,,"), std::string::npos);
    const auto json = nlohmann::json::parse(written("json", {"--fail-if", "elapsed > +5%"}));
    EXPECT_EQ(json["format"], "ompcollect-diff");
    EXPECT_EQ(json["elapsed"]["before"].size(), 5U);
    EXPECT_EQ(json["rules"][0]["holds"], "broken");
    EXPECT_NEAR(json["rules"][0]["change"]["middle"].get<double>(), 0.25, 0.04);
    const auto &rows = json["rows"];
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [](const auto &each) { return each["name"] == "smooth"; });
    ASSERT_NE(row, rows.end());
    EXPECT_EQ((*row)["name_before"], "relax");
    EXPECT_TRUE((*row)["certain"]);
}

TEST_F(DiffCommand, WritesGitHubsCommandsWithTheirEscapes) {
    const std::string text =
        written("github", {"--fail-if", "elapsed > +5%", "--fail-if", "region solve wall > +300%"});
    EXPECT_EQ(text.find("::error title=ompcollect%3A broken::broken: elapsed > +5%25: +2"), 0U)
        << text;
    EXPECT_NE(text.find("\n::notice file=made.c,line=44,title=ompcollect%3A held::held: "),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n::warning file=made.c,line=44,title=ompcollect%3A slower::solve "
                        "made.c:44: +2"),
              std::string::npos)
        << text;
    EXPECT_EQ(code_, 1);
}

TEST_F(DiffCommand, WritesGitLabsCodeQuality) {
    const Words rules = {"--fail-if", "elapsed > +5%", "--fail-if", "elapsed > +900%"};
    const auto issues = nlohmann::json::parse(written("gitlab", rules));
    ASSERT_GE(issues.size(), 2U); // no issue of a rule that is held
    std::set<std::string> fingerprints;
    for (const auto &issue : issues) {
        for (const char *key : {"description", "check_name", "fingerprint", "severity"}) {
            EXPECT_TRUE(issue[key].is_string()) << key;
        }
        EXPECT_TRUE(issue["location"]["path"].is_string());
        EXPECT_GE(issue["location"]["lines"]["begin"].get<int>(), 1);
        fingerprints.insert(issue["fingerprint"].get<std::string>());
    }
    EXPECT_EQ(fingerprints.size(), issues.size());
    EXPECT_EQ(issues[0]["severity"], "major");
    EXPECT_EQ(nlohmann::json::parse(written("gitlab", rules)), issues);
}

// Read by another program's parser, with what build servers look at.
TEST_F(DiffCommand, WritesJUnitsCases) {
    written("junit", {"--fail-if", "elapsed > +5%", "--fail-if", "elapsed > +900%", "--fail-if",
                      "function smooth overhead > +1s"});
    constexpr char kReader[] = R"(
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag == "testsuites"
(suite,) = root
assert suite.tag == "testsuite" and suite.get("name")
cases = list(suite)
assert all(case.tag == "testcase" and case.get("name") and case.get("classname") for case in cases)
of = lambda kind: [case.get("name") for case in cases if case.find(kind) is not None]
assert int(suite.get("tests")) == len(cases) == 3
assert of("failure") == ["elapsed > +5%"] and suite.get("failures") == "1", of("failure")
assert of("skipped") == [] and suite.get("skipped") == "0" and suite.get("errors") == "0"
assert float(suite.get("time")) > 0
failure = cases[0].find("failure")
assert failure.get("message").startswith("broken: elapsed > +5%") and "solve made.c:44" in failure.text
)";
    Command command;
    command.arguments = {OCB_TEST_PYTHON, "-c", kReader, folder_.file("out")};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe() << content_of(folder_.file("out"));
}

TEST_F(DiffCommand, TakesTheFormatByTheNameOfTheOutput) {
    for (const auto &[name, begin] : {std::pair{"a.html", "<!doctype html>"},
                                      {"a.csv", "by,name,"},
                                      {"a.json", "{\n \"format\""},
                                      {"a.xml", "<?xml"},
                                      {"a.txt", "== Comparison"}}) {
        diff({"--fail-if", "elapsed > +5%", "-o", folder_.file(name)});
        EXPECT_EQ(content_of(folder_.file(name)).find(begin), 0U) << name;
    }
}

TEST_F(DiffCommand, ComparesMergedJobs) {
    const auto job = [&](const std::string &name, const Build &build) {
        Words words = {"merge", "-o", folder_.file(name)};
        for (int rank = 0; rank < 2; ++rank) {
            Process process = built(build);
            process.pid += rank;
            process.rank = std::to_string(rank);
            process.ranks = 2;
            process.job = "1";
            words.push_back(folder_.file(name + std::to_string(rank)));
            save_run({{process}}, words.back());
        }
        report_command(words);
        return folder_.file(name);
    };
    Build slower;
    slower.work = 8;
    const std::string first = job("first", {});
    const std::string second = job("second", slower);
    const std::string out = folder_.file("out");
    EXPECT_EQ(report_command({"diff", "-f", "json", "-o", out, first, second}), 0);
    const auto json = nlohmann::json::parse(content_of(out));
    const auto &rows = json["rows"];
    const auto region = std::find_if(
        rows.begin(), rows.end(), [](const auto &row) { return row["name"] == "solve made.c:40"; });
    ASSERT_NE(region, rows.end()) << json;
    EXPECT_NEAR((*region)["change"]["middle"].get<double>(), 8, 0.1); // of two ranks
    EXPECT_NEAR((*region)["elapsed"]["change"]["middle"].get<double>(), 2, 0.2);
    refuses({first, before_[0]}, "one is a job, the other a run");
}

// Of builds that differ as in an edit: by their real names, lines and call paths.
class RealBuilds : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override {
        if (std::string(OCB_SANITIZE).size() > 0) {
            GTEST_SKIP() << "the collector has no sanitizer";
        }
    }
    // A step takes some milliseconds; its samples need more of them than its processor time.
    [[nodiscard]] std::string run_of(const std::string &build, int number,
                                     const char *steps = "60") const {
        std::string file = folder_.file(build + std::to_string(number) + ".ompc");
        Command command;
        const std::string launcher = OCB_TEST_BIN_FOLDER "/ompcollect";
        const std::string program = std::string(OCB_TEST_PROGRAMS "/") + GetParam() + "-" + build;
        command.arguments = {launcher, "-o", file, "--", program, steps};
        command.environment = {{"OMP_NUM_THREADS", "2"}};
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        return file;
    }
    // Of a run each, with their rows by name.
    std::map<std::string, nlohmann::json> compared(const std::string &build) {
        const std::string out = folder_.file("out.json");
        report_command({"diff", "-o", out, run_of("base", 0), run_of(build, 0)});
        std::map<std::string, nlohmann::json> rows;
        const auto json = nlohmann::json::parse(content_of(out));
        for (const auto &row : json["rows"]) {
            rows[row["kind"].get<std::string>() + " " + row["name"].get<std::string>()] = row;
        }
        return rows;
    }
    const TemporaryFolder folder_;
};

TEST_P(RealBuilds, OfOneProgramHaveTheirPartners) {
    const auto renamed = compared("renamed");
    ASSERT_TRUE(renamed.count("function smooth")) << testing::PrintToString(renamed);
    EXPECT_EQ(renamed.at("function smooth")["name_before"], "relax");
    for (const auto &[name, row] : renamed) {
        if (name.starts_with("region solved") || name.starts_with("region summed")) {
            EXPECT_EQ(row["fate"], "both") << row;
        }
    }
    const auto inlined = compared("inlined");
    ASSERT_TRUE(inlined.count("function relax")) << testing::PrintToString(inlined);
    EXPECT_EQ(inlined.at("function relax")["fate"], "both");
}

TEST_P(RealBuilds, BreakARuleOfProcessorTime) {
    std::vector<std::string> words = {"diff",
                                      "-o",
                                      folder_.file("out"),
                                      "--fail-if",
                                      "processor > +30%",
                                      "--fail-if",
                                      "processor > +900%"};
    std::vector<std::string> after = {"--"};
    for (int i = 0; i < 4; ++i) { // by turns, as a busy minute hits both sides then
        words.push_back(run_of("base", i, "15"));
        after.push_back(run_of("slower", i, "15"));
    }
    words.insert(words.end(), after.begin(), after.end());
    EXPECT_EQ(report_command(words), 1) << content_of(folder_.file("out"));
    const std::string text = content_of(folder_.file("out"));
    EXPECT_NE(text.find("  held: processor > +900%"), std::string::npos) << text;
    EXPECT_NE(text.find("build-id: "), std::string::npos) << text;
    EXPECT_NE(text.find("relax"), std::string::npos) << text;
}

INSTANTIATE_TEST_SUITE_P(By, RealBuilds, testing::Values("gcc", "clang"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace
} // namespace ocb_test
