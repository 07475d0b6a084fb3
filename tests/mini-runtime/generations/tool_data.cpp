// SPDX-License-Identifier: Apache-2.0
// Life and events in the generations with words; tool_data_entry.cpp has what a tool calls.
#include "tool_data.h"

#include "defects.h"
#include "start_tool.h"

namespace mini::tool {

using namespace ocb::ompt5;

std::atomic<ompt_callback_t> callbacks[kCallbacks];

namespace {

void *result; // of the tool's ompt_start_tool
bool is_active = false;

} // namespace

// Life -------------------------------------------------------------------------------------------

void find() {
    const unsigned version = breaks(Defect::kVersionZero) ? 0 : generation::kOmpVersion;
    const char *runtime = breaks(Defect::kNoVersion) ? nullptr : generation::kRuntimeVersion;
    result = start_tool(version, runtime);
    if (result != nullptr && breaks(Defect::kEntryTwice)) {
        start_tool(version, runtime);
    }
}

void initialize() {
    is_active = result != nullptr && generation::initialize(result, lookup);
    if (is_active && breaks(Defect::kInitializerTwice)) {
        generation::initialize(result, lookup);
    }
    if (!is_active) {
        for (auto &callback : callbacks) {
            callback.store(nullptr);
        }
    }
}

void report_end() {
    if (is_active && !is_without(Check::kRuntimeShutdown)) {
        generation::finalize(result);
    }
}

void finalize() {
    for (auto &callback : callbacks) {
        callback.store(nullptr);
    }
    is_active = false;
}

// The tool came along into the child, with its callbacks.
bool begins_anew_in_child() {
    return false;
}

Word new_word() {
    return 0;
}

// Events -----------------------------------------------------------------------------------------

void thread_begin(ThreadKind kind, Word *thread) {
    tell<ompt_callback_thread_begin_t>(
        ompt_callback_thread_begin,
        kind == ThreadKind::kWorker ? ompt_thread_worker : ompt_thread_initial, data(thread));
}

void thread_end(ThreadKind, Word *thread) {
    tell<ompt_callback_thread_end_t>(ompt_callback_thread_end, data(thread));
}

void parallel_begin(const ParallelBegin &told) {
    tell<ompt_callback_parallel_begin_t>(
        ompt_callback_parallel_begin, data(told.parent),
        reinterpret_cast<const ompt_frame_t *>(told.parent_frame), data(told.region),
        told.requested, generation::parallel_flags(told.is_invoked_by_program), told.caller);
}

void parallel_end(Word *region, Word *parent, bool is_invoked_by_program, const void *caller) {
    tell<ompt_callback_parallel_end_t>(ompt_callback_parallel_end, data(region), data(parent),
                                       generation::parallel_flags(is_invoked_by_program), caller);
}

// At the end of its last barrier the region no longer is the thread's.
static ompt_data_t *region_data(SyncKind kind, Endpoint endpoint, Word *region) {
    const bool is_over = kind == SyncKind::kBarrierParallel && endpoint == Endpoint::kEnd;
    return is_over ? nullptr : data(region);
}

void sync(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller) {
    tell<ompt_callback_sync_region_t>(
        ompt_callback_sync_region, static_cast<ompt_sync_region_t>(generation::sync_of(kind)),
        endpoint_of(endpoint), region_data(kind, endpoint, region), data(task), caller);
}

void sync_wait(SyncKind kind, Endpoint endpoint, Word *region, Word *task, const void *caller) {
    tell<ompt_callback_sync_region_t>(
        ompt_callback_sync_region_wait, static_cast<ompt_sync_region_t>(generation::sync_of(kind)),
        endpoint_of(endpoint), region_data(kind, endpoint, region), data(task), caller);
}

static ompt_mutex_t mutex_of(const MutexUse &use) {
    return static_cast<ompt_mutex_t>(generation::mutex_of(use.kind, use.is_test));
}

constexpr unsigned kMutexImplementation = 1;

void mutex_wanted(const MutexUse &use) {
    tell<ompt_callback_mutex_acquire_t>(ompt_callback_mutex_acquire, mutex_of(use), use.hint,
                                        kMutexImplementation, use.wait_id, use.caller);
}

void mutex_waited_for(const MutexUse &) {}

void mutex_acquired(const MutexUse &use) {
    tell<ompt_callback_mutex_t>(ompt_callback_mutex_acquired, mutex_of(use), use.wait_id,
                                use.caller);
}

void mutex_released(const MutexUse &use) {
    tell<ompt_callback_mutex_t>(ompt_callback_mutex_released, mutex_of(use), use.wait_id,
                                use.caller);
}

void nest_lock_again(Endpoint endpoint, const MutexUse &use) {
    tell<ompt_callback_nest_lock_t>(ompt_callback_nest_lock, endpoint_of(endpoint), use.wait_id,
                                    use.caller);
}

void lock_initialised(const MutexUse &use) {
    tell<ompt_callback_mutex_acquire_t>(ompt_callback_lock_init, mutex_of(use), use.hint,
                                        kMutexImplementation, use.wait_id, use.caller);
}

void lock_destroyed(const MutexUse &use) {
    tell<ompt_callback_mutex_t>(ompt_callback_lock_destroy, mutex_of(use), use.wait_id, use.caller);
}

void work(WorkKind kind, Endpoint endpoint, Word *region, Word *task, std::uint64_t count,
          const void *caller) {
    tell<ompt_callback_work_t>(ompt_callback_work,
                               static_cast<ompt_work_t>(generation::work_of(kind)),
                               endpoint_of(endpoint), data(region), data(task), count, caller);
}

void masked(Endpoint endpoint, Word *region, Word *task, const void *caller) {
    tell<ompt_callback_masked_t>(ompt_callback_masked, endpoint_of(endpoint), data(region),
                                 data(task), caller);
}

void task_create(const TaskCreate &told) {
    const int flags = ompt_task_explicit | (told.is_undeferred ? ompt_task_undeferred : 0);
    tell<ompt_callback_task_create_t>(ompt_callback_task_create, data(told.parent),
                                      reinterpret_cast<const ompt_frame_t *>(told.parent_frame),
                                      data(told.task), flags, 0, told.caller);
}

void task_switch(Word *prior, TaskStatus status, Word *next) {
    tell<ompt_callback_task_schedule_t>(
        ompt_callback_task_schedule, data(prior),
        static_cast<ompt_task_status_t>(generation::status_of(status)), data(next));
}

void task_end(Word *) {} // task_schedule tells of it

void flush(Word *thread, const void *caller) {
    using Flush = void (*)(ompt_data_t * thread_data, const void *codeptr_ra);
    tell<Flush>(ompt_callback_flush, data(thread), caller);
}

void cancel(Word *task, int kind, const void *caller) {
    using Cancel = void (*)(ompt_data_t * task_data, int flags, const void *codeptr_ra);
    // kind: 1 parallel, 2 loop, 3 sections, 4 taskgroup. Flags: activated is 0x10.
    constexpr int kFlags[] = {0, 0x11, 0x14, 0x12, 0x18};
    tell<Cancel>(ompt_callback_cancel, data(task), kFlags[kind & 7], caller);
}

// -2: there is no tool, -1: it has no callback.
int control(std::uint64_t command, std::uint64_t modifier, void *argument, const void *caller) {
    if (!is_active) {
        return -2;
    }
    const auto function = reinterpret_cast<ompt_callback_control_tool_t>(
        callbacks[ompt_callback_control_tool].load());
    return function != nullptr ? function(command, modifier, argument, caller) : -1;
}

} // namespace mini::tool

extern "C" int omp_control_tool(int command, int modifier, void *argument) {
    mini::current();
    return mini::event::control(static_cast<std::uint64_t>(command),
                                static_cast<std::uint64_t>(modifier), argument, MINI_ENTRY);
}
