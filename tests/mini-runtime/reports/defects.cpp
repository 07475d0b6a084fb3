// SPDX-License-Identifier: Apache-2.0
#include "defects.h"

#include "tool.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace mini {

constinit Defect chosen_defect = Defect::kNone;
constinit Check left_out = Check::kNone;

namespace {

struct DefectRow {
    Defect defect;
    const char *name;
    unsigned having;
    const char *sentence;
};

constexpr DefectRow kDefects[] = {
#define MINI_DEFECT(symbol, name, having, sentence) {Defect::symbol, name, having, sentence},
    MINI_DEFECTS(MINI_DEFECT)
#undef MINI_DEFECT
};

struct CheckRow {
    Check check;
    const char *name;
};

constexpr CheckRow kChecks[] = {
#define MINI_CHECK(symbol, name) {Check::symbol, name},
    MINI_CHECKS(MINI_CHECK)
#undef MINI_CHECK
};

bool is_had(const DefectRow &row) {
    return (row.having & tool::kHaving) != 0;
}

// One line with what would have been right.
template <class Rows, class IsKnown>
[[noreturn]] void refuse(const char *variable, const char *value, const Rows &rows,
                         IsKnown is_known) {
    std::fprintf(stderr, "mini-omp: %s=%s is not known; known are", variable, value);
    for (const auto &row : rows) {
        if (is_known(row)) {
            std::fprintf(stderr, " %s", row.name);
        }
    }
    std::fputc('\n', stderr);
    _exit(2);
}

void choose_defect(const char *name) {
    if (std::strcmp(name, "list") == 0) {
        for (const DefectRow &row : kDefects) {
            if (is_had(row)) {
                std::printf("%-36s %s\n", row.name, row.sentence);
            }
        }
        std::fflush(stdout);
        _exit(0);
    }
    for (const DefectRow &row : kDefects) {
        if (is_had(row) && std::strcmp(row.name, name) == 0) {
            chosen_defect = row.defect;
        }
    }
    if (chosen_defect == Defect::kNone) {
        refuse("MINI_OMP_BREAK", name, kDefects, is_had);
    }
}

void leave_out(const char *name) {
    for (const CheckRow &row : kChecks) {
        if (std::strcmp(row.name, name) == 0) {
            left_out = row.check;
        }
    }
    if (left_out == Check::kNone) {
        refuse("MINI_OMP_WITHOUT", name, kChecks, [](const CheckRow &) { return true; });
    }
}

// When the library is loaded.
[[gnu::constructor]] void read_environment() {
    const char *defect = std::getenv("MINI_OMP_BREAK");
    if (defect != nullptr && *defect != '\0') {
        choose_defect(defect);
    }
    const char *check = std::getenv("MINI_OMP_WITHOUT");
    if (check != nullptr && *check != '\0') {
        leave_out(check);
    }
}

} // namespace
} // namespace mini
