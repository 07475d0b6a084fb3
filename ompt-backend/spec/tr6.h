// SPDX-License-Identifier: Apache-2.0
// OMPT between the technical reports that put it into OpenMP and OpenMP 5.0: TR6 (November 2017),
// as libomp 6 and 7 have it, and what TR4 (2016) had otherwise. Everything that is not here is the
// same as in ompt5.h, lookup, data words and callback signatures among it: callbacks 1 to 30 have
// the numbers of 5.0.
#pragma once

#include "spec/ompt5.h"

#include <cstdint>

namespace ocb::ompt_tr6 {

using ompt5::ompt_callback_t;
using ompt5::ompt_data_t;
using ompt5::ompt_function_lookup_t;
using ompt5::ompt_scope_endpoint_t;
using ompt5::ompt_wait_id_t;

// Registration: one argument less than in 5.0, tool_data is the second. The result has the members
// of 5.0 in the same places, and what ompt_start_tool passes as the second argument is the address
// of its tool_data.
using ompt_initialize_t = int (*)(ompt_function_lookup_t lookup, ompt_data_t *tool_data);
using ompt_finalize_t = void (*)(ompt_data_t *tool_data);
struct ompt_start_tool_result_t {
    ompt_initialize_t initialize;
    ompt_finalize_t finalize;
    ompt_data_t tool_data;
};

// What libomp 6 and 7 pass to ompt_start_tool as the version of OpenMP.
constexpr unsigned kOmpVersion = 201611;

// Without the flags of 5.0.
struct ompt_frame_t {
    void *exit_frame;
    void *enter_frame;
};

enum ompt_callbacks_t : int {
    ompt_callback_master = 21,
    ompt_callback_idle = 31, // 5.0: reduction
};

// Answers of ompt_set_callback: 5.0 put "impossible" in and moved the rest up by one.
enum ompt_set_result_t : int {
    ompt_set_error = 0,
    ompt_set_never = 1,
    ompt_set_sometimes = 2,
    ompt_set_sometimes_paired = 3,
    ompt_set_always = 4,
};

enum ompt_thread_type_t : int {
    ompt_thread_initial = 1,
    ompt_thread_worker = 2,
    ompt_thread_other = 3,
    ompt_thread_unknown = 4,
};

enum ompt_invoker_t : int { ompt_invoker_program = 1, ompt_invoker_runtime = 2 };

enum ompt_sync_region_kind_t : int {
    ompt_sync_region_barrier = 1, // of any kind
    ompt_sync_region_taskwait = 2,
    ompt_sync_region_taskgroup = 3,
};

enum ompt_mutex_kind_t : int {
    ompt_mutex = 0x10,
    ompt_mutex_lock = 0x11,
    ompt_mutex_nest_lock = 0x12,
    ompt_mutex_critical = 0x13,
    ompt_mutex_atomic = 0x14,
    ompt_mutex_ordered = 0x20,
};

enum ompt_work_type_t : int {
    ompt_work_loop = 1,
    ompt_work_sections = 2,
    ompt_work_single_executor = 3,
    ompt_work_single_other = 4,
    ompt_work_workshare = 5,
    ompt_work_distribute = 6,
    ompt_work_taskloop = 7,
};

enum ompt_task_status_t : int {
    ompt_task_complete = 1,
    ompt_task_yield = 2,
    ompt_task_cancel = 3,
    ompt_task_others = 4,
};

// Bits of a task's type; the bits of 5.0.
constexpr int ompt_task_initial = 0x1;
constexpr int ompt_task_implicit = 0x2;
constexpr int ompt_task_explicit = 0x4;
constexpr int ompt_task_target = 0x8;
constexpr int ompt_task_undeferred = 0x08000000;

// The numbers of 5.0 under names that begin with omp_state_. ompt_enumerate_states starts from
// omp_state_undefined.
enum omp_state_t : int {
    omp_state_work_serial = 0x000,
    omp_state_work_parallel = 0x001,
    omp_state_work_reduction = 0x002,
    omp_state_wait_barrier = 0x010,
    omp_state_wait_barrier_implicit_parallel = 0x011,
    omp_state_wait_barrier_implicit_workshare = 0x012,
    omp_state_wait_barrier_implicit = 0x013,
    omp_state_wait_barrier_explicit = 0x014,
    omp_state_wait_taskwait = 0x020,
    omp_state_wait_taskgroup = 0x021,
    omp_state_wait_mutex = 0x040,
    omp_state_wait_lock = 0x041,
    omp_state_wait_critical = 0x042,
    omp_state_wait_atomic = 0x043,
    omp_state_wait_ordered = 0x044,
    omp_state_wait_target = 0x080,
    omp_state_wait_target_map = 0x081,
    omp_state_wait_target_update = 0x082,
    omp_state_idle = 0x100,
    omp_state_overhead = 0x101,
    omp_state_undefined = 0x102,
};

using ompt_enumerate_states_t = int (*)(int current_state, int *next_state,
                                        const char **next_state_name);
using ompt_get_task_info_t = int (*)(int ancestor_level, int *type, ompt_data_t **task_data,
                                     ompt_frame_t **task_frame, ompt_data_t **parallel_data,
                                     int *thread_num);

// Callbacks that differ from 5.0. parallel_begin and parallel_end have the invoker where 5.0 has
// flags; implicit_task has no flags, and task_create reports the initial task.
using ompt_callback_parallel_begin_t = void (*)(ompt_data_t *encountering_task_data,
                                                const ompt_frame_t *encountering_task_frame,
                                                ompt_data_t *parallel_data,
                                                unsigned requested_team_size,
                                                ompt_invoker_t invoker, const void *codeptr_ra);
using ompt_callback_parallel_end_t = void (*)(ompt_data_t *parallel_data,
                                              ompt_data_t *encountering_task_data,
                                              ompt_invoker_t invoker, const void *codeptr_ra);
using ompt_callback_implicit_task_t = void (*)(ompt_scope_endpoint_t endpoint,
                                               ompt_data_t *parallel_data, ompt_data_t *task_data,
                                               unsigned team_size, unsigned thread_num);
using ompt_callback_sync_region_t = void (*)(ompt_sync_region_kind_t kind,
                                             ompt_scope_endpoint_t endpoint,
                                             ompt_data_t *parallel_data, ompt_data_t *task_data,
                                             const void *codeptr_ra);
using ompt_callback_mutex_acquire_t = void (*)(ompt_mutex_kind_t kind, unsigned hint, unsigned impl,
                                               ompt_wait_id_t wait_id, const void *codeptr_ra);
using ompt_callback_mutex_t = void (*)(ompt_mutex_kind_t kind, ompt_wait_id_t wait_id,
                                       const void *codeptr_ra);
using ompt_callback_idle_t = void (*)(ompt_scope_endpoint_t endpoint);

} // namespace ocb::ompt_tr6

// TR4: never in a release of a runtime, a branch of LLVM's apart. ompt_start_tool returns this
// struct, whose address is the second argument of the initializer: that distinguishes it from TR6.
namespace ocb::ompt_tr4 {

struct ompt_fns_t;
using ompt_initialize_t = int (*)(ompt5::ompt_function_lookup_t lookup, ompt_fns_t *fns);
using ompt_finalize_t = void (*)(ompt_fns_t *fns);
struct ompt_fns_t {
    ompt_initialize_t initialize;
    ompt_finalize_t finalize;
};

constexpr unsigned kOmpVersion = 201511;

// Numbers that mean something else in TR6 and 5.0; the states are those of TR2.
enum ompt_callbacks_t : int {
    ompt_callback_idle = 13,
    ompt_callback_sync_region_wait = 14,
    ompt_callback_mutex_released = 15,
    ompt_callback_work = 18,
};

} // namespace ocb::ompt_tr4
