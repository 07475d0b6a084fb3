// SPDX-License-Identifier: Apache-2.0
//
// Tables of runs made by hand, whose laws are known.
#include "made_runs.h"
#include "scaling.h"
#include "scaling_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

namespace ocb_test {
namespace {

// 2 s alone, then a region of 8 thread seconds that is even, and one in which thread 0 has 1 s more
// than the others. `slower`: what each second of work takes.
ScaleRun made_scale_run(unsigned threads, double slower = 1, unsigned number = 1) {
    const double even = 8.0 * slower / threads;
    const double elapsed = 2 + even + 1;
    MadeProcess made(threads, elapsed);
    made.process.arguments = {"./made", "8"};
    made.serial(2, made.function("main", 1));
    const int smooth = made.region("smooth", 10, 1);
    const int uneven = made.region("uneven", 20, 1);
    for (unsigned i = 0; i < threads; ++i) {
        made.time(i, smooth, THR_WORK_STATE, even);
        made.time(i, uneven, i == 0 ? THR_WORK_STATE : THR_IBAR_STATE, 1);
    }
    return {threads, number, made.process, ""};
}

const RegionScaling &region_named(const Scaling &scaling, const std::string &begin) {
    return *std::find_if(scaling.regions.begin(), scaling.regions.end(),
                         [&](const RegionScaling &region) {
                             return region.name.compare(0, begin.size(), begin) == 0;
                         });
}

TEST(Scaling, EfficienciesAreThoseOfTheDefinition) {
    const Scaling scaling =
        scaling_of({made_scale_run(4), made_scale_run(1), made_scale_run(2)}, false);
    ASSERT_EQ(scaling.rows.size(), 3U);
    for (const ScaleRow &row : scaling.rows) {
        const double elapsed = 3 + 8.0 / row.threads;
        EXPECT_NEAR(row.elapsed.median, elapsed, 1e-9);
        EXPECT_NEAR(row.speedup, 11 / elapsed, 1e-9);
        EXPECT_NEAR(row.seconds.useful, 11, 1e-6);
        EXPECT_NEAR(row.parallel, 11 / (elapsed * row.threads), 1e-6);
        EXPECT_NEAR(row.scalability, 1, 1e-6);
        EXPECT_NEAR(row.seconds.sum(), elapsed * row.threads, 0.02 * elapsed * row.threads);
    }
}

TEST(Scaling, TheRegionThatDoesNotScaleIsNamedWithItsCause) {
    const Scaling scaling =
        scaling_of({made_scale_run(1), made_scale_run(2), made_scale_run(4)}, false);
    EXPECT_EQ(region_named(scaling, "smooth").stops_at, -1);
    const RegionScaling &uneven = region_named(scaling, "uneven");
    EXPECT_EQ(uneven.stops_at, 1);
    EXPECT_NEAR(uneven.more, 3, 1e-6);
    EXPECT_NEAR(region_named(scaling, "outside").more, 6, 1e-6);
    EXPECT_EQ(scaling.regions.front().name, region_named(scaling, "outside").name); // the dearest
    const std::string text = scaling_text(scaling, 0, 80);
    EXPECT_NE(text.find("uneven made.c:20: from 1 to 2 threads 1.00 times as fast"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("4 threads take 3.00 s of threads more than 1: uneven work 3.00 s"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("Amdahl: 27 % of the time of one thread is serial"), std::string::npos)
        << text;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 80U) << line;
    }
}

// A step of 0.81 of its threads is good, one of 0.79 is not.
TEST(Scaling, TheLimitOfAStep) {
    const Scaling good = scaling_of({made_scale_run(1), made_scale_run(2, 1 / 0.81)}, false);
    EXPECT_EQ(region_named(good, "smooth").stops_at, -1);
    const Scaling bad = scaling_of({made_scale_run(1), made_scale_run(2, 1 / 0.79)}, false);
    EXPECT_EQ(region_named(bad, "smooth").stops_at, 1);
    EXPECT_NEAR(bad.rows[1].scalability, 11 / (3 + 8 / 0.79), 1e-6);
    const std::string text = scaling_text(bad, 0, 80);
    EXPECT_NE(text.find("2 threads take 2.13 s of threads more than 1: work 2.13 s (27 %"),
              std::string::npos)
        << text;
}

// `smooth` takes 1.5 times as long with two threads; `uneven` and what is outside do not.
TEST(WorkInflation, NamesTheRegionItsCodeAndTheKernelsPart) {
    const auto run = [](unsigned threads, double slower, double kernel) {
        ScaleRun made = made_scale_run(threads, slower);
        made.process.kernel_seconds = kernel;
        made.process.page_faults = threads * 1000;
        return made;
    };
    const Scaling scaling = scaling_of({run(1, 1, 0.1), run(2, 1.5, 0.2)}, false);
    EXPECT_EQ(scaling.inflation.threads, 2U);
    ASSERT_EQ(scaling.inflation.regions.size(), 1U);
    const InflatedRegion &region = scaling.inflation.regions.front();
    EXPECT_EQ(region.name.find("smooth"), 0U);
    EXPECT_NEAR(region.factor(), 1.5, 1e-6);
    EXPECT_NEAR(region.more(), 4, 1e-6);
    ASSERT_EQ(region.functions.size(), 1U);
    EXPECT_NEAR(region.functions.front().second, 4, 1e-6);
    EXPECT_FALSE(scaling.inflation.is_kernels());
    const std::string text = scaling_text(scaling, 0, 80);
    const size_t at = text.find("Work that takes longer with more threads\n1. smooth");
    EXPECT_LT(at, text.find("What stops scaling first")) << text;
    EXPECT_NE(text.find("works 8.00 s with 1, 12.00 s with 2 threads, 1.50 times as\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("page faults 1,000 -> 2,000"), std::string::npos) << text;
    EXPECT_NE(text.find("why: the processor's"), std::string::npos) << text;
    const Scaling faults = scaling_of({run(1, 1, 0.1), run(2, 1.5, 3)}, false);
    EXPECT_NE(scaling_text(faults, 0, 80).find("why: most of it is the kernel's"),
              std::string::npos);
}

// A tenth more is worth a line; where the problem grows, the work may grow with it.
TEST(WorkInflation, HasItsLimits) {
    const auto regions = [](double slower, bool grows) {
        return scaling_of({made_scale_run(1), made_scale_run(2, slower)}, grows)
            .inflation.regions.size();
    };
    EXPECT_EQ(regions(1.11, false), 1U);
    EXPECT_EQ(regions(1.09, false), 0U);
    EXPECT_EQ(regions(2.1, true), 0U);
    EXPECT_EQ(regions(2.3, true), 1U);
    EXPECT_EQ(scaling_of({made_scale_run(1)}, false).inflation.threads, 0U);
}

TEST(Scaling, MediansOfRepetitions) {
    std::vector<ScaleRun> runs = {made_scale_run(1), made_scale_run(2), made_scale_run(2, 1.5, 2),
                                  made_scale_run(2, 1.1, 3)};
    const Scaling scaling = scaling_of(runs, false);
    EXPECT_EQ(scaling.rows[1].runs, 3U);
    EXPECT_NEAR(scaling.rows[1].elapsed.median, 3 + 4.4, 1e-9);
    EXPECT_NEAR(scaling.rows[1].elapsed.least, 7, 1e-9);
    EXPECT_NEAR(scaling.rows[1].elapsed.most, 9, 1e-9);
    EXPECT_EQ(middle_of({4, 1, 3, 2}).median, 2.5);
}

TEST(Scaling, RunsBeyondTheProcessorsAreInNoFit) {
    std::vector<ScaleRun> runs = {made_scale_run(1), made_scale_run(2), made_scale_run(4, 9)};
    for (ScaleRun &run : runs) {
        run.process.processors = 4;
        run.process.quota = 2; // of its container
    }
    const Scaling scaling = scaling_of(runs, false);
    EXPECT_EQ(scaling.processors, 2U);
    EXPECT_FALSE(scaling.rows[1].is_beyond);
    EXPECT_TRUE(scaling.rows[2].is_beyond);
    EXPECT_EQ(region_named(scaling, "smooth").stops_at, -1);
    const std::string text = scaling_text(scaling, 0, 80);
    EXPECT_NE(text.find("       4*"), std::string::npos) << text;
    EXPECT_NE(text.find("Amdahl: 27 %"), std::string::npos) << text;
}

TEST(Scaling, WeakRunsHaveGrownWork) {
    std::vector<ScaleRun> runs;
    for (const unsigned threads : {1U, 2U, 4U}) {
        runs.push_back(made_scale_run(threads, threads));
    }
    const Scaling scaling = scaling_of(runs, true);
    EXPECT_EQ(region_named(scaling, "smooth").stops_at, -1);
    EXPECT_NEAR(region_named(scaling, "smooth").more, 0, 1e-6);
    EXPECT_NEAR(scaling.rows[2].speedup, 4, 1e-6);
    EXPECT_NE(scaling_text(scaling, 0, 80).find("Gustafson: 0.0 % of the time is serial"),
              std::string::npos)
        << scaling_text(scaling, 0, 80);
}

TEST(Scaling, FaultsAreNamedAndNotCounted) {
    ScaleRun bad = made_scale_run(2, 5, 2);
    bad.fault = "exit code 3";
    const Scaling scaling = scaling_of({made_scale_run(1), made_scale_run(2), bad}, false);
    EXPECT_EQ(scaling.rows[1].runs, 1U);
    EXPECT_NEAR(scaling.rows[1].elapsed.median, 7, 1e-9);
    EXPECT_NE(scaling_text(scaling, 0, 80).find("not counted: 2 threads, run 2: exit code 3"),
              std::string::npos);
}

TEST(Scaling, FormatsHaveTheSameFigures) {
    const std::vector<ScaleRun> runs = {made_scale_run(1), made_scale_run(2)};
    const Scaling scaling = scaling_of(runs, false);
    std::ostringstream json;
    write_scaling_json(scaling, json);
    const auto read = nlohmann::json::parse(json.str());
    EXPECT_NEAR(read["rows"][1]["speedup"].get<double>(), 11.0 / 7, 1e-9);
    EXPECT_NEAR(read["fit"]["serial_share"].get<double>(), 3.0 / 11, 1e-9);
    EXPECT_EQ(read["regions"].size(), 3U);
    std::ostringstream csv;
    write_scaling_csv(scaling, csv);
    EXPECT_NE(csv.str().find("2,uneven made.c:20,1.000000,1.000000,imbalance,1.000000\n"),
              std::string::npos)
        << csv.str();
    std::ostringstream lines;
    write_extra_p(runs, lines);
    std::istringstream in(lines.str());
    size_t count = 0;
    for (std::string line; std::getline(in, line); ++count) {
        const auto measured = nlohmann::json::parse(line);
        EXPECT_EQ(measured.size(), 4U);
        EXPECT_GE(measured["value"].get<double>(), 0);
    }
    EXPECT_EQ(count, 14U); // of each run: all of it, and two of three places
}

TEST(Outputs, NumbersThatAreMeasuredMayDiffer) {
    EXPECT_TRUE(is_same_output("sum 17 in 1.25 s\n", 1, "sum 17 in 0.75   s\n", 2));
    EXPECT_TRUE(is_same_output("error=1e-9, 1 threads", 1, "error=3.1e-9, 4 threads", 4));
    EXPECT_FALSE(is_same_output("sum 17 in 1.25 s", 1, "sum 18 in 1.25 s", 2));
    EXPECT_FALSE(is_same_output("good", 1, "bad", 2));
    EXPECT_FALSE(is_same_output("good", 1, "good and more", 2));
    EXPECT_FALSE(is_same_output("x1", 1, "x2", 2)); // a name
}

} // namespace
} // namespace ocb_test
