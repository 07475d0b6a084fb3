// SPDX-License-Identifier: Apache-2.0
#include "ompt5/callbacks.h"

#include "attachment/attached_runtime.h"
#include "base/compiler.h"
#include "base/log.h"
#include "ompt5/client_data.h"
#include "ompt5/entry_points.h"
#include "ompt5/first_thread.h"
#include "ompt5/own_threads.h"

namespace ocb::ompt5 {

using tracker::BarrierKind;

void on_thread_begin(ompt_thread_t type, ompt_data_t *) {
    if (type == ompt_thread_other) {
        is_runtimes_own = true;
    } else if (type != ompt_thread_worker) {
        first_thread::thread_begins();
        tracker::thread_begins(ThreadKind::kUser);
    } else {
        tracker::thread_begins(ThreadKind::kWorker);
    }
}

void on_thread_end(ompt_data_t *) {
    first_thread::thread_ends();
    tracker::thread_ends();
}

namespace {

// Each team of a league runs in a region that is libomp's own: the program has no parallel
// construct there (omp_get_level() is 0), and so the region has no code address. Its size may be
// anything: a league of one reports the thread limit.
tracker::ForkKind fork_kind(int flags, const void *codeptr_ra) {
    const bool is_of_league = (flags & ompt_parallel_league) != 0 ||
                              (codeptr_ra == nullptr && tracker::caller_is_in_league());
    return is_of_league ? tracker::ForkKind::kLeague : tracker::ForkKind::kRegion;
}

} // namespace

void on_parallel_begin(ompt_data_t *, const ompt_frame_t *, ompt_data_t *parallel_data, unsigned,
                       int flags, const void *codeptr_ra) {
    // libomp forks its own teams through the front, too. On libomp 19 the forking thread was
    // reported like one of the program.
    codeptr_ra = tracker::program_address(codeptr_ra);
    if (runtime_code.holds(codeptr_ra) && (flags & ompt_parallel_league) == 0 &&
        own_threads::forks_itself(codeptr_ra)) [[unlikely]] {
        return own_threads::fork(region_word(parallel_data));
    }
    tracker::fork(region_word(parallel_data), fork_kind(flags, codeptr_ra), {codeptr_ra, nullptr});
}

void on_parallel_end(ompt_data_t *parallel_data, ompt_data_t *, int, const void *) {
    tracker::join(region_word(parallel_data));
}

namespace {

OCB_NEVER_INLINE void implicit_task_ends_on_own_thread(tracker::EndReport report) {
    if (tracker::caller_is_known()) {
        tracker::implicit_task_ends(report);
    }
}

} // namespace

// A worker's end of a region is reported without the region: libomp sends it when the next region
// is about to begin.
void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel_data, ompt_data_t *,
                      unsigned actual_parallelism, unsigned index, int flags) {
    const bool is_initial = (flags & ompt_task_initial) != 0;
    if (endpoint == ompt_scope_end) {
        const tracker::EndReport report = parallel_data == nullptr && actual_parallelism == 0
                                              ? tracker::EndReport::kLate
                                              : tracker::EndReport::kInTime;
        if (is_runtimes_own) [[unlikely]] {
            return implicit_task_ends_on_own_thread(report);
        }
        return tracker::implicit_task_ends(report);
    }
    if (parallel_data != nullptr && parallel_data->value == own_threads::kTeamWord) {
        [[unlikely]] return own_threads::enter();
    }
    // The initial task of the process, or of a thread, has a place for region data that is still 0.
    const bool has_region = parallel_data != nullptr && !(is_initial && parallel_data->value == 0);
    // Initial tasks are numbered from 1 in libomp, and are all alone in their team.
    tracker::implicit_task_begins(has_region ? &region_word(parallel_data) : nullptr,
                                  {is_initial ? 0 : index, is_initial ? 1 : actual_parallelism});
}

