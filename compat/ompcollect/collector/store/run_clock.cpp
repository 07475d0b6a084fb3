// SPDX-License-Identifier: Apache-2.0
#include "run_clock.h"

#include "clocks.h"
#include "store.h"

#include <atomic>

namespace ompcollect {
namespace {

constinit std::atomic<unsigned> looks{0};
constinit std::atomic<uint64_t> taken_out{0}; // below 0, as a word, where the clock was set back

} // namespace

uint64_t run_ns() {
    return now_ns() - taken_out.load(std::memory_order_relaxed);
}

uint64_t stood_still_ns() {
    return header().stood_still_ns.load(std::memory_order_relaxed);
}

unsigned looks_at_clock() {
    return looks.load(std::memory_order_acquire);
}

void count_look_at_clock() {
    looks.fetch_add(1, std::memory_order_release);
}

void take_out_stillness(uint64_t ns) {
    taken_out.fetch_add(ns, std::memory_order_relaxed);
    header().stood_still_ns.fetch_add(ns, std::memory_order_relaxed);
}

void put_in_set_back(uint64_t ns) {
    taken_out.fetch_sub(ns, std::memory_order_relaxed);
    header().set_back_ns.fetch_add(ns, std::memory_order_relaxed);
}

void restart_run_clock() {
    taken_out.store(0, std::memory_order_relaxed);
}

} // namespace ompcollect
