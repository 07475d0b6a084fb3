// SPDX-License-Identifier: Apache-2.0
// The generations before ompt_start_tool, in which the runtime deals 64-bit ids. tool_ids.cpp has
// what TR2 of November 2015, the draft after it and the form of 2014 share; tool_tr2-001.cpp,
// tool_tr2-000.cpp and tool_2014.cpp what differs.
#pragma once

#include "spec/tr2.h"
#include "tool.h"

namespace mini::tool {

using ocb::ompt_tr2::ompt_function_lookup_t;
using ocb::ompt_tr2::ompt_interface_fn_t;

constexpr int kEvents = 71;
extern std::atomic<ocb::ompt_tr2::ompt_callback_t> callbacks[kEvents];
extern bool is_initializing; // while a tool's initializer runs
ompt_interface_fn_t lookup(const char *name);

// What a generation has of its own.
namespace generation {

bool find_tool();                               // is there one that wants to be initialised?
bool initialize(ompt_function_lookup_t lookup); // does it stay?
extern const bool kRegistersAtAnyTime;          // not only inside the initializer
ompt_interface_fn_t lookup(const char *name);   // what not all have

extern const int kUndefinedState;
// Callbacks with a code address, a hint, a lock's type or the invoker where the document has them.
extern const bool kIs2014;

} // namespace generation

// Inquiry functions that a generation may offer.
int enumerate_state(int current, int *next, const char **name);
ocb::ompt_tr2::ompt_parallel_id_t get_parallel_id(int ancestor_level);
int get_parallel_team_size(int ancestor_level);
ocb::ompt_tr2::ompt_task_id_t get_task_id(int ancestor_level);
ocb::ompt_tr2::ompt_frame_t *get_task_frame(int ancestor_level);
void *get_idle_frame();
std::uint32_t get_task_info(int ancestor_level, ocb::ompt_tr2::ompt_task_type_t *type,
                            ocb::ompt_tr2::ompt_task_id_t *task_id,
                            ocb::ompt_tr2::ompt_frame_t **task_frame,
                            ocb::ompt_tr2::ompt_parallel_id_t *parallel_id);

struct Named {
    const char *name;
    ompt_interface_fn_t function;
};

template <class Function> Named named(const char *name, Function function) {
    return {name, reinterpret_cast<ompt_interface_fn_t>(function)};
}

// In an array that ends with a null name.
ompt_interface_fn_t find_in(const Named *functions, const char *name);

// What the initializer is told, unless a defect spoils it.
const char *told_runtime(const char *version);
unsigned told_version(unsigned version);

// OMP_TOOL as the two documents have it: anything but enabled and disabled ends the program.
bool tool_is_enabled_or_end();

} // namespace mini::tool
