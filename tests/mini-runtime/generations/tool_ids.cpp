// SPDX-License-Identifier: Apache-2.0
// Life and events in the generations with ids; tool_ids_entry.cpp has what a tool calls.
#include "tool_ids.h"

#include "defects.h"
#include "start_tool.h"

#include <cstdio>
#include <cstdlib>

namespace mini::tool {

using namespace ocb::ompt_tr2;

constinit std::atomic<ompt_callback_t> callbacks[kEvents];
constinit bool is_initializing = false;

namespace {

bool has_tool = false, is_active = false;

template <class Function, class... Arguments> void tell(int event, Arguments... arguments) {
    const auto function =
        reinterpret_cast<Function>(callbacks[event].load(std::memory_order_acquire));
    if (function != nullptr) {
        function(arguments...);
    }
}

} // namespace

const char *told_runtime(const char *version) {
    return breaks(Defect::kNoVersion) ? nullptr : version;
}

unsigned told_version(unsigned version) {
    return breaks(Defect::kVersionZero) ? 0 : version;
}

bool tool_is_enabled_or_end() {
    const Wish wish = wish_of_user();
    if (wish != Wish::kOther || breaks(Defect::kOtherGoesOn)) {
        return wish == Wish::kEnabled;
    }
    if (!breaks(Defect::kOtherSilent)) {
        std::fprintf(stderr, "mini-omp: fatal error: OMP_TOOL=%s is neither enabled nor disabled\n",
                     std::getenv("OMP_TOOL"));
    }
    std::exit(1);
}

// Life -------------------------------------------------------------------------------------------

void find() {
    has_tool = generation::find_tool();
    if (has_tool && breaks(Defect::kEntryTwice)) {
        generation::find_tool();
    }
}

void initialize() {
    is_initializing = true;
    is_active = has_tool && generation::initialize(lookup);
    // In the form of 2014 entry point and initializer are one.
    if (is_active && (breaks(Defect::kInitializerTwice) ||
                      (generation::kIs2014 && breaks(Defect::kEntryTwice)))) {
        generation::initialize(lookup);
    }
    is_initializing = false;
    if (!is_active) {
        for (auto &callback : callbacks) {
            callback.store(nullptr);
        }
    }
}

void report_end() {
    tell<ompt_callback_t>(ompt_event_runtime_shutdown);
}

void finalize() {
    for (auto &callback : callbacks) {
        callback.store(nullptr);
    }
    is_active = false;
}

Word new_word() {
    static std::atomic<Word> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

// Events -----------------------------------------------------------------------------------------

namespace {

// Begin and end are two events, one after the other.
int event_of(int begin, Endpoint endpoint) {
    return endpoint == Endpoint::kBegin ? begin : begin + 1;
}

void tell_begin(int event, Word *region, Word *task, const void *caller) {
    if (generation::kIs2014) {
        tell<ompt_parallel_callback_t>(event, *region, *task);
    } else {
        tell<ompt_sync_callback_t>(event, *region, *task, caller);
    }
}

} // namespace

void thread_begin(ThreadKind kind, Word *thread) {
    tell<ompt_thread_type_callback_t>(
        ompt_event_thread_begin,
        kind == ThreadKind::kWorker ? ompt_thread_worker : ompt_thread_initial, *thread);
}

void thread_end(ThreadKind kind, Word *thread) {
    tell<ompt_thread_type_callback_t>(
        ompt_event_thread_end,
        kind == ThreadKind::kWorker ? ompt_thread_worker : ompt_thread_initial, *thread);
}

void parallel_begin(const ParallelBegin &told) {
    const auto *frame = reinterpret_cast<const ompt_frame_t *>(told.parent_frame);
    if (generation::kIs2014) {
        tell<ompt_parallel_begin_callback_2014_t>(ompt_event_parallel_begin, *told.parent, frame,
                                                  *told.region, told.requested, told.function);
    } else {
        tell<ompt_parallel_begin_callback_t>(ompt_event_parallel_begin, *told.parent, frame,
                                             *told.region, told.requested, told.function,
                                             told.is_invoked_by_program ? ompt_invoker_program
                                                                        : ompt_invoker_runtime);
    }
}

void parallel_end(Word *region, Word *parent, bool is_invoked_by_program, const void *) {
    if (generation::kIs2014) {
        tell<ompt_parallel_end_callback_2014_t>(ompt_event_parallel_end, *region, *parent);
    } else {
        tell<ompt_parallel_end_callback_t>(ompt_event_parallel_end, *region, *parent,
                                           is_invoked_by_program ? ompt_invoker_program
                                                                 : ompt_invoker_runtime);
    }
}

void initial_task(Endpoint endpoint, Word *, Word *task) {
    tell<ompt_task_callback_t>(event_of(ompt_event_initial_task_begin, endpoint), *task);
}

void implicit_task(Endpoint endpoint, Word *region, Word *task, unsigned, unsigned) {
    tell<ompt_parallel_callback_t>(event_of(ompt_event_implicit_task_begin, endpoint), *region,
                                   *task);
}

void idle(Endpoint endpoint, Word *thread) {
    tell<ompt_thread_callback_t>(event_of(ompt_event_idle_begin, endpoint), *thread);
}

void sync(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller) {
    const int event = kind == SyncKind::kTaskwait    ? ompt_event_taskwait_begin
                      : kind == SyncKind::kTaskgroup ? ompt_event_taskgroup_begin
                                                     : ompt_event_barrier_begin;
    if (endpoint == Endpoint::kBegin) {
        tell_begin(event, region, task, caller);
    } else {
        tell<ompt_parallel_callback_t>(event + 1, *region, *task);
    }
}

void sync_wait(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *) {
    const int event = kind == SyncKind::kTaskwait    ? ompt_event_wait_taskwait_begin
                      : kind == SyncKind::kTaskgroup ? ompt_event_wait_taskgroup_begin
                                                     : ompt_event_wait_barrier_begin;
    tell<ompt_parallel_callback_t>(event_of(event, endpoint), *region, *task);
}

void reduction(Endpoint, Word *, Word *, const void *) {} // only a state

namespace {

constexpr ompt_lock_type_t kLockType = 1;
constexpr std::uint32_t kAtomicType = 1;

} // namespace

void mutex_wanted(const MutexUse &) {}

void mutex_waited_for(const MutexUse &use) {
    const int event = ompt_event_wait_lock + static_cast<int>(use.kind);
    if (use.kind == MutexKind::kCritical && !generation::kIs2014) {
        tell<ompt_lock_callback_t>(event, use.wait_id, use.hint, kLockType);
    } else if (use.kind == MutexKind::kAtomic && !generation::kIs2014) {
        tell<ompt_atomic_callback_t>(event, use.wait_id, kAtomicType);
    } else {
        tell<ompt_wait_callback_t>(event, use.wait_id);
    }
}

void mutex_acquired(const MutexUse &use) {
    constexpr int kAcquired[] = {ompt_event_acquired_lock, ompt_event_acquired_nest_lock_first,
                                 ompt_event_acquired_critical, ompt_event_acquired_atomic,
                                 ompt_event_acquired_ordered};
    tell<ompt_wait_callback_t>(kAcquired[static_cast<int>(use.kind)], use.wait_id);
}

void mutex_released(const MutexUse &use) {
    tell<ompt_wait_callback_t>(ompt_event_release_lock + static_cast<int>(use.kind), use.wait_id);
}

void nest_lock_again(Endpoint endpoint, const MutexUse &use) {
    tell<ompt_wait_callback_t>(endpoint == Endpoint::kBegin ? ompt_event_acquired_nest_lock_next
                                                            : ompt_event_release_nest_lock_prev,
                               use.wait_id);
}

void lock_initialised(const MutexUse &use) {
    const int event =
        use.kind == MutexKind::kLock ? ompt_event_init_lock : ompt_event_init_nest_lock;
    if (generation::kIs2014) {
        tell<ompt_wait_callback_t>(event, use.wait_id);
    } else {
        tell<ompt_lock_callback_t>(event, use.wait_id, use.hint, kLockType);
    }
}

void lock_destroyed(const MutexUse &use) {
    tell<ompt_wait_callback_t>(use.kind == MutexKind::kLock ? ompt_event_destroy_lock
                                                            : ompt_event_destroy_nest_lock,
                               use.wait_id);
}

void work(WorkKind kind, Endpoint endpoint, Word *region, Word *task, std::uint64_t,
          const void *caller) {
    if (kind == WorkKind::kDistribute) {
        return; // there is no event
    }
    const int event = ompt_event_loop_begin + 2 * static_cast<int>(kind);
    if (endpoint == Endpoint::kEnd) {
        tell<ompt_parallel_callback_t>(event + 1, *region, *task);
    } else if (kind == WorkKind::kSingleOther) {
        tell<ompt_parallel_callback_t>(event, *region, *task);
    } else {
        tell<ompt_workshare_begin_callback_t>(event, *region, *task, caller);
    }
}

void masked(Endpoint endpoint, Word *region, Word *task, const void *caller) {
    if (endpoint == Endpoint::kBegin) {
        tell_begin(ompt_event_master_begin, region, task, caller);
    } else {
        tell<ompt_parallel_callback_t>(ompt_event_master_end, *region, *task);
    }
}

void task_create(const TaskCreate &told) {
    tell<ompt_task_begin_callback_t>(ompt_event_task_begin, *told.parent,
                                     reinterpret_cast<const ompt_frame_t *>(told.parent_frame),
                                     *told.task, told.function);
}

// 0 for a task that is complete.
void task_switch(Word *prior, TaskStatus status, Word *next) {
    const bool goes_on = status == TaskStatus::kSwitch || status == TaskStatus::kYield;
    tell<ompt_task_pair_callback_t>(ompt_event_task_switch, goes_on ? *prior : ompt_id_none, *next);
}

void task_end(Word *task) {
    tell<ompt_task_callback_t>(ompt_event_task_end, *task);
}

void flush(Word *thread, const void *) {
    if (generation::kIs2014) {
        tell<ompt_callback_t>(ompt_event_flush);
    } else {
        tell<ompt_thread_callback_t>(ompt_event_flush, *thread);
    }
}

void cancel(Word *, int, const void *) {} // there is no event

int control(std::uint64_t command, std::uint64_t modifier, void *, const void *) {
    tell<ompt_control_callback_t>(ompt_event_control, command, modifier);
    return 0;
}

} // namespace mini::tool

extern "C" void ompt_control(std::uint64_t command, std::uint64_t modifier) {
    mini::current();
    mini::event::control(command, modifier, nullptr, MINI_ENTRY);
}
