// SPDX-License-Identifier: Apache-2.0
// Worksharing constructs and barriers of the calling thread's current task, as events and states.
#pragma once

#include "records.h"
#include "tool.h"

namespace ocb::gomp {

constexpr ompt_work_t kWorkTypes[] = {static_cast<ompt_work_t>(0), ompt_work_loop,
                                      ompt_work_sections, ompt_work_single_executor,
                                      ompt_work_distribute};

OCB_INLINE void report_work(ompt_work_t type, ompt_scope_endpoint_t endpoint, TaskRecord &task,
                            std::uint64_t count, const void *code) {
    if (auto tell = callback<ompt_callback_work_t>(ompt_callback_work)) {
        tell(type, endpoint, &task.region->word, &task.word, count, code);
    }
}

// The construct that is open is known while the tool wants its events. One is open at most.
OCB_INLINE void open_work(TaskRecord &task, Work work, std::uint64_t count, const void *code) {
    task.marks.open_work = work;
    report_work(kWorkTypes[static_cast<int>(work)], ompt_scope_begin, task, count, code);
}
// Ends the construct of this kind, if it is the one that is open.
OCB_INLINE void end_work(ThreadRecord &thread, Work work, const void *code) {
    TaskRecord &task = task_of(thread);
    if (task.marks.open_work == work) {
        task.marks.open_work = Work::kNone;
        report_work(kWorkTypes[static_cast<int>(work)], ompt_scope_end, task, 0, code);
    }
}
template <class CallType>
OCB_INLINE void end_work(const CallType &call, ThreadRecord &thread, Work work) {
    if constexpr (CallType::kIsTold) {
        end_work(thread, work, call.code);
    }
}
// Ends what is open: a single construct has no end of its own, and a cancelled loop none at all.
OCB_INLINE void close_work(ThreadRecord &thread, const void *code) {
    if (task_of(thread).marks.open_work != Work::kNone) {
        end_work(thread, task_of(thread).marks.open_work, code);
    }
}
template <class CallType> OCB_INLINE void close_work(const CallType &call, ThreadRecord &thread) {
    if constexpr (CallType::kIsTold) {
        close_work(thread, call.code);
    }
}
OCB_INLINE void begin_work(ThreadRecord &thread, Work work, std::uint64_t count, const void *code) {
    close_work(thread, code);
    open_work(task_of(thread), work, count, code);
}
// A single construct that another thread executes.
inline void pass_single(ThreadRecord &thread, const void *code) {
    report_work(ompt_work_single_other, ompt_scope_begin, task_of(thread), 1, code);
    report_work(ompt_work_single_other, ompt_scope_end, task_of(thread), 1, code);
}

// The events that end a work construct as well: a barrier is the end of a single construct.
constexpr Events kWorkEvents = events(ompt_callback_work);
constexpr Events kSyncEvents =
    events(ompt_callback_sync_region, ompt_callback_sync_region_wait, ompt_callback_work);

OCB_INLINE void report_sync(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                            TaskRecord &task, const void *code) {
    if (auto tell = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region)) {
        tell(kind, endpoint, &task.region->word, &task.word, code);
    }
}
OCB_INLINE void report_sync_wait(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint,
                                 TaskRecord &task, const void *code) {
    if (auto tell = callback<ompt_callback_sync_region_t>(ompt_callback_sync_region_wait)) {
        tell(kind, endpoint, &task.region->word, &task.word, code);
    }
}

// A wait for the team, or for tasks of the region.
class Ordered {
  public:
    explicit Ordered(const RegionRecord *region) : region_(region) { done_before(region); }
    ~Ordered() { seen_behind(region_); }
    Ordered(const Ordered &) = delete;
    Ordered &operator=(const Ordered &) = delete;

  private:
    const RegionRecord *region_;
};

// Waits as `wait` does, which is a call of the runtime.
template <class CallType, class Wait>
OCB_INLINE auto sync(const CallType &call, ThreadRecord &thread, ompt_sync_region_t kind, int state,
                     Wait wait) -> decltype(wait()) {
    TaskRecord &task = task_of(thread);
    struct Span {
        TaskRecord &task;
        ompt_sync_region_t kind;
        const void *code;
        ~Span() {
            if constexpr (CallType::kIsTold) {
                report_sync_wait(kind, ompt_scope_end, task, code);
                report_sync(kind, ompt_scope_end, task, code);
            }
        }
    };
    const InRuntime inside(task, call);
    if constexpr (CallType::kIsTold) {
        report_sync(kind, ompt_scope_begin, task, call.code);
        report_sync_wait(kind, ompt_scope_begin, task, call.code);
    }
    const Span span{task, kind, call.code};
    const InWait waiting(state, 0);
    const Ordered ordered(task.region);
    return wait();
}

} // namespace ocb::gomp