namespace {

// Barrier kinds, in the order of ompt_sync_region_t.
struct SyncRow {
    std::uint8_t kind;
    bool is_reported;
    BarrierKind barrier;
    EndsRegion ends_region; // on a worker
};
static_assert(sizeof(SyncRow) == 4);
constexpr SyncRow kSyncs[] = {
    {0, false, BarrierKind::kImplicit, EndsRegion::kNever},
    {ompt_sync_region_barrier, true, BarrierKind::kImplicit, EndsRegion::kIfInOverhead},
    {ompt_sync_region_barrier_implicit, true, BarrierKind::kImplicit, EndsRegion::kIfInOverhead},
    {ompt_sync_region_barrier_explicit, true, BarrierKind::kExplicit, EndsRegion::kNever},
    {ompt_sync_region_barrier_implementation, true, BarrierKind::kImplicit, EndsRegion::kNever},
    {ompt_sync_region_taskwait, true, BarrierKind::kTaskWait, EndsRegion::kNever},
    {ompt_sync_region_taskgroup, true, BarrierKind::kTaskWait, EndsRegion::kNever},
    {ompt_sync_region_reduction, false, BarrierKind::kImplicit, EndsRegion::kNever},
    {ompt_sync_region_barrier_implicit_workshare, true, BarrierKind::kImplicit, EndsRegion::kNever},
    {ompt_sync_region_barrier_implicit_parallel, true, BarrierKind::kImplicit, EndsRegion::kAlways},
    {ompt_sync_region_barrier_teams, true, BarrierKind::kImplicit, EndsRegion::kIfInOverhead},
};
constexpr unsigned kSyncCount = std::size(kSyncs);
static_assert(kSyncCount == ompt_sync_region_barrier_teams + 1);

// In a league of one libomp returns overhead in the program's code too; the barrier that ends the
// region is the one with the code address of its fork.
OCB_ALWAYS_INLINE bool is_last_by_runtime(const void *codeptr_ra) {
    ompt_wait_id_t wait_id = 0;
    if (entry_points.get_state(&wait_id) != ompt_state_overhead) {
        return false;
    }
    if (codeptr_ra == nullptr) {
        return true;
    }
    runtime::register_caller_late();
    return !tracker::caller_has_region_in_league(codeptr_ra);
}

// Whether no code of the program comes after this barrier in its region. Other barriers are called
// by the program, through entries that the front marks. Then the runtime is not asked.
bool is_last(EndsRegion ends_region, const void *codeptr_ra) {
    if (ends_region == EndsRegion::kAlways) {
        return true;
    }
    return ends_region != EndsRegion::kNever && !tracker::caller_is_in_call_of_region() &&
           is_last_by_runtime(codeptr_ra);
}

} // namespace

tracker::EndReport end_report(const ompt_data_t *parallel_data, const void *codeptr_ra) {
    return parallel_data == nullptr && codeptr_ra == nullptr ? tracker::EndReport::kLate
                                                             : tracker::EndReport::kInTime;
}

void barrier_waits(BarrierKind kind, EndsRegion ends_region, const void *codeptr_ra) {
    return is_last(ends_region, codeptr_ra) ? tracker::last_barrier_begins()
                                            : tracker::barrier_begins(kind);
}

