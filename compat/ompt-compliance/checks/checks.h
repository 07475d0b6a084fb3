// SPDX-License-Identifier: Apache-2.0
//
// The checks. Each runs one or more programs and says what does not hold; see verdict.h.
#pragma once

#include "program.h"

namespace compliance {

// Threads of a team where the number does not matter.
constexpr int kThreads = 3;
constexpr int kDepth = 3;       // of what the programs nest
constexpr int kFarLevel = 1000; // where no task and no region is

// checks_init.cpp
void check_init_registration(const Setup &setup);
void check_init_lookup(const Setup &setup);
void check_init_set_callback(const Setup &setup);
void check_init_omp_tool_enabled(const Setup &setup);
void check_init_omp_tool_disabled(const Setup &setup);
void check_init_omp_tool_other(const Setup &setup);
void check_control(const Setup &setup);
void check_runtime_shutdown(const Setup &setup);
// checks_regions.cpp
void check_parallel_begin(const Setup &setup);
void check_parallel_end(const Setup &setup);
// Three levels of regions with nesting on, then off, then regions with if(0) and of one thread.
int nested_and_serialised(const Workload &workload);
// Can the begins be trusted in another check? What is wrong with them their own check says.
bool region_begins_are_right();
// checks_tasks.cpp
void check_task_begin(const Setup &setup);
void check_task_end(const Setup &setup);
void check_thread_begin(const Setup &setup);
void check_thread_end(const Setup &setup);
// checks_implicit.cpp
void check_implicit_task(const Setup &setup);
// checks_inquiry.cpp
void check_idle_frame(const Setup &setup);
void check_parallel_id(const Setup &setup);
void check_task_id(const Setup &setup);
void check_team_size(const Setup &setup);
// checks_frames.cpp
void check_task_frame(const Setup &setup);
// checks_states.cpp: all whose name begins with state-
void check_state(const Setup &setup, const char *name);

} // namespace compliance
