// SPDX-License-Identifier: Apache-2.0
#include "base/object_list.h"

#include "base/once_flag.h"

#include <atomic>
#include <cstdint>
#include <ctime>
#include <pthread.h>

namespace ocb {
namespace {

constinit std::atomic<unsigned> looks{0};
constinit std::atomic<unsigned> forks{0};
constinit OnceFlag forks_are_watched{0};

std::int64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// With a bound: a look that was left by longjmp never ends, nor does one that a forking signal
// handler has interrupted.
void wait_until_none(const std::atomic<unsigned> &number) {
    constexpr std::int64_t kPatienceNs = 200'000'000;
    constexpr long kStepNs = 20'000;
    const std::int64_t end = now_ns() + kPatienceNs;
    while (number.load(std::memory_order_seq_cst) != 0 && now_ns() < end) {
        const timespec step{0, kStepNs};
        nanosleep(&step, nullptr);
    }
}

void before_fork() {
    forks.fetch_add(1, std::memory_order_seq_cst);
    wait_until_none(looks);
}

void after_fork_in_parent() {
    forks.fetch_sub(1, std::memory_order_release);
}

void after_fork_in_child() {
    looks.store(0, std::memory_order_relaxed);
    forks.store(0, std::memory_order_relaxed);
}

} // namespace

void look_at_objects(int (*visit)(dl_phdr_info *, std::size_t, void *), void *data) {
    if (forks_are_watched.exchange(1, std::memory_order_relaxed) == 0) {
        pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    }
    looks.fetch_add(1, std::memory_order_seq_cst);
    if (forks.load(std::memory_order_seq_cst) != 0) {
        looks.fetch_sub(1, std::memory_order_seq_cst);
        wait_until_none(forks);
        looks.fetch_add(1, std::memory_order_seq_cst);
    }
    dl_iterate_phdr(visit, data);
    looks.fetch_sub(1, std::memory_order_release);
}

} // namespace ocb
