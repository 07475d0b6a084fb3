// SPDX-License-Identifier: Apache-2.0
//
// The exports that are no text: each is decoded by somebody else's program and compared with the
// run. protoc makes the readers of protocol buffers; the sqlite3 command runs the document's
// queries.
#include "formats.h"
#include "frames.h"
#include "long_form.h"
#include "made_runs.h"
#include "process.h"
#include "time_line.h"
#include "warnings.h"

#include "omp_collector_api.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

using Json = nlohmann::json;

constexpr char kProfileProto[] =
    "/usr/share/gocode/src/github.com/google/pprof/proto/profile.proto";
constexpr char kPerfettoProto[] = OCB_SOURCE_DIR "/tests/report/exports/perfetto_subset.proto";

void write_export(const ompcollect::report::Run &run, const std::string &format,
                  const std::string &path) {
    std::ofstream out(path, std::ios::binary);
    format_named(format).write(run, {}, out);
}

// A run in which nothing is even: two processes, samples that came late, time without a processor
// and asleep, threads in all sorts of states.
Process uneven(long pid) {
    MadeProcess made(3, 6);
    made.process.pid = pid;
    made.process.begin = 1700000000 + pid;
    made.process.calls = {"nanosleep"};
    const int main = made.function("main<T<int>>", 3);
    const int region = made.region("main", 10, 4, main);
    const int inner = made.function("kernel;\"'", 20, region);
    made.time(0, main, THR_SERIAL_STATE, 1.25);
    made.time(0, inner, THR_WORK_STATE, 2.5);
    made.process.cells.push_back(
        {0, inner, ompcollect::kNoProcessorState, 0.75, 0, 0, THR_WORK_STATE});
    made.process.cells.push_back(
        {0, inner, ompcollect::kAsleepState, 1.5, 0, 10, THR_WORK_STATE, 0});
    made.time(1, kOutside, THR_IDLE_STATE, 1.5);
    made.time(1, region, THR_CTWT_STATE, 2.5, 0);
    made.time(1, inner, THR_WORK_STATE, 2);
    made.time(2, kUnknown, THR_EBAR_STATE, 6, 1);
    const auto sample = [&](double time, unsigned thread, int node, unsigned state) {
        made.process.samples.push_back({time, thread, node, state});
    };
    for (int i = 0; i < 600; ++i) {
        const double now = 0.01 * i;
        if (i % 3 != 0) { // others came late
            sample(now, 0, i < 150 ? main : inner,
                   static_cast<unsigned>(i < 150 ? THR_SERIAL_STATE : THR_WORK_STATE));
        }
        sample(now + 0.001, 1, i < 200 ? kOutside : (i % 2 ? region : inner),
               static_cast<unsigned>(i < 200 ? THR_IDLE_STATE
                                     : i % 2 ? THR_CTWT_STATE
                                             : THR_WORK_STATE));
        if (i > 20) {
            sample(now + 0.002, 2, kUnknown, THR_EBAR_STATE);
        }
    }
    return made.process;
}

using Sums = std::map<std::string, double>;

// Wall time of one thread, by what `name` makes of state; empty: not in it.
template <class Name> Sums sums_of(const Process &process, unsigned thread, const Name &name) {
    Sums sums;
    for (const Cell &cell : process.cells) {
        if (cell.thread == thread && cell.wall > 0) {
            sums[name(cell)] += cell.wall;
        }
    }
    return sums;
}

std::string state_of(const Cell &cell) {
    return state_name(cell.state);
}
std::string slice_of(const Cell &cell) {
    const std::string leaf = state_at(cell.state).frame;
    return leaf.empty() ? state_name(cell.state) : leaf;
}

// Time that is too short or too early for a sample, and a thread that has none.
Process with_time_without_samples() {
    Process process = uneven(7);
    const int region = 1;
    const int elsewhere = static_cast<int>(process.nodes.size());
    process.nodes.push_back(process.nodes[region]);
    process.threads.push_back(process.threads.back());
    const auto add = [&](unsigned thread, int node, unsigned state, double wall) {
        process.cells.push_back({thread, node, state, wall, 0, 0});
    };
    add(0, region, THR_IBAR_STATE, 0.004);
    add(0, elsewhere, THR_WORK_STATE, 0.003);
    for (const unsigned state : {THR_REDUC_STATE, THR_LKWT_STATE, THR_ODWT_STATE}) {
        add(1, region, state, 0.01);
    }
    add(1, kOutside, ompcollect::kNoProcessorState, 0.05);
    add(3, kOutside, THR_IDLE_STATE, 0.5);
    add(3, region, THR_WORK_STATE, 0.25);
    return process;
}

