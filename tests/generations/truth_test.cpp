// SPDX-License-Identifier: Apache-2.0
// The truth matrix (tests/truth) on every generation of OMPT: what its programs say of themselves
// is held against samples and events, with the exceptions of exceptions.h. Prints the matrix of
// what was run and the exceptions that were made. OCB_TRUTH_MS sets the length of a phase.
#include "exceptions.h"
#include "matrix_run.h"
#include "runtimes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

struct Cell {
    const TruthRow *row;
    const Generation *generation;
};

// Rows that differ in the kind of libomp's locks only are one row here.
bool is_of_libomp(const TruthRow &row) {
    const std::string environment = row.environment;
    return environment.rfind("KMP_LOCK_KIND", 0) == 0;
}

bool is_libomp(const Generation &generation) {
    return std::string(generation.name).rfind("libomp", 0) == 0;
}

// "37" .. "90", or 0 for the mini-runtime.
int version_of(const Generation &generation) {
    return is_libomp(generation) ? std::atoi(generation.name + std::strlen("libomp")) : 0;
}

// "libomp 3.7 to 5.0": 37, 50.
bool is_in_range(const std::string &range, int version) {
    int first[2] = {}, last[2] = {};
    const int found = std::sscanf(range.c_str(), "libomp %d.%d to %d.%d", &first[0], &first[1],
                                  &last[0], &last[1]);
    return found == 4 && version >= 10 * first[0] + first[1] && version <= 10 * last[0] + last[1];
}

bool applies(const Exception &exception, const Cell &cell) {
    const std::string wanted = exception.generation;
    const std::string name = cell.generation->name;
    const bool is_older = name != "5" && name.rfind("tr6", 0) != 0 && !is_libomp(*cell.generation);
    const bool has_manner = cell.generation->manner != nullptr;
    const bool is_meant = wanted == name || (wanted == "tr2" && is_older) ||
                          (wanted == "tr2, like libomp" && is_older && has_manner) ||
                          is_in_range(wanted, version_of(*cell.generation));
    return is_meant && (std::strcmp(exception.row, "*") == 0 ||
                        std::strcmp(exception.row, cell.row->name) == 0);
}

// What libomp of before OpenMP 5 reports in a manner of its own.
bool differs_in_manner(const TruthRow &row) {
    constexpr const char *kRows[] = {"regions",
                                     "if0",
                                     "atomic_lock",
                                     "taskwait",
                                     "taskgroup",
                                     "task_in_barrier",
                                     "start_between",
                                     "task_at_region_end",
                                     "nested_two",
                                     "start_inside_by_master",
                                     "start_inside_by_worker"};
    return std::any_of(std::begin(kRows), std::end(kRows),
                       [&row](const char *name) { return std::strcmp(name, row.name) == 0; });
}

std::vector<Cell> all_cells() {
    std::vector<Cell> cells;
    for (const Generation &generation : kGenerations) {
        for (const TruthRow &row : kTruthRows) {
            if (!is_of_libomp(row) && !row.is_of_runtimes) {
                cells.push_back({&row, &generation});
            }
        }
    }
    for (const Generation &generation : kMannered) {
        for (const TruthRow &row : kTruthRows) {
            if (differs_in_manner(row)) {
                cells.push_back({&row, &generation});
            }
        }
    }
    for (const Generation &generation : old_libomps()) {
        for (const TruthRow &row : kTruthRows) {
            if (!row.is_of_runtimes) {
                cells.push_back({&row, &generation});
            }
        }
    }
    return cells;
}

std::string cell_name(const testing::TestParamInfo<Cell> &info) {
    return test_name(*info.param.generation) + "_" + info.param.row->name;
}

void PrintTo(const Cell &cell, std::ostream *out) {
    *out << cell.generation->name << " " << cell.row->name;
}

// Prints at the end what was run, and what was not held against the programs.
class Matrix : public testing::Environment {
  public:
    void enter(const Cell &cell, const std::string &text) { cells_.push_back({cell, text}); }

