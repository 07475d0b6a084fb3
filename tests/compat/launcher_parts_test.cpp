// SPDX-License-Identifier: Apache-2.0
//
// The launcher's parts on their own: command line, environment, looking at programs, looking for
// libraries.
#include "environment.h"
#include "failure.h"
#include "library_search.h"
#include "options.h"
#include "private_directory.h"
#include "process.h"
#include "program_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST(CommandLine, RefusesWithCauseAndCureInOneLine) {
    const std::vector<std::vector<const char *>> wrong = {
        {},
        {"--"},
        {"--no-such-option", "program"},
        {"--rate", "0", "program"},
        {"--rate", "10001", "program"},
        {"--rate", "many", "program"},
        {"--clock", "sun", "program"},
        {"--output"},
    };
    for (const auto &words : wrong) {
        const std::string refusal = refusal_of(words);
        EXPECT_NE(refusal, "accepted") << (words.empty() ? "" : words.front());
        EXPECT_NE(refusal.find("; "), std::string::npos) << refusal;
        EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
    }
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

struct ListCase {
    const char *list;
    bool libomp;
    bool libgomp;
    const char *path;
};

TEST(RuntimeNeeds, AreReadFromTheLinkersList) {
    const ListCase cases[] = {
        {"\tlinux-vdso.so.1 (0x1)\n\tlibgomp.so.1 => /lib/libgomp.so.1 (0x2)\n", false, true, ""},
        {"\tlibomp.so.5 => /x y/libomp.so.5 (0x00007f)\n", true, false, "/x y/libomp.so.5"},
        {"\tlibomp.so.5 => not found\n", true, false, ""},
        {"\t/opt/libiomp5.so (0x00007f)\n", true, false, "/opt/libiomp5.so"},
        {"\tlibgomp-plugin.so.1 => /l/libgomp-plugin.so.1 (0x1)\n\tlibc.so.6 => /c (0x2)\n", false,
         false, ""},
        {"\tlibomp.so => /l/libomp.so (0x1)\n\tlibgomp.so.1 => /l/g (0x1)\n", true, true,
         "/l/libomp.so"},
        {"", false, false, ""},
    };
    for (const ListCase &test : cases) {
        const RuntimeNeeds needs = runtime_needs_in_list(test.list);
        EXPECT_EQ(needs.libomp, test.libomp) << test.list;
        EXPECT_EQ(needs.libgomp, test.libgomp) << test.list;
        EXPECT_EQ(needs.libomp_path, test.path) << test.list;
    }
}

TEST(RuntimeNeeds, OfRealProgramsAreFound) {
    const std::string gcc = OCB_TEST_PROGRAMS "/gcc/ending";
    const ElfFacts facts = inspect_elf(gcc);
    ASSERT_EQ(facts.kind, FileKind::kDynamic);
    EXPECT_TRUE(runtime_needs(facts.interpreter, gcc).libgomp);
    const std::string clang = OCB_TEST_PROGRAMS "/clang/ending";
    EXPECT_TRUE(runtime_needs(inspect_elf(clang).interpreter, clang).libomp);
    const std::string plain = OCB_TEST_PROGRAMS "/gcc/plain";
    const RuntimeNeeds needs = runtime_needs(inspect_elf(plain).interpreter, plain);
    EXPECT_FALSE(needs.libomp || needs.libgomp);
}

TEST(ProgramFile, IsToldByItsContents) {
    EXPECT_EQ(inspect_elf(OCB_TEST_PROGRAMS "/static").kind, FileKind::kStatic);
    EXPECT_EQ(inspect_elf(OCB_TEST_MAKE_FASTA).kind, FileKind::kScript);
    const TemporaryFolder folder;
    // An ELF head of a 32-bit program.
    std::ofstream(folder.file("foreign"), std::ios::binary)
        << std::string("\x7f"
                       "ELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0",
                       24)
        << std::string(28, '\0');
    EXPECT_EQ(inspect_elf(folder.file("foreign")).kind, FileKind::kForeign);
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
