// SPDX-License-Identifier: Apache-2.0
//
// The report's first form: 40 lines of 80 columns, whatever the run was, with the findings' places.
// And its parts by name.
#include "call_tree_text.h"
#include "failure.h"
#include "formats.h"
#include "made_runs.h"
#include "text_report.h"
#include "verdict.h"
#include "warnings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace ocb_test {
namespace {

std::vector<std::string> lines_in(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

void expect_fits(const Process &process, const char *name) {
    const std::string text = text_report(process, {});
    const std::vector<std::string> lines = lines_in(text);
    EXPECT_LE(lines.size(), kScreen) << name << text;
    for (const std::string &line : lines) {
        EXPECT_LE(line.size(), 80U) << name << "\n" << line;
    }
    const Conclusions conclusions(process);
    for (size_t i = 0; i < std::min(kFindingsShown, conclusions.findings.size()); ++i) {
        const int node = conclusions.findings[i].node;
        const std::string source = node < 0 ? "" : process.nodes[static_cast<size_t>(node)].source;
        const std::string line = source.substr(std::min(source.rfind(':'), source.size()));
        const std::string head = std::to_string(i + 1) + ". ";
        const auto title = std::find_if(lines.begin(), lines.end(), [&](const std::string &each) {
            return each.starts_with(head);
        });
        ASSERT_NE(title, lines.end()) << name << text;
        const auto at = std::find_if(title, lines.end(), [&](const std::string &each) {
            return each.starts_with("   at:    ");
        });
        ASSERT_NE(at, lines.end()) << name << text;
        EXPECT_NE(at->find(line + ", "), std::string::npos) << name << *at;
    }
}

// Three causes with names as C++ has them, in many regions that are called from far below.
Process made_crowd(int regions) {
    MadeProcess made(8, 13);
    Process &process = made.process;
    process.stacks = "full";
    const std::string name = "space::Solver<" + std::string(200, 'T') + ">::step(int, double*)";
    int at = made.function("main", 1);
    for (int depth = 0; depth < 40; ++depth) {
        at = made.function(name + std::to_string(depth), 2 + depth, at);
    }
    for (int line = 1; line <= regions; ++line) {
        const int region = made.region(name, 1000 + line, 1, at);
        const double each = 1.0 / regions;
        const int code = made.function("kernel" + std::to_string(line % 50), line, region);
        made.time(0, code, THR_WORK_STATE, 4 * each);
        for (unsigned thread = 1; thread < 8; ++thread) {
            made.time(thread, code, THR_WORK_STATE, each);
            made.time(thread, region, THR_IBAR_STATE, 2 * each);
            made.time(thread, region, THR_CTWT_STATE, 2 * each);
            made.time(thread, region, THR_ODWT_STATE, 2 * each);
            made.time(thread, region, THR_LKWT_STATE, 2 * each);
            made.time(thread, region, THR_REDUC_STATE, each);
        }
    }
    made.serial(2, at);
    for (ompcollect::report::Node &node : process.nodes) {
        const std::string line = node.source.str().substr(node.source.str().find(':'));
        node.source = "/a/folder/with/a/rather/long/name/of_a_file_that_is_long_itself.cpp" + line;
    }
    return process;
}

void spoil(Process &process) {
    process.signal_taken = true;
    process.threads_without_timer = 3;
    process.missing = "no space left on device";
    process.unplaced = 1.25;
    process.unplaced_lock_waits = 8;
    process.forgotten_regions = 6;
    process.forgotten_modules = 2;
    process.arguments_cut = true;
    process.is_partial = true;
    process.lost_samples = 1000;
    process.how_it_ended = "killed by signal 9 (Killed)";
}

TEST(BriefReport, FitsAScreen) {
    expect_fits(made_imbalance(), "imbalance");
    expect_fits(made_serial_part(), "serial part");
    expect_fits(made_tiny_regions(), "tiny regions");
    expect_fits(made_contended_critical(), "critical");
    expect_fits(made_nested_oversubscription(), "nested");
    expect_fits(made_lock_convoy(), "locks");
    expect_fits(made_healthy(), "healthy");
    expect_fits(made_with_samples(), "samples");
    expect_fits(made_crowd(3), "three regions");
    expect_fits(made_crowd(1000), "a thousand regions");
    expect_fits(MadeProcess(1, 1).process, "nothing");
    MadeProcess small(1, 0.01);
    small.time(0, small.region("short", 3, 1), THR_WORK_STATE, 0.01);
    expect_fits(small.process, "one sample");
}

// What was lost has no limit, and makes room for itself.
TEST(BriefReport, FitsAScreenWithAllWarnings) {
    Process process = made_crowd(20);
    spoil(process);
    expect_fits(process, "all warnings");
    const std::string text = text_report(process, {});
    EXPECT_NE(text.find("killed by signal 9"), std::string::npos) << text;
    EXPECT_NE(text.find("samples, 1,000"), std::string::npos) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<long>(lines_in(text).size()));
    size_t warnings = 0;
    for (const std::string &line : lines_in(text)) {
        warnings += line.starts_with("  warning: ") ? 1 : 0;
    }
    EXPECT_GE(warnings, 9U) << text;
}

// Lines may be broken anywhere between words.
std::string in_one_line(const std::string &text) {
    std::istringstream in(text);
    std::string line;
    for (std::string word; in >> word;) {
        line += word + ' ';
    }
    return line;
}

// What is missing in a run is in the formats that have room for it, too. The text has larger
// numbers with commas, and what is no stream of text is read by exports_test.cpp and
// gprofng_test.cpp.
TEST(Warnings, AreInEveryFormatWithRoomForThem) {
    Process process = made_crowd(2);
    spoil(process);
    process.has_wall_times = false;
    const std::vector<Warning> warnings = warnings_of(process);
    ASSERT_GE(warnings.size(), 10U);
    std::string seen;
    for (const Format &format : formats()) {
        const std::string name = format.name;
        if (!format.has_warnings || !format.write || name == "text" || name == "pprof") {
            continue;
        }
        seen += name + ' ';
        std::ostringstream out;
        format.write({{process}}, {}, out);
        const std::string text = in_one_line(out.str());
        for (const Warning &each : warnings) {
            const std::string words = each.text.substr(0, each.text.find_first_of("\"'<&"));
            EXPECT_NE(text.find(words), std::string::npos) << name << ": " << each.text;
        }
    }
    EXPECT_EQ(seen, "html json callgrind firefox perfetto sqlite ");
}

TEST(BriefReport, SaysWhatIsLeftOut) {
    const std::string text = text_report(made_crowd(100), {});
    EXPECT_NE(text.find("Regions by potential gain, 5 of 100 "), std::string::npos) << text;
    EXPECT_NE(text.find("; and 99 more places\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\nMore (2 findings, 95 regions): --all, or --show "), std::string::npos)
        << text;
}

TEST(BriefReport, HasAsManyRowsAsAsked) {
    TextStyle style;
    style.take_options(25, false, kBrief);
    const std::string text = text_report(made_crowd(100), style);
    EXPECT_NE(text.find("Regions by potential gain, 25 of 100 "), std::string::npos) << text;
    EXPECT_GT(lines_in(text).size(), kScreen);
}

TEST(HotPaths, FoldCallsOfASingleFunction) {
    MadeProcess made(2, 4);
    made.process.stacks = "full";
    const int outer = made.function("solve", 5, made.function("main", 9));
    const int region = made.region("step", 12, 1, made.function("step", 12, outer));
    const int kernel = made.function("kernel", 30, made.function("call", 20, region));
    made.time(0, kernel, THR_WORK_STATE, 3);
    made.time(1, kernel, THR_WORK_STATE, 2);
    made.time(1, region, THR_IBAR_STATE, 1);
    const std::vector<std::string> lines = lines_in(HotPaths(made.process).text({}, 10));
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_EQ(lines[2].substr(30), "made > main > solve > step made.c:12 [region]");
    EXPECT_EQ(lines[3].substr(30), " call > kernel made.c:30");
    EXPECT_EQ(lines[4].substr(30), " <OMP-implicit_barrier>");
    TextStyle narrow;
    narrow.width = 66;
    EXPECT_EQ(lines_in(HotPaths(made.process).text(narrow, 1))[2].substr(30),
              "... > step made.c:12 [region]");
}

// Stripped programs: one address is enough.
TEST(HotPaths, ShowFunctionsWithoutNamesByOneAddress) {
    MadeProcess made(1, 1);
    made.process.stacks = "full";
    const int at = made.function("made+0x1000", 5);
    made.process.nodes[static_cast<size_t>(at)].source = {};
    made.time(0, at, THR_SERIAL_STATE, 1);
    const std::vector<std::string> lines = lines_in(HotPaths(made.process).text({}, 10));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[2].substr(30), "made > made+0x1005");
}

