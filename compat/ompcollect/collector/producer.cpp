// SPDX-License-Identifier: Apache-2.0
//
// Error codes are preset to OK, because some producers leave them unwritten on
// success (OpenUH does for the region requests); answers are preset to 0.
#include "producer.h"

#include "omp_collector_client.h"

#include <atomic>
#include <cstring>
#include <dlfcn.h>

namespace ompcollect {
namespace {

constexpr size_t kPackedWaitMem = 12;  // state, then the wait id at once
constexpr size_t kNaturalWaitMem = 16; // state, gap, wait id

OMP_COLLECTOR_API_FUNCTION producer_function = nullptr;
constinit Extensions found_extensions;

template <class Function> void find(const char *name, Function &function) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

// Which of the two layouts the producer takes. Starts packed, as every known client is, and changes
// once if a producer says that this is too small.
std::atomic<size_t> known_state_mem{kPackedWaitMem};

// A request list in the making. Records are appended; mem offsets are given back for the answers.
template <size_t kCapacity> class RequestList {
  public:
    RequestList() { memset(bytes_, 0, sizeof bytes_); }

    // The offset of the new record; its mem follows OMP_COLLECTOR_HEADER_SIZE bytes later.
    size_t append(OMP_COLLECTORAPI_REQUEST request, size_t mem_size) {
        const size_t record = end_;
        store_int(record, static_cast<int>(OMP_COLLECTOR_HEADER_SIZE + mem_size));
        store_int(record + 4, request);
        end_ += OMP_COLLECTOR_HEADER_SIZE + mem_size;
        return record;
    }
    int send() { return producer_function(bytes_); }

    [[nodiscard]] int code(size_t record) const { return load_int(record + 8); }
    char *mem(size_t record) { return bytes_ + record + OMP_COLLECTOR_HEADER_SIZE; }
    [[nodiscard]] int load_int(size_t offset) const {
        int value = 0;
        memcpy(&value, bytes_ + offset, sizeof value);
        return value;
    }
    [[nodiscard]] uint64_t load_wide(size_t offset) const {
        uint64_t value = 0;
        memcpy(&value, bytes_ + offset, sizeof value);
        return value;
    }

  private:
    void store_int(size_t offset, int value) { memcpy(bytes_ + offset, &value, sizeof value); }

    size_t end_ = 0;
    alignas(8) char bytes_[kCapacity + sizeof(int)]; // room for the final 0
};

constexpr size_t kHead = OMP_COLLECTOR_HEADER_SIZE;

} // namespace

bool find_producer() {
    void *address = dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
    producer_function = reinterpret_cast<OMP_COLLECTOR_API_FUNCTION>(address);
    find("omp_collector_bridge_own_thread", found_extensions.own_thread);
    find("omp_collector_bridge_ask_thread", found_extensions.ask_thread);
    find("omp_collector_bridge_region_address", found_extensions.region_address);
    find("omp_collector_bridge_runtime", found_extensions.runtime);
    find("omp_collector_bridge_version", found_extensions.version);
    return address != nullptr;
}

const Extensions &extensions() {
    return found_extensions;
}

const void *producer_address() {
    return reinterpret_cast<const void *>(producer_function);
}

int simple_request(OMP_COLLECTORAPI_REQUEST request) {
    RequestList<kHead> list;
    const size_t record = list.append(request, 0);
    return list.send() == 0 ? list.code(record) : static_cast<int>(OMP_ERRCODE_ERROR);
}

void register_events(const OMP_COLLECTORAPI_EVENT *events, size_t count,
                     OMP_COLLECTORAPI_CALLBACK callback, int *codes) {
    constexpr size_t kMost = OMP_EVENT_THR_END_ATWT;
    constexpr size_t kInput = sizeof(int) + sizeof callback;
    RequestList<kMost *(kHead + kInput)> list;
    size_t records[kMost];
    for (size_t i = 0; i < count && i < kMost; ++i) {
        records[i] = list.append(OMP_REQ_REGISTER, kInput);
        const int event = events[i];
        memcpy(list.mem(records[i]), &event, sizeof event);
        memcpy(list.mem(records[i]) + sizeof event, &callback, sizeof callback);
    }
    const int result = list.send();
    for (size_t i = 0; i < count && i < kMost; ++i) {
        codes[i] = result == 0 ? list.code(records[i]) : static_cast<int>(OMP_ERRCODE_ERROR);
    }
}

ThreadAnswer ask_thread() {
    const size_t state_mem = known_state_mem.load(std::memory_order_relaxed);
    RequestList<kHead + kNaturalWaitMem + kHead + sizeof(uint64_t)> list;
    const size_t state_record = list.append(OMP_REQ_STATE, state_mem);
    const size_t region_record = list.append(OMP_REQ_CURRENT_PRID, sizeof(uint64_t));
    list.send();

    ThreadAnswer answer;
    const int code = list.code(state_record);
    if (code == OMP_ERRCODE_OK || code == OMP_ERRCODE_MEM_TOO_SMALL) {
        const int state = list.load_int(state_record + kHead);
        answer.state = state > 0 ? static_cast<unsigned>(state) : 0;
        answer.has_wait_id = code == OMP_ERRCODE_OK &&
                             omp_collector_state_has_wait_id(static_cast<int>(answer.state));
    }
    if (answer.has_wait_id) {
        const size_t wait_id = state_mem == kPackedWaitMem ? 4 : 8;
        answer.wait_id = list.load_wide(state_record + kHead + wait_id);
    }
    if (code == OMP_ERRCODE_MEM_TOO_SMALL) {
        known_state_mem.store(kNaturalWaitMem, std::memory_order_relaxed);
    }
    if (list.code(region_record) == OMP_ERRCODE_OK) {
        answer.region = list.load_wide(region_record + kHead);
    }
    return answer;
}

RegionAnswer ask_region() {
    RequestList<2 * (kHead + sizeof(uint64_t))> list;
    const size_t current = list.append(OMP_REQ_CURRENT_PRID, sizeof(uint64_t));
    const size_t parent = list.append(OMP_REQ_PARENT_PRID, sizeof(uint64_t));
    list.send();

    RegionAnswer answer;
    if (list.code(current) == OMP_ERRCODE_OK) {
        answer.current = list.load_wide(current + kHead);
    }
    // OpenUH answers PARENT_PRID with the current region, which cannot be true.
    if (list.code(parent) == OMP_ERRCODE_OK) {
        answer.parent = list.load_wide(parent + kHead);
        answer.has_parent = answer.parent != answer.current;
    }
    return answer;
}

uint64_t ask_current_region() {
    RequestList<kHead + sizeof(uint64_t)> list;
    const size_t current = list.append(OMP_REQ_CURRENT_PRID, sizeof(uint64_t));
    list.send();
    return list.code(current) == OMP_ERRCODE_OK ? list.load_wide(current + kHead) : 0;
}

} // namespace ompcollect
