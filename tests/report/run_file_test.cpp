// SPDX-License-Identifier: Apache-2.0
//
// The file of a saved run: what is written is read back to the last member, files of other versions
// are read, and a damaged one is a line with cause and cure.
#include "command.h"
#include "failure.h"
#include "fields.h"
#include "job_reports.h"
#include "made_runs.h"
#include "node_keys.h"
#include "process.h"
#include "run_binary.h"
#include "run_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <type_traits>

namespace ocb_test {
namespace {

using ompcollect::Ending;
using ompcollect::kAsleepState;
using ompcollect::kStateColumns;
// In the body of a test Run is a function of GoogleTest's.
using AnyRun = ompcollect::report::Run;

std::string in_binary(const AnyRun &run) {
    std::ostringstream out;
    write_binary(run, out);
    return out.str();
}

AnyRun from_binary(const std::string &bytes, CheckSum check_sum = CheckSum::kMustBeRight) {
    std::istringstream in(bytes);
    return read_binary(in, "run.ompc", check_sum);
}

std::string in_json(const AnyRun &run) {
    std::ostringstream out;
    write_run(run, out);
    return out.str();
}

// Another value than the default for each member, and another one than the member before has.
template <class Value> void fill(Value &to, unsigned number) {
    if constexpr (std::is_same_v<Value, bool>) {
        to = !to;
    } else if constexpr (std::is_arithmetic_v<Value>) {
        to = static_cast<Value>(number);
    } else if constexpr (std::is_same_v<Value, Ending>) {
        to = ending_named("exec");
    } else if constexpr (std::is_same_v<Value, std::string>) {
        to = "text " + std::to_string(number) + " \"\xff\"";
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        to = {"first", "", "third " + std::to_string(number)};
    } else {
        to = {number, 0, number + 1};
    }
}

Process filled() {
    Process process = made_with_samples();
    unsigned number = 2;
    for_each_fact([&](const Field &, auto member) {
        process.*member = Process{}.*member;
        fill(process.*member, number++);
    });
    for (Thread &thread : process.threads) {
        for_each_thread_value([&](const Field &, auto member) {
            thread.*member = Thread{}.*member;
            fill(thread.*member, number++);
        });
        thread.has_cpu_times = true; // or those of its cells were none; Unmeasured tests that
    }
    process.threads[1].events.clear();
    process.events = {{-1, 5}, {0, 0}, {7, 9}};
    process.nodes[2].masters = 2;
    process.nodes[2].single_seconds = 0.75;
    process.nodes.push_back(process.nodes[1]);
    process.nodes.back().same_as = 1;
    process.nodes.back().module = "";
    process.knows_holders = true;
    process.locks.push_back({4,
                             77,
                             {"lock", "a.c:1", "/x", 12},
                             {"wait", "", "/y", 13},
                             1,
                             2,
                             3.5,
                             0.5,
                             {{2, {"h", "a.c:2", "/x", 14}, 1.5, 3}, {}}});
    process.cells[1].state = kAsleepState;
    process.cells[1].within = THR_WORK_STATE;
    process.cells[1].call = 1;
    process.lines.push_back({"a.c:1", "f", "  x = 1;", {}, 5, "/folder"});
    process.lines.back().times.wall[3] = 0.25;
    process.lines.back().times.cpu[3] = 0.125;
    return process;
}

double known_or_less(double value) {
    return is_known(value) ? value : -1;
}
auto members(const Node &row) {
    return std::tuple(row.parent, row.kind, row.function, row.source, row.module.str(), row.offset,
                      row.entries, row.masters, row.single_seconds, row.same_as);
}
auto members(const Cell &row) {
    return std::tuple(row.thread, row.node, row.state, row.wall, known_or_less(row.cpu),
                      row.samples, row.within, row.call);
}
auto members(const Sample &row) {
    return std::tuple(row.time, row.thread, row.node, row.state);
}
auto members(const Event &row) {
    return std::tuple(row.registered, row.count);
}
auto members(const NamedPlace &row) {
    return std::tuple(row.name, row.source, row.module.str(), row.offset);
}
auto members(const Holder &row) {
    return std::tuple(row.node, members(row.place), row.wall, row.samples);
}
auto members(const Line &row) {
    return std::tuple(row.source, row.function, row.text, row.folder.str(), row.samples,
                      std::vector(row.times.wall, row.times.wall + kStateColumns),
                      known_or_less(row.times.cpu[3]));
}
auto members(const Lock &row) {
    std::vector<decltype(members(Holder{}))> holders;
    for (const Holder &holder : row.holders) {
        holders.push_back(members(holder));
    }
    return std::tuple(row.state, row.wait_id, members(row.object), members(row.first_wait),
                      row.waits, row.samples, row.wall, known_or_less(row.cpu), holders);
}
template <class Row> auto all_members(const std::vector<Row> &rows) {
    std::vector<decltype(members(rows.front()))> all;
    for (const Row &row : rows) {
        all.push_back(members(row));
    }
    return all;
}
// What was not measured is equal to itself.
template <class Value> bool is_same(const Value &a, const Value &b) {
    if constexpr (std::is_same_v<Value, double>) {
        return a == b || (!is_known(a) && !is_known(b));
    } else {
        return a == b;
    }
}
void expect_same(const Process &a, const Process &b) {
    for_each_fact([&](const Field &field, auto member) {
        EXPECT_TRUE(is_same(a.*member, b.*member)) << field.name;
    });
    ASSERT_EQ(a.threads.size(), b.threads.size());
    for (size_t i = 0; i < a.threads.size(); ++i) {
        for_each_thread_value([&](const Field &field, auto member) {
            EXPECT_TRUE(is_same(a.threads[i].*member, b.threads[i].*member)) << field.name;
        });
    }
    EXPECT_EQ(a.knows_holders, b.knows_holders);
    EXPECT_TRUE(all_members(a.events) == all_members(b.events));
    EXPECT_TRUE(all_members(a.nodes) == all_members(b.nodes));
    EXPECT_TRUE(all_members(a.cells) == all_members(b.cells));
    EXPECT_TRUE(all_members(a.samples) == all_members(b.samples));
    EXPECT_TRUE(all_members(a.lines) == all_members(b.lines));
    EXPECT_TRUE(all_members(a.locks) == all_members(b.locks));
}

TEST(SavedRun, IsReadBackMemberByMember) {
    const AnyRun run{{filled(), made_lock_convoy(), Process{}}};
    const AnyRun back = from_binary(in_binary(run));
    ASSERT_EQ(back.processes.size(), run.processes.size());
    for (size_t i = 0; i < run.processes.size(); ++i) {
        SCOPED_TRACE(i);
        expect_same(run.processes[i], back.processes[i]);
    }
    EXPECT_TRUE(from_binary(in_binary({})).processes.empty());
}

// A value that stays the default would be the same whether it is saved or not.
TEST(SavedRun, IsTestedWithAnotherValueThanTheDefault) {
    const Process process = filled();
    for_each_fact([&](const Field &field, auto member) {
        EXPECT_FALSE(process.*member == Process{}.*member) << field.name;
    });
    for_each_thread_value([&](const Field &field, auto member) {
        const bool is_as_it_was = field.name == std::string("has_cpu_times");
        EXPECT_EQ(process.threads[0].*member == Thread{}.*member, is_as_it_was) << field.name;
    });
}

// Large messages are in pages of their own, which go while rows are read.
TEST(SavedRun, KeepsEveryRowOfManyPages) {
    Process process = made_with_samples();
    for (unsigned i = 0; i < 300000; ++i) {
        process.cells.push_back({i % 2, static_cast<int>(i % 5), i % 16, i * 0.001, i * 0.0001, i});
        process.samples.push_back({i * 0.001, i % 2, static_cast<int>(i % 5), i % 16});
    }
    const AnyRun back = from_binary(in_binary({{process}}));
    ASSERT_EQ(back.processes.size(), 1U);
    expect_same(process, back.processes.front());
}

Process small_process() {
    MadeProcess made(2, 1);
    const int region = made.region("main", 10, 1);
    made.time(0, made.function("work", 11, region), THR_WORK_STATE, 1);
    made.time(1, region, THR_IBAR_STATE, 1);
    made.lock(THR_LKWT_STATE, "lock", 3, 0.25);
    made.process.samples.push_back({0.5, 0, region, THR_WORK_STATE});
    for (Thread &thread : made.process.threads) {
        thread.events = {1, 2};
    }
    made.process.events.resize(2);
    return made.process;
}

// What a run is where it is one: a report of it can be made.
template <class Look>
void expect_failure_or(const std::string &bytes, CheckSum check_sum, Look look) {
    try {
        look(from_binary(bytes, check_sum));
    } catch (const ompcollect::Failure &failure) {
        const std::string words = failure.what();
        EXPECT_EQ(words.rfind("run.ompc: ", 0), 0U) << words;
        EXPECT_NE(words.find("; "), std::string::npos) << words; // the cure
    }
}

TEST(SavedRun, CutAnywhereIsAFailure) {
    const std::string whole = in_binary({{small_process()}});
    for (size_t size = 0; size < whole.size(); ++size) {
        expect_failure_or(whole.substr(0, size), CheckSum::kIgnore,
                          [&](const AnyRun &) { ADD_FAILURE() << "cut at " << size; });
    }
    EXPECT_THROW(from_binary(whole + '\0'), ompcollect::Failure);
}

TEST(SavedRun, FlippedBitIsAFailure) {
    const AnyRun run{{small_process()}};
    const std::string whole = in_binary(run);
    const std::string text = in_json(run);
    size_t valid = 0;
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
        std::string bytes = whole;
        bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
        // The sum does not cover the padding of the message that has it.
        expect_failure_or(bytes, CheckSum::kMustBeRight,
                          [&](const AnyRun &read) { EXPECT_EQ(in_json(read), text) << bit; });
        expect_failure_or(bytes, CheckSum::kIgnore, [&](const AnyRun &) { ++valid; });
    }
    EXPECT_GT(valid, 0U); // so that the readers behind the sum were tried
}

std::string content_of(const std::string &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

const std::string kKept = OCB_SOURCE_DIR "/tests/report/runs/";

// The files are never written again: runs/README.md.
TEST(SavedRun, FileOfTheFirstVersionIsRead) {
    const AnyRun run = load_run(kKept + "first.ompc", {});
    ASSERT_EQ(run.processes.size(), 1U);
    const Process &process = run.processes.front();
    EXPECT_EQ(process.program, "/somewhere/made");
    EXPECT_EQ(process.rate, 100U);
    EXPECT_EQ(process.threads.size(), 2U);
    EXPECT_EQ(all_members(process.nodes), all_members(small_process().nodes));
    EXPECT_EQ(all_members(process.cells), all_members(small_process().cells));
    EXPECT_EQ(all_members(process.locks), all_members(small_process().locks));
}

// What ompcollect 0.1.0 showed of it on the screen.
TEST(SavedRun, FileOfVersion01IsRead) {
    const AnyRun run = load_run(kKept + "version-0.1.json", {});
    ASSERT_EQ(run.processes.size(), 1U);
    const Process &process = run.processes.front();
    EXPECT_EQ(process.rate, 200U);
    EXPECT_EQ(process.processors_online, 2U);
    EXPECT_EQ(process.ending, Ending::kExit);
    EXPECT_EQ(process.events.at(OMP_EVENT_FORK).count, 1U);
    EXPECT_EQ(process.events.at(OMP_EVENT_THR_BEGIN_EBAR).count, 40U);
    ASSERT_EQ(process.nodes.size(), 3U);
    EXPECT_EQ(place_name(process, 1), "main p.c:5");
    EXPECT_EQ(process.nodes[1].entries, 1U);
    double in_barriers = 0;
    for (const Cell &cell : process.cells) {
        in_barriers += cell.state == THR_EBAR_STATE ? cell.wall : 0;
    }
    EXPECT_NEAR(in_barriers, 0.59, 0.005);
    ASSERT_EQ(process.locks.size(), 1U);
    EXPECT_EQ(process.locks[0].first_wait.text(), ".omp_outlined. p.c:9");
    ASSERT_EQ(process.locks[0].holders.size(), 1U);
    EXPECT_EQ(process.locks[0].holders[0].place.text(), ".omp_outlined. p.c:10");
    EXPECT_EQ(process.samples.size(), 144U);
}

TEST(SavedRun, LiveTablesOfVersion01AreNamedAsThat) {
    const std::string path = kKept + "version-0.1.live";
    try {
        load_run(path, ompcollect::read_raw_profiles);
        FAIL() << "live tables of another version were read";
    } catch (const ompcollect::Failure &failure) {
        EXPECT_EQ(failure.what(), path + ": it is a profile of another version of ompcollect, or "
                                         "of another machine; give a run that ompcollect -o "
                                         "run.ompc saved");
    }
}

// A fact, a column, a table and a field that no reader of today knows.
TEST(SavedRun, FileWithFieldsOfALaterVersionIsRead) {
    const std::string later = content_of(kKept + "later.ompc");
    for (const char *unknown : {"a_fact_of_later", "a_column_of_later", "a_table_of_later"}) {
        EXPECT_NE(later.find(unknown), std::string::npos) << unknown;
    }
    EXPECT_EQ(in_json(load_run(kKept + "later.ompc", {})),
              in_json(load_run(kKept + "first.ompc", {})));
}

// Of an earlier one: facts and columns are missing.
TEST(SavedRun, WhatAFileDoesNotHaveIsTheDefault) {
    const AnyRun run = load_run(kKept + "earlier.ompc", {});
    ASSERT_EQ(run.processes.size(), 1U);
    const Process &process = run.processes.front();
    EXPECT_EQ(process.program, "/somewhere/made");
    EXPECT_EQ(process.rate, Process{}.rate);
    ASSERT_EQ(process.nodes.size(), 2U);
    EXPECT_EQ(process.nodes[1].same_as, Node{}.same_as);
    EXPECT_EQ(process.nodes[1].function, "work");
    ASSERT_EQ(process.cells.size(), 2U);
    EXPECT_EQ(process.cells[0].cpu, 0);
    EXPECT_EQ(process.cells[0].wall, 1);
    EXPECT_TRUE(process.samples.empty());
}

TEST(SavedRun, FileOfANewerFormatIsNamedAsThat) {
    try {
        load_run(kKept + "newer.ompc", {});
        FAIL() << "a file of format 99 was read";
    } catch (const ompcollect::Failure &failure) {
        EXPECT_EQ(std::string(failure.what()),
                  kKept + "newer.ompc: saved by a newer ompcollect (format 99, this one reads 2); "
                          "read it with that one");
    }
}

TEST(SavedRun, OfJsonIsStillRead) {
    const TemporaryFolder folder;
    std::ofstream(folder.file("run.ompc")) << in_json({{small_process()}});
    EXPECT_EQ(in_json(load_run(folder.file("run.ompc"), {})), in_json({{small_process()}}));
}

// Of two processes of the same files, in which nodes came in another order.
TEST(NodeKeys, AreThoseOfThePathInEveryProcess) {
    MadeProcess one(1, 1);
    const int main = one.function("main", 1);
    one.function("a", 2, main);
    one.function("b", 3, main);
    MadeProcess other(1, 1);
    const int there = other.function("main", 1);
    other.function("b", 3, there);
    other.function("a", 2, there);
    other.function("a", 2);
    const auto first = node_keys(one.process.nodes);
    const auto second = node_keys(other.process.nodes);
    EXPECT_EQ(first[0], second[0]);
    EXPECT_EQ(first[1], second[2]);
    EXPECT_EQ(first[2], second[1]);
    EXPECT_EQ(std::set(second.begin(), second.end()).size(), 4U);
    // Files have them: they never change.
    EXPECT_EQ(first[0], 6230852699204042737U); // made by a program of its own
}

// The example of the document, with the package's module and the code that flatc makes.
TEST(SavedRun, IsReadFromPythonWithoutOurCode) {
    const std::string document = content_of(OCB_SOURCE_DIR "/docs/FORMATS.md");
    const std::string fence = "```";
    size_t at = document.find(fence + "python\nimport run_generated");
    ASSERT_NE(at, std::string::npos);
    at = document.find('\n', at) + 1;
    const TemporaryFolder folder;
    std::ofstream(folder.file("example.py")) << document.substr(at, document.find(fence, at) - at);
    save_run({{made_with_samples(), made_with_samples()}}, folder.file("run.ompc"));
    Command command;
    const std::string steps = "cd \"$1\" && flatc --python --gen-onefile \"$2\" && "
                              "exec " OCB_TEST_PYTHON " -B example.py";
    const std::string schema = OCB_SOURCE_DIR "/compat/ompcollect/formats/run.fbs";
    command.arguments = {"/bin/sh", "-c", steps, "sh", folder.file(""), schema};
    const Outcome outcome = run(command);
    ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "/somewhere/made {'SERIAL': 0.5, 'IDLE': 0.5, 'WORK': 2.0, 'IBAR': "
                           "1.0}\n/somewhere/made {'SERIAL': 0.5, 'IDLE': 0.5, 'WORK': 2.0, "
                           "'IBAR': 1.0}\n");
}

} // namespace
} // namespace ocb_test
