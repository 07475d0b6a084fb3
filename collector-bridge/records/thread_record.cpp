// SPDX-License-Identifier: Apache-2.0
#include "records/thread_record.h"

#include "base/pool.h"

namespace ocb {

constinit thread_local ThreadRecord *own_record = nullptr;

namespace {

constinit Pool<ThreadRecord, 16> records;
constinit Pool<Frame, 64> frames;
constinit std::atomic<ThreadRecord *> first_known{nullptr};

// As with region ids, so that threads which create tasks do not write one counter at each.
constexpr std::uint64_t kTaskIdBlock = 64;
constinit std::atomic<std::uint64_t> task_ids_dealt{0};

void publish(Front *front) {
    omp_collector_bridge_own_front = reinterpret_cast<omp_collector_bridge_front *>(front);
}

void remember(ThreadRecord &record) {
    record.is_known = true;
    record.next_known = first_known.load(std::memory_order_relaxed);
    while (!first_known.compare_exchange_weak(record.next_known, &record, std::memory_order_release,
                                              std::memory_order_relaxed)) {
    }
}

} // namespace

void reset_record(ThreadRecord &record, ThreadKind kind) {
    while (record.frame.get() != nullptr)
        pop_frame(record);
    record.front.innermost.set(0);
    record.front.covered.set(0);
    record.front.taskgroups.set(0);
    record.front.combines_until.set(0);
    record.wait_id.set(0);
    record.task.set(0);
    record.tasks_suspended = 0;
    record.activity.set(kind == ThreadKind::kWorker ? Activity::kIdle : Activity::kUser);
    record.mutex.set(MutexKind::kNone);
    record.mutex_is_taken.set(false);
    record.sees_waits.set(false);
    record.kind = kind;
    record.mutex_event_is_open = false;
    record.event_region = nullptr;
    record.innermost_fork = nullptr;
    record.fork_awaits_task = false;
    record.idle_is_announced = false;
    for (std::uint64_t &stack : record.open)
        stack = 0;
    record.delivering.store(0, std::memory_order_relaxed);
    record.is_in_control.store(false, std::memory_order_relaxed);
}

ThreadRecord *create_own_record(ThreadKind kind) {
    ThreadRecord *record = records.take();
    if (record == nullptr)
        return nullptr;
    if (!record->is_known)
        remember(*record);
    reset_record(*record, kind);
    order_for_handler();
    own_record = record;
    if (front::is_wanted)
        publish(&record->front);
    return record;
}

void release_own_record() {
    ThreadRecord *record = own_record;
    publish(nullptr);
    own_record = nullptr;
    order_for_handler();
    if (record == nullptr)
        return;
    reset_record(*record, ThreadKind::kUser);
    records.give(record);
}

std::uint32_t next_task_id(ThreadRecord &record) {
    if (record.next_task == record.end_task) {
        record.next_task = task_ids_dealt.fetch_add(kTaskIdBlock, std::memory_order_relaxed);
        record.end_task = record.next_task + kTaskIdBlock;
    }
    return static_cast<std::uint32_t>(record.next_task++ % kLastTaskId + 1);
}

Frame *push_frame(ThreadRecord &record) {
    Frame *frame = record.spare_frames;
    if (frame != nullptr)
        record.spare_frames = frame->next_free;
    else if (frame = frames.take(); frame == nullptr)
        return nullptr;
    *frame = Frame{};
    frame->outer = record.frame.get();
    frame->enclosing_activity = record.activity.get();
    frame->front_covered = record.front.covered.get();
    frame->enclosing_task = record.task.get();
    frame->tasks_suspended = record.tasks_suspended;
    return frame;
}

void pop_frame(ThreadRecord &record) {
    Frame *frame = record.frame.get();
    record.task.set(frame->enclosing_task);
    record.tasks_suspended = frame->tasks_suspended;
    record.front.covered.set(frame->front_covered);
    record.frame.set(frame->outer);
    order_for_handler();
    frame->next_free = record.spare_frames;
    record.spare_frames = frame;
}

ThreadRecord *known_records() {
    return first_known.load(std::memory_order_acquire);
}

void reset_records_after_fork() {
    records.reset_lock_after_fork();
    frames.reset_lock_after_fork();
    // The other threads are gone: whatever callback they were in will never end. Their records stay
    // unused; a child has few of them.
    for (ThreadRecord *record = known_records(); record != nullptr; record = record->next_known)
        if (record != own_record)
            record->delivering.store(0, std::memory_order_relaxed);
}

} // namespace ocb

// A thread-local in C's way: C++'s may call an initialiser wherever it is used.
extern "C" {
__attribute__((visibility(
    "default"))) constinit __thread omp_collector_bridge_front *omp_collector_bridge_own_front =
    nullptr;
}
