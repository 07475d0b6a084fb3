// SPDX-License-Identifier: Apache-2.0
//
// The time line that viewers get: lengths add up, slices nest. And the format of the Firefox
// Profiler as its reader demands it: tables of one length, indexes that exist.
#include "formats.h"
#include "made_runs.h"
#include "time_line.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

namespace ocb_test {
namespace {

using Json = nlohmann::json;

Json read_back(const ompcollect::report::Run &run, const std::string &format) {
    std::ostringstream out;
    format_named(format).write(run, {}, out);
    return Json::parse(out.str());
}

double wall_of(const Process &process, unsigned thread) {
    double sum = 0;
    for (const Cell &cell : process.cells) {
        sum += cell.thread == thread ? cell.wall : 0;
    }
    return sum;
}

double length_of(const Process &process, unsigned thread) {
    double sum = 0;
    for (const Stretch &stretch : line_of(process)) {
        sum += stretch.thread == thread ? stretch.end - stretch.begin : 0;
    }
    return sum;
}

TEST(TimeLine, HasAllOfAThreadsTime) {
    const Process process = made_with_samples();
    for (unsigned thread = 0; thread < 2; ++thread) {
        EXPECT_NEAR(length_of(process, thread), wall_of(process, thread), 1e-6) << thread;
    }
}

TEST(TimeLine, WithoutTimesHasTheSumsOneAfterTheOther) {
    const Process process = made_imbalance();
    std::vector<double> lengths;
    for (const Stretch &stretch : line_of(process)) {
        if (stretch.thread == 1) {
            lengths.push_back(stretch.end - stretch.begin);
        }
    }
    EXPECT_EQ(lengths, (std::vector<double>{0.5, 1.5}));
}

// As on a machine with more threads than processors: most of the samples never came.
Process with_late_samples() {
    Process process = made_with_samples();
    std::vector<Sample> few;
    for (size_t i = 0; i < process.samples.size(); ++i) {
        if (i % 10 < 2) { // of each thread every fifth
            few.push_back(process.samples[i]);
        }
    }
    process.samples = few;
    return process;
}

TEST(TimeLine, LateSamplesStandForTheTimeBetween) {
    const Process process = with_late_samples();
    for (unsigned thread = 0; thread < 2; ++thread) {
        EXPECT_NEAR(length_of(process, thread), wall_of(process, thread), 1e-6) << thread;
    }
}

// The collector comes with the runtime: before that the initial thread was in serial code.
TEST(TimeLine, TimeBeforeTheFirstSampleIsSerial) {
    MadeProcess made(1, 1);
    const int work = made.function("work", 5);
    made.time(0, kOutside, THR_SERIAL_STATE, 0.4);
    made.time(0, work, THR_WORK_STATE, 0.5);
    for (int i = 0; i < 50; ++i) {
        made.process.samples.push_back({0.5 + 0.01 * i, 0, work, THR_WORK_STATE});
    }
    const std::vector<Stretch> line = line_of(made.process);
    ASSERT_EQ(line.size(), 2U);
    EXPECT_EQ(stack_names(made.process, line[0].node, line[0].state),
              (std::vector<std::string>{"(serial)"}));
    EXPECT_NEAR(line[0].end - line[0].begin, 0.4, 1e-6);
    EXPECT_NEAR(line[1].end - line[1].begin, 0.5, 1e-6);
}

// Two processes of one program, of which the second began 1.25 s after the first.
Run made_two_processes() {
    Process first = made_with_samples();
    first.begin = 1000;
    first.begin_nanoseconds = 900000000;
    Process second = made_with_samples();
    second.pid = 4300;
    second.rank = "1";
    second.begin = 1002;
    second.begin_nanoseconds = 150000000;
    for (Thread &thread : second.threads) {
        thread.tid += 58;
    }
    return {{second, first}};
}

struct Event {
    bool is_begin;
    std::string name;
    int64_t micros;
};

std::vector<Event> events_of(const Process &process, unsigned thread) {
    std::vector<Event> events;
    SliceTrack track(process, [&](bool is_begin, const std::string &name, int64_t micros) {
        events.push_back({is_begin, name, micros});
    });
    for (const Stretch &stretch : line_of(process)) {
        if (stretch.thread == thread) {
            track.add(stretch, false);
        }
    }
    track.close();
    return events;
}

TEST(SliceTrack, SlicesNestAndKeepTheirTime) {
    const Process process = made_with_samples();
    std::map<std::string, double> total;
    for (unsigned thread = 0; thread < 2; ++thread) {
        std::vector<Event> open;
        int64_t last = 0;
        for (const Event &event : events_of(process, thread)) {
            EXPECT_GE(event.micros, last);
            last = event.micros;
            if (event.is_begin) {
                open.push_back(event);
                continue;
            }
            ASSERT_FALSE(open.empty());
            ASSERT_EQ(open.back().name, event.name);
            total[event.name] += static_cast<double>(event.micros - open.back().micros) * 1e-6;
            open.pop_back();
        }
        EXPECT_TRUE(open.empty()) << thread;
    }
    EXPECT_NEAR(total["slow"], 1.5, 0.02);
    EXPECT_NEAR(total["<OMP-implicit_barrier>"], 1, 0.02);
    EXPECT_NEAR(total["main"], 3.5, 0.05);
}

TEST(SliceTrack, KeepsTheInnermostNamesOfALargeRun) {
    MadeProcess made(1, 1);
    int node = kOutside;
    for (int depth = 0; depth < 40; ++depth) {
        node = made.function("f" + std::to_string(depth), depth + 1, node);
    }
    std::vector<std::string> names;
    SliceTrack track(made.process, [&](bool is_begin, const std::string &name, int64_t) {
        if (is_begin) {
            names.push_back(name);
        }
    });
    track.add({0, 0, 1, node, THR_IBAR_STATE}, true);
    ASSERT_EQ(names.size(), 20U);
    EXPECT_EQ(names[0], "f21");
    EXPECT_EQ(names[19], "<OMP-implicit_barrier>");
}

void expect_one_length(const Json &table, const std::string &name) {
    const size_t length = table.at("length").get<size_t>();
    for (const auto &[column, values] : table.items()) {
        if (values.is_array()) {
            EXPECT_EQ(values.size(), length) << name << "." << column;
        }
    }
}

// Each number of the column is an index into a table of `length` rows, or null.
void expect_indexes(const Json &column, size_t length, const std::string &name) {
    for (const Json &value : column) {
        EXPECT_TRUE(value.is_null() || value.get<int64_t>() < static_cast<int64_t>(length)) << name;
    }
}

TEST(Firefox, TablesHoldTogether) {
    const Process process = made_with_samples();
    const Json document = read_back({{process, made_triangle()}}, "firefox");
    for (const char *key : {"interval", "startTime", "processType", "product", "categories",
                            "stackwalk", "version", "preprocessedProfileVersion", "markerSchema"}) {
        EXPECT_TRUE(document["meta"].contains(key)) << key;
    }
    ASSERT_EQ(document["threads"].size(), 6U);
    for (const Json &thread : document["threads"]) {
        for (const char *table : {"samples", "markers", "stackTable", "frameTable", "funcTable",
                                  "resourceTable", "nativeSymbols"}) {
            expect_one_length(thread.at(table), table);
        }
        const size_t stacks = thread["stackTable"]["length"];
        expect_indexes(thread["samples"]["stack"], stacks, "stack");
        expect_indexes(thread["stackTable"]["prefix"], stacks, "prefix");
        expect_indexes(thread["stackTable"]["frame"], thread["frameTable"]["length"], "frame");
        expect_indexes(thread["stackTable"]["category"], document["meta"]["categories"].size(),
                       "category");
        expect_indexes(thread["frameTable"]["func"], thread["funcTable"]["length"], "func");
        expect_indexes(thread["funcTable"]["name"], thread["stringArray"].size(), "name");
        expect_indexes(thread["markers"]["name"], thread["stringArray"].size(), "marker");
        double before = 0;
        for (const Json &time : thread["samples"]["time"]) {
            EXPECT_GE(time.get<double>(), before);
            before = time.get<double>();
        }
    }
    double weight = 0;
    for (const Json &value : document["threads"][0]["samples"]["weight"]) {
        weight += value.get<double>() / 1e3;
    }
    EXPECT_NEAR(weight, 2, 0.02);
}

// A region has a row of its own in the marker chart: the viewer makes rows by name.
TEST(Firefox, RegionsAreMarkersByName) {
    const Json document = read_back({{made_with_samples()}}, "firefox");
    const Json &thread = document["threads"][0];
    const Json &markers = thread["markers"];
    ASSERT_EQ(markers["length"], 1);
    EXPECT_EQ(thread["stringArray"][markers["name"][0].get<size_t>()], "main made.c:10");
    EXPECT_EQ(document["meta"]["categories"][markers["category"][0].get<size_t>()]["name"],
              "Parallel regions");
    EXPECT_EQ(markers["data"][0]["type"], document["meta"]["markerSchema"][0]["name"]);
    EXPECT_NEAR(markers["startTime"][0].get<double>(), 500, 10);
    EXPECT_NEAR(markers["endTime"][0].get<double>(), 2000, 10);
}

// As the viewer finds it since version 53: a stack has the category of its frame.
std::string category_of(const Json &document, const Json &thread, size_t sample) {
    const Json &stack = thread["samples"]["stack"][sample];
    if (stack.is_null()) {
        return "no stack";
    }
    const Json &frame = thread["stackTable"]["frame"][stack.get<size_t>()];
    const Json &category = thread["frameTable"]["category"][frame.get<size_t>()];
    return category.is_null() ? "none"
                              : document["meta"]["categories"][category.get<size_t>()]["name"];
}

std::map<std::string, double> seconds_by_category(const Json &document, size_t number) {
    const Json &thread = document["threads"][number];
    std::map<std::string, double> seconds;
    for (size_t i = 0; i < thread["samples"]["length"]; ++i) {
        seconds[category_of(document, thread, i)] +=
            thread["samples"]["weight"][i].get<double>() / 1e3;
    }
    return seconds;
}

TEST(Firefox, StatesAreTheCategoriesOfFrames) {
    const Json document = read_back({{with_late_samples()}}, "firefox");
    const std::map<std::string, double> first = seconds_by_category(document, 0);
    ASSERT_EQ(first.size(), 2U);
    EXPECT_NEAR(first.at("serial"), 0.5, 1e-6);
    EXPECT_NEAR(first.at("work"), 1.5, 1e-6);
    const std::map<std::string, double> second = seconds_by_category(document, 1);
    ASSERT_EQ(second.size(), 3U);
    EXPECT_NEAR(second.at("idle"), 0.5, 1e-6);
    EXPECT_NEAR(second.at("work"), 0.5, 1e-6);
    EXPECT_NEAR(second.at("implicit barrier"), 1, 1e-6);
}

TEST(Firefox, AFunctionIsOneInAllItsStates) {
    const Json document = read_back({{made_with_samples()}}, "firefox");
    const Json &thread = document["threads"][0];
    std::map<std::string, unsigned> functions;
    for (size_t i = 0; i < thread["funcTable"]["length"]; ++i) {
        const auto text = [&](const Json &number) {
            return thread["stringArray"][number.get<size_t>()].get<std::string>();
        };
        const Json &functions_of = thread["funcTable"];
        ++functions[text(functions_of["name"][i])];
        EXPECT_EQ(text(functions_of["fileName"][i]), "made.c");
        EXPECT_EQ(text(thread["resourceTable"]["name"][functions_of["resource"][i].get<size_t>()]),
                  "made");
    }
    // main was seen in two states.
    EXPECT_EQ(functions, (std::map<std::string, unsigned>{
                             {"main", 1}, {"main [region]", 1}, {"setup", 1}, {"slow", 1}}));
}

// The viewer draws a sample up to the next one.
TEST(Firefox, AGapIsEmpty) {
    Process process = made_with_samples();
    std::erase_if(process.samples, [](const Sample &at) { return at.time > 1 && at.time < 1.5; });
    process.samples_missed = 100;
    const Json thread = read_back({{process}}, "firefox")["threads"][0];
    std::vector<double> empty;
    for (size_t i = 0; i < thread["samples"]["length"]; ++i) {
        if (thread["samples"]["stack"][i].is_null()) {
            empty.push_back(thread["samples"]["time"][i]);
            EXPECT_EQ(thread["samples"]["weight"][i], 0);
        }
    }
    ASSERT_EQ(empty.size(), 1U);
    EXPECT_NEAR(empty[0], 1005, 0.01); // a period after the last sample
}

TEST(Firefox, AllThreadsAreShownInTheirOrder) {
    const Json meta = read_back({{made_with_samples(), made_triangle()}}, "firefox")["meta"];
    EXPECT_EQ(meta["initialVisibleThreads"], Json::array({0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(meta["initialSelectedThreads"], Json::array({0}));
    EXPECT_TRUE(meta["keepProfileThreadOrder"]);
    EXPECT_FALSE(meta.contains("debug")); // how the program was built is not known
}

TEST(Firefox, ProcessesStandWhereTheyWereInTime) {
    const Json document = read_back(made_two_processes(), "firefox");
    EXPECT_EQ(document["meta"]["startTime"], 1000900.0);
    EXPECT_EQ(document["meta"]["profilingStartTime"], 0);
    EXPECT_NEAR(document["meta"]["profilingEndTime"].get<double>(), 3250, 1e-6);
    EXPECT_NEAR(document["threads"][0]["samples"]["time"][0].get<double>(), 1255, 1e-6);
    EXPECT_NEAR(document["threads"][2]["samples"]["time"][0].get<double>(), 5, 1e-6);
    EXPECT_EQ(document["threads"][0]["name"], "made rank 1: thread 0");
    EXPECT_EQ(document["threads"][1]["name"], "thread 1");
    EXPECT_EQ(document["threads"][2]["name"], "made: thread 0");
    EXPECT_NEAR(document["threads"][0]["markers"]["startTime"][0].get<double>(), 1755, 10);
}

} // namespace
} // namespace ocb_test
