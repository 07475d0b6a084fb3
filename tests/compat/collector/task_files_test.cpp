// SPDX-License-Identifier: Apache-2.0
//
// What the sampling thread reads of threads: kept open in a table of its own, from which the
// program notices nothing.
#include "collector/system/task_files.h"

#include "launcher_run.h"

#include <atomic>
#include <chrono>
#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ocb_test {
namespace {

namespace fs = std::filesystem;
using ompcollect::TaskFile;

int own_tid() {
    return static_cast<int>(syscall(SYS_gettid));
}

// Of the calling thread's table, without the one that lists them.
std::multiset<std::string> open_files() {
    std::multiset<std::string> found;
    std::error_code failure;
    for (const auto &entry : fs::directory_iterator("/proc/thread-self/fd")) {
        const std::string name = fs::read_symlink(entry.path(), failure);
        if (!failure && name.find("/fd") == std::string::npos) {
            found.insert(name);
        }
    }
    return found;
}

std::string read_task(int tid, TaskFile file) {
    char text[1024];
    return ompcollect::read_task_file(tid, file, text, sizeof text) ? text : "";
}

// Since Linux 5.9, and not behind a filter of system calls, as containers have.
bool can_have_own_table() {
    std::ifstream file("/proc/self/status");
    const std::string status((std::istreambuf_iterator<char>(file)), {});
    return status.find("\nSeccomp:\t0\n") != std::string::npos &&
           syscall(SYS_close_range, UINT_MAX, UINT_MAX, 0) == 0;
}

// Some threads that wait until this object ends.
class WaitingThreads {
  public:
    explicit WaitingThreads(unsigned count) : tids_(count) {
        for (std::atomic<int> &tid : tids_) {
            threads_.emplace_back([this, &tid] {
                tid = own_tid();
                ended_.wait(false);
            });
        }
        for (std::atomic<int> &tid : tids_) {
            while (tid == 0) {
                std::this_thread::yield();
            }
        }
    }
    ~WaitingThreads() { end(); }
    WaitingThreads(const WaitingThreads &) = delete;
    WaitingThreads &operator=(const WaitingThreads &) = delete;
    void end() {
        ended_ = true;
        ended_.notify_all();
        for (std::thread &thread : threads_) {
            if (thread.joinable()) {
                thread.join();
            }
        }
    }
    [[nodiscard]] const std::vector<std::atomic<int>> &tids() const { return tids_; }

  private:
    std::vector<std::atomic<int>> tids_;
    std::atomic<bool> ended_{false};
    std::vector<std::thread> threads_;
};

// In a thread that keeps files; with nothing kept behind it.
void with_kept_files(const std::function<void()> &then) {
    std::thread([&then] {
        ompcollect::keep_task_files();
        then();
        ompcollect::forget_task_files();
    }).join();
}

class TaskFiles : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!can_have_own_table()) {
            GTEST_SKIP() << "no thread gets a table of descriptors of its own here";
        }
    }
};

TEST_F(TaskFiles, AreKeptOpenWhereTheProgramHasNone) {
    const WaitingThreads others(3);
    const auto before = open_files();
    with_kept_files([&others] {
        EXPECT_EQ(open_files().size(), 0U);
        for (int round = 0; round < 2; ++round) {
            for (const std::atomic<int> &tid : others.tids()) {
                EXPECT_EQ(read_task(tid, TaskFile::kStat).find(std::to_string(tid) + " ("), 0U);
                EXPECT_NE(read_task(tid, TaskFile::kSyscall), "");
            }
        }
        const auto kept = open_files();
        EXPECT_EQ(kept.size(), 6U);
        const std::string tasks = "/proc/" + std::to_string(getpid()) + "/task/";
        for (const std::string &name : kept) {
            EXPECT_EQ(name.find(tasks), 0U) << name;
        }
    });
    EXPECT_EQ(open_files(), before);
}

// More than are read at once.
TEST(ThreadNumbers, AreThoseThatTheKernelShows) {
    const WaitingThreads others(200);
    std::multiset<int> shown;
    for (const auto &entry : fs::directory_iterator("/proc/self/task")) {
        shown.insert(std::stoi(entry.path().filename()));
    }
    EXPECT_GT(shown.size(), others.tids().size());
    ompcollect::ThreadNumbers numbers;
    EXPECT_TRUE(numbers.are_shown());
    std::multiset<int> read;
    while (const int tid = numbers.next()) {
        read.insert(tid);
    }
    EXPECT_EQ(read, shown);
}

