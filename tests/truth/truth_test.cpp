// SPDX-License-Identifier: Apache-2.0
// The truth matrix: every row of rows.h on every libomp version, built by clang and by gcc, and on
// libgomp, as the launcher starts programs and with the bare bridge, watched by samples and events
// at once. Prints the matrix of what it ran; compares docs/TRUTH.md with the
// rows. OCB_TRUTH_MS sets the length of a phase (matrix_run.h); the waiting policies of libomp
// (KMP_BLOCKTIME, OMP_WAIT_POLICY, KMP_LIBRARY, KMP_TASKING, GOMP_SPINCOUNT) are handed on to the
// programs; the instances "Waiting" are those rows for which they make a difference.
#include "known_failures.h"
#include "matrix_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

namespace ocb_test {
namespace {

constexpr int kVersions[] = {13, 14, 15, 16, 19};

// A row for each wait that libomp has code for: barriers of each shape, the gap between regions,
// each kind of lock, the order of iterations, reductions, tasks, nested teams, and threads that
// wait when the session begins.
constexpr std::string_view kWaitingRows[] = {
    "regions",        "idle_after_tasks", "idle_outside_team", "barrier_explicit",
    "for_static",     "single",           "critical",          "critical_hint",
    "lock",           "lock_tas",         "lock_futex",        "lock_ticket",
    "nest_lock",      "atomic_lock",      "ordered_static",    "reduction_critical",
    "reduction_tree", "taskwait",         "taskgroup",         "task_in_barrier",
    "nested_two",     "foreign_openmp",   "cancel_region",     "start_between",
};

struct Cell {
    std::size_t row;
    Runtime runtime;
};

bool waits(const TruthRow &row) {
    return std::find(std::begin(kWaitingRows), std::end(kWaitingRows), row.name) !=
           std::end(kWaitingRows);
}

Claim claim_of(const TruthRow &row, const Runtime &runtime) {
    if (is_libgomp(runtime)) {
        return row.libgomp;
    }
    return runtime.compiler == Compiler::kClang ? row.clang : row.gcc;
}

template <class Predicate> std::vector<Cell> cells_of(const Predicate &is_wanted) {
    std::vector<Runtime> columns;
    for (const int version : kVersions) {
        columns.push_back({version, Compiler::kClang});
        columns.push_back({version, Compiler::kGcc});
    }
    if (kHasLibgomp) {
        columns.push_back(kLibgomp);
    }
    std::vector<Cell> cells;
    for (const Runtime &column : in_both_ways(columns)) {
        for (std::size_t row = 0; row < kTruthRowCount; ++row) {
            if (is_wanted(kTruthRows[row]) &&
                claim_of(kTruthRows[row], column) != Claim::kNotThere) {
                cells.push_back({row, column});
            }
        }
    }
    return cells;
}

std::string cell_name(const testing::TestParamInfo<Cell> &info) {
    return name_of(info.param.runtime) + "_" + kTruthRows[info.param.row].name;
}

void PrintTo(const Cell &cell, std::ostream *out) {
    *out << name_of(cell.runtime) << " " << kTruthRows[cell.row].name;
}

const char *claim_text(Claim claim) {
    switch (claim) {
    case Claim::kExact:
        return "exact";
    case Claim::kSynthesised:
        return "synthesised";
    case Claim::kNotObservable:
        return "not observable";
    case Claim::kNotThere:
        return "–";
    }
    return "";
}

// The table of docs/TRUTH.md.
std::string document_table() {
    std::ostringstream text;
    text << "| construct | clang | gcc | gcc on libgomp | where the answer comes from |\n"
            "|---|---|---|---|---|\n";
    for (const TruthRow &row : kTruthRows) {
        text << "| " << row.name << " | " << claim_text(row.clang) << " | " << claim_text(row.gcc)
             << " | " << claim_text(row.libgomp) << " | " << row.reason << " |\n";
    }
    return text.str();
}

// Collects the cells that were run and prints them at the end, rows down, runtimes across.
class Matrix : public testing::Environment {
  public:
    void enter(const Cell &cell, const std::string &text) {
        columns_.insert(name_of(cell.runtime));
        cells_[{cell.row, name_of(cell.runtime)}] = text;
    }

    void TearDown() override {
        if (cells_.empty()) {
            return;
        }
        std::printf("\n%-26s", "");
        for (const std::string &column : columns_) {
            std::printf("%-20s", column.c_str());
        }
        for (std::size_t row = 0; row < kTruthRowCount; ++row) {
            std::printf("\n%-26s", kTruthRows[row].name);
            for (const std::string &column : columns_) {
                std::printf("%-20s", cells_[{row, column}].c_str());
            }
        }
        std::printf("\n(the state with the smallest share of right samples in its phases)\n");
    }

  private:
    std::set<std::string> columns_;
    std::map<std::pair<std::size_t, std::string>, std::string> cells_;
};

Matrix *const kMatrix = static_cast<Matrix *>(testing::AddGlobalTestEnvironment(new Matrix));

class Truth : public testing::TestWithParam<Cell> {
  protected:
    void SetUp() override { OCB_SKIP_KNOWN_FAILURE(); }
};

TEST_P(Truth, Holds) {
    const Cell &cell = GetParam();
    const TruthRow &row = kTruthRows[cell.row];
    const char *tasking = std::getenv("KMP_TASKING");
    if (tasking != nullptr && std::string(tasking) == "0" && std::string(row.program) == "tasks") {
        GTEST_SKIP() << "the creator runs its tasks at once: nobody waits for another's";
    }
    Options options;
    sample_phases(options);
    // Waiting threads give up the processor soon: there may be fewer processors than threads.
    options.environment["KMP_BLOCKTIME"] = "5";
    for (const char *name :
         {"KMP_BLOCKTIME", "OMP_WAIT_POLICY", "KMP_LIBRARY", "KMP_TASKING", "GOMP_SPINCOUNT"}) {
        if (const char *value = std::getenv(name)) {
            options.environment[name] = value;
        }
    }
    add_row(row, options);

    const Verdict verdict = watch(row, cell.runtime, options, [](Log &) {});
    if (HasFatalFailure()) {
        return;
    }
    const std::string complaints = text_of(verdict.all_complaints());
    EXPECT_EQ("", complaints);
    kMatrix->enter(cell, (complaints.empty() ? "ok " : "NO ") + verdict.summary());
}

INSTANTIATE_TEST_SUITE_P(Matrix, Truth,
                         testing::ValuesIn(cells_of([](const TruthRow &) { return true; })),
                         cell_name);
INSTANTIATE_TEST_SUITE_P(Waiting, Truth, testing::ValuesIn(cells_of(waits)), cell_name);

TEST(TruthDocument, EveryWaitingRowIsThere) {
    for (const std::string_view name : kWaitingRows) {
        EXPECT_EQ(std::count_if(std::begin(kTruthRows), std::end(kTruthRows),
                                [&](const TruthRow &row) { return row.name == name; }),
                  1)
            << name;
    }
}

TEST(TruthDocument, SaysWhatTheRowsSay) {
    std::ifstream file(OCB_TRUTH_DOCUMENT);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(std::string::npos, text.str().find(document_table()))
        << "docs/TRUTH.md lacks this table:\n"
        << document_table();
}

} // namespace
} // namespace ocb_test
