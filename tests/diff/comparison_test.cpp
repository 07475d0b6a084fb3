// SPDX-License-Identifier: Apache-2.0
//
// What got slower and faster, and by what: of builds whose times are known.
#include "comparison_formats.h"
#include "failure.h"
#include "made_builds.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ocb_test {
namespace {

// Both sides live as long as what is made of them.
struct Made {
    Side before;
    Side after;
    Comparison comparison;

    Made(Side first, Side second)
        : before(std::move(first)), after(std::move(second)),
          comparison(comparison_of(before, after)) {}
    [[nodiscard]] const ComparedRow &row(const std::string &name, bool is_function) const {
        for (const ComparedRow &row : comparison.rows) {
            if (row.name == name && row.is_function == is_function) {
                return row;
            }
        }
        throw std::runtime_error("no row " + name);
    }
    [[nodiscard]] std::string text(const DiffStyle &style = {}) const {
        std::ostringstream out;
        write_diff_text({comparison, {}, before, after}, style, out);
        return out.str();
    }
};

TEST(Comparisons, NameRegionAndFunctionThatBecameSlower) {
    const Made made(side_of({}), side_of(with_work(5)));
    EXPECT_TRUE(made.row("relax", true).is_certain);
    EXPECT_NEAR(made.row("relax", true).change.middle, 1, 0.1);
    EXPECT_TRUE(made.row("solve made.c:40", false).is_certain);
    EXPECT_FALSE(made.row("prepare", true).is_certain);
    const std::string text = made.text();
    EXPECT_NE(text.find("What got slower, in seconds of all threads\n1. +1.0"), std::string::npos)
        << text;
    EXPECT_NE(text.find("in region solve made.c:40\n"), std::string::npos) << text;
    EXPECT_NE(text.find("   - relax: work +1.0"), std::string::npos) << text;
    EXPECT_EQ(text.find("prepare"), std::string::npos) << text;
    EXPECT_EQ(text.find("What got faster"), std::string::npos) << text;
}

TEST(Comparisons, OfTheSameNameNothing) {
    const Made made(side_of({}), side_of({}, 5, 0.012));
    for (const ComparedRow &row : made.comparison.rows) {
        EXPECT_FALSE(row.is_certain) << row.name;
    }
    const std::string text = made.text();
    EXPECT_NE(text.find("The same build, runtime, threads, machine and settings."),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("No region and no function changed by more"), std::string::npos) << text;
}

TEST(Comparisons, TellMoreWaitingFromMoreWork) {
    Build uneven;
    uneven.waits = 2;
    const Made made(side_of({}), side_of(uneven));
    const ComparedRow &region = made.row("solve made.c:40", false);
    EXPECT_NEAR(region.part(TimePart::kWaiting).change().middle, 1, 0.1);
    EXPECT_NEAR(region.part(TimePart::kWork).change().middle, 0, 0.2);
    EXPECT_NE(made.text().find("waiting +1.0"), std::string::npos) << made.text();
    EXPECT_NE(made.text().find("(implicit barrier, for relax)"), std::string::npos) << made.text();
}

// The time without a processor is another one in each run; the work is not.
TEST(Comparisons, SeeMoreWorkOnASharedMachine) {
    const auto shared = [](double work, double without) {
        Process process = built(with_work(work));
        process.cells.push_back({0, 3, ompcollect::kNoProcessorState, without, 0,
                                 static_cast<uint64_t>(100 * without)});
        return process;
    };
    std::vector<ComparedRun> before;
    std::vector<ComparedRun> after;
    for (const double without : {1.0, 6.0, 3.0, 9.0, 2.0}) {
        before.push_back(compared_run({{shared(4 + without / 100, without)}}, "a", false));
        after.push_back(compared_run({{shared(5 + without / 100, 9 - without)}}, "b", false));
    }
    const Made made{Side(before), Side(after)};
    const ComparedRow &region = made.row("solve made.c:40", false);
    EXPECT_TRUE(region.is_certain);
    EXPECT_EQ(region.headline, TimePart::kWork);
    EXPECT_NE(made.text().find(" of work in region solve made.c:40"), std::string::npos)
        << made.text();
}

TEST(Comparisons, OfOneRunEachLookAtTheErrorOfSampling) {
    // 400 samples: three deviations are 60 of them, 0.85 s of a difference.
    EXPECT_FALSE(Made(side_of({}, 1), side_of(with_work(4.5), 1)).row("relax", true).is_certain);
    const Made made(side_of({}, 1), side_of(with_work(6), 1));
    EXPECT_TRUE(made.row("relax", true).is_certain);
    EXPECT_NE(made.text().find("One run each"), std::string::npos) << made.text();
}

TEST(Comparisons, SayWhatIsNewGoneRenamedAndPartOfAnother) {
    Build renamed;
    renamed.function = "smooth";
    renamed.work = 6;
    EXPECT_NE(Made(side_of({}), side_of(renamed)).text().find("smooth, before relax"),
              std::string::npos);
    Build inlined = with_work(6);
    inlined.inlined = true;
    const std::string text = Made(side_of({}), side_of(inlined)).text();
    EXPECT_NE(text.find("with relax, which is part of it now"), std::string::npos) << text;
    Build more;
    more.other_region = true;
    EXPECT_NE(Made(side_of({}), side_of(more)).text().find("solve made.c:37, new"),
              std::string::npos);
    EXPECT_NE(Made(side_of(more), side_of({})).text().find("solve made.c:37, gone"),
              std::string::npos);
}

TEST(Comparisons, ListWhatTheRunsAre) {
    Process first = built({});
    first.environment = {"OMP_SCHEDULE=static", "OMP_PROC_BIND=true"};
    first.host = "one";
    Process second = built({});
    second.environment = {"OMP_SCHEDULE=dynamic", "OMP_WAIT_POLICY=active"};
    second.host = "two";
    second.most_threads = 4;
    const Made made{Side({compared_run({{first}}, "a", false)}),
                    Side({compared_run({{second}}, "b", false)})};
    const std::string text = made.text();
    for (const char *line :
         {"    threads: 2 -> 4\n", "    host: one -> two\n",
          "    OMP_SCHEDULE: static -> dynamic\n", "    OMP_PROC_BIND: true -> none\n",
          "    OMP_WAIT_POLICY: none -> active\n"}) {
        EXPECT_NE(text.find(line), std::string::npos) << line << text;
    }
    EXPECT_EQ(text.find("program: "), std::string::npos) << text;
}

TEST(Comparisons, OfOtherProgramsAreRefused) {
    MadeProcess made(2, 3);
    const int region = made.region("sort", 7, 1, made.function("start", 3));
    made.time(0, region, THR_WORK_STATE, 2);
    try {
        const Made both(side_of({}, 1), Side({compared_run({{made.process}}, "other", false)}));
        ADD_FAILURE() << both.comparison.program;
    } catch (const ompcollect::Failure &why) {
        EXPECT_EQ(why.exit_code(), 2);
        EXPECT_NE(std::string(why.what()).find("give runs of one program"), std::string::npos);
    }
}

// Four copies of a run have no spread: any change would be certain.
TEST(Comparisons, OfARunAndItsCopyAreRefused) {
    Process process = built({});
    process.begin = 1700000000;
    const auto run = [&](const char *name) { return compared_run({{process}}, name, false); };
    try {
        const Made both(side_of({}, 2), Side({run("one.ompc"), run("copy.ompc")}));
        ADD_FAILURE() << both.comparison.program;
    } catch (const ompcollect::Failure &why) {
        EXPECT_EQ(why.exit_code(), 2);
        EXPECT_EQ(std::string(why.what()).find("copy.ompc is the run that one.ompc has"), 0U);
    }
    EXPECT_NO_THROW(Made(Side({run("one.ompc")}), Side({run("one.ompc")})));
}

TEST(Comparisons, WithoutStacksSaySo) {
    Process bare = built({});
    bare.stacks = "off";
    const Made made{Side({compared_run({{bare}}, "a", false)}), side_of({}, 1)};
    EXPECT_NE(made.text().find("No call stacks in one of the runs"), std::string::npos);
}

TEST(Comparisons, KeepTo80Columns) {
    Build renamed;
    renamed.function =
        "void a_namespace::of_some_length::solver<double, 3U>::relax_with_a_long_name(int, double)";
    renamed.work = 7;
    std::istringstream lines(
        Made(side_of({}), side_of(renamed))
            .text({10, 80, {DiffBy::kFunction, DiffBy::kRegion, DiffBy::kState}}));
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 80U) << line;
    }
}

} // namespace
} // namespace ocb_test
