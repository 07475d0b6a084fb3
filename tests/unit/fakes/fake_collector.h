// SPDX-License-Identifier: Apache-2.0
// A collector in a few calls: request lists built byte by byte between guard bytes, one-request
// shorthands, and a recording callback that asks STATE, CURRENT_PRID and PARENT_PRID inside each
// event. The shorthands allocate nothing.
#pragma once

#include "omp_collector_api.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iosfwd>
#include <string>
#include <vector>

namespace ocb::test {

constexpr int kFirstEvent = OMP_EVENT_FORK;
constexpr int kLastEvent = OMP_EVENT_THR_END_ATWT; // of the contract's
// The search for tasks and their queues: OMPT has no sign of them, so they cannot be registered.
constexpr bool is_never_delivered(int event) {
    return event == OMP_EVENT_THR_BEGIN_SCHD_TASK || event == OMP_EVENT_THR_END_SCHD_TASK ||
           (event >= OMP_EVENT_THR_BEGIN_STEAL_TASK && event <= OMP_EVENT_THR_FETCHED_TASK);
}
constexpr int kLastTaskEvent = OMP_EVENT_THR_END_FINISH_TASK; // of OpenUH's extension

// mem of a record that carries an int and 8 bytes.
constexpr int kPackedMem = 12;
constexpr int kNaturalMem = 16;

// Built with add..., sent once or several times. Everything that the library has no business with,
// answers included, is filled with kGuard before it is sent.
class RequestList {
  public:
    static constexpr unsigned char kGuard = 0xA5;
    static constexpr int kGuardInt = static_cast<int>(0xA5A5A5A5);

    // `offset`: of the first record from a 16-byte boundary.
    explicit RequestList(std::size_t offset = 0);

    // Each returns the record's index.
    std::size_t add(int request, int mem_size = 0);
    std::size_t add_register(int event, OMP_COLLECTORAPI_CALLBACK callback,
                             int mem_size = kPackedMem);
    std::size_t add_unregister(int event);
    // An int in the place of sz, and nothing else: what is not a record.
    void add_int(int value);

    // Ends the list with 0 and calls; without the 0 where it is to be left out.
    int send();
    int send_without_terminator();

    void set_size(std::size_t record, int sz);
    [[nodiscard]] int error(std::size_t record) const { return get<int>(at(record) + 8); }
    [[nodiscard]] int return_size(std::size_t record) const { return get<int>(at(record) + 12); }
    template <class T> [[nodiscard]] T mem(std::size_t record, std::size_t offset) const {
        return get<T>(at(record) + OMP_COLLECTOR_HEADER_SIZE + offset);
    }
    template <class T> void set_mem(std::size_t record, std::size_t offset, T value) {
        put(at(record) + OMP_COLLECTOR_HEADER_SIZE + offset, value);
    }

    // Whether mem[from..to) still holds guards; whether everything outside the records does.
    [[nodiscard]] bool mem_is_untouched(std::size_t record, std::size_t from, std::size_t to) const;
    [[nodiscard]] bool surroundings_are_untouched() const;

    void *first() { return bytes_ + offset_; }

  private:
    static constexpr std::size_t kCapacity = 4096;
    static constexpr std::size_t kMostRecords = 64;

    [[nodiscard]] std::size_t at(std::size_t record) const { return places_[record]; }
    template <class T> [[nodiscard]] T get(std::size_t place) const {
        T value;
        std::memcpy(&value, bytes_ + place, sizeof value);
        return value;
    }
    template <class T> void put(std::size_t place, T value) {
        std::memcpy(bytes_ + place, &value, sizeof value);
    }
    [[nodiscard]] bool is_guard(std::size_t from, std::size_t to) const;

    alignas(16) unsigned char bytes_[kCapacity];
    std::size_t offset_;
    std::size_t used_;
    std::size_t places_[kMostRecords];
    std::size_t count_ = 0;
};

// One request in a call of its own; the record's error code, or -1 if the call itself failed.
int request(int number);
int register_callback(int event, OMP_COLLECTORAPI_CALLBACK callback);
int register_address(int event, std::uint64_t address);
int unregister(int event);

struct StateAnswer {
    int error;
    int state;
    std::uint64_t wait_id; // 0 where none was written
};
StateAnswer ask_state();

struct RegionAnswer {
    int error;
    std::uint64_t id;
};
RegionAnswer ask_region();
RegionAnswer ask_parent();

// Shorthands for "the answer is OK and is ...".
int state();
std::uint64_t region();
int task();
int parent_task();
constexpr std::uint64_t kNotMaster = ~0ULL; // the parent of who is not the master of its team
std::uint64_t parent();

// An event and what the requests answered inside its callback.
struct Seen {
    int event;
    int state;
    std::uint64_t region;
    std::uint64_t parent; // or kNotMaster
    std::uint64_t wait_id = 0;

    bool operator==(const Seen &) const = default;
};
void PrintTo(const Seen &seen, std::ostream *out);

void record(OMP_COLLECTORAPI_EVENT event);
// Registers `record` for all events of the contract, or for those given; all must be accepted.
void record_all_events();
void record_events(const std::vector<int> &events);

// The calling thread's events since it was last asked.
std::vector<Seen> take_seen();
// The same as "FORK BEGIN_IBAR ...".
std::string take_names();

const char *name_of_event(int event);
const char *name_of_state(int state);

} // namespace ocb::test