TEST(TimeLine, IsAsLongAsTheTablesHaveIt) {
    for (const Process &process : {uneven(7), made_with_samples(), with_time_without_samples()}) {
        std::map<std::tuple<unsigned, int, unsigned>, double> drawn;
        std::map<unsigned, double> end;
        for (const Stretch &at : line_of(process)) {
            EXPECT_GE(at.begin, end[at.thread] - 1e-9); // none lies over another
            EXPECT_GT(at.end, at.begin);
            end[at.thread] = at.end;
            drawn[{at.thread, at.node, at.state}] += at.end - at.begin;
        }
        for (const Cell &cell : process.cells) {
            const double length = drawn[{cell.thread, cell.node, cell.state}];
            EXPECT_NEAR(length, cell.wall, 1e-6) << cell.thread << state_name(cell.state);
        }
        EXPECT_EQ(drawn.size(), process.cells.size());
    }
}

// The sample's time is where its stretch stands, within what the lengths leave.
TEST(TimeLine, StaysWhereItsSamplesAre) {
    const Process process = uneven(7);
    double begin = -1;
    for (const Stretch &at : line_of(process)) {
        if (at.thread == 1 && at.state != THR_IDLE_STATE && begin < 0) {
            begin = at.begin;
        }
    }
    EXPECT_NEAR(begin, 2.001, 0.1 + 1e-6);
}

// What a script says of an export that it has decoded.
Json decoded(const std::string &what, const ompcollect::report::Run &run,
             const std::string &proto) {
    const TemporaryFolder folder;
    const std::string script = OCB_SOURCE_DIR "/tests/report/exports/read_exports.py";
    write_export(run, what, folder.file("export"));
    Command command;
    command.arguments = {OCB_TEST_PYTHON, "-B", script, what, folder.file("export"), proto};
    const Outcome outcome = ocb_test::run(command);
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    return outcome.succeeded() ? Json::parse(outcome.out) : Json();
}

double seconds_in(const Json &sums, const std::string &name) {
    return sums.value(name, 0.0) * 1e-9;
}

// Two processes, the second was ended by a signal.
ompcollect::report::Run killed_run() {
    ompcollect::report::Run run = {{uneven(7), uneven(8)}};
    run.processes[1].how_it_ended = "killed by signal 9 (Killed)";
    return run;
}

TEST(Pprof, IsDecodedByItsSchema) {
    const ompcollect::report::Run run = killed_run();
    const Json profile = decoded("pprof", run, kProfileProto);
    ASSERT_FALSE(profile.is_null());
    EXPECT_EQ(profile["types"], Json({"samples/count", "cpu/nanoseconds", "wall/nanoseconds"}));
    EXPECT_EQ(profile["default"], "wall");
    Sums states;
    for (unsigned thread = 0; thread < 3; ++thread) {
        double all = 0;
        for (const auto &[state, wall] : sums_of(run.processes[0], thread, state_of)) {
            states[state] += 2 * wall;
            all += 2 * wall;
        }
        EXPECT_NEAR(seconds_in(profile["threads"], "thread " + std::to_string(thread)), all, 1e-6);
    }
    ASSERT_EQ(profile["states"].size(), states.size());
    for (const auto &[state, wall] : states) {
        EXPECT_NEAR(seconds_in(profile["states"], state), wall, 1e-6) << state;
    }
    // Samples, processor and wall time of both processes.
    EXPECT_EQ(profile["paths"].value("main<T<int>>;main [region];kernel;\"'", Json()),
              Json({900, 9000000000, 9000000000}));
    EXPECT_EQ(profile["paths"].value("main<T<int>>;main [region];kernel;\"';<asleep>", Json()),
              Json({20, 0, 3000000000}));
    EXPECT_EQ(profile["modules"], Json({"/somewhere/made"}));
    EXPECT_EQ(profile["duration"], 6000000000);
    EXPECT_EQ(profile["comments"], Json(warning_texts(run)));
    EXPECT_NE(profile["comments"].dump().find("pid 8): the end was not seen: killed by signal 9"),
              std::string::npos);
    EXPECT_NE(profile["lines"].dump().find("kernel;\\\"' made.c:20"), std::string::npos)
        << profile["lines"];
}

TEST(Pprof, IsOpenedByItsTool) {
    if (!is_long()) {
        GTEST_SKIP() << "in the long form: Go is 300 MB";
    }
    const TemporaryFolder folder;
    write_export({{uneven(7)}}, "pprof", folder.file("run.pb.gz"));
    Command command;
    command.environment = {{"HOME", folder.file("home")}, {"GOFLAGS", "-mod=mod"}};
    command.arguments = {"/usr/bin/go", "tool", "pprof", "-top", folder.file("run.pb.gz")};
    const Outcome top = run(command);
    ASSERT_TRUE(top.succeeded()) << top.describe();
    for (const char *expected : {"Total samples = 18000ms (300.00%)", "<OMP-explicit_barrier>",
                                 "<OMP-critical_section_wait>", "main<T<int>>"}) {
        EXPECT_NE(top.out.find(expected), std::string::npos) << expected << top.out;
    }
    command.arguments = {"/usr/bin/go",           "tool", "pprof", "-top", "-tagfocus=state=CTWT",
                         folder.file("run.pb.gz")};
    const Outcome focused = run(command);
    ASSERT_TRUE(focused.succeeded()) << focused.describe();
    EXPECT_NE(focused.out.find("<OMP-critical_section_wait>"), std::string::npos) << focused.out;
    EXPECT_EQ(focused.out.find("<OMP-idle>"), std::string::npos) << focused.out;
}

