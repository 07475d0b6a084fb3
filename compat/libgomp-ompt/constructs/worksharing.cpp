// SPDX-License-Identifier: Apache-2.0
// Sections, single, scope and masked constructs.
#include "work.h"

using namespace ocb::gomp;

ENTRY_POINT_TELLING(kWorkEvents, unsigned, GOMP_sections_start, (unsigned count), (count)) {
    begin_work(this_thread(call), Work::kSections, count, call.code);
    return REAL(GOMP_sections_start)(count);
}

ENTRY_POINT_TELLING(kWorkEvents, unsigned, GOMP_sections2_start,
                    (unsigned count, std::uintptr_t *reductions, void **memory),
                    (count, reductions, memory)) {
    begin_work(this_thread(call), Work::kSections, count, call.code);
    return REAL(GOMP_sections2_start)(count, reductions, memory);
}

ENTRY_POINT_WAITING(kSyncEvents, void, GOMP_sections_end, (), ()) {
    ThreadRecord &thread = this_thread(call);
    end_work(call, thread, Work::kSections);
    sync(call, thread, ompt_sync_region_barrier_implicit_workshare,
         ompt_state_wait_barrier_implicit_workshare, REAL(GOMP_sections_end));
}

ENTRY_POINT_WAITING(kSyncEvents, bool, GOMP_sections_end_cancel, (), ()) {
    ThreadRecord &thread = this_thread(call);
    end_work(call, thread, Work::kSections);
    return sync(call, thread, ompt_sync_region_barrier_implicit_workshare,
                ompt_state_wait_barrier_implicit_workshare, REAL(GOMP_sections_end_cancel));
}

ENTRY_POINT_TELLING(kWorkEvents, void, GOMP_sections_end_nowait, (), ()) {
    end_work(call, this_thread(call), Work::kSections);
    REAL(GOMP_sections_end_nowait)();
}

template <class Start>
static OCB_INLINE bool begin_single(ThreadRecord &thread, const void *code, Start start) {
    close_work(thread, code);
    const bool is_executor = start();
    if (is_executor) {
        open_work(task_of(thread), Work::kSingle, 1, code);
    } else {
        pass_single(thread, code);
    }
    return is_executor;
}

// The executor's end is not called for: it is told at the thread's next barrier or construct.
ENTRY_POINT_TELLING(kWorkEvents, bool, GOMP_single_start, (), ()) {
    return begin_single(this_thread(call), call.code, REAL(GOMP_single_start));
}

// gcc 17 with -fopenmp-ompt: every thread of the team calls for the end.
ENTRY_POINT_TELLING(kWorkEvents, bool, GOMP_single_start_with_end, (), ()) {
    return begin_single(this_thread(call), call.code, REAL(GOMP_single_start_with_end));
}

ENTRY_POINT_TELLING(kWorkEvents, void, GOMP_single_end, (), ()) {
    end_work(call, this_thread(call), Work::kSingle);
    REAL(GOMP_single_end)();
}

// single copyprivate: libgomp answers the others when the executor has given its data, so that who
// waits is known only afterwards. Its own single construct and its barrier do the same in two
// steps.
namespace {

// All threads of a team must go the same way. Serial code, and a region that began before the tool
// wanted anything, go libgomp's.
bool has_records(const ThreadRecord &thread) {
    return task_of(thread).region->encountering != nullptr;
}

void wait_for_copyprivate(const Call &call, ThreadRecord &thread) {
    sync(call, thread, ompt_sync_region_barrier_implementation,
         ompt_state_wait_barrier_implementation,
         function_of<void (*)()>(*call.runtime, k_GOMP_barrier));
}

} // namespace

ENTRY_POINT(void *, GOMP_single_copy_start, (), ()) {
    ThreadRecord &thread = this_thread(call);
    if (!has_records(thread)) {
        return REAL(GOMP_single_copy_start)();
    }
    close_work(thread, call.code);
    if (function_of<bool (*)()>(*call.runtime, k_GOMP_single_start)()) {
        open_work(task_of(thread), Work::kSingle, 1, call.code);
        return nullptr;
    }
    pass_single(thread, call.code);
    wait_for_copyprivate(call, thread);
    return task_of(thread).region->copyprivate;
}

ENTRY_POINT(void, GOMP_single_copy_end, (void *data), (data)) {
    ThreadRecord &thread = this_thread(call);
    if (!has_records(thread)) {
        REAL(GOMP_single_copy_end)(data);
        return;
    }
    end_work(call, thread, Work::kSingle);
    task_of(thread).region->copyprivate = data;
    wait_for_copyprivate(call, thread);
}

// What gcc 17 calls with -fopenmp-ompt, and no gcc before.
namespace {

// Nested constructs whose ends have calls. Those that are told are counted, so that no end is told
// of a construct that began before the tool wanted its events.
constexpr unsigned kMostNested = 15; // what the marks count

void report_masked(ompt_scope_endpoint_t endpoint, TaskRecord &task, const void *code) {
    if (auto tell = callback<ompt_callback_masked_t>(ompt_callback_masked)) {
        tell(endpoint, &task.region->word, &task.word, code);
    }
}

} // namespace

// Loops may stand in a scope, so its end is told by its own call alone.
ENTRY_POINT_TELLING(kWorkEvents, void, GOMP_scope_start_with_end, (std::uintptr_t * reductions),
                    (reductions)) {
    TaskRecord &task = task_of(this_thread(call));
    close_work(call, this_thread(call));
    if (task.marks.open_scopes < kMostNested) {
        ++task.marks.open_scopes;
        report_work(kWorkScope, ompt_scope_begin, task, 1, call.code);
    }
    REAL(GOMP_scope_start_with_end)(reductions);
}

ENTRY_POINT_TELLING(kWorkEvents, void, GOMP_scope_end, (), ()) {
    TaskRecord &task = task_of(this_thread(call));
    close_work(call, this_thread(call));
    if (task.marks.open_scopes > 0) {
        --task.marks.open_scopes;
        report_work(kWorkScope, ompt_scope_end, task, 0, call.code);
    }
    REAL(GOMP_scope_end)();
}

constexpr Events kMaskedEvents = events(ompt_callback_masked);

// All threads ask; the end is called for by those that execute the construct.
ENTRY_POINT_TELLING(kMaskedEvents, bool, GOMP_has_masked_thread_num_with_end, (int filter),
                    (filter)) {
    const bool is_executor = REAL(GOMP_has_masked_thread_num_with_end)(filter);
    TaskRecord &task = task_of(this_thread(call));
    if (is_executor && task.marks.open_masked < kMostNested) {
        ++task.marks.open_masked;
        report_masked(ompt_scope_begin, task, call.code);
    }
    return is_executor;
}

ENTRY_POINT_TELLING(kMaskedEvents, void, GOMP_masked_end, (), ()) {
    TaskRecord &task = task_of(this_thread(call));
    if (task.marks.open_masked > 0) {
        --task.marks.open_masked;
        report_masked(ompt_scope_end, task, call.code);
    }
    REAL(GOMP_masked_end)();
}