    void TearDown() override {
        for (const auto &[cell, text] : cells_) {
            std::printf("%-8s %-28s %s\n", cell.generation->name, cell.row->name, text.c_str());
            for (const Exception &exception : kExceptions) {
                if (applies(exception, cell)) {
                    std::printf("%-8s   but \"%s\" -> \"%s\": %s\n", "", exception.said,
                                exception.holds, exception.reason);
                }
            }
        }
    }

  private:
    std::vector<std::pair<Cell, std::string>> cells_;
};

Matrix *const kMatrix = static_cast<Matrix *>(testing::AddGlobalTestEnvironment(new Matrix));

int replace_all(std::string &text, const std::string &what, const std::string &by) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
        text.replace(at, what.size(), by);
        ++count;
    }
    return count;
}

// What the program would have said of this generation. An exception without anything that it is
// made for is a mistake.
void adapt_marks(Log &log, const Cell &cell) {
    for (const Exception &exception : kExceptions) {
        if (!applies(exception, cell) || *exception.holds == '\0') {
            continue;
        }
        int count = 0;
        for (ThreadLog &thread : log.threads) {
            for (Record &record : thread.records) {
                if (record.kind == RecordKind::kMark) {
                    count += replace_all(record.label, exception.said, exception.holds);
                }
            }
        }
        // That of all rows is about explicit barriers.
        const bool is_for_all = *exception.row == '*';
        EXPECT_TRUE(count > 0 ||
                    (is_for_all && std::strcmp(cell.row->name, "barrier_explicit") != 0))
            << "no program says \"" << exception.said << '"';
    }
}

bool is_left_out(const Cell &cell) {
    for (const Exception &exception : kExceptions) {
        if (applies(exception, cell) && *exception.holds == '\0') {
            return true;
        }
    }
    return false;
}

class GenerationTruth : public testing::TestWithParam<Cell> {};

TEST_P(GenerationTruth, Holds) {
    const Cell &cell = GetParam();
    if (is_left_out(cell)) {
        GTEST_SKIP() << "see exceptions.h";
    }
    Options options;
    sample_phases(options);
    if (is_libomp(*cell.generation)) {
        options.environment["OMP_NESTED"] = "true"; // the levels alone are not enough before 9
    } else { // A runtime that says itself when its workers are idle needs no guess.
        options.environment["OCB_IDLE_EVENTS"] = "deferred";
    }
    if (cell.generation->manner != nullptr) {
        options.environment["MINI_OMP_MANNER"] = cell.generation->manner;
    }
    add_row(*cell.row, options);

    const Verdict verdict = watch(*cell.row, cell.generation->runtime, options,
                                  [&](Log &log) { adapt_marks(log, cell); });
    if (HasFatalFailure()) {
        return;
    }
    const std::string complaints = text_of(verdict.all_complaints());
    EXPECT_EQ("", complaints);
    kMatrix->enter(cell, (complaints.empty() ? "ok " : "NO ") + verdict.summary());
}

INSTANTIATE_TEST_SUITE_P(Matrix, GenerationTruth, testing::ValuesIn(all_cells()), cell_name);

// The table of docs/GENERATIONS.md: neighbours that differ in the construct alone share a row.
std::string document_table() {
    std::string text = "| generation | construct | the program announces | what holds | why "
                       "|\n|---|---|---|---|---|\n";
    std::string start, rest; // of the row in hand
    for (const Exception &exception : kExceptions) {
        const std::string generation = std::string("| ") + exception.generation + " | ";
        const std::string reason = std::string(" | ") + exception.said + " | " +
                                   (*exception.holds != '\0' ? exception.holds : "(left out)") +
                                   " | " + exception.reason + " |\n";
        if (start.rfind(generation, 0) == 0 && rest == reason) {
            start += std::string(", ") + exception.row;
            continue;
        }
        text += start + rest;
        start = generation + exception.row;
        rest = reason;
    }
    return text + start + rest;
}

TEST(GenerationDocument, SaysWhatTheExceptionsAre) {
    std::ifstream file(OCB_GENERATIONS_DOCUMENT);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(std::string::npos, text.str().find(document_table()))
        << "docs/GENERATIONS.md lacks this table:\n"
        << document_table();
}

} // namespace
} // namespace ocb_test