// A newer runtime reports a kind that the bridge does not know. One line names it.
void record_unknown_kind(LogCause cause, int kind) {
    char text[12];
    char *first = std::end(text);
    *--first = '\0';
    auto rest = static_cast<unsigned>(kind);
    do {
        *--first = static_cast<char>('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    log_once(cause, first);
}

namespace {

// A wait for a reduction is in the barrier around it.
void record_unreported_sync(ompt_sync_region_t kind) {
    if (kind != ompt_sync_region_reduction) {
        record_unknown_kind(LogCause::kUnknownBarrier, kind);
    }
}

OCB_ALWAYS_INLINE void wait_for_tasks(ompt_scope_endpoint_t endpoint) {
    return endpoint == ompt_scope_end ? tracker::task_wait_ends() : tracker::task_wait_begins();
}

// An implicit barrier that the program has not called. A function of its own, so that the path of
// explicit ones saves no registers for it.
OCB_NEVER_INLINE void uncalled_barrier_waits(const void *codeptr_ra) {
    return is_last_by_runtime(codeptr_ra) ? tracker::last_barrier_begins()
                                          : tracker::barrier_begins(BarrierKind::kImplicit);
}

OCB_NEVER_INLINE void sync_region_wait_by_table(ompt_sync_region_t kind,
                                                ompt_scope_endpoint_t endpoint,
                                                const ompt_data_t *parallel_data,
                                                const void *codeptr_ra) {
    if (static_cast<unsigned>(kind) >= kSyncCount || !kSyncs[kind].is_reported) [[unlikely]] {
        return record_unreported_sync(kind);
    }
    const SyncRow &row = kSyncs[kind];
    if (row.barrier == BarrierKind::kTaskWait) {
        return wait_for_tasks(endpoint);
    }
    if (endpoint == ompt_scope_end) {
        tracker::barrier_ends(end_report(parallel_data, codeptr_ra));
        return;
    }
    if (row.ends_region == EndsRegion::kNever) {
        return tracker::barrier_begins(row.barrier);
    }
    // Newer versions report this kind at a region's end only, where the runtime's state is
    // overhead.
    if (kind == ompt_sync_region_barrier && !is_last(row.ends_region, codeptr_ra)) {
        ompt::record_barrier_without_kind();
    }
    barrier_waits(row.barrier, row.ends_region, codeptr_ra);
}

void on_sync_region_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                         ompt_data_t *parallel_data, ompt_data_t *, const void *codeptr_ra) {
    // The most frequent kinds, without a look-up.
    if (kind == ompt_sync_region_taskwait) {
        return wait_for_tasks(endpoint);
    }
    if (kind == ompt_sync_region_barrier_explicit) {
        return endpoint == ompt_scope_end
                   ? tracker::explicit_barrier_ends(end_report(parallel_data, codeptr_ra))
                   : tracker::explicit_barrier_begins();
    }
    if (kind == ompt_sync_region_barrier_implicit) {
        if (endpoint == ompt_scope_end) {
            return tracker::barrier_ends(end_report(parallel_data, codeptr_ra));
        }
        if (!tracker::implicit_barrier_of_call_begins()) {
            uncalled_barrier_waits(codeptr_ra);
        }
        return;
    }
    if (kind == ompt_sync_region_barrier_implicit_parallel) {
        return endpoint == ompt_scope_end
                   ? tracker::barrier_ends(end_report(parallel_data, codeptr_ra))
                   : tracker::last_barrier_begins();
    }
    if (kind == ompt_sync_region_barrier_implicit_workshare) {
        return endpoint == ompt_scope_end
                   ? tracker::barrier_ends(end_report(parallel_data, codeptr_ra))
                   : tracker::barrier_begins(BarrierKind::kImplicit);
    }
    sync_region_wait_by_table(kind, endpoint, parallel_data, codeptr_ra);
}

} // namespace

void on_work(ompt_work_t work_type, ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *,
             std::uint64_t, const void *) {
    if (work_type != ompt_work_single_executor) {
        return;
    }
    if (endpoint == ompt_scope_begin) {
        tracker::single_begins();
    } else {
        tracker::single_ends();
    }
}

void on_masked(ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *, const void *) {
    if (endpoint == ompt_scope_begin) {
        tracker::master_begins();
    } else {
        tracker::master_ends();
    }
}

namespace {

void on_reduction(ompt_sync_region_t, ompt_scope_endpoint_t endpoint, ompt_data_t *, ompt_data_t *,
                  const void *) {
    if (endpoint == ompt_scope_begin) {
        tracker::reduction_begins();
    } else {
        tracker::reduction_ends();
    }
}

} // namespace

namespace {

OCB_NEVER_INLINE void create_task(ompt_data_t *new_task_data, int flags) {
    // A wait for dependences is a task that its thread waits for; on_task_schedule has its end.
    if ((flags & ompt_task_taskwait) != 0) {
        return tracker::barrier_begins(BarrierKind::kTaskWait);
    }
    // libomp before 17 calls target tasks explicit.
    if ((flags & (ompt_task_explicit | ompt_task_target)) == 0) {
        return;
    }
    if (new_task_data != nullptr) {
        own_threads::task_created(new_task_data);
    }
    const tracker::TaskWord word = tracker::task_created(
        (flags & ompt_task_undeferred) == 0 ? deferred_kind : tracker::TaskKind::kUndeferred);
    if (word != 0 && new_task_data != nullptr) [[unlikely]] {
        task_word(new_task_data) = word;
    }
}

} // namespace

void on_task_create(ompt_data_t *, const ompt_frame_t *, ompt_data_t *new_task_data, int flags, int,
                    const void *) {
    // The most frequent case: a task that runs at once, and no collector asks for tasks.
    constexpr int kKinds =
        ompt_task_explicit | ompt_task_undeferred | ompt_task_taskwait | ompt_task_target;
    if ((flags & kKinds) == (ompt_task_explicit | ompt_task_undeferred) &&
        !own_threads::there_are_any.load(std::memory_order_relaxed) &&
        (ompt::wanted.load(std::memory_order_relaxed) & kNeedTasks) == 0) {
        return;
    }
    create_task(new_task_data, flags);
}

namespace {

bool is_finished(ompt_task_status_t status) {
    return status == ompt_task_complete || status == ompt_task_cancel || status == ompt_task_detach;
}

// Takes the word of a task that is entered. The note that it was left is used up. The note that it
// has begun is kept with explicit tasks alone: libomp copies the word of a worker's implicit task
// to a place that a taskwait with dependences asserts to be 0.
OCB_ALWAYS_INLINE tracker::TaskWord take_word(tracker::TaskWord &stored,
                                              ompt_task_status_t prior_status) {
    const tracker::TaskWord word = stored;
    const bool begins = !was_left(word) && !is_finished(prior_status);
    stored = ids_of(word) | (begins ? kTaskRuns : word & kTaskRuns);
    return word;
}

// A task may be discarded without having run, as its taskgroup or region is cancelled. libomp
// reports it as left for the task that the thread executes; in a cancelled region, as if it had
// run.
OCB_ALWAYS_INLINE bool is_discarded(const tracker::TaskWord *prior_word, ompt_task_status_t status,
                                    tracker::TaskWord next_word) {
    return is_finished(status) && !was_left(next_word) &&
           (status == ompt_task_cancel || (prior_word != nullptr && !runs(*prior_word)));
}

OCB_ALWAYS_INLINE void finish_task(const ompt_data_t *task, tracker::TaskWord word) {
    own_threads::task_finished(task);
    if (task_id(word) != 0) [[unlikely]] {
        tracker::task_finished(word);
    }
}

// A thread of the runtime's own has a record only while it executes a task of the program.
OCB_NEVER_INLINE void schedule_on_own_thread(ompt_data_t *prior, ompt_task_status_t status,
                                             ompt_data_t *next) {
    if (prior != nullptr && tracker::caller_is_known()) {
        tracker::TaskWord &left = task_word(prior);
        if (is_finished(status)) {
            finish_task(prior, left);
        } else {
            left = word_between(tracker::task_left(left), task_word(next));
        }
    }
    tracker::forget_caller();
    if (own_threads::enter_task(next)) {
        tracker::task_entered(take_word(task_word(next), status));
    }
}

// `prior_word` is null where `prior` is.
OCB_ALWAYS_INLINE void go_to_task(const ompt_data_t *prior, tracker::TaskWord *prior_word,
                                  ompt_task_status_t status, tracker::TaskWord &next_word) {
    if (is_discarded(prior_word, status, next_word)) [[unlikely]] {
        return own_threads::task_finished(prior);
    }
    const tracker::TaskWord next = take_word(next_word, status);
    if (prior_word != nullptr) {
        if (!is_finished(status)) {
            return tracker::tasks_switched(*prior_word, next);
        }
        finish_task(prior, *prior_word);
    }
    tracker::task_entered(next);
}

OCB_NEVER_INLINE void go_to_task_with_client(ompt_data_t *prior, ompt_task_status_t status,
                                             ompt_data_t *next) {
    go_to_task(prior, prior != nullptr ? &task_word(prior) : nullptr, status, task_word(next));
}

OCB_NEVER_INLINE void schedule_task(ompt_data_t *prior_task_data,
                                    ompt_task_status_t prior_task_status,
                                    ompt_data_t *next_task_data) {
    if (prior_task_status == ompt_taskwait_complete) {
        return tracker::barrier_ends(tracker::EndReport::kInTime);
    }
    // An event that is fulfilled changes no thread's task.
    if (next_task_data == nullptr || prior_task_status == ompt_task_early_fulfill ||
        prior_task_status == ompt_task_late_fulfill) [[unlikely]] {
        return;
    }
    if (is_runtimes_own) [[unlikely]] {
        return schedule_on_own_thread(prior_task_data, prior_task_status, next_task_data);
    }
    if (multiplex::has_client_tool) [[unlikely]] {
        return go_to_task_with_client(prior_task_data, prior_task_status, next_task_data);
    }
    go_to_task(prior_task_data, prior_task_data != nullptr ? &prior_task_data->value : nullptr,
               prior_task_status, next_task_data->value);
}

} // namespace

void on_task_schedule(ompt_data_t *prior_task_data, ompt_task_status_t prior_task_status,
                      ompt_data_t *next_task_data) {
    const bool is_plain = prior_task_data != nullptr && next_task_data != nullptr &&
                          !is_runtimes_own && !multiplex::has_client_tool;
    // The most frequent case: a task begins that has no word yet.
    if (is_plain && prior_task_status == ompt_task_switch && next_task_data->value == 0) {
        next_task_data->value = kTaskRuns;
        return tracker::task_begins(prior_task_data->value);
    }
    // A task without an id ends where it began.
    if (is_plain && prior_task_status == ompt_task_complete &&
        (next_task_data->value & ~(kTaskRuns | kTaskLeftUnmarked)) == kTaskWasLeft &&
        task_id(prior_task_data->value) == 0 &&
        !own_threads::there_are_any.load(std::memory_order_relaxed)) {
        const tracker::TaskWord next = next_task_data->value;
        next_task_data->value = next & kTaskRuns;
        return tracker::task_entered(next);
    }
    schedule_task(prior_task_data, prior_task_status, next_task_data);
}

int on_control_tool(std::uint64_t command, std::uint64_t, void *, const void *) {
    return tracker::control_tool(command);
}

#define OCB_OMPT5_CALLBACK_ROW(name, needs, mends_only)                                            \
    {ompt_callback_##name, #name, OCB_OMPT_FUNCTION(on_##name), needs, mends_only},
const ompt::CallbackRow kCallbacks[kCallbackCount] = {OCB_OMPT5_CALLBACKS(OCB_OMPT5_CALLBACK_ROW)};
#undef OCB_OMPT5_CALLBACK_ROW

} // namespace ocb::ompt5
