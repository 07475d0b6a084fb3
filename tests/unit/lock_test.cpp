// SPDX-License-Identifier: Apache-2.0
// The lock of the rare paths: one holder at a time, errno kept, and a thread that waits for it
// sleeps. A real-time thread that spins would keep a holder of lower priority from running.
#include "base/lock.h"

#include <atomic>
#include <cerrno>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace ocb::test {
namespace {

// The state that the kernel shows for a thread of this process: R runs, S sleeps.
char state_of_thread(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');
    return name_end == std::string::npos ? '?' : line[name_end + 2];
}

TEST(Lock, WhoWaitsSleeps) {
    constexpr int kLooks = 10, kMostLooks = 100000;
    Lock lock;
    std::atomic<pid_t> waiter{0};
    lock.lock();
    std::thread thread([&] {
        errno = ERANGE;
        waiter = static_cast<pid_t>(syscall(SYS_gettid));
        const LockGuard guard(lock);
        EXPECT_EQ(errno, ERANGE);
    });
    while (waiter == 0) {
        sched_yield();
    }
    // Asleep at each of several looks in a row; one that spins sleeps at none.
    int asleep = 0;
    for (int look = 0; look < kMostLooks && asleep < kLooks; ++look) {
        asleep = state_of_thread(waiter) == 'S' ? asleep + 1 : 0;
        sched_yield();
    }
    EXPECT_EQ(asleep, kLooks);
    lock.unlock();
    thread.join();
    EXPECT_TRUE(lock.try_lock());
}

// The processor that the calling thread is on, alone: what it starts then is there too.
bool stay_on_one_processor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

long voluntary_switches() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

// A real-time thread wants what a normal one on the same processor holds: it leaves the processor
// to the holder, of its own accord. One that spins leaves it only where the kernel takes it away,
// after most of a second.
TEST(Lock, ARealTimeThreadLeavesTheProcessorToTheHolder) {
    constexpr int kRounds = 20;
    bool is_permitted = true;
    std::thread holder([&] {
        ASSERT_TRUE(stay_on_one_processor());
        for (int round = 0; round < kRounds && is_permitted; ++round) {
            Lock lock;
            std::atomic<bool> is_waiting{false};
            long switches = 0;
            lock.lock();
            std::thread waiter([&] {
                const sched_param priority{1};
                is_permitted = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
                const long before = voluntary_switches();
                is_waiting = true;
                const LockGuard guard(lock);
                switches = voluntary_switches() - before;
            });
            while (!is_waiting) {
                sched_yield();
            }
            lock.unlock();
            waiter.join();
            if (is_permitted) {
                EXPECT_GE(switches, 1);
            }
        }
    });
    holder.join();
    if (!is_permitted) {
        GTEST_SKIP() << "no real-time priority is permitted here";
    }
}

TEST(Lock, HasOneHolderAtATime) {
    constexpr int kThreads = 4, kRounds = 20000;
    Lock lock;
    int count = 0;
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < kRounds; ++round) {
                const LockGuard guard(lock);
                ++count;
            }
        });
    }
    for (std::thread &thread : threads) {
        thread.join();
    }
    EXPECT_EQ(count, kThreads * kRounds);
}

TEST(Lock, IsTakenOnce) {
    Lock lock;
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    lock.reset_after_fork();
    EXPECT_TRUE(lock.try_lock());
}

} // namespace
} // namespace ocb::test
