// SPDX-License-Identifier: Apache-2.0
//
// A folder for temporary files in which others have put things, by the names that a killed launcher
// leaves: nothing of others is read, changed or waited for.
#include "process.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

constexpr char kLauncher[] = OCB_TEST_BIN_FOLDER "/ompcollect";
constexpr char kAround[] = OCB_TEST_PROGRAMS "/clang/around";
constexpr char kLeft[] = "an ompcollect that was killed has left the profile of process";

Command launcher_in(const std::string &folder, const std::vector<std::string> &words) {
    Command command;
    command.arguments = {kLauncher};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIBOMPS "/14/lib"}, {"TMPDIR", folder}};
    return command;
}

void write_file(const std::string &path, const std::string &text) {
    std::ofstream(path) << text;
}

std::string text_of_file(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

class HostileFolder : public testing::Test {
  protected:
    HostileFolder() {
        fs::create_directory(temporary_);
        fs::create_directory(victim_);
        write_file(victim_ + "/keep", "secret");
        // ompcollect-PID-BEGIN-SYSTEM-XXXXXX
        const Outcome outcome =
            run(launcher_in(temporary_, {"/bin/sh", "-c", "echo ${OMPCOLLECT_PROFILE_DIR##*/}"}));
        std::string name = outcome.out;
        for (int i = 0; i < 3; ++i) {
            name.erase(0, name.find('-') + 1);
        }
        system_ = name.substr(0, name.find('-'));
    }
    // Of a launcher that is no more: no process began at that time.
    [[nodiscard]] std::string abandoned(const char *end) const {
        return temporary_ + "/ompcollect-" + std::to_string(getpid()) + "-1-" + system_ + "-" + end;
    }
    // With a profile inside that is real. In another folder, as each launcher clears its own.
    void leave_a_run(const std::string &folder) const {
        const std::string elsewhere = folder_.file("elsewhere");
        fs::create_directory(elsewhere);
        const std::string copy = "cp -r \"$OMPCOLLECT_PROFILE_DIR\" \"$1\" && echo kept";
        const Outcome outcome = run(launcher_in(
            elsewhere, {"/bin/sh", "-c", "\"$0\" small 65536; " + copy, kAround, folder}));
        ASSERT_EQ(outcome.out, "done\nkept\n") << outcome.describe();
    }
    [[nodiscard]] Outcome run_next() const {
        Command command = launcher_in(temporary_, {"/bin/true"});
        command.time_limit_s = 60;
        return run(command);
    }

    TemporaryFolder folder_;
    std::string temporary_ = folder_.file("tmp");
    std::string victim_ = folder_.file("victim");
    std::string system_;
};

TEST_F(HostileFolder, LinksAreNotFollowed) {
    ASSERT_FALSE(system_.empty());
    fs::create_directory_symlink(victim_, abandoned("aaaaaa"));
    fs::create_directory(abandoned("bbbbbb"));
    fs::create_symlink(victim_ + "/keep", abandoned("bbbbbb") + "/1-0.ompc");
    fs::create_directory_symlink(victim_, abandoned("bbbbbb") + "/folder");
    ASSERT_EQ(mkfifo((abandoned("bbbbbb") + "/2-0.ompc").c_str(), 0600), 0);
    const Outcome outcome = run_next();
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.err.find("secret"), std::string::npos);
    EXPECT_EQ(text_of_file(victim_ + "/keep"), "secret");
    EXPECT_TRUE(fs::is_symlink(abandoned("aaaaaa")));
    EXPECT_FALSE(fs::exists(abandoned("bbbbbb")));
}

TEST_F(HostileFolder, WhatOthersOwnIsLeftAlone) {
    ASSERT_FALSE(system_.empty());
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root can give files away";
    }
    leave_a_run(abandoned("cccccc"));
    ASSERT_EQ(chown(abandoned("cccccc").c_str(), 65534, 65534), 0);
    const Outcome outcome = run_next();
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(count(outcome.err, kLeft), 0U) << outcome.err;
    EXPECT_TRUE(fs::exists(abandoned("cccccc")));
}

