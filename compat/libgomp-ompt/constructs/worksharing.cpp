// SPDX-License-Identifier: Apache-2.0
// Sections and single constructs.
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

// The executor's end is not called for: it is told at the thread's next barrier or construct.
ENTRY_POINT_TELLING(kWorkEvents, bool, GOMP_single_start, (), ()) {
    ThreadRecord &thread = this_thread(call);
    close_work(thread, call.code);
    const bool is_executor = REAL(GOMP_single_start)();
    if (is_executor) {
        open_work(task_of(thread), Work::kSingle, 1, call.code);
    } else {
        pass_single(thread, call.code);
    }
    return is_executor;
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
