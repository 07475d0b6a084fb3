// SPDX-License-Identifier: Apache-2.0
//
// The JSON formats of viewers, checked for what their readers demand: tables of one length, indexes
// that exist, weights that add up, slices that nest.
#include "formats.h"
#include "made_runs.h"

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

std::string joined_stack(const Json &document, const Json &stack) {
    std::string names;
    for (const Json &frame : stack) {
        names +=
            document["shared"]["frames"].at(frame.get<size_t>())["name"].get<std::string>() + ";";
    }
    return names;
}

TEST(Speedscope, HasAProfilePerThread) {
    const Process process = made_with_samples();
    const Json document = read_back({{process}}, "speedscope");
    EXPECT_EQ(document["$schema"], "https://www.speedscope.app/file-format-schema.json");
    ASSERT_EQ(document["profiles"].size(), 2U);
    for (unsigned thread = 0; thread < 2; ++thread) {
        const Json &profile = document["profiles"][thread];
        EXPECT_EQ(profile["type"], "sampled");
        ASSERT_EQ(profile["samples"].size(), profile["weights"].size());
        double sum = 0;
        for (const Json &weight : profile["weights"]) {
            sum += weight.get<double>();
        }
        EXPECT_NEAR(sum, wall_of(process, thread), 0.02); // a sampling period at each end
        EXPECT_NEAR(sum, profile["endValue"].get<double>() - profile["startValue"].get<double>(),
                    1e-9);
    }
    EXPECT_EQ(joined_stack(document, document["profiles"][0]["samples"][1]),
              "main;main [region];slow;");
    EXPECT_EQ(joined_stack(document, document["profiles"][1]["samples"][2]),
              "main;main [region];<OMP-implicit_barrier>;");
}

TEST(Speedscope, WithoutTimesTheSumsAreThereAndTheNameSaysSo) {
    const Process process = made_imbalance();
    const Json profile = read_back({{process}}, "speedscope")["profiles"][1];
    EXPECT_NE(profile["name"].get<std::string>().find("order unknown"), std::string::npos);
    EXPECT_EQ(profile["weights"], Json({0.5, 1.5}));
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

TEST(Speedscope, LateSamplesStandForTheTimeBetween) {
    const Process process = with_late_samples();
    const Json document = read_back({{process}}, "speedscope");
    for (unsigned thread = 0; thread < 2; ++thread) {
        double sum = 0;
        for (const Json &weight : document["profiles"][thread]["weights"]) {
            sum += weight.get<double>();
        }
        EXPECT_NEAR(sum, wall_of(process, thread), 1e-6) << thread;
    }
}

// The collector comes with the runtime: before that the initial thread was in serial code.
TEST(Speedscope, TimeBeforeTheFirstSampleIsSerial) {
    MadeProcess made(1, 1);
    const int work = made.function("work", 5);
    made.time(0, kOutside, THR_SERIAL_STATE, 0.4);
    made.time(0, work, THR_WORK_STATE, 0.5);
    for (int i = 0; i < 50; ++i) {
        made.process.samples.push_back({0.5 + 0.01 * i, 0, work, THR_WORK_STATE});
    }
    const Json document = read_back({{made.process}}, "speedscope");
    const Json &profile = document["profiles"][0];
    ASSERT_EQ(profile["samples"].size(), 2U);
    EXPECT_EQ(joined_stack(document, profile["samples"][0]), "(serial);");
    EXPECT_NEAR(profile["weights"][0].get<double>(), 0.4, 1e-6);
    EXPECT_NEAR(profile["weights"][1].get<double>(), 0.5, 1e-6);
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

TEST(Trace, ProcessesStandWhereTheyWereInTime) {
    std::map<std::int64_t, std::int64_t> begin;
    const Json document = read_back(made_two_processes(), "trace");
    for (const Json &event : document["traceEvents"]) {
        if (event["ph"] == "B") {
            begin.try_emplace(event["pid"], event["ts"]);
        }
    }
    EXPECT_NEAR(static_cast<double>(begin[4242]), 5000, 1);
    EXPECT_NEAR(static_cast<double>(begin[4300]), 1255000, 1);
}

// Perfetto of 2020 and 2021 took it for the unit of every time: a second was read as 1000 s.
TEST(Trace, NamesNoUnit) {
    EXPECT_FALSE(read_back({{made_with_samples()}}, "trace").contains("displayTimeUnit"));
}

TEST(Trace, SlicesNestAndKeepTheirTime) {
    const Process process = made_with_samples();
    const Json events = read_back({{process}}, "trace")["traceEvents"];
    std::map<std::string, double> total;
    std::map<std::uint64_t, std::vector<Json>> open; // by thread
    std::map<std::uint64_t, std::int64_t> last;
    for (const Json &event : events) {
        if (event["ph"] == "M") {
            continue;
        }
        std::vector<Json> &slices = open[event["tid"]];
        ASSERT_TRUE(event["ts"].is_number_integer());
        EXPECT_GE(event["ts"], last[event["tid"]]);
        last[event["tid"]] = event["ts"];
        if (event["ph"] == "B") {
            slices.push_back(event);
        } else {
            ASSERT_EQ(event["ph"], "E");
            ASSERT_FALSE(slices.empty());
            ASSERT_EQ(slices.back()["name"], event["name"]);
            total[event["name"]] +=
                (event["ts"].get<double>() - slices.back()["ts"].get<double>()) * 1e-6;
            slices.pop_back();
        }
    }
    ASSERT_EQ(open.size(), process.threads.size());
    for (const auto &[thread, slices] : open) {
        EXPECT_TRUE(slices.empty()) << thread;
    }
    EXPECT_NEAR(total["slow"], 1.5, 0.02);
    EXPECT_NEAR(total["<OMP-implicit_barrier>"], 1, 0.02);
    EXPECT_NEAR(total["main"], 3.5, 0.05);
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
