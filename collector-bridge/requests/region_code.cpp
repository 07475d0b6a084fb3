// SPDX-License-Identifier: Apache-2.0
// The exported questions for the code of the calling thread's region (omp_collector_bridge.h):
// answered where CURRENT_PRID names one, and in BEGIN_IDLE. Async-signal-safe.
#include "base/compiler.h"
#include "omp_collector_bridge.h"
#include "records/region.h"
#include "records/thread_record.h"
#include "requests/answers.h"

extern "C" void *Tau_get_gomp_proxy_address();

namespace ocb {
namespace {

struct Code {
    const void *fork_address = nullptr;
    const void *function = nullptr;
};

Code code_in(const RegionRecord &region) {
    return {.fork_address = region.fork_address.load(std::memory_order_acquire),
            .function = region.function.load(std::memory_order_acquire)};
}

// For a region that another thread has forked. Once its master has left it, its record may belong
// to another region. So the first answer is kept until the end of the caller's part is reported.
Code served_code(ThreadRecord &record, const RegionRecord &region, RegionKey key) {
    ServedCode &kept = record.served_code;
    if (kept.key.get() == key) {
        return {.fork_address = kept.fork_address.get(), .function = kept.function.get()};
    }
    const Code code = code_in(region);
    if (!region.is_running(key)) {
        return {};
    }
    kept.key.set(RegionKey::kNone);
    order_for_handler();
    kept.fork_address.set(code.fork_address);
    kept.function.set(code.function);
    order_for_handler();
    kept.key.set(key);
    return code;
}

// A master's own record stays its region's as long as the master is in it.
Code code_of(ThreadRecord &record, const ImplicitTask *implicit_task) {
    if (implicit_task == nullptr || implicit_task->region == nullptr ||
        implicit_task->region_id() == RegionId::kNone) {
        return {};
    }
    if (implicit_task->thread_num != 0) {
        return served_code(record, *implicit_task->region, implicit_task->key);
    }
    return implicit_task->has_ended() ? Code{} : code_in(*implicit_task->region);
}

// The thread's part in a region that another thread has forked. It is the outermost part, and stays
// until the next region.
const ImplicitTask *part_as_worker(const ThreadRecord &record) {
    const ImplicitTask *implicit_task = record.implicit_task.get();
    while (implicit_task != nullptr && implicit_task->thread_num == 0) {
        implicit_task = implicit_task->outer;
    }
    return implicit_task;
}

// The same answer in both events of a pair: collectors name a timer by it when they start it and
// when they stop it. So BEGIN_IDLE has the answer of the END_IDLE before it, though the thread is
// in no region. A new worker's BEGIN_IDLE has that of the END_IDLE behind it.
Code code_in_region(RegionId id) {
    ThreadRecord *record = own_record;
    if (record == nullptr) {
        return {};
    }
    const Event event = record->event();
    if (event == Event::kBeginIdle) {
        const RegionRecord *first = record->event_of.region;
        return first != nullptr ? served_code(*record, *first, record->event_of.key)
                                : code_of(*record, part_as_worker(*record));
    }
    if (id == RegionId::kNone) {
        return {};
    }
    if (const RegionRecord *region = record->event_of.region; region != nullptr) {
        return event == Event::kEndIdle ? served_code(*record, *region, key_of(id))
                                        : code_in(*region);
    }
    return code_of(*record, record->implicit_task.get());
}

Code code_for_caller() {
    return own_record != nullptr ? code_in_region(answers::region_of_caller()) : Code{};
}

} // namespace
} // namespace ocb

OCB_EXPORT const void *omp_collector_bridge_region_address() {
    return ocb::code_for_caller().fork_address;
}

OCB_EXPORT void omp_collector_bridge_caller_region(omp_collector_bridge_region *region) {
    using namespace ocb;
    const RegionId id = answers::region_of_caller();
    const answers::Parent parent = answers::parent_of_caller();
    const bool has_parent = parent.error == OMP_ERRCODE_OK;
    *region = {.id = number_of(id),
               .parent_id = has_parent ? number_of(parent.region_id) : 0,
               .has_parent = has_parent ? 1 : 0,
               .address = code_in_region(id).fork_address};
}

OCB_EXPORT const omp_collector_bridge_fork *omp_collector_bridge_own_fork() {
    const ocb::ThreadRecord *record = ocb::own_record;
    return record != nullptr
               ? reinterpret_cast<const omp_collector_bridge_fork *>(&record->event_of)
               : nullptr;
}

OCB_EXPORT const void *omp_collector_bridge_region_function() {
    return ocb::code_for_caller().function;
}

// TAU asks for it at every FORK and wherever it names a timer by its region, and looks the address
// up in the symbols of the program.
OCB_EXPORT void *Tau_get_gomp_proxy_address() {
    return const_cast<void *>(omp_collector_bridge_region_function());
}
