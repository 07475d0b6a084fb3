// SPDX-License-Identifier: Apache-2.0
//
// Every format is read back by somebody who knows it, and its numbers are those of the run.
#include "failure.h"
#include "formats.h"
#include "made_runs.h"
#include "process.h"
#include "run_file.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

using Json = nlohmann::json;

Run run_of(std::initializer_list<Process> processes) {
    return Run{processes};
}

std::string written(const Run &run, const std::string &format) {
    std::ostringstream out;
    format_named(format).write(run, {}, out);
    return out.str();
}

std::vector<std::string> lines_of(const std::string &text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

TEST(Json, IsReadBackAsItWasWritten) {
    auto two = run_of({made_with_samples(), made_lock_convoy()});
    two.processes[1].rank = "3";
    two.processes[1].begin_nanoseconds = 123456789;
    two.processes[1].program = "/a \"b\"/\xff";
    const std::string text = written(two, "json");
    const auto back = read_run(text, "made.json");
    ASSERT_EQ(back.processes.size(), 2U);
    const std::string again = written(back, "json");
    EXPECT_EQ(again, text);
    EXPECT_EQ(back.processes[0].samples.size(), 400U);
    EXPECT_EQ(back.processes[1].locks.size(), 2U);
    EXPECT_EQ(back.processes[1].rank, "3");
    EXPECT_EQ(back.processes[1].begin_nanoseconds, 123456789U);
}

// A table of the screen's that comes from facts, not from samples.
TEST(Json, KnowsTheThreadsWithoutOpenMP) {
    auto run = run_of({made_with_samples()});
    run.processes[0].other_threads = 2;
    run.processes[0].other_cpu_seconds = 0.25;
    const auto back = read_run(written(run, "json"), "made.json");
    EXPECT_NE(written(back, "text")
                  .find("outside of these sums: 2 threads without OpenMP, processor 0.25 s"),
              std::string::npos);
}

TEST(Json, KeepsToItsSchema) {
    Command command;
    command.arguments = {OCB_TEST_PYTHON, "-c", "import jsonschema"};
    if (!run(command).succeeded()) {
        GTEST_SKIP() << "python3-jsonschema is not installed";
    }
    const TemporaryFolder folder;
    auto all = run_of({made_with_samples(), made_lock_convoy(), made_nested_oversubscription(),
                       made_single_in_loop(), Process{}});
    std::ofstream(folder.file("run.json")) << written(all, "json");
    const std::string schema = OCB_SOURCE_DIR "/docs/run.schema.json";
    const std::string script = "import json, jsonschema, sys\n"
                               "schema, run = (json.load(open(name)) for name in sys.argv[1:])\n"
                               "jsonschema.Draft202012Validator.check_schema(schema)\n"
                               "jsonschema.Draft202012Validator(schema).validate(run)\n"
                               "run['processes'][0]['cells']['state'][0] = 19\n"
                               "try:\n"
                               "    jsonschema.Draft202012Validator(schema).validate(run)\n"
                               "except jsonschema.ValidationError:\n"
                               "    print('refused')\n";
    command.arguments = {OCB_TEST_PYTHON, "-c", script, schema, folder.file("run.json")};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "refused\n");
}

bool has_module(const std::string &name) {
    Command command;
    command.arguments = {OCB_TEST_PYTHON, "-c", "import " + name};
    return run(command).succeeded();
}

// The document's example that imports the module, and what it prints of a run.
Outcome run_example(const std::string &module, const std::string &behind) {
    std::ifstream in(OCB_SOURCE_DIR "/docs/FORMATS.md");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string fence = "```";
    size_t at = text.find(fence + "python\nimport " + module);
    EXPECT_NE(at, std::string::npos) << module;
    at = text.find('\n', at) + 1;
    const TemporaryFolder folder;
    std::ofstream(folder.file("run.json")) << written(run_of({made_with_samples()}), "json");
    std::ofstream(folder.file("example.py"))
        << text.substr(at, text.find(fence, at) - at) << behind;
    Command command;
    if (!has_module(module)) {
        command.environment["PYTHONPATH"] = OCB_SOURCE_DIR "/tests/report/stand-ins";
    }
    command.arguments = {"/bin/sh", "-c", "cd \"$1\" && exec " OCB_TEST_PYTHON " -B example.py",
                         "sh", folder.file("")};
    return run(command);
}

TEST(Json, ExampleForPandasWorks) {
    if (!has_module("pandas")) {
        GTEST_SKIP() << "python3-pandas is not installed";
    }
    const Outcome outcome = run_example("json, pandas", "");
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(outcome.out.find("2    2.0\n3    1.0\n5    0.5\n6    0.5\n"), std::string::npos)
        << outcome.out;
}

// No package of Debian has hatchet: where it is not installed a module of ours has the functions
// that the example uses, with their documented meaning.
TEST(Json, ExampleForHatchetWorks) {
    if (!has_module("pandas")) {
        GTEST_SKIP() << "python3-pandas is not installed";
    }
    const Outcome outcome = run_example(
        "hatchet", "frame = graph.dataframe\n"
                   "print({state: float(frame[state].sum()) for state in sorted(times)})\n"
                   "print(frame[frame.name == 'main']['WORK (inc)'].max(), frame.IDLE.iloc[0])\n");
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_NE(outcome.out.find("{'IBAR': 1.0, 'IDLE': 0.5, 'SERIAL': 0.5, 'WORK': 2.0}\n2.0 0.5\n"),
              std::string::npos)
        << outcome.out;
}

