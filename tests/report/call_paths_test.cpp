// SPDX-License-Identifier: Apache-2.0
//
// Call paths of programs that know their own (programs/own_paths.c): nested, serialized and
// recursive regions, tasks, a foreign thread, a handler on its own stack. What the profile has
// above spin(), where all time is spent, must be one of the program's paths.
#include "call_tree_text.h"
#include "command.h"
#include "frames.h"
#include "process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace ocb_test {
namespace {

using namespace ompcollect::report; // NOLINT(google-build-using-namespace)

struct Paths {
    std::string compiler;
    std::string libomp; // empty: gcc's own runtime
    bool has_front = true;
};

void PrintTo(const Paths &paths, std::ostream *out) {
    *out << paths.compiler << (paths.libomp.empty() ? " libgomp" : " libomp " + paths.libomp)
         << (paths.has_front ? "" : " without the front");
}

using Names = std::vector<std::string>;

Names split(const std::string &text) {
    Names names;
    std::istringstream in(text);
    for (std::string name; std::getline(in, name, ';');) {
        names.push_back(name);
    }
    return names;
}

std::string joined(const Names &names) {
    std::string text;
    for (const std::string &name : names) {
        text += name + ";";
    }
    return text;
}

// "..." matches any names, spin the last one and what it calls.
bool is_path(const Names &names, const Names &known) {
    const auto gap = std::find(known.begin(), known.end(), "...");
    const auto head = static_cast<size_t>(gap - known.begin());
    if (gap == known.end()) {
        return names == known;
    }
    const auto tail = static_cast<size_t>(known.end() - gap) - 1;
    return names.size() >= head + tail && std::equal(known.begin(), gap, names.begin()) &&
           std::equal(gap + 1, known.end(), names.end() - static_cast<std::ptrdiff_t>(tail));
}

class CallPaths : public testing::TestWithParam<Paths> {
  protected:
    // Runs the program, in which each spin() takes so many seconds, and reads what it says and what
    // was seen.
    void measure(const std::vector<std::string> &options, const std::string &program = "own_paths",
                 const std::string &seconds = "0.01") {
        const std::string saved = folder_.file("run.ompc");
        Command command;
        const std::string launcher = OCB_TEST_BIN_FOLDER "/ompcollect";
        // Looked at often, so that little time is enough.
        command.arguments = {launcher, "-o", saved, "--rate", "2000"};
        if (!GetParam().has_front) {
            command.arguments.push_back("--no-front");
        }
        command.arguments.insert(command.arguments.end(), options.begin(), options.end());
        if (!GetParam().libomp.empty()) {
            const std::string library =
                OCB_TEST_LIBOMPS "/" + GetParam().libomp + "/lib/libomp.so.5";
            command.environment["LD_LIBRARY_PATH"] =
                std::filesystem::path(library).parent_path().string();
            if (GetParam().compiler == "gcc") {
                command.arguments.insert(command.arguments.end(), {"--runtime", library});
            }
        }
        command.arguments.push_back(OCB_TEST_PROGRAMS "/" + GetParam().compiler + "/" + program);
        command.arguments.push_back(seconds);
        const Outcome outcome = run(command);
        ASSERT_TRUE(outcome.succeeded()) << outcome.describe();
        known_.clear();
        std::istringstream out(outcome.out);
        for (std::string line; std::getline(out, line);) {
            known_.push_back(split(line.substr(line.find(' ') + 1)));
            // flang has one name for all main programs.
            if (GetParam().compiler == "flang") {
                std::replace(known_.back().begin(), known_.back().end(), std::string("known_paths"),
                             std::string("_QQmain"));
            }
        }
        const auto made = load_run(saved, {});
        ASSERT_EQ(made.processes.size(), 1U) << outcome.describe();
        process_ = made.processes.front();
    }

    const TemporaryFolder folder_;
    std::vector<Names> known_;
    Process process_;
};

// In C++, and in Fortran, it has another name.
bool is_spin(const std::string &name) {
    return name == "spin" || name == "constructs::spin()" || name == "paths::spin";
}

// How often paths to spin() were seen, over several runs.
struct Seen {
    uint64_t good = 0;
    uint64_t bad = 0;
    std::set<std::string> paths; // of the program's
    std::map<std::string, uint64_t> strange;

