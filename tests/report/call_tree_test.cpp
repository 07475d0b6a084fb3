// SPDX-License-Identifier: Apache-2.0
//
// The call tree of the text report, of processes made by hand.
#include "call_tree_text.h"
#include "made_runs.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ocb_test {
namespace {

// Total, share and own, then the name: without the columns' widths.
std::vector<std::string> rows_of(const Process &process) {
    std::vector<std::string> rows;
    std::istringstream text(call_tree_text(process, {}));
    for (std::string line; std::getline(text, line);) {
        std::istringstream words(line);
        std::string row;
        for (std::string word; words >> word;) {
            row += (row.empty() ? "" : " ") + word;
        }
        rows.push_back(row);
    }
    return rows;
}

MadeProcess made_of(unsigned threads) {
    MadeProcess made(threads, 4);
    made.process.stacks = "full";
    return made;
}

TEST(CallTree, AFunctionThatCallsItselfHasOneRow) {
    MadeProcess made = made_of(1);
    int fib = made.function("fib", 5, made.function("main", 9));
    made.time(0, fib, THR_SERIAL_STATE, 1);
    for (int depth = 2; depth <= 12; ++depth) {
        fib = made.function("fib", 5, fib);
        made.time(0, fib, THR_SERIAL_STATE, 0.1);
        made.time(0, made.function("work", 3, fib), THR_SERIAL_STATE, 0.1);
    }
    EXPECT_EQ(rows_of(made.process),
              (std::vector<std::string>{
                  "Call paths (thread seconds)", "total own", "3.20 s 100 % made",
                  "3.20 s 100 % main", "3.20 s 100 % 2.10 s fib (x12)", "1.10 s 34 % 1.10 s work",
                  "(xN): the function calls itself, up to N deep; its time counts once"}));
}

TEST(CallTree, FunctionsThatCallEachOtherHaveOneRowEach) {
    MadeProcess made = made_of(1);
    int at = made.function("main", 9);
    for (int i = 0; i < 3; ++i) {
        at = made.function("even", 5, at);
        at = made.function("odd", 7, at);
    }
    made.time(0, at, THR_SERIAL_STATE, 2);
    const std::vector<std::string> rows = rows_of(made.process);
    ASSERT_EQ(rows.size(), 7U);
    EXPECT_EQ(rows[4], "2.00 s 100 % even (x3)");
    EXPECT_EQ(rows[5], "2.00 s 100 % 2.00 s odd (x3)");
}

// Levels of nested regions stay apart: each has its own team.
TEST(CallTree, RecursionThroughRegionsIsShown) {
    MadeProcess made = made_of(1);
    int at = -1;
    for (int i = 0; i < 3; ++i) {
        at = made.function("sort", 5, at);
        at = made.region("sort", 6, 1, at);
    }
    made.time(0, at, THR_WORK_STATE, 2);
    EXPECT_EQ(
        rows_of(made.process),
        (std::vector<std::string>{"Call paths (thread seconds)", "total own", "2.00 s 100 % made",
                                  "2.00 s 100 % sort", "2.00 s 100 % sort [region]",
                                  "2.00 s 100 % sort", "2.00 s 100 % sort [region]",
                                  "2.00 s 100 % sort", "2.00 s 100 % 2.00 s sort [region]"}));
}

TEST(CallTree, FunctionsOfOneNameInTwoFilesAreTwo) {
    MadeProcess made = made_of(1);
    const int outer = made.function("init", 5);
    const int inner = made.function("init", 5, outer);
    made.process.nodes[static_cast<size_t>(inner)].module = "/somewhere/else";
    made.time(0, inner, THR_SERIAL_STATE, 2);
    EXPECT_EQ(
        rows_of(made.process),
        (std::vector<std::string>{"Call paths (thread seconds)", "total own", "2.00 s 100 % made",
                                  "2.00 s 100 % init", "2.00 s 100 % 2.00 s init"}));
}

} // namespace
} // namespace ocb_test
