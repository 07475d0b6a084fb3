// SPDX-License-Identifier: Apache-2.0
// The exported questions for the code of the calling thread's region (omp_collector_bridge.h):
// answered where CURRENT_PRID names one. Async-signal-safe.
#include "base/compiler.h"
#include "omp_collector_bridge.h"
#include "records/region.h"
#include "records/thread_record.h"
#include "requests/answers.h"

extern "C" void *Tau_get_gomp_proxy_address();

namespace ocb {
namespace {

const void *of_callers_region(std::atomic<const void *> RegionRecord::*member) {
    const ThreadRecord *record = own_record;
    if (record == nullptr || answers::region_of_caller() == RegionId::kNone) {
        return nullptr;
    }
    if (const RegionRecord *region = record->event_region; region != nullptr) {
        return (region->*member).load(std::memory_order_relaxed);
    }
    const ImplicitTask *implicit_task = record->implicit_task.get();
    if (implicit_task == nullptr || implicit_task->region == nullptr) {
        return nullptr;
    }
    const void *value = (implicit_task->region->*member).load(std::memory_order_acquire);
    // Once its master has left the region, its record may belong to another one.
    return implicit_task->has_ended() ? nullptr : value;
}

} // namespace
} // namespace ocb

OCB_EXPORT const void *omp_collector_bridge_region_address() {
    return ocb::of_callers_region(&ocb::RegionRecord::fork_address);
}

OCB_EXPORT const void *omp_collector_bridge_region_function() {
    return ocb::of_callers_region(&ocb::RegionRecord::function);
}

// TAU asks for it at every FORK and wherever it names a timer by its region, and looks the address
// up in the symbols of the program.
OCB_EXPORT void *Tau_get_gomp_proxy_address() {
    return const_cast<void *>(omp_collector_bridge_region_function());
}
