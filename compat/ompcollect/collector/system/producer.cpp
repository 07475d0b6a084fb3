// SPDX-License-Identifier: Apache-2.0
#include "producer.h"

#include "omp_collector_client.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>

namespace ompcollect {
namespace {

OMP_COLLECTOR_API_FUNCTION producer_function = nullptr;

template <class Function> void find(const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// Which of the two layouts of STATE's answer the producer takes. Starts packed, as every known
// client is, and changes once if a producer answers that this is too small.
std::atomic<int> known_state_mem{OMP_COLLECTOR_PACKED_PAIR};

// Memory for a list of so many records with so many bytes of mem in all.
template <int kRecords, int kMem> struct ListMemory {
    alignas(8) char bytes[OMP_COLLECTOR_BYTES(kRecords, kMem)];
    omp_collector_list list = omp_collector_list_in(bytes, sizeof bytes);
};

} // namespace

constinit Extensions found_extensions;

bool find_producer() {
    void *address = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    producer_function = reinterpret_cast<OMP_COLLECTOR_API_FUNCTION>(address);
    find("omp_collector_bridge_own_thread", found_extensions.own_thread);
    find("omp_collector_bridge_ask_thread", found_extensions.ask_thread);
    find("omp_collector_bridge_caller_region", found_extensions.caller_region);
    find("omp_collector_bridge_own_fork", found_extensions.own_fork);
    find("omp_collector_bridge_watch_mutex", found_extensions.watch_mutex);
    find("omp_collector_bridge_count_events", found_extensions.count_events);
    find("omp_collector_bridge_own_counts", found_extensions.own_counts);
    find("omp_collector_bridge_runtime", found_extensions.runtime);
    find("omp_collector_bridge_version", found_extensions.version);
    return address != nullptr;
}

const void *producer_address() {
    return reinterpret_cast<const void *>(producer_function);
}

int simple_request(OMP_COLLECTORAPI_REQUEST request) {
    const int error = omp_collector_request(producer_function, request);
    return error == OMP_COLLECTOR_NO_CALL ? static_cast<int>(OMP_ERRCODE_ERROR) : error;
}

void register_events(const OMP_COLLECTORAPI_EVENT *events, size_t count,
                     OMP_COLLECTORAPI_CALLBACK callback, int *codes) {
    constexpr int kMost = OMP_EVENT_THR_END_ATWT;
    ListMemory<kMost, kMost * OMP_COLLECTOR_PACKED_PAIR> memory;
    int records[kMost];
    for (size_t i = 0; i < count && i < kMost; ++i) {
        records[i] = omp_collector_add_register(&memory.list, events[i], callback,
                                                OMP_COLLECTOR_PACKED_PAIR);
    }
    const int result = omp_collector_send(&memory.list, producer_function);
    for (size_t i = 0; i < count && i < kMost; ++i) {
        codes[i] = result == 0 ? omp_collector_error(&memory.list, records[i])
                               : static_cast<int>(OMP_ERRCODE_ERROR);
    }
}

ThreadAnswer ask_thread() {
    ListMemory<2, OMP_COLLECTOR_NATURAL_PAIR + OMP_COLLECTOR_WORD> memory;
    omp_collector_list *const list = &memory.list;
    const int state =
        omp_collector_add(list, OMP_REQ_STATE, known_state_mem.load(std::memory_order_relaxed));
    const int region = omp_collector_add_region(list);
    omp_collector_send(list, producer_function);

    ThreadAnswer answer;
    const int error = omp_collector_error(list, state);
    if (error == OMP_ERRCODE_OK || error == OMP_ERRCODE_MEM_TOO_SMALL) {
        const int number = omp_collector_state_in(list, state);
        answer.state = number > 0 ? static_cast<unsigned>(number) : 0;
    }
    if (error == OMP_ERRCODE_OK &&
        omp_collector_state_has_wait_id(static_cast<int>(answer.state))) {
        answer.has_wait_id = true;
        answer.wait_id = omp_collector_wait_id_in(list, state);
    }
    if (error == OMP_ERRCODE_MEM_TOO_SMALL) {
        known_state_mem.store(OMP_COLLECTOR_NATURAL_PAIR, std::memory_order_relaxed);
    }
    if (omp_collector_error(list, region) == OMP_ERRCODE_OK) {
        answer.region = omp_collector_region_in(list, region);
    }
    return answer;
}

RegionAnswer ask_region() {
    RegionAnswer answer = {};
    if (const auto caller_region = found_extensions.caller_region) {
        caller_region(&answer);
        return answer;
    }
    ListMemory<2, 2 * OMP_COLLECTOR_WORD> memory;
    const int current = omp_collector_add_region(&memory.list);
    const int parent = omp_collector_add_parent(&memory.list);
    omp_collector_send(&memory.list, producer_function);

    if (omp_collector_error(&memory.list, current) == OMP_ERRCODE_OK) {
        answer.id = omp_collector_region_in(&memory.list, current);
    }
    // OpenUH answers PARENT_PRID with the current region, which cannot be true.
    if (omp_collector_error(&memory.list, parent) == OMP_ERRCODE_OK) {
        answer.parent_id = omp_collector_region_in(&memory.list, parent);
        answer.has_parent = answer.parent_id != answer.id ? 1 : 0;
    }
    return answer;
}

uint64_t ask_current_region() {
    ListMemory<1, OMP_COLLECTOR_WORD> memory;
    const int current = omp_collector_add_region(&memory.list);
    omp_collector_send(&memory.list, producer_function);
    return omp_collector_error(&memory.list, current) == OMP_ERRCODE_OK
               ? omp_collector_region_in(&memory.list, current)
               : 0;
}

} // namespace ompcollect