TEST(ReportParts, AreShownByName) {
    TextStyle style;
    style.parts = parts_named("regions,threads");
    const std::string text = text_report(made_with_samples(), style);
    EXPECT_NE(text.find("\nThreads ("), std::string::npos) << text;
    EXPECT_NE(text.find("\nParallel regions ("), std::string::npos) << text;
    EXPECT_EQ(text.find("Verdict:"), std::string::npos) << text;
    EXPECT_EQ(text.find("\nEvents\n"), std::string::npos) << text;
    // Each alone is a part of the whole, and together they are the whole.
    style.parts = kAllParts;
    const std::string whole = text_report(made_with_samples(), style);
    TextStyle none;
    none.parts = 1U << 31U;
    const size_t head = text_report(made_with_samples(), none).size();
    size_t size = head;
    for (const PartName &part : part_names()) {
        style.parts = parts_named(part.name);
        const std::string alone = text_report(made_with_samples(), style).substr(head);
        EXPECT_NE(whole.find(alone), std::string::npos) << part.name << alone;
        size += alone.size();
    }
    EXPECT_EQ(size, whole.size());
    EXPECT_EQ(parts_named("all"), kAllParts);
}

TEST(ReportParts, AreListedWhereANameIsWrong) {
    try {
        parts_named("threads,fun");
        FAIL();
    } catch (const ompcollect::Failure &why) {
        const std::string text = why.what();
        EXPECT_NE(text.find("no part fun;"), std::string::npos) << text;
        for (const PartName &part : part_names()) {
            EXPECT_NE(text.find(part.name), std::string::npos) << text;
        }
    }
}

} // namespace
} // namespace ocb_test
