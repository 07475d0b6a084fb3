// SPDX-License-Identifier: Apache-2.0
//
// Runs without threads, without time, without anything: each report of them is made.
#include "command.h"
#include "formats.h"
#include "made_runs.h"
#include "process.h"
#include "text_report.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

// Saved, read back, and written in each format.
void expect_reports(const Process &process) {
    const TemporaryFolder folder;
    save_run({{process}}, folder.file("run.ompc"));
    const auto run = load_run(folder.file("run.ompc"), {});
    ASSERT_EQ(run.processes.size(), 1U);
    EXPECT_EQ(run.processes[0].threads.size(), process.threads.size());
    for (const Format &format : formats()) {
        SCOPED_TRACE(format.name);
        if (format.write_folder) {
            format.write_folder(run, folder.file("run.er"));
            EXPECT_TRUE(fs::exists(folder.file("run.er/log.xml")));
            continue;
        }
        std::ostringstream out;
        format.write(run, {}, out);
        EXPECT_TRUE(out.good());
        for (const char *none : {" nan", ",nan", ":nan", " inf", ",inf"}) {
            // The page has libraries of others in it.
            const bool is_page = std::string(format.name) == "html";
            EXPECT_TRUE(is_page || out.str().find(none) == std::string::npos) << none;
        }
    }
    std::ostringstream json;
    format_named("json").write(run, {}, json);
    const auto document = nlohmann::json::parse(json.str());
    EXPECT_EQ(document.at("processes").at(0).at("threads").size(), process.threads.size());
    const std::string out = folder.file("diff.txt");
    EXPECT_EQ(report_command({"diff", folder.file("run.ompc"), folder.file("run.ompc"), "--by",
                              "all", "--fail-if", "processor > +900%", "-o", out}),
              3);
    std::ifstream in(out);
    std::string line;
    EXPECT_TRUE(std::getline(in, line) && line.find("== Comparison of ") == 0) << line;
}

TEST(OddRuns, OfNoThreadHaveEachReport) {
    Process process = MadeProcess(0, 1.5).process;
    expect_reports(process);
    EXPECT_NE(text_report(process, {}).find("no thread was seen in the OpenMP runtime"),
              std::string::npos);
}

// Forks were counted, and no sample came.
TEST(OddRuns, OfRegionsWithoutThreadsHaveEachReport) {
    MadeProcess made(0, 1.5);
    made.function("main", 3, made.region("loop", 7, 5));
    expect_reports(made.process);
    const std::string text = text_report(made.process, {});
    EXPECT_NE(text.find("no samples: the program ended before the first one"), std::string::npos)
        << text;
    EXPECT_NE(text.find("5      0.00  loop made.c:7"), std::string::npos) << text;
}

TEST(OddRuns, OfNoTimeHaveEachReport) {
    Process process = made_with_samples();
    process.seconds = 0;
    expect_reports(process);
    expect_reports(Process{});
}

} // namespace
} // namespace ocb_test
