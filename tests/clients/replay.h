// SPDX-License-Identifier: Apache-2.0
// The known clients of the Collector API as replays: each sends the bytes that its generation sent,
// from buffers like its own, and compares the whole memory around them before and after the call.
// What a provider wrote wrongly, or did not write, is a complaint; the first one is kept as text.
//
// Used by a test (linked with the library) and by a preloaded collector in real programs: libc
// only, no allocation after a thread's messages have been made, callable in signal handlers. A
// message is its thread's alone.
#pragma once

#include "omp_collector_api.h"

#include <cstddef>
#include <cstdint>

namespace ocb::clients {

// What follows the records of a STATE message.
enum class StateEnd {
    kTerminated,    // 0, inside the client's allocation
    kPastItsMalloc, // 0, four bytes behind it
    kMissing,       // whatever the heap holds there
};

// What a registration carries in the place of the callback.
enum class Callback {
    kWritten,
    kNeverWritten,
};

struct Client {
    const char *name;
    int last_event;   // registered from 1 on, in one call
    int register_mem; // 12: the callback packed behind the event; 16: as in a C struct
    Callback callback;
    int state_mem; // 4, 12 or 16
    StateEnd state_end;
    bool asks_tasks; // "task id": 4 bytes
    bool locks;      // its callbacks take an OpenMP lock
    bool validates;  // begins with an empty list and with pairs of START and STOP; unregisters
    bool stops;      // at its end
};

// In the order of their years.
extern const Client kClients[];
extern const std::size_t kClientCount;
// Null: no client of that name.
const Client *client_of(const char *name);

// Memory for one request list. Every byte that the client did not write holds kUnwritten. With
// kEndOfMemory nothing can be touched behind the list; with kHeap it begins where malloc would let
// it begin, and lies among other bytes.
enum class Place { kEndOfMemory, kHeap };

class Message {
  public:
    static constexpr unsigned char kUnwritten = 0xA5;
    static constexpr int kUnwrittenInt = static_cast<int>(0xA5A5A5A5);

    Message() = default;
    Message(const Message &) = delete;
    Message &operator=(const Message &) = delete;

    // Once; false without memory.
    bool allocate(std::size_t size, Place place);
    void free();

    void put_int(std::size_t offset, int value);
    void put_word(std::size_t offset, std::uint64_t value);
    [[nodiscard]] int get_int(std::size_t offset) const;
    [[nodiscard]] std::uint64_t get_word(std::size_t offset) const;

    // Calls with the message as it is; remembers the memory before.
    int send(OMP_COLLECTOR_API_FUNCTION api);

    // After send: the bytes were to be written; whatever value they have now is accepted.
    void accept(std::size_t offset, std::size_t size);
    // All bytes that have not been accepted are as they were.
    [[nodiscard]] bool is_untouched_elsewhere() const;

  private:
    unsigned char *page_ = nullptr;   // readable and writable; behind it nothing is
    unsigned char *before_ = nullptr; // a copy of it
    unsigned char *first_ = nullptr;
};

// What each thread of a client keeps and uses again and again.
class ThreadMessages {
  public:
    // `behind_state`: what the heap holds behind a STATE message that has no terminator.
    bool allocate(const Client &client, Place place, int behind_state);
    void free();

    // What the provider answered; each complains.
    int ask_state(OMP_COLLECTOR_API_FUNCTION api);
    std::uint64_t ask_region(OMP_COLLECTOR_API_FUNCTION api);
    // CURRENT_PRID with room for 4 bytes, as TAU asked before it knew TASK_ID.
    void ask_region_in_4_bytes(OMP_COLLECTOR_API_FUNCTION api);
    int ask_task(OMP_COLLECTOR_API_FUNCTION api);

    [[nodiscard]] bool is_allocated() const { return client_ != nullptr; }

  private:
    const Client *client_ = nullptr;
    int state_result_ = 0; // what the call is to return
    Message state_, region_, region_in_4_, task_;
};

// What the client does before its program runs: the answer to its last START.
// `garbage_callback`: what the heap holds where it does not write the callback.
int begin(const Client &client, OMP_COLLECTOR_API_FUNCTION api, OMP_COLLECTORAPI_CALLBACK callback,
          std::uint64_t garbage_callback);
void end(const Client &client, OMP_COLLECTOR_API_FUNCTION api);

unsigned complaints();
const char *first_complaint(); // "" where there is none
void forget_complaints();

} // namespace ocb::clients