TEST_F(TaskFiles, ShowWhatIsNow) {
    with_kept_files([] {
        const std::string first = read_task(own_tid(), TaskFile::kSchedstat);
        const auto begin = std::chrono::steady_clock::now();
        while (read_task(own_tid(), TaskFile::kSchedstat) == first) {
            ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
        }
    });
}

TEST_F(TaskFiles, HoldNoFileOfTheProgram) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    std::atomic<bool> keeps{false};
    std::atomic<bool> is_read{false};
    std::thread keeper([&] {
        ompcollect::keep_task_files();
        EXPECT_EQ(fcntl(ends[1], F_GETFD), -1);
        keeps = true;
        keeps.notify_all();
        is_read.wait(false);
        ompcollect::forget_task_files();
    });
    keeps.wait(false);
    // The last that is open: who reads is told.
    EXPECT_EQ(close(ends[1]), 0);
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 0);
    close(ends[0]);
    is_read = true;
    is_read.notify_all();
    keeper.join();
}

TEST_F(TaskFiles, OfAnEndedThreadAreNone) {
    WaitingThreads others(2);
    with_kept_files([&others] {
        EXPECT_NE(read_task(others.tids()[0], TaskFile::kStat), "");
        others.end();
        // The kernel is done with it a little later.
        const auto begin = std::chrono::steady_clock::now();
        while (!read_task(others.tids()[0], TaskFile::kStat).empty()) {
            ASSERT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
        }
    });
}

// The number that the next thread gets, where the system lets itself be told.
bool choose_next_tid(int tid) {
    std::ofstream file("/proc/sys/kernel/ns_last_pid");
    file << tid - 1 << std::flush;
    return file.good();
}

TEST_F(TaskFiles, AreOfTheThreadThatHasTheNumberNow) {
    with_kept_files([] {
        WaitingThreads ended(1);
        const int tid = ended.tids()[0];
        EXPECT_NE(read_task(tid, TaskFile::kStat), "");
        ended.end();
        // Others begin threads meanwhile.
        constexpr int kTries = 1000;
        for (int i = 0; i < kTries; ++i) {
            if (!choose_next_tid(tid)) {
                GTEST_SKIP() << "threads' numbers cannot be chosen here";
            }
            const WaitingThreads next(1);
            if (next.tids()[0] == tid) {
                EXPECT_NE(read_task(tid, TaskFile::kStat), "");
                return;
            }
        }
        GTEST_SKIP() << "somebody else has the number";
    });
}

// Threads whose numbers fall together take each other's place.
TEST_F(TaskFiles, AreTheThreadsOwn) {
    constexpr unsigned kMoreThanPlaces = 300;
    const WaitingThreads others(kMoreThanPlaces);
    with_kept_files([&others] {
        for (int round = 0; round < 2; ++round) {
            for (const std::atomic<int> &tid : others.tids()) {
                ASSERT_EQ(read_task(tid, TaskFile::kStat).find(std::to_string(tid) + " ("), 0U);
            }
        }
    });
}

// Descriptors are those of one table, whose thread has ended.
TEST_F(TaskFiles, EndWithTheirKeeper) {
    const WaitingThreads others(2);
    const int first = others.tids()[0];
    const int second = others.tids()[1];
    with_kept_files([first] { EXPECT_NE(read_task(first, TaskFile::kStat), ""); });
    with_kept_files([first, second] {
        EXPECT_NE(read_task(second, TaskFile::kStat), ""); // has the first one's number now
        EXPECT_EQ(read_task(first, TaskFile::kStat).find(std::to_string(first) + " ("), 0U);
    });
}

TEST_F(TaskFiles, NeedFewDescriptorsWhereFewAreAllowed) {
    const WaitingThreads others(40);
    struct rlimit before = {};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    with_kept_files([&others, &before] {
        const struct rlimit few = {10, before.rlim_max};
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
        for (int round = 0; round < 2; ++round) {
            for (const std::atomic<int> &tid : others.tids()) {
                EXPECT_NE(read_task(tid, TaskFile::kStat), "") << tid;
            }
        }
    });
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(TaskFiles, AreClosedAtOnceInTheProgramsTable) {
    const auto before = open_files();
    EXPECT_NE(read_task(own_tid(), TaskFile::kStat), "");
    EXPECT_EQ(open_files(), before);
}

} // namespace
} // namespace ocb_test
