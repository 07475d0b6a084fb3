// SPDX-License-Identifier: Apache-2.0
#include "records/region_code.h"

#include "base/compiler.h"
#include "omp_collector_bridge.h"
#include "runtime.h"

namespace ocb {
namespace {

struct ForkNote {
    const void *function = nullptr;
    const void *return_address = nullptr;
};
constinit thread_local ForkNote own_note __attribute__((tls_model("initial-exec")));

} // namespace

constinit std::atomic<bool> forks_are_noted{false};

// Adds the part of the code that the runtime has not reported.
void add_noted_code(RegionRecord &region) {
    const void *address = region.fork_address.load(std::memory_order_relaxed);
    const void *function = region.function.load(std::memory_order_relaxed);
    const bool is_noted = address != nullptr ? own_note.return_address == address
                                             : function != nullptr && own_note.function == function;
    if (is_noted) {
        region.fork_address.store(address != nullptr ? address : own_note.return_address,
                                  std::memory_order_release);
        region.function.store(function != nullptr ? function : own_note.function,
                              std::memory_order_release);
    }
    own_note = {};
}

} // namespace ocb

OCB_EXPORT void omp_collector_bridge_note_fork(const void *function, const void *return_address) {
    if (function == nullptr && return_address == nullptr) {
        return ocb::runtime::observe_wanted();
    }
    if (!ocb::forks_are_noted.load(std::memory_order_relaxed)) {
        ocb::forks_are_noted.store(true, std::memory_order_relaxed);
    }
    ocb::own_note = {function, return_address};
}
