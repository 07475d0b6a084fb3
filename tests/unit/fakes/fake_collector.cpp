// SPDX-License-Identifier: Apache-2.0
// The fake collector's lists, shorthands and per-thread record of events.
#include "fake_collector.h"

#include "omp_collector_client.h"

#include <gtest/gtest.h>

#include <ostream>

namespace ocb::test {

RequestList::RequestList(std::size_t offset) : offset_(64 + offset), used_(offset_) {
    std::memset(bytes_, kGuard, sizeof bytes_);
}

std::size_t RequestList::add(int request, int mem_size) {
    places_[count_] = used_;
    put(used_, OMP_COLLECTOR_HEADER_SIZE + mem_size);
    put(used_ + 4, request);
    used_ += static_cast<std::size_t>(OMP_COLLECTOR_HEADER_SIZE + mem_size);
    return count_++;
}

std::size_t RequestList::add_register(int event, OMP_COLLECTORAPI_CALLBACK callback, int mem_size) {
    const std::size_t index = add(OMP_REQ_REGISTER, mem_size);
    if (mem_size >= 4) {
        set_mem(index, 0, event);
    }
    if (mem_size >= kPackedMem) {
        set_mem(index, mem_size >= kNaturalMem ? 8 : 4, callback);
    }
    return index;
}

std::size_t RequestList::add_unregister(int event) {
    const std::size_t index = add(OMP_REQ_UNREGISTER, 4);
    set_mem(index, 0, event);
    return index;
}

void RequestList::add_int(int value) {
    put(used_, value);
    used_ += sizeof value;
}

int RequestList::send() {
    put(used_, 0);
    return send_without_terminator();
}

int RequestList::send_without_terminator() {
    return __omp_collector_api(first());
}

void RequestList::set_size(std::size_t record, int sz) {
    put(at(record), sz);
}

bool RequestList::is_guard(std::size_t from, std::size_t to) const {
    for (; from < to; ++from) {
        if (bytes_[from] != kGuard) {
            return false;
        }
    }
    return true;
}

bool RequestList::mem_is_untouched(std::size_t record, std::size_t from, std::size_t to) const {
    const std::size_t mem = at(record) + OMP_COLLECTOR_HEADER_SIZE;
    return is_guard(mem + from, mem + to);
}

bool RequestList::surroundings_are_untouched() const {
    return is_guard(0, offset_) && get<int>(used_) == 0 && is_guard(used_ + 4, sizeof bytes_);
}

namespace {

// One record, packed as old clients pack it.
template <std::size_t kMem> struct OneRecord {
    int sz = OMP_COLLECTOR_HEADER_SIZE + static_cast<int>(kMem);
    int request;
    int ec = RequestList::kGuardInt;
    int rsz = RequestList::kGuardInt;
    unsigned char mem_and_end[kMem + sizeof(int)] = {};

    explicit OneRecord(int number) : request(number) {}
    int send() { return __omp_collector_api(this) == 0 ? ec : -1; }
    template <class T> [[nodiscard]] T get(std::size_t offset) const {
        T value;
        std::memcpy(&value, mem_and_end + offset, sizeof value);
        return value;
    }
    template <class T> void put(std::size_t offset, T value) {
        std::memcpy(mem_and_end + offset, &value, sizeof value);
    }
};

RegionAnswer ask_id(int number) {
    OneRecord<8> record(number);
    const int error = record.send();
    return {error, record.get<std::uint64_t>(0)};
}

thread_local std::vector<Seen> seen_here;

} // namespace

int request(int number) {
    return OneRecord<0>(number).send();
}

int register_address(int event, std::uint64_t address) {
    OneRecord<kPackedMem> record(OMP_REQ_REGISTER);
    record.put(0, event);
    record.put(4, address);
    return record.send();
}

int register_callback(int event, OMP_COLLECTORAPI_CALLBACK callback) {
    return register_address(event, reinterpret_cast<std::uint64_t>(callback));
}

int unregister(int event) {
    OneRecord<4> record(OMP_REQ_UNREGISTER);
    record.put(0, event);
    return record.send();
}

StateAnswer ask_state() {
    OneRecord<kPackedMem> record(OMP_REQ_STATE);
    const int error = record.send();
    return {error, record.get<int>(0), record.get<std::uint64_t>(4)};
}

RegionAnswer ask_region() {
    return ask_id(OMP_REQ_CURRENT_PRID);
}

RegionAnswer ask_parent() {
    return ask_id(OMP_REQ_PARENT_PRID);
}

int state() {
    const StateAnswer answer = ask_state();
    EXPECT_EQ(answer.error, OMP_ERRCODE_OK);
    return answer.state;
}

std::uint64_t region() {
    const RegionAnswer answer = ask_region();
    EXPECT_EQ(answer.error, OMP_ERRCODE_OK);
    return answer.id;
}

std::uint64_t parent() {
    const RegionAnswer answer = ask_parent();
    if (answer.error == OMP_ERRCODE_THREAD_ERR) {
        return kNotMaster;
    }
    EXPECT_EQ(answer.error, OMP_ERRCODE_OK);
    return answer.id;
}

namespace {

int ask_int(int number) {
    OneRecord<4> record(number);
    EXPECT_EQ(record.send(), OMP_ERRCODE_OK);
    EXPECT_EQ(record.rsz, 4);
    return record.get<int>(0);
}

} // namespace

int task() {
    return ask_int(OMP_REQ_TASK_ID);
}

int parent_task() {
    return ask_int(OMP_REQ_TASK_PID);
}

void PrintTo(const Seen &seen, std::ostream *out) {
    *out << name_of_event(seen.event) << '(' << name_of_state(seen.state) << " region "
         << seen.region;
    if (seen.parent == kNotMaster) {
        *out << " not master";
    } else {
        *out << " parent " << seen.parent;
    }
    *out << " wait id " << seen.wait_id << ')';
}

void record(OMP_COLLECTORAPI_EVENT event) {
    const StateAnswer answer = ask_state();
    EXPECT_EQ(answer.error, OMP_ERRCODE_OK);
    seen_here.push_back({event, answer.state, region(), parent(), answer.wait_id});
}

void record_all_events() {
    std::vector<int> events;
    for (int event = kFirstEvent; event <= kLastEvent; ++event) {
        events.push_back(event);
    }
    record_events(events);
}

void record_events(const std::vector<int> &events) {
    for (const int event : events) {
        EXPECT_EQ(register_callback(event, record), OMP_ERRCODE_OK) << name_of_event(event);
    }
}

std::vector<Seen> take_seen() {
    std::vector<Seen> taken;
    taken.swap(seen_here);
    return taken;
}

std::string take_names() {
    std::string names;
    for (const Seen &seen : take_seen()) {
        if (!names.empty()) {
            names += ' ';
        }
        names += name_of_event(seen.event);
    }
    return names;
}

const char *name_of_event(int event) {
    return omp_collector_event_name(event);
}

const char *name_of_state(int state) {
    return omp_collector_state_name(state);
}

} // namespace ocb::test
