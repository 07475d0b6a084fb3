// SPDX-License-Identifier: Apache-2.0
//
// Launcher and program under ptrace: each of them is killed at any of its system calls, and each
// write, each new process and each thread of ours fails. The program does what it does without us,
// what is left is cleared away by the next launcher, and no process waits for ever.
#include "long_form.h"
#include "tracer.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/syscall.h>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;

constexpr char kLauncher[] = OCB_TEST_BIN_FOLDER "/ompcollect";
constexpr char kAround[] = OCB_TEST_PROGRAMS "/clang/around";
constexpr char kResult[] = "160\n"; // of the program

// A run of the launcher with a folder of its own for all that is written.
struct Job {
    TemporaryFolder folder;
    std::string saved = folder.file("run.ompc");

    Job() { fs::create_directory(temporary()); }
    [[nodiscard]] std::string temporary() const { return folder.file("tmp"); }
    [[nodiscard]] Command command(const std::vector<std::string> &words) const {
        Command command;
        command.arguments = {kLauncher};
        command.arguments.insert(command.arguments.end(), words.begin(), words.end());
        command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIBOMPS "/14/lib"},
                               {"TMPDIR", temporary()}};
        command.time_limit_s = 120;
        return command;
    }
    [[nodiscard]] Command with_openmp() const {
        return command({"--rate", "1000", "-o", saved, kAround, "coroutines", "20"});
    }
    // A later launcher takes away what this one has left, but for runs that are kept and named.
    void expect_cleared() const {
        const Outcome outcome = run(command({"/bin/true"}));
        EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
        EXPECT_EQ(outcome.err.find("not a profile"), std::string::npos) << outcome.err;
        for (const auto &entry : fs::directory_iterator(temporary())) {
            const bool is_kept = entry.path().filename().string().starts_with("ompcollect-run-");
            EXPECT_TRUE(is_kept && fs::exists(entry.path() / "run.ompc"))
                << entry.path() << " is left";
        }
    }
    // A whole run lies there, or what was measured until then, or none. Nothing measured is a line.
    void expect_readable() const {
        if (fs::exists(saved)) {
            const Outcome outcome = run(command({"report", saved}));
            const bool is_empty =
                outcome.err.find("ended before it had written anything") != std::string::npos &&
                outcome.exit_code == 125;
            EXPECT_TRUE(outcome.succeeded() || is_empty) << outcome.describe();
        }
    }
};

// Of one kind, by the launcher and by all others.
struct Counts {
    unsigned launcher = 0;
    unsigned others = 0;
    unsigned &of(const Call &call) { return call.is_first ? launcher : others; }
};

Counts count(const std::function<bool(const Job &, const Call &)> &is_it) {
    Counts counts;
    const Job job;
    const Outcome outcome = trace(job.with_openmp(), [&](const Call &call) {
        counts.of(call) += is_it(job, call);
        return Fate{};
    });
    EXPECT_TRUE(outcome.succeeded()) << outcome.describe();
    EXPECT_EQ(outcome.out, kResult);
    return counts;
}

bool is_any(const Job &, const Call &) {
    return true;
}

void kill_one(bool is_launcher, unsigned at, unsigned after_us) {
    SCOPED_TRACE((is_launcher ? "launcher at call " : "program at call ") + std::to_string(at) +
                 " and after " + std::to_string(after_us) + " us");
    const Job job;
    unsigned calls = 0;
    const Outcome outcome = trace(job.with_openmp(), [&](const Call &call) {
        const bool is_it = call.is_first == is_launcher && ++calls == at;
        return is_it ? Fate{Fate::Kind::kDies, 0, after_us} : Fate{};
    });
    EXPECT_FALSE(outcome.timed_out) << outcome.describe();
    EXPECT_TRUE(outcome.out.empty() || outcome.out == kResult) << outcome.out;
    EXPECT_TRUE(outcome.signal == SIGKILL || outcome.exit_code == 0) << outcome.describe();
    EXPECT_EQ(outcome.err.find("not a profile"), std::string::npos) << outcome.err;
    if (!is_launcher && outcome.signal == SIGKILL) {
        const bool is_told =
            outcome.err.find("the run is in") != std::string::npos ||
            outcome.err.find("no profile (killed by signal 9") != std::string::npos;
        EXPECT_TRUE(is_told) << outcome.err;
    }
    job.expect_readable();
    job.expect_cleared();
}

