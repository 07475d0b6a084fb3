// SPDX-License-Identifier: Apache-2.0
//
// Numbers of a saved run that are none of ours: each is refused when the file is read, with its
// cause in one line. And runs whose shape would cost the square of their size.
#include "command.h"
#include "failure.h"
#include "formats.h"
#include "made_runs.h"
#include "process.h"
#include "ranges.h"
#include "run_file.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace ocb_test {
namespace {

using Json = nlohmann::json;

Json healthy_run() {
    MadeProcess made(2, 10);
    const int region = made.region("region", 1, 10);
    made.time(0, made.function("work", 2, region), THR_WORK_STATE, 8);
    made.time(1, region, THR_IBAR_STATE, 8);
    made.lock(THR_LKWT_STATE, "lock", 3, 1);
    made.process.locks.back().holders = {{region, {"holder", ""}, 1, 10}};
    made.process.knows_holders = true;
    made.process.lines = {{"a.c:1", "work", "x = 1;", {}, 5}};
    made.process.lines.back().times.wall[THR_WORK_STATE] = 1;
    made.process.samples = {{1, 0, region, THR_WORK_STATE}, {2, 1, region, THR_IBAR_STATE}};
    std::ostringstream out;
    write_run({{made.process}}, out);
    return Json::parse(out.str());
}

// Why it is not read; empty: it is.
std::string refusal(const Json &run) {
    try {
        const auto read = read_run(run.dump(), "run.ompc");
        for (const Format &format : formats()) {
            if (format.write) {
                std::ostringstream out;
                write_report(read, format.name, "/dev/null");
            }
        }
    } catch (const ompcollect::Failure &failure) {
        return failure.what();
    }
    return {};
}

// Every number of the document that is not made anew when it is read.
void find_numbers(const Json &at, const std::string &path, std::vector<std::string> &to) {
    if (at.is_number()) {
        to.push_back(path);
    } else if (at.is_structured()) {
        for (const auto &[key, value] : at.items()) {
            const bool is_made = key == "figures" || key == "findings" || key == "blame";
            if (!is_made) {
                find_numbers(value, path + "/" + key, to);
            }
        }
    }
}

TEST(HostileNumbers, AreRefusedWithTheirCause) {
    const Json run = healthy_run();
    ASSERT_EQ(refusal(run), "");
    std::vector<std::string> numbers;
    find_numbers(run, "", numbers);
    ASSERT_GT(numbers.size(), 100U);
    // What may be any number of 64 or 32 bits: addresses, and what others answered.
    const std::vector<std::string> any = {"offset", "wait_id", "exit_code", "start_code",
                                          "registered"};
    for (const std::string &path : numbers) {
        for (const Json &wild :
             {Json(-4000000), Json(1e300), Json(std::numeric_limits<uint64_t>::max()),
              Json(std::numeric_limits<int64_t>::min()), Json("x"), Json()}) {
            Json changed = run;
            changed[Json::json_pointer(path)] = wild;
            const std::string why = refusal(changed);
            const std::string name = path.substr(path.rfind('/') + 1);
            const bool is_any = std::find(any.begin(), any.end(), name) != any.end();
            const bool is_unmeasured =
                wild.is_null() && (path.find("/cpu") != std::string::npos || name == "waits");
            EXPECT_TRUE(is_any || is_unmeasured || !why.empty()) << path << " " << wild;
            EXPECT_EQ(why.find('\n'), std::string::npos) << why;
        }
    }
}

TEST(HostileNumbers, AreNamedWithTheirRange) {
    Json run = healthy_run();
    run["processes"][0]["facts"]["rate"] = 4000000000;
    EXPECT_EQ(refusal(run), "run.ompc: damaged: the rate of samples a second is 4000000000, which "
                            "is not from 0 to 10000; copy it again, or save a new run");
}

// What a variable holds, and a range or the rest of the file does not.
TEST(HostileNumbers, AreRefusedJustBeyondTheirRange) {
    struct Change {
        const char *path; // in the process
        Json value;
        const char *cause;
    };
    const Change changes[] = {
        {"/facts/begin_nanoseconds", 1000000000, "a part of a second"},
        {"/facts/processors", 0x100001, "a number of processors"},
        {"/facts/most_threads", 0x400001, "a number of threads"},
        {"/facts/processors_online", 0x100001, "a number of processors"},
        {"/facts/threads_on_one_processor", 0x400001, "a number of threads"},
        {"/facts/unplaced", -1, "a sum of times in seconds"},
        {"/facts/unplaced_lock_time", -1, "a sum of times in seconds"},
        {"/facts/sample_step", 0x80000000U, "the step of samples"},
        {"/threads/0/voluntary_switches", 281474976710657, "a count"},
        {"/threads/0/involuntary_switches", 281474976710657, "a count"},
        {"/nodes/0/masters", 0x400001, "a number of threads"},
        {"/nodes/1/same_as", 0, "the first node of a region is none"},
        {"/cells/thread/0", 2, "a row of a thread that there is not"},
        {"/cells/state/0", 19, "the number of a state"},
        {"/cells/wall/0", -1, "a sum of times in seconds"}, // that of all rows is in its range
        {"/cells/cpu/0", -1, "a sum of times in seconds"},
        {"/samples/thread/0", 2, "a row of a thread that there is not"},
        {"/samples/state/0", 19, "the number of a state"},
        {"/locks/0/state", 19, "the number of a state"},
        {"/locks/0/holders/0/node", 2, "a holder at a node that there is not"},
        {"/locks/0/holders/0/wall", 4.1e9, "a sum of times in seconds"},
        {"/locks/0/holders/0/samples", 281474976710657, "a count"},
    };
    for (const Change &change : changes) {
        Json run = healthy_run();
        Json &at = run["processes"][0][Json::json_pointer(change.path)];
        ASSERT_FALSE(at.is_null()) << change.path;
        at = change.value;
        const std::string why = refusal(run);

        EXPECT_NE(why.find(change.cause), std::string::npos) << change.path << " " << why;
    }
}

TEST(HostileNumbers, AreRefusedWhereTheirSumIsBeyond) {
    for (const char *column : {"wall", "cpu"}) {
        Json run = healthy_run();
        run["processes"][0]["cells"][column] = {3e9, 3e9};
        EXPECT_NE(refusal(run).find("a sum of times in seconds is 6000000000"), std::string::npos)
            << column << " " << refusal(run);
    }
}

TEST(HostileNumbers, AreRefusedWhereAPathIsTooDeep) {
    for (const int depth : {4096, 4097}) {
        MadeProcess made(1, 10);
        for (int i = 0; i < depth; ++i) {
            made.function("f", i, i - 1);
        }
        std::ostringstream out;
        write_run({{made.process}}, out);
        EXPECT_EQ(refusal(Json::parse(out.str())).find("the depth of a call path is 4097") !=
                      std::string::npos,
                  depth == 4097);
    }
}

// A time is in its range, and so is the rate: what is drawn of it does not fill the disk.
TEST(HostileNumbers, DoNotMakeALargeFile) {
    MadeProcess made(2, 1e9);
    made.process.rate = 10000;
    made.time(0, made.region("region", 1, 10), THR_WORK_STATE, 1e9);
    for (Cell &cell : made.process.cells) {
        cell.samples = 0;
    }
    std::ostringstream out;
    write_run({{made.process}}, out);
    const auto run = read_run(out.str(), "run.ompc");
    for (const Format &format : formats()) {
        if (format.write) {
            std::ostringstream text;
            format.write(run, {}, text);
            EXPECT_LT(text.str().size(), 10000000U) << format.name;
        }
    }
}

enum class Shape { kChainOfRegions, kChainOfFunctions, kThreads, kLocks };

Process process_of(Shape shape, int size) {
    MadeProcess made(shape == Shape::kThreads ? static_cast<unsigned>(size) : 4, 100);
    constexpr int kDepth = 4000;
    for (int i = 0; i < size; ++i) {
        const bool is_chain = shape == Shape::kChainOfRegions || shape == Shape::kChainOfFunctions;
        const int parent = is_chain && i % kDepth != 0 ? i - 1 : -1;
        const int node = shape == Shape::kChainOfFunctions
                             ? made.function("f" + std::to_string(i), i, parent)
                             : made.region("r" + std::to_string(i), i, 3, parent);
        const auto thread = static_cast<unsigned>(i) % made.process.threads.size();
        constexpr unsigned kStates[] = {THR_WORK_STATE, THR_IBAR_STATE, THR_CTWT_STATE};
        made.time(static_cast<unsigned>(thread), node, kStates[i % 3], 0.01);
        made.process.samples.push_back(
            {i * 0.001, static_cast<unsigned>(thread), i, kStates[i % 3]});
        if (shape == Shape::kLocks) {
            made.lock(THR_CTWT_STATE, "o" + std::to_string(i), 3, 0.01);
            made.process.locks.back().holders = {{node, {"p" + std::to_string(i), ""}, 0.01, 10}};
        }
    }
    made.process.stacks = "full";
    return made.process;
}

const char *name_of(Shape shape) {
    switch (shape) {
    case Shape::kChainOfRegions:
        return "regions inside regions";
    case Shape::kChainOfFunctions:
        return "a deep path";
    case Shape::kThreads:
        return "threads";
    case Shape::kLocks:
        return "locks";
    }
    return "?";
}

// Instructions of a command, by valgrind.
double instructions(const std::vector<std::string> &words) {
    Command command;
    command.arguments = {"/usr/bin/valgrind", "--tool=none", "--stats=yes",
                         OCB_TEST_BIN_FOLDER "/ompcollect"};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.describe();
    const size_t at = outcome.err.find("event checks");
    EXPECT_NE(at, std::string::npos) << outcome.describe();
    // "scheduler: 12,345 event checks."
    std::string digits;
    for (size_t i = at; i-- > 0 && outcome.err[i] != ':';) {
        digits.insert(0, 1, outcome.err[i]);
    }
    digits.erase(std::remove(digits.begin(), digits.end(), ','), digits.end());
    return std::stod(digits);
}

class HostileShape : public testing::TestWithParam<Shape> {};

// Four times the size is four times the work, not sixteen times. What is counted are blocks of
// instructions that were run.
TEST_P(HostileShape, CostsWhatItsSizeIs) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "valgrind and a sanitizer do not go together";
    }
    const TemporaryFolder folder;
    const std::string small = folder.file("small.ompc");
    const std::string large = folder.file("large.ompc");
    const bool is_long = getenv("OCB_TEST_LONG") != nullptr;
    const int size = is_long ? 25000 : 1000;
    std::vector<const char *> names = {"text"};
    if (is_long) {
        names.insert(names.end(), {"firefox", "json", "callgrind", "html"});
    }
    save_run({{process_of(GetParam(), size)}}, small);
    save_run({{process_of(GetParam(), 4 * size)}}, large);
    for (const char *format : names) {
        const std::string out = folder.file("out");
        const double before =
            instructions({"report", small, "--all", "--format", format, "-o", out});
        const double after =
            instructions({"report", large, "--all", "--format", format, "-o", out});
        EXPECT_GT(before, 1e6) << format;
        EXPECT_LT(after / before, 7) << name_of(GetParam()) << " " << format;
    }
    if (is_long) {
        EXPECT_LT(instructions({"diff", large, large}) / instructions({"diff", small, small}), 7);
    }
}

INSTANTIATE_TEST_SUITE_P(All, HostileShape,
                         testing::Values(Shape::kChainOfRegions, Shape::kChainOfFunctions,
                                         Shape::kThreads, Shape::kLocks));

} // namespace
} // namespace ocb_test