TEST(Json, DamageIsAFailureInWords) {
    const std::string text = written(run_of({made_with_samples()}), "json");
    for (const char *damaged : {"", "{", "[]", "{\"format\": \"other\"}"}) {
        EXPECT_THROW(read_run(damaged, "f"), ompcollect::Failure) << damaged;
    }
    for (size_t cut = 1; cut + 1 < text.size(); cut += text.size() / 50) { // but the last newline
        EXPECT_THROW(read_run(text.substr(0, cut), "f"), ompcollect::Failure);
    }
    Json document = Json::parse(text);
    document["version"] = 99;
    EXPECT_THROW(read_run(document.dump(), "f"), ompcollect::Failure);
    for (const auto &[table, column, value] :
         {std::tuple{"cells", "thread", 2}, std::tuple{"cells", "node", 5},
          std::tuple{"cells", "state", 19}, std::tuple{"samples", "node", -4},
          std::tuple{"cells", "node", -4}}) {
        Json changed = Json::parse(text);
        changed["processes"][0][table][column][0] = value;
        EXPECT_THROW(read_run(changed.dump(), "f"), ompcollect::Failure) << table << column;
    }
    Json changed = Json::parse(text);
    changed["processes"][0]["nodes"][0]["parent"] = 3;
    EXPECT_THROW(read_run(changed.dump(), "f"), ompcollect::Failure);
}

// Microseconds by the clock, whatever number of samples saw them.
TEST(Collapsed, HasAllTimeUnderItsPath) {
    Process process = made_with_samples();
    process.cells.front().samples = 1;
    uint64_t sum = 0;
    std::map<std::string, uint64_t> counts;
    for (const std::string &line : lines_of(written(run_of({process}), "collapsed"))) {
        const size_t space = line.rfind(' ');
        counts[line.substr(0, space)] = std::stoull(line.substr(space));
        sum += std::stoull(line.substr(space));
    }
    EXPECT_EQ(sum, 4000000U);
    EXPECT_EQ(counts["made;main;main [region];slow"], 1500000U);
    EXPECT_EQ(counts["made;main;main [region];<OMP-implicit_barrier>"], 1000000U);
    EXPECT_EQ(counts["made;<OMP-idle>"], 500000U);
}

TEST(Csv, HasARowPerCell) {
    Process process = made_with_samples();
    process.nodes[2].function = "slow<int, \"x\">";
    const auto lines = lines_of(written(run_of({process}), "csv"));
    ASSERT_EQ(lines.size(), process.cells.size() + 1);
    EXPECT_EQ(lines[0], "pid,rank,thread,tid,region,source,path,state,wall_seconds,cpu_seconds,"
                        "samples,within,call\r");
    EXPECT_NE(std::find(lines.begin(), lines.end(),
                        "4242,,0,4242,main,made.c:20,\"main;main [region];slow<int, \"\"x\"\">\","
                        "WORK,1.5,1.5,150,WORK,\r"),
              lines.end())
        << lines[3];
}

// callgrind_annotate prints the sums of the columns, and adds up inclusive costs itself. It sorts
// by the first column, and kcachegrind opens with it.
TEST(Callgrind, IsReadByItsAnnotator) {
    const TemporaryFolder folder;
    const std::string path = folder.file("made.callgrind");
    std::ofstream(path) << written(run_of({made_with_samples()}), "callgrind");
    Command command;
    command.arguments = {"/usr/bin/callgrind_annotate",
                         "--show=TIME,WORK,IBAR,SERIAL",
                         "--threshold=100",
                         "--show-percs=no",
                         "--inclusive=yes",
                         path};
    const Outcome outcome = run(command);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const char *expected :
         {"4,000,000 2,000,000 1,000,000 500,000  PROGRAM TOTALS",
          "1,500,000 1,500,000         0       0  made.c:slow [/somewhere/made]",
          "3,500,000 2,000,000 1,000,000 500,000  made.c:main [/somewhere/made]"}) {
        EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << outcome.out;
    }
}

// A function gets the time of a recursive path once, however often it stands on it.
TEST(Callgrind, InclusiveTimeOfRecursionCountsOnce) {
    MadeProcess made(1, 4);
    int at = made.function("main", 1);
    for (int i = 0; i < 5; ++i) {
        at = made.function("even", 5, at);
        made.time(0, at, THR_WORK_STATE, 0.1);
        at = made.function("odd", 7, at);
        made.time(0, at, THR_WORK_STATE, 0.2);
    }
    made.time(0, made.function("leaf", 9, at), THR_WORK_STATE, 0.5);
    const TemporaryFolder folder;
    const std::string path = folder.file("made.callgrind");
    std::ofstream(path) << written(run_of({made.process}), "callgrind");
    Command command;
    command.arguments = {"/usr/bin/callgrind_annotate", "--threshold=100", "--show-percs=no",
                         "--inclusive=yes", path};
    const Outcome outcome = run(command);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    for (const char *expected : {"2,000,000  made.c:main", "2,000,000  made.c:even",
                                 "1,900,000  made.c:odd", "500,000  made.c:leaf"}) {
        EXPECT_NE(outcome.out.find(expected), std::string::npos) << expected << outcome.out;
    }
}

TEST(Formats, AnUnknownNameListsTheKnown) {
    try {
        format_named("pdf");
        FAIL();
    } catch (const ompcollect::Failure &failure) {
        EXPECT_NE(std::string(failure.what()).find("collapsed"), std::string::npos);
    }
}

} // namespace
} // namespace ocb_test
