// SPDX-License-Identifier: Apache-2.0
#include "records/thread_record.h"

#include "base/pool.h"

#include <cerrno>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb {

namespace {
constinit ThreadRecord never_ready{0xFF, kNoSession - 1};
} // namespace

constinit thread_local ThreadRecord *own_record = nullptr;
constinit thread_local ThreadRecord *record_or_never_ready = &never_ready;
constinit thread_local HandlerVisible<UnknownThreadKind> unknown_thread_kind;
constinit thread_local UnknownThread unknown_thread;

void forget_unknown_thread() {
    unknown_thread_kind.set(UnknownThreadKind::kUnknown);
    unknown_thread.is_known.set(false);
}

namespace {

constinit Pool<ThreadRecord, 16> records;
constinit Pool<ImplicitTask, 64> implicit_tasks;
constinit std::atomic<ThreadRecord *> first_known{nullptr};

// As with region ids, so that threads which create tasks do not write one counter at each.
constexpr std::uint64_t kTaskIdBlock = 64;
struct alignas(64) DealtTaskIds {
    std::atomic<std::uint64_t> count{0};
};
constinit DealtTaskIds task_ids_dealt;

enum class Standing : std::uint8_t { kUnknown, kInitial, kOther };
constinit thread_local HandlerVisible<Standing> standing __attribute__((tls_model("initial-exec")));

// For a thread that has lost its record inside of calls: their stubs take back their marks without
// a check, and do it here.
constinit thread_local Front front_of_nobody __attribute__((tls_model("initial-exec")));

void publish(Front *front) {
    omp_collector_bridge_own_front = reinterpret_cast<omp_collector_bridge_front *>(front);
}

void remember(ThreadRecord &record) {
    record.is_known = true;
    record.next_known = first_known.load(std::memory_order_relaxed);
    // Ordered with STOP's look for deliverers: if STOP does not find this record yet, its thread
    // finds no callback any more.
    while (!first_known.compare_exchange_weak(record.next_known, &record, std::memory_order_seq_cst,
                                              std::memory_order_relaxed)) {
    }
}

} // namespace

bool is_initial_thread() {
    if (standing.get() == Standing::kUnknown) {
        const bool is_initial = syscall(SYS_gettid) == getpid();
        standing.set(is_initial ? Standing::kInitial : Standing::kOther);
    }
    return standing.get() == Standing::kInitial;
}

void set_own_record(ThreadRecord *record) {
    own_record = record;
    record_or_never_ready = record != nullptr ? record : &never_ready;
}

void reset_record(ThreadRecord &record, ThreadKind kind) {
    while (record.implicit_task.get() != nullptr) {
        pop_implicit_task(record);
    }
    record.front.innermost.set(0);
    record.front.covered.set(0);
    record.front.taskgroups.set(0);
    record.front.combines_until.set(0);
    record.wait_id.set(WaitId::kNone);
    record.task.set(0);
    record.tasks_suspended = 0;
    record.activity.set(kind == ThreadKind::kWorker ? Activity::kIdle : Activity::kUser);
    record.mutex.set(MutexKind::kNone);
    record.mutex_is_taken.set(false);
    record.slow_paths.set(kMissesWaits);
    record.kind = kind;
    record.mutex_slot = &no_mutex_slot;
    record.event_of.region = nullptr;
    record.counts = nullptr;
    record.innermost_fork = nullptr;
    record.fork_awaits_task = false;
    record.idle_is_announced = false;
    for (OpenPairs &open : record.open) {
        open = {};
    }
    record.delivering.store(0, std::memory_order_relaxed);
    record.has_answers.set(false);
    record.is_disturbed = false;
    record.is_in_control.store(false, std::memory_order_relaxed);
}

ThreadRecord *create_own_record(ThreadKind kind) {
    forget_unknown_thread();
    ThreadRecord *record = records.take();
    if (record == nullptr) {
        return nullptr;
    }
    if (!record->is_known) {
        remember(*record);
    }
    reset_record(*record, kind);
    record->event_of.thread = record;
    record->own_errno = &errno;
    order_for_handler();
    set_own_record(record);
    if (front::is_wanted) {
        publish(&record->front);
    }
    return record;
}

void release_own_record() {
    ThreadRecord *record = own_record;
    forget_unknown_thread();
    if (omp_collector_bridge_own_front != nullptr) {
        publish(&front_of_nobody);
    }
    set_own_record(nullptr);
    order_for_handler();
    if (record == nullptr) {
        return;
    }
    reset_record(*record, ThreadKind::kUser);
    records.give(record);
}

std::uint32_t next_task_id(ThreadRecord &record) {
    if (record.next_task == record.end_task) {
        record.next_task = task_ids_dealt.count.fetch_add(kTaskIdBlock, std::memory_order_relaxed);
        record.end_task = record.next_task + kTaskIdBlock;
    }
    return static_cast<std::uint32_t>(record.next_task++ % kLastTaskId + 1);
}

ImplicitTask *new_implicit_task() {
    return implicit_tasks.take();
}

ThreadRecord *known_records() {
    return first_known.load(std::memory_order_seq_cst);
}

void reset_records_after_fork() {
    records.reset_lock_after_fork();
    implicit_tasks.reset_lock_after_fork();
    standing.set(Standing::kUnknown);
    forget_unknown_thread();
    // The other threads do not exist here, so their callbacks will never end. Their records stay
    // unused; a child has few of them.
    for (ThreadRecord *record = known_records(); record != nullptr; record = record->next_known) {
        record->counts = nullptr;
        if (record != own_record) {
            record->delivering.store(0, std::memory_order_relaxed);
        }
    }
}

} // namespace ocb

// A thread-local variable of C linkage: for one of C++ each use may call an initialiser.
extern "C" {
__attribute__((visibility(
    "default"))) constinit __thread omp_collector_bridge_front *omp_collector_bridge_own_front =
    nullptr;
}
