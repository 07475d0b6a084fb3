// SPDX-License-Identifier: Apache-2.0
// A runtime of before OpenMP 5 and nothing else: it asks for the tool by one of the old forms,
// keeps the callbacks that it is given in the initializer, answers the inquiry functions per
// thread, and is driven by the test, event by event.
#pragma once

#include "spec/tr2.h"

#include <cstdint>
#include <set>

namespace ocb::test::tr2 {

using namespace ompt_tr2;

enum class Order { kLookupFirst, kLookupLast };

// The form in which ompt_tool's initializer really is, so that a test can put anything into it.
using Initializer = void (*)(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third);

constexpr const char *kVersion = "an old runtime";

// What it has, before it is attached; reset() brings everything back.
struct Settings {
    bool is_draft = false;          // ompt_get_parallel_info in place of ompt_get_parallel_id
    bool answers_no_lookup = false; // null for every name
    bool answers_every_lookup = false;
    bool is_initializing = false; // callbacks can be set
    std::set<int> refused;        // events without a callback
};
extern Settings settings;
void reset();

ompt_interface_fn_t lookup(const char *name);

// By ompt_tool and by ompt_initialize; whether we got a tool that stays.
bool attach(Order order = Order::kLookupFirst);
bool attach_2014();
// In two steps: the tool's initializer, null for none; its call with lookup first.
Initializer ask_for_tool();
void run_initializer(Initializer initializer);
// Asks for the tool and calls its initializer with this.
void initialize(std::uintptr_t first, std::uintptr_t second, std::uintptr_t third);
void shut_down();

bool has_callback(int event);
int count_of_callbacks();

// What the inquiry functions answer on the calling thread.
struct ThreadModel {
    ompt_thread_id_t id = 0;
    int state = ompt_state_work_serial;
    ompt_wait_id_t wait_id = 0;
    ompt_parallel_id_t regions[8] = {}; // the innermost first
    int team_size = 2;                  // of the innermost
};
ThreadModel &caller();

// Tells an event, with as many arguments as its form has.
ompt_callback_t callback_of(int event);
template <class F, class... Arguments> void tell(int event, Arguments... arguments) {
    if (const ompt_callback_t callback = callback_of(event); callback != nullptr) {
        reinterpret_cast<F>(callback)(arguments...);
    }
}

void thread_begins(ompt_thread_type_t type, ompt_thread_id_t id);
void thread_ends(ompt_thread_type_t type);
void idle(bool begins);

// A region: fork and join on its master, the rest on each thread. `task`: of its implicit task.
void fork(ompt_parallel_id_t region, const void *function = nullptr);
void enter(ompt_parallel_id_t region, ompt_task_id_t task);
void leave(ompt_parallel_id_t region, ompt_task_id_t task);
void join(ompt_parallel_id_t region);

void barrier(bool begins, ompt_parallel_id_t region);
void wait_barrier(bool begins, ompt_parallel_id_t region,
                  int state = ompt_state_wait_barrier_implicit);

void mutex(int event, ompt_wait_id_t wait_id); // wait_*, acquired_*, release_*
void task_begins(ompt_task_id_t task);
void task_ends(ompt_task_id_t task);
void task_switches(ompt_task_id_t from, ompt_task_id_t to);
void control(std::uint64_t command);

} // namespace ocb::test::tr2
