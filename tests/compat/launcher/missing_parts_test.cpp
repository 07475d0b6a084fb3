// SPDX-License-Identifier: Apache-2.0
//
// The launcher without one of the libraries that it preloads: one line says which, what is lost
// thereby and the cure. Where a profile is still possible the program runs and is profiled.
#include "launcher_run.h"

#include <filesystem>
#include <fstream>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

struct Part {
    const char *library;
    const char *loss;
    bool is_profiled_without;
};

constexpr Part kParts[] = {
    {"libomp-collector-bridge.so.0", "nothing can be measured", false},
    {"libompcollect-default.so", "nothing can be measured", false},
    {"libompcollect-preload.so", "nothing can be measured", false},
    {"libomp-collector-front.so",
     "the runtime's own time inside regions counts as WORK, and programs built by gcc can be "
     "measured on libomp alone",
     true},
};

// The launcher in a folder with these libraries, all but one. The folder is the caller's.
std::string launcher_without(const std::string &missing, const TemporaryFolder &folder) {
    fs::create_directories(folder.file("bin"));
    fs::create_directories(folder.file("lib"));
    fs::copy_file(kLauncher, folder.file("bin/ompcollect"));
    std::vector<std::string> libraries = {"libompcollect-placement.so"};
    for (const Part &part : kParts) {
        libraries.emplace_back(part.library);
    }
    for (const std::string &library : libraries) {
        if (library != missing) {
            fs::copy_file(fs::canonical(fs::path(OCB_TEST_LIB_FOLDER) / library),
                          folder.file("lib/") + library);
        }
    }
    return folder.file("bin/ompcollect");
}

TEST(MissingParts, AreNamedWithWhatIsLostAndTheCure) {
    OCB_SKIP_IF_SANITIZED();
    for (const Part &part : kParts) {
        SCOPED_TRACE(part.library);
        const TemporaryFolder folder;
        Command command;
        command.arguments = {launcher_without(part.library, folder), kGccEnding, "exit", "7"};
        const Outcome outcome = run(command);
        const auto lines = lines_with_prefix(outcome.err, "ompcollect: ");
        ASSERT_EQ(1U, lines.size()) << outcome.describe();
        EXPECT_EQ(0U, lines[0].find(std::string("ompcollect: ") + part.library + " is not in "))
            << lines[0];
        EXPECT_NE(std::string::npos, lines[0].find(part.loss)) << lines[0];
        EXPECT_NE(std::string::npos, lines[0].find("build the target ompcollect")) << lines[0];
        EXPECT_EQ(part.is_profiled_without ? 7 : 125, outcome.exit_code) << outcome.describe();
        EXPECT_EQ(part.is_profiled_without ? 1U : 0U, count(outcome.err, "== OpenMP profile of "))
            << outcome.describe();
    }
}

TEST(MissingParts, NobodyIsToldOfWhatIsNotNeeded) {
    OCB_SKIP_IF_SANITIZED();
    const std::pair<const char *, std::vector<std::string>> unneeded[] = {
        {"libomp-collector-front.so", {"--no-front", kClangEnding}},
        {"libomp-collector-front.so", {"--no-front", "--runtime", "libomp", kGccEnding}},
        {"libompcollect-placement.so", {kGccEnding}},
        {"libcomplete.so", {kGccEnding}},
    };
    for (const auto &[library, words] : unneeded) {
        SCOPED_TRACE(library);
        const TemporaryFolder folder;
        Command command;
        command.arguments = {launcher_without(library, folder)};
        command.arguments.insert(command.arguments.end(), words.begin(), words.end());
        const Outcome outcome = run(command);
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_TRUE(lines_with_prefix(outcome.err, "ompcollect: ").empty()) << outcome.describe();
        EXPECT_EQ(1U, count(outcome.err, "== OpenMP profile of ")) << outcome.describe();
    }
}

// Libraries of others that the launcher opens itself: a file of that name that is none.
Outcome run_with_broken(const std::string &library, std::vector<std::string> words) {
    const TemporaryFolder folder;
    std::ofstream(folder.file(library)).close();
    Command command;
    command.arguments = {kLauncher};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = {{"LD_LIBRARY_PATH", folder.file("")}};
    return run(command);
}

TEST(MissingParts, WithoutLibdwARunIsShownWithoutNames) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = run_with_broken("libdw.so.1", {kGccEnding, "exit", "7"});
    EXPECT_EQ(7, outcome.exit_code) << outcome.describe();
    EXPECT_EQ(1U, count(outcome.err, "== OpenMP profile of ")) << outcome.describe();
    EXPECT_NE(std::string::npos, outcome.err.find("no names of functions")) << outcome.err;
    EXPECT_NE(std::string::npos, outcome.err.find("libdw.so.1 cannot be")) << outcome.err;
}

TEST(MissingParts, WithoutZlibNothingIsRunThatCouldNotBeSaved) {
    OCB_SKIP_IF_SANITIZED();
    const Outcome outcome = run_with_broken("libz.so.1", {"-o", "never.ompc", kGccEnding});
    EXPECT_EQ(125, outcome.exit_code) << outcome.describe();
    const auto lines = lines_with_prefix(outcome.err, "ompcollect: ");
    ASSERT_EQ(1U, lines.size()) << outcome.describe();
    EXPECT_EQ(0U, lines[0].find("ompcollect: libz.so.1 cannot be opened (")) << lines[0];
}

} // namespace
} // namespace ocb_test
