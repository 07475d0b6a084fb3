// SPDX-License-Identifier: Apache-2.0
// What is known of the runtime at hand: its generation, its file, its version string, and what it
// returned for the registration of each callback. attachment.cpp writes it while the runtime
// initialises us. entry/runtime_report.cpp makes the answers of omp_collector_bridge.h from it.
#pragma once

#include "base/compiler.h"
#include "generation.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ocb::ompt {

// The adapter of the runtime that we are attached to, or were. Before that, the expected one.
extern constinit std::atomic<const Adapter *> adapter_in_use OCB_INTERNAL;
[[nodiscard]] inline const Adapter &current_adapter() {
    return *adapter_in_use.load(std::memory_order_acquire);
}

// What is to be observed (runtime::wanted_needs); it only grows.
extern constinit std::atomic<Needs> wanted OCB_INTERNAL;

// When the runtime asks for a tool. At most `most` bytes of the text are read.
void keep_version(unsigned omp_version, const char *runtime_version, std::size_t most = SIZE_MAX);
// When it initialises us.
void keep_file(Lookup lookup);
void forget_results();

// Async-signal-safe: a plain store. `row`: of the adapter's callbacks.
void keep_result(std::size_t row, int result);
[[nodiscard]] int result_of(std::size_t row);
[[nodiscard]] const SetResult &meaning_of(int result);
// Whether the runtime will call this callback, by what it returned at the registration. False if
// the callback was not registered.
bool is_served(int callback);

// A barrier inside a region was reported whose kind is not known. From then on this is the reason
// why explicit barriers are not told apart (CapabilityOverride::silence).
void record_barrier_without_kind();
const char *silence_of_barriers();

// The file of the runtime we are attached to, or were; "" for none.
const char *runtime_file();
const char *runtime_version();
unsigned runtime_version_number();

} // namespace ocb::ompt