    [[nodiscard]] bool is_enough(const std::vector<Names> &known) const {
        return good >= 300 && paths.size() == known.size();
    }
};

void look_for_paths(const Process &process, const std::vector<Names> &known, Seen &seen) {
    for (const Cell &cell : process.cells) {
        Names names = path_names(process, cell.node);
        const auto spin = std::find_if(names.begin(), names.end(), is_spin);
        if (spin == names.end()) {
            continue;
        }
        names.erase(spin + 1, names.end());
        const auto found = std::find_if(known.begin(), known.end(),
                                        [&](const Names &path) { return is_path(names, path); });
        if (found != known.end()) {
            seen.good += cell.samples;
            seen.paths.insert(joined(*found));
        } else {
            seen.bad += cell.samples;
            seen.strange[joined(names)] += cell.samples;
        }
    }
}

class KnownCallPaths : public CallPaths {
  protected:
    // On a busy machine a run may have few samples of a path, or none: several runs are one.
    void compare(const std::string &program, size_t paths, const std::string &seconds) {
        Seen seen;
        uint64_t walks = 0;
        uint64_t cut_walks = 0;
        for (int runs = 0; runs < 20 && !seen.is_enough(known_); ++runs) {
            measure({}, program, seconds);
            if (HasFatalFailure()) {
                return;
            }
            ASSERT_EQ(known_.size(), paths);
            look_for_paths(process_, known_, seen);
            walks += process_.walks;
            cut_walks += process_.cut_walks;
            EXPECT_FALSE(process_.samples.empty());
        }
        std::string all;
        for (const auto &[text, count] : seen.strange) {
            all += std::to_string(count) + " " + text + "\n";
        }
        EXPECT_LE(cut_walks, 1 + walks / 100) << walks;
        EXPECT_LE(seen.bad, (seen.good + seen.bad) / 100) << all;
        for (const Names &path : known_) {
            EXPECT_TRUE(seen.paths.contains(joined(path))) << "not seen: " << joined(path);
        }
    }
};

TEST_P(KnownCallPaths, OfFunctionsAndRegions) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    compare("own_paths", 13, "0.03");
    EXPECT_EQ(process_.stacks, "full");
    EXPECT_NE(call_tree_text(process_, {}).find("Call paths"), std::string::npos);
}

// C++, with names and inlined functions, at -O2 and -O3 and without frame pointers.
TEST_P(KnownCallPaths, OfEachConstruct) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    compare("constructs", 28, "0.006");
}

class FortranCallPaths : public KnownCallPaths {};

TEST_P(FortranCallPaths, OfEachConstruct) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    compare("fortran_paths", 7, "0.02");
}

TEST_P(CallPaths, EndAtTheRegionWithForksAlone) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    // What had no sample on a busy machine has one in another run.
    const std::set<std::string> wanted = {
        "main;nested;nested [region];inner;inner [region];",
        "main;serialized;serialized [region];inner;inner [region];",
        "foreign;inner;inner [region];",
    };
    std::set<std::string> missing = wanted;
    for (int runs = 0; runs < 20 && !missing.empty(); ++runs) {
        measure({"--stacks", "forks"});
        if (HasFatalFailure()) {
            return;
        }
        for (size_t i = 0; i < process_.nodes.size(); ++i) {
            EXPECT_NE(process_.nodes[i].function, "spin");
            if (process_.nodes[i].kind == NodeKind::kRegion) {
                missing.erase(joined(path_names(process_, static_cast<int>(i))));
            }
        }
    }
    for (const std::string &path : missing) {
        ADD_FAILURE() << "not seen: " << path;
    }
}

TEST_P(CallPaths, AreLeftOutWhenNobodyWantsThem) {
    if (std::string(OCB_SANITIZE).size() > 0) {
        GTEST_SKIP() << "the collector is not for processes with sanitizers";
    }
    measure({"--stacks", "off"});
    if (HasFatalFailure()) {
        return;
    }
    EXPECT_FALSE(process_.nodes.empty());
    EXPECT_GT(process_.nodes.empty() ? 0 : process_.nodes[0].entries, 0U);
    for (const Node &node : process_.nodes) {
        EXPECT_EQ(node.kind, NodeKind::kRegion);
    }
    EXPECT_EQ(call_tree_text(process_, {}), "");
}

const auto kAllCompilers = testing::Values(
    Paths{"clang", "14"}, Paths{"clang", "19"}, Paths{"gcc", ""}, Paths{"gcc", "14"},
    Paths{"gcc", "19"}, Paths{"clang", "14", false}, Paths{"clang", "19", false},
    Paths{"gcc", "", false}, Paths{"gcc", "14", false}, Paths{"gcc", "19", false});

std::string name_of_paths(const testing::TestParamInfo<Paths> &of) {
    const Paths &paths = of.param;
    return paths.compiler + (paths.libomp.empty() ? "Libgomp" : "Libomp" + paths.libomp) +
           (paths.has_front ? "" : "WithoutFront");
}

INSTANTIATE_TEST_SUITE_P(Compilers, CallPaths, kAllCompilers, name_of_paths);
INSTANTIATE_TEST_SUITE_P(Compilers, KnownCallPaths, kAllCompilers, name_of_paths);

// Those of the Fortran compilers that are there.
const Paths kFortran[] = {
#ifdef OCB_TEST_HAS_GFORTRAN
    {"gcc", ""},          {"gcc", "14"},        {"gcc", "19"},          {"gcc", "", false},
    {"gcc", "14", false}, {"gcc", "19", false},
#endif
#ifdef OCB_TEST_HAS_FLANG
    {"flang", "14"},      {"flang", "19"},      {"flang", "14", false}, {"flang", "19", false},
#endif
};
INSTANTIATE_TEST_SUITE_P(Compilers, FortranCallPaths, testing::ValuesIn(kFortran), name_of_paths);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FortranCallPaths);

} // namespace
} // namespace ocb_test
