// SPDX-License-Identifier: Apache-2.0
#include "records/region_code.h"

#include "base/compiler.h"
#include "omp_collector_bridge.h"
#include "records/thread_record.h"

namespace ocb {
namespace {

struct ForkNote {
    const void *function = nullptr;
    const void *return_address = nullptr;
};
constinit thread_local ForkNote own_note __attribute__((tls_model("initial-exec")));

// The region that the calling thread is forking, or else executes; null for none.
RegionRecord *region_of_caller(RegionKey &key) {
    const ThreadRecord *record = own_record;
    if (record == nullptr) {
        return nullptr;
    }
    RegionRecord *region = nullptr;
    if (record->fork_awaits_task && record->innermost_fork != nullptr) {
        region = record->innermost_fork;
        key = region->running_key.load(std::memory_order_relaxed);
    } else if (const ImplicitTask *implicit_task = record->implicit_task.get();
               implicit_task != nullptr) {
        region = implicit_task->region;
        key = implicit_task->key;
    }
    return visible_id(key) != RegionId::kNone ? region : nullptr;
}

// Null where the region's master has left it: its record may belong to another one already.
const void *of_callers_region(std::atomic<const void *> RegionRecord::*member) {
    RegionKey key = RegionKey::kNone;
    const RegionRecord *region = region_of_caller(key);
    if (region == nullptr) {
        return nullptr;
    }
    const void *value = (region->*member).load(std::memory_order_acquire);
    return region->is_running(key) ? value : nullptr;
}

} // namespace

void keep_region_code(RegionRecord &region, const ForkCode &code) {
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

OCB_EXPORT const void *omp_collector_bridge_region_address() {
    return ocb::of_callers_region(&ocb::RegionRecord::fork_address);
}

OCB_EXPORT const void *omp_collector_bridge_region_function() {
    return ocb::of_callers_region(&ocb::RegionRecord::function);
}

OCB_EXPORT void omp_collector_bridge_note_fork(const void *function, const void *return_address) {
    ocb::own_note = {function, return_address};
}
