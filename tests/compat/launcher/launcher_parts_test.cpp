// SPDX-License-Identifier: Apache-2.0
//
// The launcher's parts on their own: command line, environment, looking at programs, looking for
// libraries.
#include "elf_file.h"
#include "environment.h"
#include "failure.h"
#include "late_library.h"
#include "library_search.h"
#include "needed_libraries.h"
#include "options.h"
#include "private_directory.h"
#include "process.h"
#include "process_table.h"
#include "program_file.h"
#include "report_files.h"
#include "sampling_rate.h"
#include "wrapped_command.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ompcollect {
namespace {

namespace fs = std::filesystem;
using ocb_test::TemporaryFolder;

Options parsed(std::vector<const char *> words) {
    words.insert(words.begin(), "ompcollect");
    return parse_options(static_cast<int>(words.size()), words.data());
}

std::string refusal_of(std::vector<const char *> words) {
    try {
        parsed(std::move(words));
    } catch (const Failure &failure) {
        EXPECT_EQ(failure.exit_code(), kExitLauncher);
        return failure.what();
    }
    return "accepted";
}

TEST(CommandLine, TheRangeOfTheRateIsThatOfItsNumbers) {
    EXPECT_EQ(ompcollect::kRateRange, std::to_string(ompcollect::kLowestRate) + ".." +
                                          std::to_string(ompcollect::kHighestRate));
}

TEST(CommandLine, EndsAtTheProgram) {
    const Options options = parsed({"--rate", "200", "-v", "program", "--rate", "-x", "--", "y"});
    EXPECT_EQ(options.rate, 200U);
    EXPECT_TRUE(options.verbose);
    EXPECT_EQ(options.command, (std::vector<std::string>{"program", "--rate", "-x", "--", "y"}));
}

TEST(CommandLine, TakesAProgramAfterTwoDashes) {
    const Options options = parsed({"--clock", "cpu", "--", "-strange-name", "--help"});
    EXPECT_EQ(options.clock, "cpu");
    EXPECT_EQ(options.action, Action::kRun);
    EXPECT_EQ(options.command, (std::vector<std::string>{"-strange-name", "--help"}));
}

TEST(CommandLine, TakesSignalsByNameAndNumber) {
    EXPECT_EQ(parsed({"program"}).signal, SIGURG);
    EXPECT_EQ(parsed({"--signal", "PROF", "program"}).signal, SIGPROF);
    EXPECT_EQ(parsed({"--signal", "SIGVTALRM", "program"}).signal, SIGVTALRM);
    EXPECT_EQ(parsed({"--signal", "RTMIN+3", "program"}).signal, SIGRTMIN + 3);
    EXPECT_EQ(parsed({"--signal", "40", "program"}).signal, 40);
}

TEST(CommandLine, RefusesWithCauseAndCureInOneLine) {
    const std::vector<std::vector<const char *>> wrong = {
        {},
        {"--"},
        {"--no-such-option", "program"},
        {"--rate", "0", "program"},
        {"--rate", "10001", "program"},
        {"--rate", "many", "program"},
        {"--clock", "sun", "program"},
        {"--signal", "KILL", "program"},
        {"--signal", "65", "program"},
        {"--top", "0", "program"},
        {"--interval", "soon", "program"},
        {"--all=some", "program"},
        {"--no-front=some", "program"},
        {"--output"},
    };
    for (const auto &words : wrong) {
        const std::string refusal = refusal_of(words);
        EXPECT_NE(refusal, "accepted") << (words.empty() ? "" : words.front());
        EXPECT_NE(refusal.find("; "), std::string::npos) << refusal;
        EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
    }
}

std::string failure_of(const char *soname, const char *function) {
    try {
        const report::LateLibrary library(soname, "libc6");
        EXPECT_NE(nullptr, library.found<void *>(function));
    } catch (const Failure &failure) {
        return failure.what();
    }
    return "";
}

TEST(LateLibrary, IsNamedWithItsPackageWhereItIsMissing) {
    EXPECT_EQ("", failure_of("libc.so.6", "strlen"));
    const std::string missing = failure_of("libnowhere.so.1", "strlen");
    EXPECT_EQ(0U, missing.find("libnowhere.so.1 cannot be opened (")) << missing;
    EXPECT_NE(std::string::npos, missing.find("install it (Debian: libc6)")) << missing;
    EXPECT_EQ("libc.so.6 has no nothing_at_all; install the version that ompcollect was built with",
              failure_of("libc.so.6", "nothing_at_all"));
}

TEST(Preload, KeepsWhatWasSetAndAppends) {
    EXPECT_EQ(preload_value("", {"/a/x.so", "/b/y.so"}, ""), "/a/x.so:/b/y.so");
    EXPECT_EQ(preload_value("first.so second.so", {"/a/x.so"}, ""), "first.so second.so:/a/x.so");
}

TEST(Preload, LinksPathsThatTheLinkerWouldSplit) {
    const PrivateDirectory directory;
    for (const char *path : {"/a b/x.so", "/a:b/y.so", "/a$b/z.so"}) {
        EXPECT_TRUE(unfit_for_preload(path));
        const std::string value = preload_value("", {path}, directory.path());
        EXPECT_FALSE(unfit_for_preload(value)) << value;
        EXPECT_EQ(fs::read_symlink(value), path);
    }
}

TEST(Preload, LinksOfLibrariesWithOneNameAreTwo) {
    const PrivateDirectory directory;
    const std::string value =
        preload_value("", {"/a b/x.so", "/c d/x.so", "/e/y z:.so"}, directory.path());
    std::istringstream parts(value);
    std::vector<std::string> targets;
    for (std::string part; std::getline(parts, part, ':');) {
        EXPECT_EQ(part.find(' '), std::string::npos);
        targets.push_back(fs::read_symlink(part));
    }
    EXPECT_EQ(targets, (std::vector<std::string>{"/a b/x.so", "/c d/x.so", "/e/y z:.so"}));
}

TEST(Preload, QuotesForTheShell) {
    EXPECT_EQ(shell_quoted("/plain/path:x=1"), "/plain/path:x=1");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
}

TEST(PrivateFolder, IsRemovedWithItsContents) {
    std::string path;
    {
        const PrivateDirectory directory;
        path = directory.path();
        std::ofstream(path + "/file") << "x";
        EXPECT_TRUE(fs::exists(path + "/file"));
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST(RuntimeNeeds, OfRealProgramsAreFound) {
    EXPECT_TRUE(runtime_needs(OCB_TEST_PROGRAMS "/gcc/ending").libgomp);
    const RuntimeNeeds clang = runtime_needs(OCB_TEST_PROGRAMS "/clang/ending");
    EXPECT_TRUE(clang.libomp);
    EXPECT_FALSE(clang.libgomp);
    EXPECT_TRUE(clang.libomp_path.empty() || is_loadable_library(clang.libomp_path));
    const RuntimeNeeds plain = runtime_needs(OCB_TEST_PROGRAMS "/gcc/plain");
    EXPECT_FALSE(plain.libomp || plain.libgomp);
}

// What ldd says, which runs the interpreter that the file names; ours is a test program.
TEST(NeededLibraries, AreThoseThatTheLinkerFinds) {
    for (const char *program :
         {OCB_TEST_PROGRAMS "/gcc/ending", OCB_TEST_BIN_FOLDER "/ompcollect", "/bin/bash"}) {
        ocb_test::Command command;
        command.arguments = {"/usr/bin/ldd", program};
        const ocb_test::Outcome outcome = ocb_test::run(command);
        const auto found = needed_libraries(program);
        EXPECT_GE(found.size(), 2U);
        for (const NeededLibrary &library : found) {
            if (library.name.starts_with("ld-linux")) {
                continue; // stands there without an arrow
            }
            const std::string line = library.name + " => " + library.path + " (";
            EXPECT_NE(outcome.out.find(line), std::string::npos) << line << "\n" << outcome.out;
        }
    }
}

TEST(NeededLibraries, ABrokenCacheHasNoEntries) {
    EXPECT_TRUE(paths_in_linker_cache("", "").empty());
    EXPECT_TRUE(paths_in_linker_cache("glibc-ld.so.cache1.1", "").empty());
    std::string text = "glibc-ld.so.cache1.1";
    text += std::string("\xff\xff\xff\x7f", 4) + std::string(40, '\xff');
    EXPECT_TRUE(paths_in_linker_cache(text, "").empty());
}

// A name is whole: neither the beginning of another one nor its end.
TEST(NeededLibraries, ANameInTheCacheIsTheWholeOne) {
    constexpr char kNames[] = "liba.so\0/1/liba.so\0liba.so.1\0/2/liba.so.1\0/3/liba.so";
    const std::string strings(kNames, sizeof kNames);
    constexpr size_t kStrings = 48 + 3 * 24;
    std::string text = "glibc-ld.so.cache1.1" + std::string(28, '\0');
    text[20] = 3;
    const unsigned offsets[][2] = {{0, 8}, {19, 29}, {0, 42}};
    for (const auto &[name, path] : offsets) {
        std::string entry(24, '\0');
        entry[4] = static_cast<char>(kStrings + name);
        entry[8] = static_cast<char>(kStrings + path);
        text += entry;
    }
    text += strings;
    using Paths = std::vector<std::string>;
    EXPECT_EQ(paths_in_linker_cache(text, "liba.so"), (Paths{"/1/liba.so", "/3/liba.so"}));
    EXPECT_EQ(paths_in_linker_cache(text, "liba.so.1"), Paths{"/2/liba.so.1"});
    EXPECT_EQ(paths_in_linker_cache(text, "liba"), Paths{});
    EXPECT_EQ(paths_in_linker_cache(text, "iba.so"), Paths{});
}

// The interpreter of a file under test is not run, whatever it names and however long.
TEST(ProgramFile, IsReadAndNotRun) {
    const TemporaryFolder folder;
    const std::string interpreter = folder.file("interpreter");
    const std::string mark = folder.file("mark");
    std::ofstream(interpreter) << "#!/bin/sh\ntouch '" << mark << "'\n";
    fs::permissions(interpreter, fs::perms::owner_all);
    const std::string program = folder.file("program");
    ocb_test::Command command;
    const std::string source = OCB_TEST_SOURCES "/programs/plain.c";
    command.arguments = {"/usr/bin/gcc", "-Wl,--dynamic-linker=" + interpreter, "-o", program,
                         source};
    ASSERT_TRUE(ocb_test::run(command).succeeded());
    for (const char *option : {"--dry-run", "--capabilities"}) {
        command.arguments = {OCB_TEST_BIN_FOLDER "/ompcollect", option, program};
        EXPECT_TRUE(ocb_test::run(command).succeeded());
        EXPECT_FALSE(fs::exists(mark)) << option;
    }

    // A segment that states more bytes than memory has.
    std::fstream file(program, std::ios::in | std::ios::out | std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    constexpr size_t kSegments = 64;
    constexpr size_t kSegmentSize = 56;
    for (size_t at = kSegments; at + kSegmentSize < 1024; at += kSegmentSize) {
        if (bytes[at] == 3 && bytes[at + 1] == 0) { // PT_INTERP
            file.seekp(static_cast<std::streamoff>(at + 32));
            const uint64_t huge = uint64_t{1} << 46;
            file.write(reinterpret_cast<const char *>(&huge), sizeof huge);
            break;
        }
    }
    file.close();
    EXPECT_EQ(kind_of_file(program), FileKind::kDynamic);
    EXPECT_FALSE(runtime_needs(program).libgomp);
}

TEST(ProgramFile, TellsAStaticRuntime) {
    EXPECT_TRUE(contains_runtime(OCB_TEST_PROGRAMS "/static-libgomp"));
    EXPECT_FALSE(contains_runtime(OCB_TEST_PROGRAMS "/gcc/ending"));
    EXPECT_FALSE(contains_runtime(OCB_TEST_PROGRAMS "/clang/ending"));
    EXPECT_FALSE(contains_place_for_tool(OCB_TEST_PROGRAMS "/static-libgomp"));
    EXPECT_TRUE(contains_place_for_tool(OCB_TEST_PROGRAMS "/clang/own_tool"));
}

TEST(ProgramFile, ListsEntriesThatARuntimeLacks) {
    const std::string program = OCB_TEST_PROGRAMS "/gcc/ending";
    const auto all = entries_missing_in("/nonexistent", program);
    EXPECT_NE(std::find(all.begin(), all.end(), "GOMP_parallel"), all.end());
    const std::string libomp = OCB_TEST_LIBOMPS "/14/lib/libomp.so.5";
    EXPECT_TRUE(entries_missing_in(libomp, program).empty());
    const auto missing = entries_missing_in(libomp, OCB_TEST_PROGRAMS "/lacks-entries");
    EXPECT_EQ(missing, std::vector<std::string>{"GOMP_target_ext"});
    // The program's libraries count.
    EXPECT_EQ(entries_missing_in(libomp, OCB_TEST_PROGRAMS "/library-lacks-entries"),
              (std::vector<std::string>{"GOMP_target_ext", "omp_target_alloc"}));
}

TEST(ProgramFile, IsToldByItsContents) {
    EXPECT_EQ(kind_of_file(OCB_TEST_PROGRAMS "/static"), FileKind::kStatic);
    EXPECT_EQ(kind_of_file(OCB_TEST_MAKE_FASTA), FileKind::kScript);
    EXPECT_EQ(interpreter_of_script(OCB_TEST_MAKE_FASTA), "sh");
    const TemporaryFolder folder;
    std::ofstream(folder.file("script")) << "#!/usr/bin/env -S python3 -x\n";
    EXPECT_EQ(interpreter_of_script(folder.file("script")), "python3");
    EXPECT_EQ(interpreter_of_script("/bin/sh"), "");
    // An ELF head of a 32-bit program.
    std::ofstream(folder.file("foreign"), std::ios::binary)
        << std::string("\x7f"
                       "ELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0",
                       24)
        << std::string(28, '\0');
    EXPECT_EQ(kind_of_file(folder.file("foreign")), FileKind::kForeign);
}

TEST(WrappedCommand, NamesWhatItRuns) {
    const std::string program = OCB_TEST_PROGRAMS "/gcc/ending";
    const std::vector<std::vector<std::string>> commands = {
        {"taskset", "-c", "0", program},
        {"nice", "-n", "5", program, "exit", "3"},
        {"env", "A=b", program},
        {"timeout", "5", program},
        {"bash", "-c", "cd / && exec '" + program + "' exit"},
        {"sh", "-c", "A=b;\"" + program + "\" exit|cat"},
        {"xargs", program},
        {"sh", "-c", "cd / && sh -c \"exec sh -c '" + program + " exit'\""},
        {"bash", "-c", "# it's the first line\n" + program + " exit"},
        {"bash", "-c", "echo \"don't; " + program + " exit"},
    };
    for (const auto &command : commands) {
        const CommandContents contents = contents_of(find_program(command[0]), command);
        EXPECT_NE(std::find(contents.programs.begin(), contents.programs.end(), program),
                  contents.programs.end())
            << command.back();
    }
    const TemporaryFolder folder;
    const std::string spaced = folder.file("two 'words'");
    std::filesystem::create_symlink(program, spaced);
    for (const std::vector<std::string> &command :
         {std::vector<std::string>{"nice", spaced},
          {"sh", "-c", folder.file("two") + "\\ \\'words\\' exit"},
          {"sh", "-c", "exec \"" + spaced + "\" exit"}}) {
        const CommandContents contents = contents_of(find_program(command[0]), command);
        EXPECT_NE(std::find(contents.programs.begin(), contents.programs.end(), spaced),
                  contents.programs.end())
            << command.back();
    }
    const CommandContents other = contents_of(program, {program, "/bin/sh"});
    EXPECT_EQ(other.programs, std::vector<std::string>{program}) << "not a wrapper";
}

TEST(ProgramFile, IsFoundAsTheShellWould) {
    EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
    EXPECT_NE(find_program("sh").find("/sh"), std::string::npos);
    try {
        find_program("no-such-program-anywhere");
        FAIL();
    } catch (const Failure &failure) {
        EXPECT_EQ(failure.exit_code(), kExitNotFound);
    }
    try {
        find_program("/etc/passwd");
        FAIL();
    } catch (const Failure &failure) {
        EXPECT_EQ(failure.exit_code(), kExitNotExecutable);
    }
}

TEST(PrivateFolder, IsTakenOverOnceItsOwnerIsNoMore) {
    const TemporaryFolder folder;
    setenv("TMPDIR", folder.file("").c_str(), 1);
    std::string name;
    {
        const PrivateDirectory living;
        name = fs::path(living.path()).filename();
        EXPECT_TRUE(take_abandoned_directories().empty());
    }
    // The same process id, another begin.
    const std::string begin = std::to_string(process_begin(getpid()));
    ASSERT_NE(begin, "0");
    const size_t at = name.find(begin);
    ASSERT_NE(at, std::string::npos) << name;
    fs::create_directory(folder.file(name.replace(at, begin.size(), "7")));
    std::ofstream(folder.file(name + "/file")) << "kept";
    const auto taken = take_abandoned_directories();
    unsetenv("TMPDIR");
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_TRUE(fs::exists(taken[0] + "/file"));
    EXPECT_FALSE(fs::exists(folder.file(name)));
    const PrivateDirectory owner(taken[0]);
    owner.remove_at_once();
    EXPECT_FALSE(fs::exists(taken[0]));
}

TEST(ReportFiles, HaveNamesByProcess) {
    const ReportOf process = {42, "node7", "3"};
    EXPECT_EQ(expanded_name("a.%p.%h.%r%%", process), "a.42.node7.3%");
    EXPECT_EQ(expanded_name("plain", process), "plain");
    EXPECT_EQ(expanded_name("%r", {1, "h", ""}), "0");
    EXPECT_THROW(expanded_name("a%x", process), Failure);
    EXPECT_THROW(expanded_name("a%", process), Failure);
}

TEST(ReportFiles, AreEmptiedOnceAndThenAppendedTo) {
    const TemporaryFolder folder;
    const std::string file = folder.file("report");
    std::ofstream(file) << "old";
    {
        ReportFiles files(file);
        files.write({1, "h", ""}, "one\n");
        files.write({2, "h", ""}, "two\n");
    }
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_EQ(text.str(), "one\ntwo\n");
}

// Any shared library of this machine will do as a libomp to be found.
void put_library(const fs::path &directory, const char *name) {
    fs::create_directories(directory);
    fs::create_symlink(OCB_TEST_LIB_FOLDER "/libompcollect-default.so", directory / name);
}

TEST(LibompSearch, TakesTheFirstPlaceThatHasOne) {
    const TemporaryFolder folder;
    const fs::path root = folder.file("");
    put_library(root / "usr/llvm-9/lib", "libomp.so.5");
    put_library(root / "usr/llvm-14/lib", "libomp.so");
    put_library(root / "usr/llvm-13/lib", "libomp.so.5");
    fs::create_directories(root / "usr/llvm-99/lib");
    LibompPlaces places;
    places.linker_cache = false;
    places.llvm_root = root / "usr";
    EXPECT_EQ(find_libomp(places), root / "usr/llvm-14/lib/libomp.so");

    put_library(root / "with space", "libiomp5.so");
    places.directories = {root / "empty", root / "with space"};
    EXPECT_EQ(find_libomp(places), root / "with space/libiomp5.so");
}

TEST(LibompSearch, PassesOverWhatCannotBeLoaded) {
    const TemporaryFolder folder;
    const fs::path root = folder.file("");
    fs::create_directories(root / "llvm-15/lib");
    std::ofstream(root / "llvm-15/lib/libomp.so.5") << "not a library";
    put_library(root / "llvm-14/lib", "libomp.so.5");
    LibompPlaces places;
    places.linker_cache = false;
    places.llvm_root = root;
    EXPECT_EQ(find_libomp(places), root / "llvm-14/lib/libomp.so.5");
}

TEST(LibompSearch, NamesThePackageWhereThereIsNone) {
    LibompPlaces places;
    places.linker_cache = false;
    places.llvm_root = "/nonexistent";
    EXPECT_EQ(find_libomp(places), "");
    const std::string message = libomp_missing_message("program");
    EXPECT_NE(message.find("libomp5-14"), std::string::npos);
    EXPECT_EQ(message.find('\n'), std::string::npos);
}

} // namespace
} // namespace ompcollect
