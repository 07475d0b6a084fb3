// SPDX-License-Identifier: Apache-2.0
//
// One generation of OMPT behind the same functions. Lives in the process of the program.
#pragma once

#include "shared.h"

#include <string>
#include <vector>

namespace compliance {

using Function = void (*)();
using Lookup = Function (*)(const char *name);

// The states of all generations; a generation maps its numbers to these.
enum class State : int {
    kSerial,
    kParallel,
    kReduction,
    kIdle,
    kOverhead,
    kBarrier,
    kBarrierImplicit,
    kBarrierImplicitParallel,
    kBarrierImplicitWorksharing,
    kBarrierExplicit,
    kBarrierImplementation,
    kTaskwait,
    kTaskgroup,
    kMutex, // some mutex, the runtime does not say which
    kLock,
    kNestLock,
    kCritical,
    kAtomic,
    kOrdered,
    kOther,
    kCount
};
const char *state_name(State state);

struct StateNumber {
    int number;
    State state;
};

class Interface {
  public:
    Interface() = default;
    Interface(const Interface &) = delete;
    Interface &operator=(const Interface &) = delete;
    virtual ~Interface() = default;

    // Looks up the entry points and asks for the events. Writes shared().has and .support.
    virtual void bind(Lookup lookup) = 0;
    // The names a tool of this generation must be able to look up, besides ompt_set_callback and
    // the inquiry functions, which have checks of their own.
    [[nodiscard]] virtual std::vector<const char *> required_names() const = 0;
    [[nodiscard]] virtual const char *entry_name(Entry entry) const = 0;
    [[nodiscard]] virtual const char *event_name(Event event) const = 0;

    // Answers; where there is no such level: 0, -1, 0, null.
    virtual std::uint64_t thread_id() = 0;
    virtual std::uint64_t parallel_id(int level) = 0;
    virtual int team_size(int level) = 0;
    virtual std::uint64_t task_id(int level) = 0;
    virtual const void *task_frame(int level, Frame *frame) = 0;
    virtual void *idle_frame() = 0;
    // Async-signal-safe.
    virtual State state() = 0;
    // Whether the runtime lists the state among those that it employs.
    virtual bool lists(State state) = 0;

    // ompt_set_callback and ompt_get_callback, for the check of them.
    virtual Support set_again(Event event) = 0;
    virtual Support set_none(Event event) = 0;
    virtual Support set_unknown() = 0; // an event number that does not exist
    // 1: ours is set; 0: none is; -1: another one, or the answer contradicts itself.
    virtual int get_callback(Event event) = 0;
};

// The interface of the process, null before the initializer.
Interface *interface();

// Made by the initializers.
Interface *make_data_interface(bool tr6);   // interface_data.cpp
Interface *make_id_interface(bool is_2014); // interface_ids.cpp

// Called by a generation's callbacks: writes a record, with the context as inquired now. The caller
// fills what belongs to the event.
struct Arguments {
    std::uint64_t id = 0;
    std::uint64_t parent = 0;
    const void *frame = nullptr;
    Frame frame_value = {};
    int number = 0;
    int a = 0;
    int b = 0;
    bool ends = false;
    bool initial = false;
};
void record(Event event, const Arguments &arguments);
Context context_now();

} // namespace compliance
