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
    // For the thread that writes it: the compiler may fold this load into a comparison.
    [[nodiscard]] T own() const { return load_in_place(value_); }
    void set(T value) { value_.store(value, std::memory_order_relaxed); }

  private:
    std::atomic<T> value_{};
    // This is enough for plain loads and stores. is_always_lock_free also covers exchanges, which
    // gcc 12 does not have for bytes on riscv64.
    static_assert(sizeof(value_) <= sizeof(std::uintptr_t));
};

// A signal handler of this thread that sees a write behind this call sees all writes before it.
inline void order_for_handler() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

} // namespace ocb
