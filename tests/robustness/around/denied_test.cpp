// SPDX-License-Identifier: Apache-2.0
//
// A system call that a filter refuses, one at a time, by the errors that filters have. A program
// that runs there does the same under ompcollect. Its run is saved, or one line names the cause.
#include "long_form.h"
#include "process.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <sys/syscall.h>

namespace ocb_test {
namespace {

struct Denied {
    const char *name;
    int number;
    const char *cause; // of no profile; null: the run is saved. Empty: either, in the long form
};

const Denied kDenied[] = {
#ifdef SYS_vfork // of x86-64 alone
    {"vfork", SYS_vfork, nullptr},
    {"readlink", SYS_readlink, nullptr},
    {"rename", SYS_rename, nullptr},
    {"access", SYS_access, nullptr},
    {"mkdir", SYS_mkdir, "no directory for temporary files"},
    {"unlink", SYS_unlink, ""},
    {"rmdir", SYS_rmdir, ""},
    {"poll", SYS_poll, ""},
#endif
    {"clone", SYS_clone, nullptr},
    {"getdents64", SYS_getdents64, "cannot be listed"},
    {"pwrite64", SYS_pwrite64, "could not begin its profile"},
    {"rt_sigprocmask", SYS_rt_sigprocmask, nullptr},
    {"rt_sigtimedwait", SYS_rt_sigtimedwait, nullptr},
    {"clock_nanosleep", SYS_clock_nanosleep, ""},
    {"close_range", SYS_close_range, ""},
    {"fallocate", SYS_fallocate, ""},
    {"fcntl", SYS_fcntl, ""},
    {"flock", SYS_flock, ""},
    {"ftruncate", SYS_ftruncate, ""},
    {"getrusage", SYS_getrusage, ""},
    {"kill", SYS_kill, ""},
    {"madvise", SYS_madvise, ""},
    {"membarrier", SYS_membarrier, ""},
    {"mlock", SYS_mlock, ""},
    {"perf_event_open", SYS_perf_event_open, ""},
    {"prctl", SYS_prctl, ""},
    {"prlimit64", SYS_prlimit64, ""},
    {"process_vm_readv", SYS_process_vm_readv, ""},
    {"rt_sigaction", SYS_rt_sigaction, ""},
    {"sched_getaffinity", SYS_sched_getaffinity, ""},
    {"sched_setaffinity", SYS_sched_setaffinity, ""},
    {"sched_yield", SYS_sched_yield, ""},
    {"statfs", SYS_statfs, ""},
    {"sysinfo", SYS_sysinfo, ""},
    {"tgkill", SYS_tgkill, ""},
    {"timer_create", SYS_timer_create, ""},
    {"timer_settime", SYS_timer_settime, ""},
    {"uname", SYS_uname, ""},
    {"unlinkat", SYS_unlinkat, ""},
    {"utimensat", SYS_utimensat, ""},
};

Outcome behind_filter(const Denied &denied, int error, std::vector<std::string> words,
                      const std::string &temporary) {
    words.insert(words.begin(),
                 {OCB_TEST_REFUSING, std::to_string(denied.number) + ":" + std::to_string(error)});
    Command command;
    command.arguments = std::move(words);
    command.environment = {{"LD_LIBRARY_PATH", OCB_TEST_LIBOMPS "/14/lib"}, {"TMPDIR", temporary}};
    return run(command);
}

class DeniedCall : public testing::TestWithParam<Denied> {};

TEST_P(DeniedCall, LeavesTheProgramAsItIs) {
    const Denied &denied = GetParam();
    if (denied.cause != nullptr && *denied.cause == 0 && !is_long()) {
        GTEST_SKIP() << "in the long form";
    }
    for (const char *compiler : {"clang", "gcc"}) {
        for (const int error : {EPERM, ENOSYS}) {
            SCOPED_TRACE(std::string(compiler) + ", " + std::to_string(error));
            const TemporaryFolder folder;
            const std::string around = OCB_TEST_PROGRAMS "/" + std::string(compiler) + "/around";
            const std::string file = folder.file("run.ompc");
            const std::string launcher = OCB_TEST_BIN_FOLDER "/ompcollect";
            const Outcome plain =
                behind_filter(denied, error, {around, "small", "262144"}, folder.file(""));
            const Outcome ours = behind_filter(
                denied, error, {launcher, "-o", file, around, "small", "262144"}, folder.file(""));
            ASSERT_FALSE(ours.timed_out) << ours.describe();
            EXPECT_EQ(plain.exit_code, ours.exit_code) << ours.describe();
            EXPECT_EQ(plain.signal, ours.signal) << ours.describe();
            const bool is_saved = std::filesystem::exists(file);
            if (!plain.succeeded()) {
                continue;
            }
            if (denied.cause == nullptr) {
                EXPECT_TRUE(is_saved) << ours.describe();
            } else if (*denied.cause != 0) {
                EXPECT_FALSE(is_saved);
                EXPECT_NE(ours.err.find(denied.cause), std::string::npos) << ours.describe();
            }
            if (!is_saved) {
                EXPECT_NE(ours.err.find("profile"), std::string::npos) << ours.describe();
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Of, DeniedCall, testing::ValuesIn(kDenied),
                         [](const auto &made) { return std::string(made.param.name); });

} // namespace
} // namespace ocb_test
