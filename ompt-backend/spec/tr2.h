// SPDX-License-Identifier: Apache-2.0
// OMPT before it became part of OpenMP: technical report 2 as revised in November 2015 ("TR2
// 2015"), the draft chapter "Tools Support" that followed it ("draft"), and what LLVM's libomp made
// of them ("libomp", releases 3.7 to 5.0; 3.7 has the form of 2014). Host part only: names and
// numbers of the documents, in our own declarations. Where the three differ, each is here.
//
// What differs from OpenMP 5 at a glance: threads, regions and tasks have 64-bit ids, which the
// runtime deals, in place of words that the tool fills; begin and end are two events in place of
// one with an endpoint; barriers have no kind; idle workers are reported; waiting for a mutex is
// reported only when the thread does wait.
#pragma once

#include <cstdint>

namespace ocb::ompt_tr2 {

// Ids. 0 is no thread, no region, no task; the draft calls that value ompt_*_id_none.
using ompt_thread_id_t = std::uint64_t;
using ompt_parallel_id_t = std::uint64_t;
using ompt_task_id_t = std::uint64_t;
using ompt_wait_id_t = std::uint64_t;
using ompt_lock_hint_t = std::uint32_t;
using ompt_lock_type_t = std::uint32_t;
constexpr std::uint64_t ompt_id_none = 0;

// The draft calls the members exit_frame and enter_frame.
struct ompt_frame_t {
    void *exit_runtime_frame;
    void *reenter_runtime_frame;
};

enum ompt_event_t : int {
    ompt_event_parallel_begin = 1,
    ompt_event_parallel_end = 2,
    ompt_event_task_begin = 3,
    ompt_event_task_end = 4,
    ompt_event_thread_begin = 5,
    ompt_event_thread_end = 6,
    ompt_event_control = 7,
    ompt_event_runtime_shutdown = 8,
    ompt_event_idle_begin = 9,
    ompt_event_idle_end = 10,
    ompt_event_wait_barrier_begin = 11,
    ompt_event_wait_barrier_end = 12,
    ompt_event_wait_taskwait_begin = 13,
    ompt_event_wait_taskwait_end = 14,
    ompt_event_wait_taskgroup_begin = 15,
    ompt_event_wait_taskgroup_end = 16,
    ompt_event_release_lock = 17,
    ompt_event_release_nest_lock_last = 18,
    ompt_event_release_critical = 19,
    ompt_event_release_atomic = 20,
    ompt_event_release_ordered = 21,
    ompt_event_implicit_task_begin = 22,
    ompt_event_implicit_task_end = 23,
    ompt_event_initial_task_begin = 24,
    ompt_event_initial_task_end = 25,
    ompt_event_task_switch = 26,
    ompt_event_loop_begin = 27,
    ompt_event_loop_end = 28,
    ompt_event_sections_begin = 29,
    ompt_event_sections_end = 30,
    ompt_event_single_in_block_begin = 31,
    ompt_event_single_in_block_end = 32,
    ompt_event_single_others_begin = 33,
    ompt_event_single_others_end = 34,
    ompt_event_workshare_begin = 35,
    ompt_event_workshare_end = 36,
    ompt_event_master_begin = 37,
    ompt_event_master_end = 38,
    ompt_event_barrier_begin = 39,
    ompt_event_barrier_end = 40,
    ompt_event_taskwait_begin = 41,
    ompt_event_taskwait_end = 42,
    ompt_event_taskgroup_begin = 43,
    ompt_event_taskgroup_end = 44,
    ompt_event_release_nest_lock_prev = 45,
    ompt_event_wait_lock = 46,
    ompt_event_wait_nest_lock = 47,
    ompt_event_wait_critical = 48,
    ompt_event_wait_atomic = 49,
    ompt_event_wait_ordered = 50,
    ompt_event_acquired_lock = 51,
    ompt_event_acquired_nest_lock_first = 52,
    ompt_event_acquired_nest_lock_next = 53,
    ompt_event_acquired_critical = 54,
    ompt_event_acquired_atomic = 55,
    ompt_event_acquired_ordered = 56,
    ompt_event_init_lock = 57,
    ompt_event_init_nest_lock = 58,
    ompt_event_destroy_lock = 59,
    ompt_event_destroy_nest_lock = 60,
    ompt_event_flush = 61,
    // TR2 2015 only, but for the dependences, which libomp has from 3.9.
    ompt_event_target_task_begin = 62,
    ompt_event_target_task_end_sync = 63,
    ompt_event_target_task_end_async = 64,
    ompt_event_target_data_begin = 65,
    ompt_event_target_data_end = 66,
    ompt_event_target_data_map_begin = 67,
    ompt_event_target_data_map_end = 68,
    ompt_event_task_dependences = 69,
    ompt_event_task_dependence_pair = 70,
};

// Answers of ompt_set_callback. The document has sentences for them, no names; these are ours.
enum ompt_set_result_t : int {
    ompt_set_error = 0,           // not at this time
    ompt_set_no_callback = 1,     // the event may happen, without a callback
    ompt_set_never = 2,           // the event does not happen
    ompt_set_when_convenient = 3, // a callback now and then
    ompt_set_always = 4,          // a callback each time
};

// The numbers are not those of OpenMP 5: 0x10 is idle here and a barrier there.
enum ompt_state_t : int {
    ompt_state_work_serial = 0x00,
    ompt_state_work_parallel = 0x01,
    ompt_state_work_reduction = 0x02,
    ompt_state_idle = 0x10,
    ompt_state_overhead = 0x20,
    ompt_state_wait_barrier = 0x40,
    ompt_state_wait_barrier_implicit = 0x41,
    ompt_state_wait_barrier_explicit = 0x42,
    ompt_state_wait_taskwait = 0x50,
    ompt_state_wait_taskgroup = 0x51,
    ompt_state_wait_lock = 0x60,
    ompt_state_wait_nest_lock = 0x61,
    ompt_state_wait_critical = 0x62,
    ompt_state_wait_atomic = 0x63,
    ompt_state_wait_ordered = 0x64,
    ompt_state_wait_single_libomp = 0x6F,
    // From here on the two have the same numbers for different things.
    ompt_state_wait_target_tr2 = 0x70,
    ompt_state_wait_target_data_tr2 = 0x71,
    ompt_state_wait_target_update_tr2 = 0x72,
    ompt_state_undefined_tr2 = 0x80,
    ompt_state_first_tr2 = 0x81,
    ompt_state_undefined_libomp = 0x70,
    ompt_state_first_libomp = 0x71,
};

enum ompt_thread_type_t : int {
    ompt_thread_initial = 1,
    ompt_thread_worker = 2,
    ompt_thread_other = 3,
};

// Of ompt_get_task_info.
enum ompt_task_type_t : int {
    ompt_task_serial = 1, // an initial task
    ompt_task_implicit = 2,
    ompt_task_explicit = 3,
    ompt_task_target = 4,
    ompt_task_degenerate = 5, // a team of one's
};

// Who calls the master's code of a region.
enum ompt_invoker_t : int { ompt_invoker_program = 0, ompt_invoker_runtime = 1 };

// Registration -----------------------------------------------------------------------------------

using ompt_interface_fn_t = void (*)();
using ompt_function_lookup_t = ompt_interface_fn_t (*)(const char *name);
using ompt_callback_t = void (*)();

// TR2 2015 gives both orders, each in two places; draft and libomp have the first. The version is 2
// by the documents, libomp passes 1.
using ompt_initialize_lookup_first_t = void (*)(ompt_function_lookup_t lookup,
                                                const char *runtime_version, unsigned ompt_version);
using ompt_initialize_lookup_last_t = void (*)(const char *runtime_version, unsigned ompt_version,
                                               ompt_function_lookup_t lookup);

// extern "C" ompt_initialize_fn_t ompt_tool(): what it returns is called in one of the two orders;
// null: no tool. A runtime defines a weak one that returns null.
using ompt_initialize_fn_t = ompt_initialize_lookup_first_t;

// The form of 2014 (libomp 3.7): a function with the first of the two orders, called
// ompt_initialize, is the tool; it returns 1 to stay. The runtime defines a weak one that returns
// 0.

// By the documents only inside the initializer.
using ompt_set_callback_t = int (*)(int event, ompt_callback_t callback);
using ompt_get_callback_t = int (*)(int event, ompt_callback_t *callback);

// Inquiry ----------------------------------------------------------------------------------------

// All. First current_state: ompt_state_first_*. 0: there is no further one.
using ompt_enumerate_state_t = int (*)(int current_state, int *next_state,
                                       const char **next_state_name);
using ompt_get_thread_id_t = ompt_thread_id_t (*)();
using ompt_get_state_t = int (*)(ompt_wait_id_t *wait_id);

// TR2 2015 and libomp: 0 and -1 if there is no such level. libomp's size is 1 outside a region.
using ompt_get_parallel_id_t = ompt_parallel_id_t (*)(int ancestor_level);
using ompt_get_parallel_team_size_t = int (*)(int ancestor_level);

// TR2 2015: 0 if there is no such level. The draft has a function of this name and does not print
// its type; ours is inferred. A sixth argument is passed as null in case it returns the thread's
// number there, as the report after it (TR4) does: one argument too many does no harm.
using ompt_get_task_info_t = std::uint32_t (*)(int ancestor_level, ompt_task_type_t *type,
                                               ompt_task_id_t *task_id, ompt_frame_t **task_frame,
                                               ompt_parallel_id_t *parallel_id);
using ompt_get_task_info_draft_t = std::uint32_t (*)(int ancestor_level, ompt_task_type_t *type,
                                                     ompt_task_id_t *task_id,
                                                     ompt_frame_t **task_frame,
                                                     ompt_parallel_id_t *parallel_id,
                                                     std::uint32_t *thread_num);

// Draft only, in place of the two of ompt_get_parallel_*. By the text it returns a region's
// id; arguments and result are inferred from the function of this name in TR4, with an id for its
// data.
using ompt_get_parallel_info_t = std::uint32_t (*)(int ancestor_level,
                                                   ompt_parallel_id_t *parallel_id, int *team_size);

// libomp only, in place of ompt_get_task_info. Levels of tasks and levels of regions are counted
// apart; idle workers have a frame of their own.
using ompt_get_task_id_t = ompt_task_id_t (*)(int ancestor_level);
using ompt_get_task_frame_t = ompt_frame_t *(*)(int ancestor_level);
using ompt_get_idle_frame_t = void *(*)();

// Callbacks --------------------------------------------------------------------------------------

// idle_begin, idle_end, flush. libomp's flush has no argument.
using ompt_thread_callback_t = void (*)(ompt_thread_id_t thread_id);
// thread_begin, thread_end.
using ompt_thread_type_callback_t = void (*)(ompt_thread_type_t type, ompt_thread_id_t thread_id);
// release_*, acquired_*, wait_lock, wait_nest_lock, wait_ordered, destroy_*. libomp: every wait_*
// and init_* too.
using ompt_wait_callback_t = void (*)(ompt_wait_id_t wait_id);
// wait_atomic.
using ompt_atomic_callback_t = void (*)(ompt_wait_id_t wait_id, std::uint32_t atomic_type);
// wait_critical, init_lock, init_nest_lock.
using ompt_lock_callback_t = void (*)(ompt_wait_id_t wait_id, ompt_lock_hint_t hint,
                                      ompt_lock_type_t type);
// implicit_task_*, wait_barrier_*, wait_taskwait_*, wait_taskgroup_*, single_others_*, and the ends
// of loop, sections, single_in_block, workshare, master, barrier, taskwait, taskgroup.
using ompt_parallel_callback_t = void (*)(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id);
// The begins of master, barrier, taskwait, taskgroup. libomp leaves the address out.
using ompt_sync_callback_t = void (*)(ompt_parallel_id_t parallel_id, ompt_task_id_t task_id,
                                      const void *codeptr_ra);
// The begins of loop, sections, single_in_block, workshare.
using ompt_workshare_begin_callback_t = void (*)(ompt_parallel_id_t parallel_id,
                                                 ompt_task_id_t task_id, const void *codeptr_ra);
using ompt_parallel_begin_callback_t = void (*)(ompt_task_id_t parent_task_id,
                                                const ompt_frame_t *parent_frame,
                                                ompt_parallel_id_t parallel_id,
                                                std::uint32_t requested_team_size,
                                                const void *codeptr_ofn, ompt_invoker_t invoker);
using ompt_parallel_end_callback_t = void (*)(ompt_parallel_id_t parallel_id,
                                              ompt_task_id_t task_id, ompt_invoker_t invoker);
// 2014: without the invoker.
using ompt_parallel_begin_callback_2014_t = void (*)(ompt_task_id_t parent_task_id,
                                                     const ompt_frame_t *parent_frame,
                                                     ompt_parallel_id_t parallel_id,
                                                     std::uint32_t requested_team_size,
                                                     const void *codeptr_ofn);
using ompt_parallel_end_callback_2014_t = void (*)(ompt_parallel_id_t parallel_id,
                                                   ompt_task_id_t task_id);
// task_end, initial_task_begin, initial_task_end.
using ompt_task_callback_t = void (*)(ompt_task_id_t task_id);
using ompt_task_begin_callback_t = void (*)(ompt_task_id_t parent_task_id,
                                            const ompt_frame_t *parent_frame,
                                            ompt_task_id_t new_task_id, const void *codeptr_ofn);
// task_switch: the task that stops and the one that goes on; task_dependence_pair.
using ompt_task_pair_callback_t = void (*)(ompt_task_id_t first_task_id,
                                           ompt_task_id_t second_task_id);
// Commands: 1 start, 2 pause, 3 flush, 4 end, from 64 on the tool's own.
using ompt_control_callback_t = void (*)(std::uint64_t command, std::uint64_t modifier);
// runtime_shutdown has no argument: ompt_callback_t.

} // namespace ocb::ompt_tr2
