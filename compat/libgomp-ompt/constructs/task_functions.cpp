// SPDX-License-Identifier: Apache-2.0
#include "task_functions.h"

#include <utility>

namespace ocb::gomp {

constinit TaskFunction task_functions[kTaskFunctions] = {};

namespace {

template <std::size_t kIndex> void run_known(void *data) {
    run_quietly(data, task_functions[kIndex]);
}

struct Stubs {
    Outlined at[kTaskFunctions];
};
template <std::size_t... kIndex> constexpr Stubs all_stubs(std::index_sequence<kIndex...>) {
    return {{run_known<kIndex>...}};
}
constexpr Stubs kStubs = all_stubs(std::make_index_sequence<kTaskFunctions>());

constexpr std::uint64_t kBeingWritten = 1; // no function's key

} // namespace

// Two threads may each take a stub for the same function: both are right.
Outlined stub_of(Outlined function, int flags) {
    constexpr unsigned kMostSteps = 8;
    const std::uint64_t key = task_key(function, flags);
    const std::uint64_t first = task_function_place(function, flags);
    for (unsigned step = 0; step < kMostSteps; ++step) {
        const std::uint64_t index = (first + step) % kTaskFunctions;
        TaskFunction &known = task_functions[index];
        std::uint64_t found = known.key.load(std::memory_order_acquire);
        if (found == 0 &&
            known.key.compare_exchange_strong(found, kBeingWritten, std::memory_order_relaxed)) {
            known.function = function;
            known.stub = kStubs.at[index];
            known.flags = flags;
            known.key.store(key, std::memory_order_release);
            found = key;
        }
        if (found == key) {
            return known.stub;
        }
    }
    return nullptr;
}

} // namespace ocb::gomp
