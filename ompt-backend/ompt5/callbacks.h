// SPDX-License-Identifier: Apache-2.0
// The OMPT 5.x callbacks: each turns the runtime's report into a call of
// collector-bridge/tracker.h. One table maps callbacks to needs; a row is registered
// when its need arises.
#pragma once

#include "base/log.h"
#include "generation.h"
#include "ompt5/data_words.h"
#include "spec/ompt5.h"
#include "tracker/tracker.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace ocb::ompt5 {

// The callbacks that serve a need: name, needs, and whether it only mends answers. X(name, ...) is
// ompt_callback_NAME, which on_NAME receives.
#define OCB_OMPT5_CALLBACKS(X)                                                                     \
    X(thread_begin, kNeedRegions, false)                                                           \
    X(thread_end, kNeedRegions, false)                                                             \
    X(parallel_begin, kNeedRegions, false)                                                         \
    X(parallel_end, kNeedRegions, false)                                                           \
    X(implicit_task, kNeedRegions, false)                                                          \
    X(control_tool, kNeedRegions, false)                                                           \
    X(task_create, kNeedTaskSwitches | kNeedTasks, false)                                          \
    X(task_schedule, kNeedTaskSwitches | kNeedTasks, false)                                        \
    X(sync_region_wait, kNeedWaits, false)                                                         \
    X(mutex_released, kNeedMutexes, false)                                                         \
    X(mutex_acquired, kNeedMutexes, false)                                                         \
    X(lock_init, kNeedMutexes, true)                                                               \
    X(lock_destroy, kNeedMutexes, true)                                                            \
    X(nest_lock, kNeedMutexes, false)                                                              \
    X(mutex_acquire, kNeedMutexes, false)                                                          \
    X(reduction, kNeedReductions, false)                                                           \
    X(work, kNeedSingle, false)                                                                    \
    X(masked, kNeedMaster, false)

#define OCB_OMPT5_CALLBACK_ID(name, needs, mends_only) ompt_callback_##name,
inline constexpr ompt_callbacks_t kCallbackIds[] = {OCB_OMPT5_CALLBACKS(OCB_OMPT5_CALLBACK_ID)};
#undef OCB_OMPT5_CALLBACK_ID
constexpr std::size_t kCallbackCount = std::size(kCallbackIds);
extern const ompt::CallbackRow kCallbacks[kCallbackCount];

// Callbacks that TR6 has in the same form.
void on_thread_begin(ompt_thread_t type, ompt_data_t *thread_data);
void on_thread_end(ompt_data_t *thread_data);
void on_parallel_begin(ompt_data_t *, const ompt_frame_t *, ompt_data_t *parallel_data,
                       unsigned requested_parallelism, int flags, const void *codeptr_ra);
void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *, int flags, const void *codeptr_ra);
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, ompt_data_t *,
                      unsigned actual_parallelism, unsigned index, int flags);
void on_mutex_acquire(ompt_mutex_t kind, unsigned, unsigned impl, ompt_wait_id_t wait_id,
                      const void *codeptr_ra);
void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *);
void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *);
void on_lock_init(ompt_mutex_t, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
                  const void *codeptr_ra);
void on_lock_destroy(ompt_mutex_t, ompt_wait_id_t wait_id, const void *codeptr_ra);
void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr_ra);
void on_work(ompt_work_t work_type, ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *,
             std::uint64_t count, const void *codeptr_ra);
void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *,
               const void *codeptr_ra);
void on_task_create(ompt_data_t *, const ompt_frame_t *, ompt_data_t *new_task_data, int flags,
                    int has_dependences, const void *codeptr_ra);
void on_task_schedule(ompt_data_t *prior_task_data, ompt_task_status_t prior_task_status,
                      ompt_data_t *next_task_data);
int on_control_tool(std::uint64_t command, std::uint64_t modifier, void *arg,
                    const void *codeptr_ra);

// Before libomp 17 the barrier at a region's end has the same kind as that of a loop, but the
// runtime has left the program's code for it: its state is overhead already.
enum class EndsRegion : std::uint8_t { kNever, kAlways, kIfInOverhead };
// A barrier's end that names neither region nor code is a worker's, reported late.
[[nodiscard]] tracker::EndReport end_report(const ompt_data_t *parallel_data,
                                            const void *codeptr_ra);
void barrier_waits(tracker::BarrierKind kind, EndsRegion ends_region, const void *codeptr_ra);

// An acquisition that the runtime's function `caller` reports.
void mutex_wanted(const void *caller, MutexKind kind, unsigned impl, ompt_wait_id_t wait_id);
void mutex_acquired(MutexKind kind, WaitId wait_id);
void mutex_released(MutexKind kind, WaitId wait_id);

// Of a newer runtime: what is left out is logged once.
void record_unknown_kind(LogCause cause, int kind);

// The callback of mutex_acquire, called by a function between the runtime's function `caller` and
// us.
void mutex_acquire_from(const void *caller, ompt_mutex_t kind, unsigned hint, unsigned impl,
                        ompt_wait_id_t wait_id, const void *codeptr_ra);

} // namespace ocb::ompt5
