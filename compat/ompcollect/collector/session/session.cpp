// SPDX-License-Identifier: Apache-2.0
//
// The session: what happens when the collector is loaded, at each event, at fork() and at exit.
// Under the launcher the initial thread is sampled from the collector's load on, which may come
// before the runtime: much of what is wrong with a program comes before its first OpenMP event. By
// itself the collector keeps nothing before that event.
#include "call_paths.h"
#include "call_tree.h"
#include "cells.h"
#include "clocks.h"
#include "contract_names.h"
#include "fine_timers.h"
#include "job_variables.h"
#include "lock_table.h"
#include "module_map.h"
#include "own_folder.h"
#include "own_process.h"
#include "preload_link.h"
#include "process_facts.h"
#include "producer.h"
#include "refused_start.h"
#include "region_ids.h"
#include "region_table.h"
#include "roomy_stack.h"
#include "sample_file.h"
#include "sample_log.h"
#include "sampler.h"
#include "sampling_thread.h"
#include "scheduler.h"
#include "settings.h"
#include "single_time.h"
#include "stack_walk.h"
#include "store.h"
#include "thread_slots.h"

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ompcollect {
namespace {

// FORK and JOIN, which come first, make the region table; the others are counted where something
// begins. The time of single and master parts is taken, too.
constexpr OMP_COLLECTORAPI_EVENT kEvents[] = {
    OMP_EVENT_FORK,
    OMP_EVENT_JOIN,
    OMP_EVENT_THR_BEGIN_IDLE,
    OMP_EVENT_THR_BEGIN_IBAR,
    OMP_EVENT_THR_BEGIN_EBAR,
    OMP_EVENT_THR_BEGIN_LKWT,
    OMP_EVENT_THR_BEGIN_CTWT,
    OMP_EVENT_THR_BEGIN_ODWT,
    OMP_EVENT_THR_BEGIN_ATWT,
    OMP_EVENT_THR_BEGIN_MASTER,
    OMP_EVENT_THR_BEGIN_SINGLE,
    OMP_EVENT_THR_BEGIN_ORDERED,
    OMP_EVENT_THR_END_MASTER,
    OMP_EVENT_THR_END_SINGLE,
};
constexpr size_t kEventCount = sizeof kEvents / sizeof kEvents[0];

constinit bool is_loaded = false;
constinit std::atomic<bool> runtime_is_described{false};
constinit int start_code = OMP_ERRCODE_OK; // of a session that has not begun, too
constinit int registration_codes[kEventNumbers] = {};
constinit bool knows_holders = false;
constinit pthread_key_t end_key = 0;

OffProcessor off_processor() {
    if (!current_settings.wall_clock) {
        return OffProcessor::kNotMeasured;
    }
    return extensions().ask_thread ? OffProcessor::kFromOutside : OffProcessor::kBySignals;
}

void begin_profile() {
    const char *const chosen = current_settings.profile_dir;
    const char *const folder = chosen ? chosen : own_folder();
    if (!folder || !open_store(folder)) {
        current_stage().store(Stage::kFailed, std::memory_order_release);
        return;
    }
    describe_process(start_code, registration_codes, off_processor());
    header().knows_holders = knows_holders ? 1 : 0;
    open_sample_log();
    grow_cells();
    grow_locks();
    if (current_settings.stacks != Stacks::kOff) {
        grow_call_tree();
        add_module_rows();
    }
    start_sampler();
    start_sampling_thread();
    current_stage().store(Stage::kRuns, std::memory_order_release);
}

// At the first event of the process. False where there is no profile to write to.
__attribute__((noinline)) bool profile_begins() {
    Stage idle = Stage::kIdle;
    if (current_stage().compare_exchange_strong(idle, Stage::kBeginning)) {
        with_room(begin_profile);
    }
    while (current_stage().load(std::memory_order_acquire) == Stage::kBeginning) {
        const timespec step{0, 50000};
        nanosleep(&step, nullptr); // another thread has come first, and may need this processor
    }
    return current_stage().load(std::memory_order_acquire) == Stage::kRuns;
}

// What the initial thread did before anybody looked: it was in serial code.
void charge_serial_past(ThreadSlot &slot) {
    const uint64_t cpu = slot.charged_on_ns.load(std::memory_order_relaxed);
    const uint64_t passed = slot.seen_ns > begin_ns() ? slot.seen_ns - begin_ns() : 0;
    const uint64_t ran = cpu < passed ? cpu : passed;
    const uint64_t off = current_settings.wall_clock ? passed - ran : 0;
    slot.row->begin_ns.store(begin_ns(), std::memory_order_relaxed);
    charge_on(slot.number, kNodeOutside, THR_SERIAL_STATE, {ran, 1});
    // What the process waited before is little beside.
    slot.wait_seen_ns = own_wait_for_processor();
    const uint64_t ready = slot.wait_seen_ns < off ? slot.wait_seen_ns : off;
    charge_off(slot.number, kNodeOutside, state_word(THR_SERIAL_STATE, Off::kReady), {ready, 1});
    charge_off(slot.number, kNodeOutside, THR_SERIAL_STATE, {off - ready, 1});
}

ThreadSlot *greet_thread() {
    ThreadSlot *slot = attach_thread();
    if (!slot) {
        return nullptr;
    }
    pthread_setspecific(end_key, slot);
    if (current_settings.stacks != Stacks::kOff) {
        learn_stack_bounds(*slot);
    }
    start_thread_timer(*slot);
    if (slot->tid == getpid()) {
        charge_serial_past(*slot);
    }
    slot->is_kept.store(false, std::memory_order_release);
    return slot;
}

// At its first event. Null behind the end of its thread's destructors.
__attribute__((noinline)) ThreadSlot *meet_thread() {
    ThreadSlot *slot = nullptr;
    with_room([&] { slot = greet_thread(); });
    if (slot) {
        resume_regions(*slot);
    }
    return slot;
}

// The initial thread, whose profile goes if no event comes. Without a launcher nobody would miss
// it. Whether fine timers can be had shows when the program has its filters of system calls: only a
// rank, whose MPI_Init comes before, does not wait for that.
void begin_early() {
    const bool is_time = own_job_variables() || current_settings.rate <= ticks_per_second();
    const bool may = is_time && current_settings.profile_dir && extensions().own_thread &&
                     syscall(SYS_gettid) == getpid();
    if (may && profile_begins()) {
        meet_thread();
    }
}

// In the initial thread's slot: other threads get theirs at an event.
bool any_event_came() {
    for (const ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (!is_before_first_event(*slot)) {
            return true;
        }
    }
    return false;
}

// From here on the bridge counts the thread's events itself: those of count_events().
void count_without_us(uint64_t *counts) {
    if (const auto own_counts = extensions().own_counts) {
        own_counts(counts);
    }
}

// Runs in the ending thread, also after pthread_exit and cancellation.
void on_thread_end(void *) {
    ThreadSlot *slot = current_slot();
    const Stage stage = current_stage().load(std::memory_order_acquire);
    if (stage == Stage::kOff) {
        return;
    }
    if (slot && stage == Stage::kRuns) {
        count_without_us(nullptr);
        stop_thread_timer(*slot);
        settle_thread(*slot);
        record_ended_thread(clock_ns(CLOCK_THREAD_CPUTIME_ID));
    }
    detach_thread();
}

void on_release(OMP_COLLECTORAPI_EVENT) {
    ThreadSlot *slot = current_slot();
    if (slot && current_stage().load(std::memory_order_acquire) == Stage::kRuns) {
        lock_is_released(*slot);
    }
}

// The calling thread's, as each event begins; null where there is no profile to write to.
inline ThreadSlot *slot_at_event() {
    if (current_stage().load(std::memory_order_acquire) != Stage::kRuns && !profile_begins())
        [[unlikely]] {
        return nullptr;
    }
    ThreadSlot *const slot = current_slot();
    return slot ? slot : meet_thread();
}

inline void record_event(ThreadSlot &slot, OMP_COLLECTORAPI_EVENT event) {
    if (const auto own_thread = extensions().own_thread) {
        slot.handle.store(own_thread(), std::memory_order_release);
    }
    add_to(slot.row->events[event], 1);
}

// The same of FORK, whose region the handle leads to.
inline void record_fork(ThreadSlot &slot) {
    const auto own_fork = extensions().own_fork;
    slot.fork = own_fork ? own_fork() : nullptr;
    if (!slot.fork) [[unlikely]] {
        return record_event(slot, OMP_EVENT_FORK);
    }
    slot.handle.store(slot.fork->thread, std::memory_order_release);
    add_to(slot.row->events[OMP_EVENT_FORK], 1);
}

void on_fork(OMP_COLLECTORAPI_EVENT) {
    ThreadSlot *const slot = slot_at_event();
    if (!slot) [[unlikely]] {
        return;
    }
    record_fork(*slot);
    if (!runtime_is_described.load(std::memory_order_relaxed)) [[unlikely]] {
        runtime_is_described.store(describe_runtime(), std::memory_order_relaxed);
    }
    region_begins(*slot);
}

// The thread's handle is what it was at FORK.
void on_join(OMP_COLLECTORAPI_EVENT) {
    if (ThreadSlot *const slot = slot_at_event()) [[likely]] {
        add_to(slot->row->events[OMP_EVENT_JOIN], 1);
        region_ends(*slot);
    }
}

// Of all the others.
void on_event(OMP_COLLECTORAPI_EVENT event) {
    ThreadSlot *const slot = slot_at_event();
    if (!slot || static_cast<unsigned>(event) >= kEventNumbers) [[unlikely]] {
        return;
    }
    record_event(*slot, event);
    count_without_us(reinterpret_cast<uint64_t *>(slot->row->events));
    switch (event) {
    case OMP_EVENT_THR_BEGIN_LKWT:
    case OMP_EVENT_THR_BEGIN_CTWT:
    case OMP_EVENT_THR_BEGIN_ODWT:
    case OMP_EVENT_THR_BEGIN_ATWT:
        lock_wait_begins(*slot);
        break;
    case OMP_EVENT_THR_BEGIN_MASTER:
    case OMP_EVENT_THR_BEGIN_SINGLE:
        single_begins(*slot);
        break;
    case OMP_EVENT_THR_END_MASTER:
    case OMP_EVENT_THR_END_SINGLE:
        single_ends(*slot);
        break;
    default:
        break;
    }
}

// The parent's profile is none of the child's business; the child gets its own at its first event.
void fork_child() {
    if (!is_loaded) {
        return;
    }
    claim_process();
    forget_sampling_thread();
    leave_store();
    restart_modules();
    restart_slots();
    restart_regions();
    restart_call_tree();
    restart_cells();
    restart_sample_log();
    restart_locks();
    record_begin();
    runtime_is_described.store(false, std::memory_order_relaxed);
    current_stage().store(Stage::kIdle, std::memory_order_release);
}

void quits(int code) {
    record_end(Ending::kQuitFast, code);
}

void becomes_another() {
    record_end(Ending::kExec, -1);
}

void stays() {
    record_end(Ending::kNone, -1);
}

// An event of the bridge alone.
bool registers_release() {
    constexpr auto kReleased =
        static_cast<OMP_COLLECTORAPI_EVENT>(OMP_COLLECTOR_BRIDGE_EVENT_MUTEX_RELEASED);
    int code = -1;
    register_events(&kReleased, 1, on_release, &code);
    return code == OMP_ERRCODE_OK;
}

bool session_starts() {
    start_code = simple_request(OMP_REQ_START);
    if (start_code != OMP_ERRCODE_OK) {
        say_why_start_was_refused(start_code);
    }
    return start_code == OMP_ERRCODE_OK;
}

void record_codes() {
    if (!store_is_open()) {
        return;
    }
    header().start_code = start_code;
    header().knows_holders = knows_holders ? 1 : 0;
    for (const OMP_COLLECTORAPI_EVENT event : kEvents) {
        header().registered[event] = registration_codes[event];
    }
}

// Events of which nothing but their number is wanted. A START has forgotten which.
void count_events() {
    constexpr OMP_COLLECTORAPI_EVENT kCounted[] = {
        OMP_EVENT_THR_BEGIN_IDLE, OMP_EVENT_THR_BEGIN_IBAR, OMP_EVENT_THR_BEGIN_EBAR,
        OMP_EVENT_THR_BEGIN_ORDERED};
    uint64_t events = 0;
    for (const OMP_COLLECTORAPI_EVENT event : kCounted) {
        events |= uint64_t{1} << event;
    }
    if (const auto count = extensions().count_events) {
        count(events);
    }
}

void register_all() {
    int codes[kEventCount] = {};
    for (int &code : registration_codes) {
        code = -1;
    }
    // The first event may come while others are still being registered.
    for (const OMP_COLLECTORAPI_EVENT event : kEvents) {
        registration_codes[event] = OMP_ERRCODE_OK;
    }
    knows_holders = extensions().watch_mutex && registers_release();
    Stage off = Stage::kOff; // it runs already in a profile that has begun early
    current_stage().compare_exchange_strong(off, Stage::kIdle);
    count_events();
    register_events(kEvents, 1, on_fork, codes);
    register_events(kEvents + 1, 1, on_join, codes + 1);
    register_events(kEvents + 2, kEventCount - 2, on_event, codes + 2);
    for (size_t i = 0; i < kEventCount; ++i) {
        registration_codes[kEvents[i]] = codes[i];
    }
    record_codes();
}

int runtime_asks() {
    if (!session_starts()) {
        return 0;
    }
    with_room(register_all);
    return 1;
}

void listen_to_preload() {
    static constinit ompcollect_listener listener = {
        pause_thread_timer,    resume_thread_timer,   quits, becomes_another, stays, runtime_asks,
        pause_sampling_thread, resume_sampling_thread};
    if (const auto *preload = preload_services()) {
        preload->listen(&listener);
    }
}

// As the bridge will at START. With a second thread, the sampling one, the kernel would wait until
// all processors have gone through its scheduler: seconds on a busy machine.
void register_membarrier() {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

void end_session() {
    is_loaded = false;
    const Stage stage = current_stage().exchange(Stage::kOff, std::memory_order_acq_rel);
    if (stage == Stage::kOff) {
        return;
    }
    if (stage == Stage::kRuns) {
        if (signal_was_taken()) {
            header().signal_taken.store(1, std::memory_order_relaxed);
        }
        // Sampling ends before the session: after STOP every sample would be refused.
        stop_sampler();
        stop_sampling_thread();
        flush_sample_log(true);
    }
    if (!is_before_runtime()) {
        simple_request(OMP_REQ_STOP);
    }
    if (stage == Stage::kRuns && !any_event_came()) {
        remove_sample_file();
        remove_store();
    } else if (stage == Stage::kRuns) {
        if (header().ending.load(std::memory_order_relaxed) == 0) {
            record_end(Ending::kExit, -1);
        }
        if (!current_settings.profile_dir) {
            name_own_profile(profile_path());
        }
    }
}

// Runs behind the destructors of libraries: it was registered before main().
void on_exit_code(int code, void *) {
    record_end(Ending::kExit, code);
}

// libomp ends in its destructor. A thread that forks a region behind that ends the process by an
// assertion. So what takes time is done before.
void on_exit_beside_others(int code, void *) {
    if (is_own_process() && others_fork(current_slot())) {
        record_end(Ending::kExit, code);
        with_room(end_session);
    }
}

void prepare_for_others() {
    static std::atomic<bool> is_prepared{false};
    if (!is_prepared.exchange(true, std::memory_order_relaxed)) {
        on_exit(on_exit_beside_others, nullptr);
    }
}

__attribute__((constructor)) void load() {
    find_preload();
    record_stderr();
    read_settings();
    record_begin();
    if (!find_producer()) {
        complain("no library in this process serves the Collector API: preload one together with "
                 "this collector (ompcollect does); going on without a profile");
        return;
    }
    warm_up_stack_walk();
    if (!is_before_runtime() && !session_starts()) {
        return;
    }
    if (pthread_key_create(&end_key, on_thread_end) != 0) {
        complain("no thread-specific key is left: no profile of this process (pid %ld)",
                 static_cast<long>(getpid()));
        return;
    }
    claim_process();
    is_loaded = true;
    refresh_modules();
    listen_to_preload();
    pthread_atfork(nullptr, nullptr, fork_child);
    on_exit(on_exit_code, nullptr);
    at_second_master = prepare_for_others;
    if (is_before_runtime()) {
        register_membarrier();
        current_stage().store(Stage::kIdle, std::memory_order_release);
    } else {
        register_all();
    }
    begin_early();
}

__attribute__((destructor)) void unload() {
    if (is_own_process()) {
        with_room(end_session);
    }
}

} // namespace
} // namespace ompcollect
