// SPDX-License-Identifier: Apache-2.0
#include "region_code.h"

#include "answers.h"
#include "omp_collector_bridge.h"
#include "thread_record.h"

extern "C" void *Tau_get_gomp_proxy_address();

namespace ocb {
namespace {

struct ForkNote {
    const void *function = nullptr;
    const void *return_address = nullptr;
};
constinit thread_local ForkNote own_note __attribute__((tls_model("initial-exec")));

const void *of_callers_region(std::atomic<const void *> RegionRecord::*member) {
    const ThreadRecord *record = own_record;
    if (record == nullptr || answers::region_of_caller() == 0)
        return nullptr;
    if (const RegionRecord *region = record->event_region; region != nullptr)
        return (region->*member).load(std::memory_order_relaxed);
    const Frame *frame = record->frame.get();
    if (frame == nullptr || frame->region == nullptr)
        return nullptr;
    const void *value = (frame->region->*member).load(std::memory_order_acquire);
    // Once its master has left the region, its record may belong to another one.
    return frame->has_ended() ? nullptr : value;
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

extern "C" __attribute__((visibility("default"))) const void *
omp_collector_bridge_region_address() {
    return ocb::of_callers_region(&ocb::RegionRecord::fork_address);
}

extern "C" __attribute__((visibility("default"))) const void *
omp_collector_bridge_region_function() {
    return ocb::of_callers_region(&ocb::RegionRecord::function);
}

extern "C" __attribute__((visibility("default"))) void
omp_collector_bridge_note_fork(const void *function, const void *return_address) {
    ocb::own_note = {function, return_address};
}

// TAU asks for it at every FORK and wherever it names a timer by its region, and looks the address
// up in the symbols of the program.
extern "C" __attribute__((visibility("default"))) void *Tau_get_gomp_proxy_address() {
    return const_cast<void *>(omp_collector_bridge_region_function());
}