// Each profile that was left is shown by one of them, and no other folder is touched.
TEST_F(HostileFolder, LaunchersRaceForWhatIsLeft) {
    ASSERT_FALSE(system_.empty());
    constexpr size_t kLeftRuns = 3;
    for (const char *end : {"dddddd", "eeeeee", "ffffff"}) {
        leave_a_run(abandoned(end));
    }
    std::vector<std::future<Outcome>> launchers;
    for (int i = 0; i < 4; ++i) {
        launchers.push_back(std::async(std::launch::async, [this] { return run_next(); }));
    }
    size_t shown = 0;
    for (std::future<Outcome> &launcher : launchers) {
        const Outcome outcome = launcher.get();
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        shown += count(outcome.err, kLeft);
    }
    EXPECT_EQ(shown, kLeftRuns);
    size_t kept = 0;
    for (const auto &entry : fs::directory_iterator(temporary_)) {
        EXPECT_TRUE(fs::exists(entry.path() / "run.ompc")) << entry.path();
        ++kept;
    }
    EXPECT_EQ(kept, kLeftRuns);
}

// A name that is there already is not written through, whatever it is.
TEST_F(HostileFolder, ProfilesAreNewFiles) {
    const std::string script = "ln -s \"$1/keep\" \"$OMPCOLLECT_PROFILE_DIR/$$-0.ompc\"; "
                               "ln -s \"$1/keep\" \"$OMPCOLLECT_PROFILE_DIR/$$.asked\"; "
                               "ln -s \"$1/keep\" \"$OMPCOLLECT_PROFILE_DIR/$$-1.sampleA\"; "
                               "exec \"$0\" small 65536";
    const Outcome outcome =
        run(launcher_in(temporary_, {"/bin/sh", "-c", script, kAround, victim_}));
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "done\n");
    EXPECT_EQ(text_of_file(victim_ + "/keep"), "secret");
    EXPECT_EQ(count(outcome.err, "== OpenMP profile of "), 1U) << outcome.err;
}

// Closed by a program that fills its disk before its first region.
TEST_F(HostileFolder, AFullDiskIsNamed) {
    const std::string script = R"(
        mount -t tmpfs -o size=4m none "$1" 2>/dev/null || exit 77
        export TMPDIR="$1"
        exec "$0" /bin/sh -c 'head -c 9000000 /dev/zero > "$TMPDIR/x" 2>/dev/null
                              exec "$0" small 65536' "$2"
    )";
    Command command;
    command.arguments = {"/usr/bin/unshare", "-rm",      "/bin/sh", "-c", script,
                         kLauncher,          temporary_, kAround};
    command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIBOMPS "/14/lib"}};
    const Outcome outcome = run(command);
    if (outcome.exit_code == 77 || outcome.err.find("unshare:") != std::string::npos) {
        GTEST_SKIP() << "nothing can be mounted here";
    }
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "done\n");
    EXPECT_EQ(count(outcome.err, "\n"), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find("could not begin its profile in "), std::string::npos);
    EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << outcome.err;
}

// Everything can be read alone, and the folder $1 is a disk of two pages.
Command nowhere_to_write(const std::string &folder, const std::string &temporary) {
    const std::string script = R"(
        mount -t tmpfs -o size=8k none "$1" 2>/dev/null || exit 77
        for place in / /tmp /var/tmp; do
            mountpoint -q $place || continue
            mount -o remount,bind,ro $place 2>/dev/null || exit 77
        done
        export HOME="$2" TMPDIR="$2"
        exec "$0" "$3" small 65536
    )";
    Command command;
    command.arguments = {"/usr/bin/unshare", "-rm",  "/bin/sh", "-c",   script,
                         kLauncher,          folder, temporary, kAround};
    command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIBOMPS "/14/lib"}};
    return command;
}

// Of the run, whose only line has `says`.
void expect_one_line(const Outcome &outcome, const std::string &says) {
    if (outcome.exit_code == 77 || outcome.err.find("unshare:") != std::string::npos) {
        GTEST_SKIP() << "nothing can be mounted here";
    }
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, "done\n");
    EXPECT_EQ(count(outcome.err, "\n"), 1U) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
}

TEST_F(HostileFolder, AHomeWithoutRoomIsNamed) {
    const Outcome outcome = run(nowhere_to_write(temporary_, temporary_));
    expect_one_line(outcome, "could not begin its profile in " + temporary_);
    expect_one_line(outcome, "(No space left on device); choose a folder with room: by TMPDIR");
}

TEST_F(HostileFolder, NoFolderToWriteToIsNamed) {
    expect_one_line(run(nowhere_to_write(temporary_, victim_)),
                    std::string(kAround) +
                        " runs without a profile: no directory for temporary files; set "
                        "TMPDIR to one that can be written");
}

} // namespace
} // namespace ocb_test
