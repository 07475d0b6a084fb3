// SPDX-License-Identifier: Apache-2.0
// The validating tool (validator.cpp) finds no breach of OMPT's rules in programs of every kind,
// and they do the same with it.
#include "libgomp_run.h"
#include "rows.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace ocb_test {
namespace {

struct Validated {
    Outcome outcome;
    std::string breaches;
    std::map<std::string, long> open; // at the end, by kind
    bool is_cancelled = false;
    long events = 0;
};

void read_line(const std::string &line, Validated &validated) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "breach") {
        validated.breaches += line + "\n";
    } else if (word == "end") {
        words >> word >> validated.events;
    } else if (word == "open") {
        long count = 0;
        while (words >> word && words >> count) {
            validated.open[word] = count;
        }
        validated.is_cancelled = line.find("cancelled") != std::string::npos;
    }
}

Validated validate(const std::string &program, LibgompRun run) {
    const TemporaryFolder folder;
    run.preload = {OCB_LIBGOMP_OMPT, OCB_LIBGOMP_VALIDATOR};
    run.environment["OCB_VALIDATE"] = folder.file("validated");
    Validated validated;
    validated.outcome = run_recorded(program, run).outcome;
    std::ifstream file(run.environment["OCB_VALIDATE"]);
    for (std::string line; std::getline(file, line);) {
        read_line(line, validated);
    }
    return validated;
}

// As natively, and without a breach.
Validated expect_valid(const std::string &program, const LibgompRun &run) {
    const Recorded alone = run_recorded(program, run);
    Validated validated = validate(program, run);
    EXPECT_EQ(alone.outcome.describe(), validated.outcome.describe());
    EXPECT_EQ(alone.outcome.out, validated.outcome.out);
    EXPECT_EQ(alone.outcome.err, validated.outcome.err);
    EXPECT_EQ("", validated.breaches);
    EXPECT_LT(0, validated.events);
    return validated;
}

class Valid : public testing::TestWithParam<std::tuple<const char *, bool>> {};

TEST_P(Valid, EveryEvent) {
    const auto [program, cancels] = GetParam();
    const Validated validated = expect_valid(
        program_path(program), {{}, {{"OMP_CANCELLATION", cancels ? "true" : "false"}}, {}});
    for (const auto &[kind, count] : validated.open) {
        // Of a task that is dropped libgomp says nothing.
        EXPECT_TRUE(count == 0 || (validated.is_cancelled && kind == "tasks"))
            << count << " " << kind << " open at the end";
    }
    EXPECT_FALSE(validated.open.empty());
}

std::string valid_name(const testing::TestParamInfo<Valid::ParamType> &info) {
    return std::string(std::get<0>(info.param)) + (std::get<1>(info.param) ? "_cancelling" : "");
}
INSTANTIATE_TEST_SUITE_P(
    Programs, Valid,
    testing::Combine(testing::Values("tasks", "constructs", "target", "exceptions", "fortran",
                                     "fixed", "old_entries", "ends", "taskloops", "awaits",
                                     "kinds_of_regions", "kinds_of_loops", "kinds_of_mutexes",
                                     "kinds_of_tasks", "kinds_without_libomp"),
                     testing::Bool()),
    valid_name);

TEST(Validated, ProgramsOfTheTruthMatrix) {
    unsigned judged = 0;
    for (const TruthRow &row : kTruthRows) {
        SCOPED_TRACE(row.name);
        LibgompRun run;
        run.environment["OCB_TRUTH_MS"] = "2";
        const std::string environment = row.environment;
        if (const std::size_t equals = environment.find('='); equals != std::string::npos) {
            run.environment[environment.substr(0, equals)] = environment.substr(equals + 1);
        }
        if (row.argument[0] != '\0') {
            run.arguments = {row.argument};
        }
        expect_valid(std::string(OCB_LIBGOMP_TRUTH_PROGRAMS "/") + row.program, run);
        ++judged;
    }
    EXPECT_EQ(std::size(kTruthRows), judged);
}

// The tool is told of the end, whatever the threads are doing.
TEST(Validated, ExitAnywhere) {
    for (const char *where :
         {"serial", "worker", "master", "critical", "nested", "task", "taskgroup", "barrier"}) {
        SCOPED_TRACE(where);
        const Validated validated = expect_valid(program_path("exits"), {{}, {}, {where}});
        EXPECT_FALSE(validated.open.empty());
    }
}

// libgomp drops what is behind a cancel, as without a tool, and what is never made is never told.
// Tasks that have not begun are looked through for dropped ones, and these are none.
TEST(Validated, WaitingTasksAreNotTakenForDropped) {
    const Validated validated = expect_valid(program_path("waiting_tasks"), {{}, {}, {}});
    EXPECT_EQ("1000 499500\n", validated.outcome.out);
    ASSERT_EQ(1U, validated.open.count("tasks"));
    EXPECT_EQ(0, validated.open.at("tasks"));
}

TEST(Validated, CancelledTasksAreDropped) {
    const Validated validated =
        expect_valid(program_path("taskloops"), {{}, {{"OMP_CANCELLATION", "true"}}, {}});
    EXPECT_TRUE(validated.is_cancelled);
    constexpr int kBehindTheCancels = 2 * 19;
    EXPECT_EQ(kBehindTheCancels, validated.open.at("tasks"));
}

} // namespace
} // namespace ocb_test