TEST(Perfetto, IsDecodedByItsSchema) {
    const ompcollect::report::Run run = killed_run();
    const Json trace = decoded("perfetto", run, kPerfettoProto);
    ASSERT_FALSE(trace.is_null());
    EXPECT_EQ(trace["instants"].size(), warning_texts(run).size());
    EXPECT_NE(trace["instants"].dump().find("killed by signal 9"), std::string::npos);
    EXPECT_EQ(trace["processes"], Json({"made (pid 7)", "made (pid 8)"}));
    for (unsigned thread = 0; thread < 3; ++thread) {
        const Json &sums = trace["sums"]["thread " + std::to_string(thread)];
        for (const auto &[slice, wall] : sums_of(run.processes[0], thread, slice_of)) {
            // A slice that begins where another ends begins a microsecond later.
            EXPECT_NEAR(seconds_in(sums, slice), 2 * wall, 2e-3) << thread << slice;
        }
    }
}

// Every query of the document, by the command that it names.
std::vector<std::string> queries_of_the_document() {
    std::ifstream in(OCB_SOURCE_DIR "/docs/SQLITE.md");
    std::vector<std::string> queries;
    bool is_inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("```", 0) == 0) {
            is_inside = line == "```sql";
            if (is_inside) {
                queries.emplace_back();
            }
        } else if (is_inside) {
            queries.back() += line + "\n";
        }
    }
    return queries;
}

std::string answer(const std::string &database, const std::string &query) {
    Command command;
    command.arguments = {"/usr/bin/sqlite3", "-batch", "-bail", database, query};
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.succeeded()) << query << outcome.describe();
    return outcome.out;
}

TEST(Sqlite, AnswersTheTenQuestions) {
    const TemporaryFolder folder;
    Process process = made_with_samples();
    process.lines = {{"made.c:21", "slow", "x = 1;", {}, 150}};
    process.lines.back().times.wall[THR_WORK_STATE] = 1.5;
    write_export({{process}}, "sqlite", folder.file("run.sqlite"));
    const std::vector<std::string> queries = queries_of_the_document();
    const std::vector<std::string> first_lines = {
        "WORK|work|2.0|50.0\n",
        "main made.c:10|0.5|2|1|3.0\n",
        "main made.c:10|0|1.5|1.5\n",
        "0|1.5|0.0\n1|0.5|1.0\n",
        "0|WORK|0.5\n1|IBAR|0.495\n",
        "1.5|main;main [region];slow\n0.5|main;setup\n0.5|main;main [region];fast\n",
        "main|3.5\nmain [region]|3.0\nslow|1.5\n",
        "slow|made.c:20|1.0\n",
        "made.c:21|WORK|1.5|x = 1;\n",
        "0|useful|0.2\n0|idle|0.2\n",
    };
    ASSERT_EQ(queries.size(), first_lines.size());
    for (size_t i = 0; i < queries.size(); ++i) {
        const std::string lines = answer(folder.file("run.sqlite"), queries[i]);
        EXPECT_EQ(lines.substr(0, first_lines[i].size()), first_lines[i]) << queries[i];
    }
}

TEST(Sqlite, HasAllOfSeveralProcesses) {
    const TemporaryFolder folder;
    const std::string file = folder.file("run.sqlite");
    write_export({{uneven(7), made_lock_convoy(), Process{}}}, "sqlite", file);
    EXPECT_EQ(answer(file, "PRAGMA integrity_check; PRAGMA foreign_key_check"), "ok\n");
    EXPECT_EQ(answer(file, "SELECT pid, round(sum(wall), 6) FROM cell JOIN process USING (process) "
                           "GROUP BY process"),
              "7|18.0\n4242|16.0\n");
    // The time line agrees with the cells, thread by thread and state by state.
    EXPECT_EQ(answer(file,
                     "SELECT thread, state FROM (SELECT thread, state, sum(wall) AS wall FROM cell "
                     "WHERE process = 1 GROUP BY 1, 2) AS a LEFT JOIN (SELECT thread, state, "
                     "sum(\"end\" - begin) AS drawn FROM slice GROUP BY 1, 2) AS b "
                     "USING (thread, state) WHERE abs(wall - ifnull(drawn, 0)) > 1e-6"),
              "");
    EXPECT_EQ(answer(file, "SELECT object, waits FROM lock WHERE wall > 1"), "the_lock|40000\n");
    EXPECT_EQ(answer(file, "SELECT DISTINCT call FROM cell WHERE state = 'ASLEEP'"), "nanosleep\n");
    EXPECT_EQ(answer(file, "SELECT name FROM cell JOIN node USING (node) WHERE thread = 3 LIMIT 1"),
              "(region whose fork was not seen)\n");
    EXPECT_NE(answer(file, ".schema").find("-- all time: one row per thread"), std::string::npos);
}

} // namespace
} // namespace ocb_test
