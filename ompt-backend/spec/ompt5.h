// SPDX-License-Identifier: Apache-2.0
// What we use of OMPT as OpenMP 5.0 to 5.2 define it (5.2 chapters 18.4 and 18.6, appendix of
// types): names and numbers of the specification, in our own declarations, so that the library
// builds without any runtime's header. A unit test compares them with omp-tools.h where that is
// installed.
#pragma once

#include <cstdint>

namespace ocb::ompt5 {

union ompt_data_t {
    std::uint64_t value;
    void *ptr;
};

using ompt_wait_id_t = std::uint64_t;
using ompt_interface_fn_t = void (*)();
using ompt_function_lookup_t = ompt_interface_fn_t (*)(const char *name);
using ompt_callback_t = void (*)();
using ompt_initialize_t = int (*)(ompt_function_lookup_t lookup, int initial_device_num,
                                  ompt_data_t *tool_data);
using ompt_finalize_t = void (*)(ompt_data_t *tool_data);

struct ompt_start_tool_result_t {
    ompt_initialize_t initialize;
    ompt_finalize_t finalize;
    ompt_data_t tool_data;
};

struct ompt_frame_t {
    ompt_data_t exit_frame; // the runtime's, from which it has called the task's function
    ompt_data_t enter_frame;
    int exit_frame_flags, enter_frame_flags;
};

enum ompt_callbacks_t : int {
    ompt_callback_thread_begin = 1,
    ompt_callback_thread_end = 2,
    ompt_callback_parallel_begin = 3,
    ompt_callback_parallel_end = 4,
    ompt_callback_task_create = 5,
    ompt_callback_task_schedule = 6,
    ompt_callback_implicit_task = 7,
    ompt_callback_target = 8,
    ompt_callback_control_tool = 11,
    ompt_callback_sync_region_wait = 16,
    ompt_callback_mutex_released = 17,
    ompt_callback_dependences = 18,
    ompt_callback_task_dependence = 19,
    ompt_callback_work = 20,
    ompt_callback_masked = 21,
    ompt_callback_sync_region = 23,
    ompt_callback_lock_init = 24,
    ompt_callback_lock_destroy = 25,
    ompt_callback_mutex_acquire = 26,
    ompt_callback_mutex_acquired = 27,
    ompt_callback_nest_lock = 28,
    ompt_callback_flush = 29,
    ompt_callback_cancel = 30,
    ompt_callback_reduction = 31,
    ompt_callback_dispatch = 32,
    ompt_callback_target_emi = 33,
};

enum ompt_set_result_t : int {
    ompt_set_error = 0,
    ompt_set_never = 1,
    ompt_set_impossible = 2,
    ompt_set_sometimes = 3,
    ompt_set_sometimes_paired = 4,
    ompt_set_always = 5,
};

enum ompt_thread_t : int {
    ompt_thread_initial = 1,
    ompt_thread_worker = 2,
    ompt_thread_other = 3,
};

enum ompt_scope_endpoint_t : int { ompt_scope_begin = 1, ompt_scope_end = 2 };

enum ompt_sync_region_t : int {
    ompt_sync_region_barrier = 1,
    ompt_sync_region_barrier_implicit = 2,
    ompt_sync_region_barrier_explicit = 3,
    ompt_sync_region_barrier_implementation = 4,
    ompt_sync_region_taskwait = 5,
    ompt_sync_region_taskgroup = 6,
    ompt_sync_region_reduction = 7,
    ompt_sync_region_barrier_implicit_workshare = 8,
    ompt_sync_region_barrier_implicit_parallel = 9,
    ompt_sync_region_barrier_teams = 10,
};

enum ompt_mutex_t : int {
    ompt_mutex_lock = 1,
    ompt_mutex_test_lock = 2,
    ompt_mutex_nest_lock = 3,
    ompt_mutex_test_nest_lock = 4,
    ompt_mutex_critical = 5,
    ompt_mutex_atomic = 6,
    ompt_mutex_ordered = 7,
};

enum ompt_dispatch_t : int {
    ompt_dispatch_iteration = 1,
    ompt_dispatch_section = 2,
};

enum ompt_work_t : int {
    ompt_work_loop = 1,
    ompt_work_sections = 2,
    ompt_work_single_executor = 3,
    ompt_work_single_other = 4,
    ompt_work_workshare = 5,
    ompt_work_distribute = 6,
};

enum ompt_task_status_t : int {
    ompt_task_complete = 1,
    ompt_task_yield = 2,
    ompt_task_cancel = 3,
    ompt_task_detach = 4,
    ompt_task_early_fulfill = 5,
    ompt_task_late_fulfill = 6,
    ompt_task_switch = 7,
    ompt_taskwait_complete = 8,
};

// Bits of task and parallel flags.
constexpr int ompt_task_initial = 0x1;
constexpr int ompt_task_implicit = 0x2;
constexpr int ompt_task_explicit = 0x4;
constexpr int ompt_task_target = 0x8;
constexpr int ompt_task_taskwait = 0x10;
constexpr int ompt_task_undeferred = 0x08000000;
constexpr int ompt_parallel_league = 0x40000000;

enum ompt_state_t : int {
    ompt_state_work_serial = 0x000,
    ompt_state_work_parallel = 0x001,
    ompt_state_work_reduction = 0x002,
    ompt_state_wait_barrier = 0x010,
    ompt_state_wait_barrier_implicit_parallel = 0x011,
    ompt_state_wait_barrier_implicit_workshare = 0x012,
    ompt_state_wait_barrier_implicit = 0x013,
    ompt_state_wait_barrier_explicit = 0x014,
    ompt_state_wait_barrier_implementation = 0x015,
    ompt_state_wait_barrier_teams = 0x016,
    ompt_state_wait_taskwait = 0x020,
    ompt_state_wait_taskgroup = 0x021,
    ompt_state_wait_mutex = 0x040,
    ompt_state_wait_lock = 0x041,
    ompt_state_wait_critical = 0x042,
    ompt_state_wait_atomic = 0x043,
    ompt_state_wait_ordered = 0x044,
    ompt_state_wait_target = 0x080,
    ompt_state_wait_target_map = 0x081,
    ompt_state_wait_target_update = 0x082,
    ompt_state_idle = 0x100,
    ompt_state_overhead = 0x101,
    ompt_state_undefined = 0x102,
};

// Runtime entry points.
using ompt_set_callback_t = int (*)(int event, ompt_callback_t callback);
using ompt_get_thread_data_t = ompt_data_t *(*)();
using ompt_get_state_t = int (*)(ompt_wait_id_t *wait_id);
using ompt_get_parallel_info_t = int (*)(int ancestor_level, ompt_data_t **parallel_data,
                                         int *team_size);
using ompt_get_task_info_t = int (*)(int ancestor_level, int *flags, ompt_data_t **task_data,
                                     ompt_frame_t **task_frame, ompt_data_t **parallel_data,
                                     int *thread_num);

// Callbacks.
using ompt_callback_thread_begin_t = void (*)(ompt_thread_t type, ompt_data_t *thread_data);
using ompt_callback_thread_end_t = void (*)(ompt_data_t *thread_data);
using ompt_callback_parallel_begin_t = void (*)(ompt_data_t *encountering_task_data,
                                                const ompt_frame_t *encountering_task_frame,
                                                ompt_data_t *parallel_data,
                                                unsigned requested_parallelism, int flags,
                                                const void *codeptr_ra);
using ompt_callback_parallel_end_t = void (*)(ompt_data_t *parallel_data,
                                              ompt_data_t *encountering_task_data, int flags,
                                              const void *codeptr_ra);
using ompt_callback_implicit_task_t = void (*)(ompt_scope_endpoint_t endpoint,
                                               ompt_data_t *parallel_data, ompt_data_t *task_data,
                                               unsigned actual_parallelism, unsigned index,
                                               int flags);
using ompt_callback_sync_region_t = void (*)(ompt_sync_region_t kind,
                                             ompt_scope_endpoint_t endpoint,
                                             ompt_data_t *parallel_data, ompt_data_t *task_data,
                                             const void *codeptr_ra);
using ompt_callback_mutex_acquire_t = void (*)(ompt_mutex_t kind, unsigned hint, unsigned impl,
                                               ompt_wait_id_t wait_id, const void *codeptr_ra);
using ompt_callback_mutex_t = void (*)(ompt_mutex_t kind, ompt_wait_id_t wait_id,
                                       const void *codeptr_ra);
using ompt_callback_nest_lock_t = void (*)(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id,
                                           const void *codeptr_ra);
using ompt_callback_work_t = void (*)(ompt_work_t work_type, ompt_scope_endpoint_t endpoint,
                                      ompt_data_t *parallel_data, ompt_data_t *task_data,
                                      std::uint64_t count, const void *codeptr_ra);
using ompt_callback_masked_t = void (*)(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data,
                                        ompt_data_t *task_data, const void *codeptr_ra);
using ompt_callback_task_create_t = void (*)(ompt_data_t *encountering_task_data,
                                             const ompt_frame_t *encountering_task_frame,
                                             ompt_data_t *new_task_data, int flags,
                                             int has_dependences, const void *codeptr_ra);
using ompt_callback_task_schedule_t = void (*)(ompt_data_t *prior_task_data,
                                               ompt_task_status_t prior_task_status,
                                               ompt_data_t *next_task_data);
using ompt_callback_control_tool_t = int (*)(std::uint64_t command, std::uint64_t modifier,
                                             void *arg, const void *codeptr_ra);

} // namespace ocb::ompt5
