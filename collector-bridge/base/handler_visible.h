// SPDX-License-Identifier: Apache-2.0
// A value that one thread writes and that this thread's signal handlers (and, where the comment at
// the member says so, other threads) read. Plain loads and stores for the processor; the compiler
// may not tear, cache or invent them.
#pragma once

#include "base/compiler.h"

#include <atomic>
#include <cstdint>

namespace ocb {

template <class T> class HandlerVisible {
  public:
    constexpr HandlerVisible() = default;
    constexpr explicit HandlerVisible(T value) : value_(value) {}

    [[nodiscard]] T get() const { return value_.load(std::memory_order_relaxed); }
    // On the thread that writes it: the compiler may make the load a part of a comparison, which it
    // does not with an atomic one.
    [[nodiscard]] T own() const { return load_in_place(value_); }
    void set(T value) { value_.store(value, std::memory_order_relaxed); }

  private:
    std::atomic<T> value_{};
    // No more is needed for a plain load or store: not is_always_lock_free, which speaks of
    // exchanges too, and which gcc 12 denies to bytes on riscv64.
    static_assert(sizeof(value_) <= sizeof(std::uintptr_t));
};

// What was written before is what a signal handler of this thread sees if it sees what is written
// after.
inline void order_for_handler() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

} // namespace ocb
