// SPDX-License-Identifier: Apache-2.0
//
// What the program wants done at a signal. It is read at any time without a lock, in handlers and
// in children of fork() that were made while another thread was writing: of two copies one is in
// force, and the other is written.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace ompcollect {

class ProgramAction {
  public:
    constexpr ProgramAction() = default;

    // Async-signal-safe.
    [[nodiscard]] struct sigaction get() const {
        uint64_t words[kWords];
        for (unsigned turn = turn_.load(std::memory_order_acquire);;) {
            copy(copies_[turn % 2], words);
            std::atomic_thread_fence(std::memory_order_acquire);
            const unsigned now = turn_.load(std::memory_order_relaxed);
            if (now == turn) {
                break;
            }
            turn = now;
        }
        struct sigaction action;
        memcpy(&action, words, sizeof action);
        return action;
    }

    // By one thread at a time.
    void set(const struct sigaction &action) {
        uint64_t words[kWords] = {};
        memcpy(words, &action, sizeof action);
        const unsigned next = turn_.load(std::memory_order_relaxed) + 1;
        std::atomic_thread_fence(std::memory_order_release);
        for (unsigned i = 0; i < kWords; ++i) {
            copies_[next % 2][i].store(words[i], std::memory_order_relaxed);
        }
        turn_.store(next, std::memory_order_release);
    }

  private:
    static constexpr unsigned kWords = (sizeof(struct sigaction) + 7) / 8;
    using Copy = std::atomic<uint64_t>[kWords];

    static void copy(const Copy &from, uint64_t (&to)[kWords]) {
        for (unsigned i = 0; i < kWords; ++i) {
            to[i] = from[i].load(std::memory_order_relaxed);
        }
    }

    std::atomic<unsigned> turn_{0};
    Copy copies_[2] = {};
};

} // namespace ompcollect
