// SPDX-License-Identifier: Apache-2.0
#include "records/region_code.h"

#include "base/compiler.h"
#include "omp_collector_bridge.h"

namespace ocb {
namespace {

struct ForkNote {
    const void *function = nullptr;
    const void *return_address = nullptr;
};
constinit thread_local ForkNote own_note __attribute__((tls_model("initial-exec")));

} // namespace

constinit std::atomic<bool> forks_are_noted{false};

void keep_noted_code(RegionRecord &region, ForkCode code) {
    const bool is_noted = code.address != nullptr
                              ? own_note.return_address == code.address
                              : code.function != nullptr && own_note.function == code.function;
    const ForkNote note = is_noted ? own_note : ForkNote{};
    region.fork_address.store(code.address != nullptr ? code.address : note.return_address,
                              std::memory_order_relaxed);
    region.function.store(code.function != nullptr ? code.function : note.function,
                          std::memory_order_relaxed);
    own_note = {};
}

} // namespace ocb

OCB_EXPORT void omp_collector_bridge_note_fork(const void *function, const void *return_address) {
    if (!ocb::forks_are_noted.load(std::memory_order_relaxed)) {
        ocb::forks_are_noted.store(true, std::memory_order_relaxed);
    }
    ocb::own_note = {function, return_address};
}
