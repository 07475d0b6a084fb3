// SPDX-License-Identifier: Apache-2.0
//
// Each check is proven by defects. The mini-runtime can break one rule at a time: then exactly the
// check that the rule belongs to must say 255, and 254 where the check's subject is left out. The
// short form holds each defect against its own check and two others, whose turn it is; with
// OCB_TEST_LONG=1 against all.
#include "long_form.h"
#include "suite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace compliance_test {
namespace {

constexpr size_t kOthers = 2; // in the short form

class Defects : public testing::TestWithParam<const char *> {};

// The defects of the build: "check.rule".
std::vector<std::string> defects_of(const std::string &runtime) {
    ocb_test::Command command;
    command.arguments = {"/bin/true"};
    // LD_PRELOAD takes no path with a space.
    const std::filesystem::path file = runtime;
    command.environment = {{"LD_LIBRARY_PATH", file.parent_path()},
                           {"LD_PRELOAD", file.filename()},
                           {"MINI_OMP_BREAK", "list"}};
    std::vector<std::string> defects;
    std::istringstream lines(ocb_test::run(command).out);
    for (std::string line; std::getline(lines, line);) {
        defects.push_back(line.substr(0, line.find(' ')));
    }
    return defects;
}

std::string check_of(const std::string &defect) {
    return defect.substr(0, defect.find('.'));
}

// Its own check first, then those whose turn it is.
std::vector<std::string> checks_for(const std::string &own, size_t turn) {
    const std::vector<std::string> &all = check_names();
    std::vector<std::string> checks = {own};
    for (size_t i = 0; checks.size() < (ocb_test::is_long() ? all.size() : kOthers + 1); ++i) {
        const std::string &other = all[(turn * kOthers + i) % all.size()];
        if (std::find(checks.begin(), checks.end(), other) == checks.end()) {
            checks.push_back(other);
        }
    }
    return checks;
}

bool is_right(const std::string &code) {
    return code == "0" || code == "-";
}

// What a check may say besides: of something left out, others may lack their ground.
bool may_be_left_out_too(const std::string &without, const std::string &check) {
    // Nothing works without these; without registrations no event does.
    if (without == "init-registration" || without == "init-lookup" ||
        without == "init-set-callback") {
        return true;
    }
    // Two checks of one function, in the generations that have one.
    constexpr const char *kPairs[][2] = {{"parallel-id", "team-size"}, {"task-id", "task-frame"}};
    for (const auto &pair : kPairs) {
        if ((without == pair[0] && check == pair[1]) || (without == pair[1] && check == pair[0])) {
            return true;
        }
    }
    return false;
}

void expect_exactly(const std::string &runtime, const std::string &variable,
                    const std::string &value, const std::string &code, size_t turn) {
    const std::string own = check_of(value);
    const std::vector<std::string> checks = checks_for(own, turn);
    const Codes codes = codes_of(runtime, checks, {{variable, value}});
    EXPECT_EQ(codes.size(), checks.size()) << variable << "=" << value;
    for (const auto &[name, found] : codes) {
        if (name == own) {
            EXPECT_EQ(found, code) << name << " with " << variable << "=" << value;
        } else if (variable == "MINI_OMP_WITHOUT" && may_be_left_out_too(value, name)) {
            EXPECT_TRUE(is_right(found) || found == "254")
                << name << " says " << found << " with " << variable << "=" << value;
        } else {
            EXPECT_TRUE(is_right(found))
                << name << " says " << found << " with " << variable << "=" << value;
        }
    }
}

TEST_P(Defects, AnIntactRuntimeIsCorrect) {
    const Codes codes = codes_of(mini_runtime(GetParam()), {});
    EXPECT_EQ(codes.size(), check_names().size());
    for (const auto &[name, code] : codes) {
        EXPECT_TRUE(is_right(code)) << name << " says " << code;
    }
}

TEST_P(Defects, ABrokenRuleIsFoundByItsCheckAlone) {
    const std::string runtime = mini_runtime(GetParam());
    const std::vector<std::string> defects = defects_of(runtime);
    ASSERT_GT(defects.size(), check_names().size());
    const Codes intact = codes_of(runtime, {});
    for (size_t i = 0; i < defects.size(); ++i) {
        if (intact.at(check_of(defects[i])) == "-") {
            continue; // of a function that other generations with ids have
        }
        expect_exactly(runtime, "MINI_OMP_BREAK", defects[i], "255", i);
    }
}

TEST_P(Defects, EveryCheckHasADefect) {
    const std::vector<std::string> defects = defects_of(mini_runtime(GetParam()));
    const Codes codes = codes_of(mini_runtime(GetParam()), {});
    for (const std::string &name : check_names()) {
        const bool has_defect =
            std::any_of(defects.begin(), defects.end(),
                        [&](const std::string &defect) { return check_of(defect) == name; });
        EXPECT_TRUE(has_defect || codes.at(name) == "-") << name;
    }
}

// Where leaving out cannot be told from breaking, or leaves nothing wrong.
struct Exception {
    const char *generations; // "words": 5 and tr6
    const char *check;
    const char *code;
};
constexpr Exception kExceptions[] = {
    // Such values are left open there: nothing is to be implemented.
    {"words", "init-omp-tool-other", "0"},
    // The finalizer needs no registration that could be refused.
    {"words", "runtime-shutdown", "255"},
    // There is no state of its own that could be missing in the list: it is that of other locks.
    {"words", "state-nest-lock", "255"},
    // The report has taken the function out: where it is missing nobody misses it.
    {"tr2-001", "idle-frame", "-"},
};

std::string code_without(const std::string &generation, const std::string &check) {
    const bool has_words = generation == "5" || generation == "tr6";
    for (const Exception &one : kExceptions) {
        if (one.check == check && (one.generations == generation ||
                                   (has_words && one.generations == std::string("words")))) {
            return one.code;
        }
    }
    return "254";
}

TEST_P(Defects, WhatIsLeftOutIsNotImplemented) {
    const std::string runtime = mini_runtime(GetParam());
    const Codes intact = codes_of(runtime, {});
    const std::vector<std::string> &all = check_names();
    for (size_t i = 0; i < all.size(); ++i) {
        if (intact.at(all[i]) != "-") { // else there is nothing that could be left out
            expect_exactly(runtime, "MINI_OMP_WITHOUT", all[i], code_without(GetParam(), all[i]),
                           i);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Generations, Defects,
                         testing::Values("5", "tr6", "tr2-001", "tr2-000", "2014"),
                         [](const auto &generation) {
                             std::string name = generation.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

} // namespace
} // namespace compliance_test