TEST(Interrupted, AnyProcessIsKilledAtAnyMoment) {
    const Counts calls = count(is_any);
    ASSERT_GT(calls.launcher, 100U);
    ASSERT_GT(calls.others, 100U);
    const unsigned times = is_long() ? 1000 : 24;
    for (unsigned i = 0; i < times && !HasFailure(); ++i) {
        const bool is_launcher = i % 2 == 0;
        const unsigned all = is_launcher ? calls.launcher : calls.others;
        const auto at = static_cast<unsigned>(uint64_t{all} * i / times + 1);
        kill_one(is_launcher, at, i % 3 == 0 ? 0 : i * 137 % 3000);
    }
}

// What makes files longer, or new ones.
bool is_write(const Job &job, const Call &call) {
    static const std::set<long> kWrites = {SYS_write,   SYS_writev,    SYS_pwrite64,
                                           SYS_mkdir,   SYS_fallocate, SYS_ftruncate,
                                           SYS_symlink, SYS_symlinkat, SYS_link};
    const bool creates = call.number == SYS_openat && (call.arguments[2] & O_CREAT) != 0;
    return (creates || kWrites.contains(call.number)) &&
           call.path().starts_with(job.folder.file(""));
}

TEST(Interrupted, AnyWriteFindsAFullDisk) {
    const Counts writes = count(is_write);
    const unsigned all = writes.launcher + writes.others;
    ASSERT_GT(all, 10U);
    const unsigned step = is_long() ? 1 : all / 12 + 1;
    for (unsigned at = 1; at <= all; at += step) {
        SCOPED_TRACE("write " + std::to_string(at));
        const Job job;
        unsigned seen = 0;
        std::string failed;
        const Outcome outcome = trace(job.with_openmp(), [&](const Call &call) {
            if (!is_write(job, call) || ++seen != at) {
                return Fate{};
            }
            failed = (call.is_first ? "launcher " : "program ") + std::to_string(call.number) +
                     " " + call.path();
            return Fate{Fate::Kind::kFails, ENOSPC, 0};
        });
        SCOPED_TRACE(failed);
        // The program runs as without us, unless the launcher has said why it does not begin.
        const bool has_run = outcome.out == kResult;
        EXPECT_TRUE(has_run || (outcome.out.empty() && outcome.exit_code == 125))
            << outcome.describe();
        EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 125) << outcome.describe();
        EXPECT_FALSE(outcome.err.empty()); // where the run is, or why it is not
        EXPECT_EQ(outcome.err.find("not a profile"), std::string::npos) << outcome.err;
        if (outcome.exit_code == 125) {
            EXPECT_NE(outcome.err.find(strerror(ENOSPC)), std::string::npos) << outcome.err;
        }
        job.expect_readable();
        job.expect_cleared();
    }
}

// As under a limit of processes, or of a container.
bool is_new_task(const Job &, const Call &call) {
    return call.number == SYS_clone || call.number == SYS_clone3 || call.number == SYS_fork ||
           call.number == SYS_vfork;
}

Outcome run_without_new_task(const Job &job, bool is_launcher, unsigned at) {
    unsigned seen = 0;
    return trace(job.with_openmp(), [&](const Call &call) {
        const bool is_it = call.is_first == is_launcher && is_new_task(job, call) && ++seen == at;
        return is_it ? Fate{Fate::Kind::kFails, EAGAIN, 0} : Fate{};
    });
}

TEST(Interrupted, NoProcessAndNoThreadIsToBeHad) {
    const Job first;
    const Outcome launcher = run_without_new_task(first, true, 1);
    EXPECT_EQ(launcher.exit_code, 125) << launcher.describe();
    EXPECT_EQ(launcher.out, "");
    EXPECT_NE(launcher.err.find("no new process: Resource temporarily unavailable"),
              std::string::npos)
        << launcher.err;
    first.expect_cleared();
    // The sampling thread is the first one that the program gets.
    const Job second;
    const Outcome program = run_without_new_task(second, false, 1);
    EXPECT_EQ(program.exit_code, 0) << program.describe();
    EXPECT_EQ(program.out, kResult);
    EXPECT_NE(program.err.find("no thread to sample with"), std::string::npos) << program.err;
    EXPECT_TRUE(fs::exists(second.saved));
    second.expect_readable();
    second.expect_cleared();
}

} // namespace
} // namespace ocb_test
