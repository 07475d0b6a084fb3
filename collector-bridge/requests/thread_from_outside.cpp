// SPDX-License-Identifier: Apache-2.0
// What a thread does, asked by another thread: the answers that STATE and CURRENT_PRID would give,
// from the thread's record alone. Owns nothing. Records, implicit tasks and regions lie in
// type-stable memory, so a read never fails. A thread that has gone on meanwhile is noticed, and
// read again.
#include "base/compiler.h"
#include "omp_collector_bridge.h"
#include "records/held_mutexes.h"
#include "records/state_of.h"
#include "records/tables.h"
#include "runtime.h"

namespace ocb {
namespace {

using Answer = omp_collector_bridge_thread_answer;

constexpr int kCannotBeSaid = 0;
constexpr int kAnswered = 1;
constexpr int kUnlessInTask = 2;
constexpr int kTries = 3;

// The thread writes these members by plain stores, as else only its own handlers read them. Here
// each must be loaded exactly once.
template <class T> T peek(const T &member) {
    T value;
    __atomic_load(&member, &value, __ATOMIC_RELAXED);
    return value;
}

bool is_left_behind(const ThreadRecord &record, const ImplicitTask *implicit_task, RegionKey key) {
    const RegionRecord *region = peek(implicit_task->region); // once: it may be null the next time
    return peek(record.kind) == ThreadKind::kWorker && peek(implicit_task->outer) == nullptr &&
           region != nullptr && !region->is_running(key);
}

// Whether the thread may execute a task that was not reported, inside of its wait or call. Its
// stack shows that, and its own STATE does. No task begins while it waits for a mutex.
bool may_be_in_task(const ThreadRecord &record, int state) {
    if (!front::tasks_may_run_unreported() ||
        (runtime::wanted_needs() & (kNeedTasks | kNeedTaskSwitches)) != 0) {
        return false;
    }
    switch (record.activity.get()) {
    case Activity::kImplicitBarrier:
    case Activity::kExplicitBarrier:
    case Activity::kRegionEnd:
        return state == THR_IBAR_STATE || state == THR_EBAR_STATE || state == THR_WORK_STATE;
    case Activity::kUser:
        return record.front.is_in_runtime() && !is_mutex_wait(state);
    default:
        return false;
    }
}

// Without the runtime's state, which only the thread itself may ask for.
int answer_of(const ThreadRecord &record, Answer &answer) {
    const Activity activity = record.activity.get();
    const ImplicitTask *implicit_task = record.implicit_task.get();
    const RegionKey key = implicit_task != nullptr ? peek(implicit_task->key) : RegionKey::kNone;
    const bool is_idle = activity == Activity::kIdle;
    if (!is_idle && !record.sees_waits()) {
        return kCannotBeSaid;
    }
    WaitId wait_id = WaitId::kNone;
    answer.state = state_by_record(record, wait_id);
    answer.wait_id = static_cast<std::uint64_t>(wait_id);
    const bool has_region =
        !(is_idle || implicit_task == nullptr || is_left_behind(record, implicit_task, key));
    answer.region_id = has_region ? static_cast<std::uint64_t>(visible_id(key)) : 0;
    return may_be_in_task(record, answer.state) ? kUnlessInTask : kAnswered;
}

// As events/inside_callback.h has it.
int answer_inside(const ThreadRecord &record, Answer &answer) {
    const Event event = record.event();
    if (event == Event::kNone) {
        return kCannotBeSaid;
    }
    if (record.has_answers.get()) {
        answer.state = peek(record.answers.state);
        answer.wait_id = number_of(peek(record.answers.wait_id));
        answer.region_id = number_of(peek(record.answers.region_id));
        return kAnswered;
    }
    WaitId wait_id = record.wait_id.get();
    const EventRow &row = event_row(event);
    answer.state = row.state != kOwnState ? row.state : state_by_record(record, wait_id);
    answer.wait_id = number_of(wait_id);
    const ImplicitTask *implicit_task = record.implicit_task.get();
    const RegionKey key = peek(record.event_of.region) != nullptr ? peek(record.event_of.key)
                          : implicit_task != nullptr              ? peek(implicit_task->key)
                                                                  : RegionKey::kNone;
    answer.region_id = number_of(visible_id(key));
    return kAnswered;
}

bool has_moved(const ThreadRecord &record, Activity activity, const ImplicitTask *implicit_task,
               MutexKind mutex) {
    std::atomic_thread_fence(std::memory_order_acquire);
    return record.activity.get() != activity || record.implicit_task.get() != implicit_task ||
           record.mutex.get() != mutex;
}

__attribute__((no_sanitize("thread"))) int ask(const ThreadRecord &record, Answer &answer) {
    for (int i = 0; i < kTries; ++i) {
        const Activity activity = record.activity.get();
        const ImplicitTask *implicit_task = record.implicit_task.get();
        const MutexKind mutex = record.mutex.get();
        const Event event = record.event();
        std::atomic_thread_fence(std::memory_order_acquire);
        const int result =
            event != Event::kNone ? answer_inside(record, answer) : answer_of(record, answer);
        if (record.event() == event && !has_moved(record, activity, implicit_task, mutex)) {
            return result;
        }
    }
    return kCannotBeSaid;
}

} // namespace
} // namespace ocb

OCB_EXPORT const void *omp_collector_bridge_own_thread() {
    return ocb::own_record;
}

OCB_EXPORT int omp_collector_bridge_ask_thread(const void *thread,
                                               omp_collector_bridge_thread_answer *answer) {
    return thread != nullptr ? ocb::ask(*static_cast<const ocb::ThreadRecord *>(thread), *answer)
                             : ocb::kCannotBeSaid;
}

OCB_EXPORT int omp_collector_bridge_watch_mutex(uint64_t wait_id) {
    return ocb::watch_release(ocb::WaitId{wait_id}) ? 1 : 0;
}
