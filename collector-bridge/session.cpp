// SPDX-License-Identifier: Apache-2.0
#include "session.h"

#include "log.h"
#include "options.h"
#include "region.h"
#include "runtime.h"
#include "spin_lock.h"
#include "tables.h"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb::session {

constinit std::atomic<std::uint64_t> event_mask{0};
constinit std::atomic<std::uint32_t> number{0};
constinit std::atomic<bool> started{false};

namespace {

// How long STOP and UNREGISTER wait for callbacks that other threads are in.
constexpr long kInFlightBoundNs = 1'000'000'000;
constexpr long kInFlightStepNs = 50'000;

constinit SpinLock control;
constinit std::atomic<OMP_COLLECTORAPI_CALLBACK> callbacks[kLastEvent + 1] = {};

// Under `control`.
constinit bool is_starting = false;
constinit bool is_paused = false;
constinit std::uint64_t registered = 0;

constinit std::atomic<bool> process_is_ending{false};
constinit std::atomic<bool> fork_handler_is_set{false};

// Whether a deliverer must order its own store and load (false: the stopper does it for all
// threads, by membarrier).
constinit std::atomic<bool> deliverer_orders{true};

void recompute_mask() {
    const bool deliver_now = started.load(std::memory_order_relaxed) && !is_paused &&
                             !process_is_ending.load(std::memory_order_relaxed);
    event_mask.store(deliver_now ? registered : 0, std::memory_order_seq_cst);
}

void use_membarrier() {
    if (deliverer_orders.load(std::memory_order_relaxed) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
        deliverer_orders.store(false, std::memory_order_relaxed);
}

// Afterwards every deliverer has either been seen in `delivering` or sees the new mask.
void order_with_deliverers() {
    if (!deliverer_orders.load(std::memory_order_relaxed) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        deliverer_orders.store(true, std::memory_order_relaxed);
}

// True while another thread is in a callback of `event` (0: of any) and not itself waiting here.
bool another_delivers(int event) {
    for (ThreadRecord *record = known_records(); record != nullptr; record = record->next_known) {
        const std::uint32_t delivering = record->delivering.load(std::memory_order_seq_cst);
        if (record == own_record || delivering == 0 ||
            (event != 0 && delivering != static_cast<std::uint32_t>(event)) ||
            record->is_in_control.load(std::memory_order_acquire))
            continue;
        return true;
    }
    return false;
}

// Called without `control`: a callback in flight may issue requests itself.
void wait_for_deliveries(int event) {
    order_with_deliverers();
    ThreadRecord *self = own_record;
    if (self != nullptr)
        self->is_in_control.store(true, std::memory_order_release);
    long waited = 0;
    while (another_delivers(event) && waited < kInFlightBoundNs) {
        const timespec step{0, kInFlightStepNs};
        nanosleep(&step, nullptr);
        waited += kInFlightStepNs;
    }
    if (self != nullptr)
        self->is_in_control.store(false, std::memory_order_release);
    if (waited >= kInFlightBoundNs)
        log_once(LogLevel::kWarn, LogCause::kStopTimedOut,
                 "a callback was still running on another thread one second after STOP or "
                 "UNREGISTER; the collector must not unload its code before that callback ends");
}

void after_fork_in_child() {
    control.reset_after_fork();
    is_starting = false;
    reset_regions_after_fork();
    reset_records_after_fork();
    runtime::reset_after_fork();
    // The registration for membarrier does not reach the child.
    deliverer_orders.store(true, std::memory_order_relaxed);
    use_membarrier();
}

OMP_COLLECTORAPI_EC error_of(AttachResult result) {
    switch (result) {
    case AttachResult::kAttached:
    case AttachResult::kNoRuntimeYet:
        return OMP_ERRCODE_OK;
    case AttachResult::kTooLate:
        return OMP_ERRCODE_SEQUENCE_ERR;
    case AttachResult::kNeverPossible:
        return OMP_ERRCODE_UNSUPPORTED;
    }
    return OMP_ERRCODE_ERROR;
}

constinit std::atomic<bool> exit_is_watched{false};

// The process is ending: the collector's destructors are about to run or have run.
__attribute__((destructor)) void end_of_process() {
    process_is_ending.store(true, std::memory_order_relaxed);
    event_mask.store(0, std::memory_order_seq_cst);
}

} // namespace

void watch_exit() {
    if (!exit_is_watched.load(std::memory_order_relaxed) &&
        !exit_is_watched.exchange(true, std::memory_order_relaxed))
        atexit(end_of_process);
}

void watch_forks() {
    if (!fork_handler_is_set.exchange(true, std::memory_order_relaxed))
        pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

OMP_COLLECTORAPI_EC start() {
    {
        SpinGuard guard(control);
        if (is_starting || started.load(std::memory_order_relaxed))
            return OMP_ERRCODE_SEQUENCE_ERR;
        is_starting = true;
    }
    watch_forks();
    use_membarrier();
    runtime::want(kNeedRegions);
    // Without the lock: the runtime's initialisation takes locks of its own and of the dynamic
    // linker, and a thread that holds one of those may be in a constructor that sends requests.
    const OMP_COLLECTORAPI_EC error = error_of(runtime::attach());
    {
        SpinGuard guard(control);
        is_starting = false;
        if (error != OMP_ERRCODE_OK)
            return error;
        is_paused = false;
        registered = 0;
        number.fetch_add(1, std::memory_order_relaxed);
        started.store(true, std::memory_order_release);
        recompute_mask();
    }
    runtime::observe_wanted();
    runtime::adopt_caller();
    log_once(LogLevel::kInfo, LogCause::kStarted, "session started",
             runtime::is_attached() ? ", attached to the OpenMP runtime"
                                    : ", no OpenMP runtime attached yet");
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC stop() {
    {
        SpinGuard guard(control);
        started.store(false, std::memory_order_relaxed);
        registered = 0;
        recompute_mask();
        for (std::atomic<OMP_COLLECTORAPI_CALLBACK> &callback : callbacks)
            callback.store(nullptr, std::memory_order_relaxed);
    }
    wait_for_deliveries(0);
    log_once(LogLevel::kInfo, LogCause::kStopped, "session stopped");
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC pause() {
    {
        SpinGuard guard(control);
        is_paused = true;
        recompute_mask();
    }
    log_once(LogLevel::kDebug, LogCause::kPaused, "paused: no events until RESUME");
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC resume() {
    SpinGuard guard(control);
    is_paused = false;
    recompute_mask();
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC register_callback(int event, OMP_COLLECTORAPI_CALLBACK callback) {
    if (!is_event(event))
        return OMP_ERRCODE_UNKNOWN;
    if (callback == nullptr)
        return unregister_callback(event);
    {
        SpinGuard guard(control);
        if (!started.load(std::memory_order_relaxed))
            return OMP_ERRCODE_SEQUENCE_ERR;
        callbacks[event].store(callback, std::memory_order_release);
        registered |= 1ULL << event;
        recompute_mask();
    }
    runtime::want(event_row(event).needs);
    runtime::observe_wanted();
    log_once(LogLevel::kDebug, LogCause::kFirstRegistration,
             "the first event is registered: ", event_row(event).name);
    return OMP_ERRCODE_OK;
}

OMP_COLLECTORAPI_EC unregister_callback(int event) {
    if (!is_event(event))
        return OMP_ERRCODE_UNKNOWN;
    {
        SpinGuard guard(control);
        registered &= ~(1ULL << event);
        recompute_mask();
        callbacks[event].store(nullptr, std::memory_order_relaxed);
    }
    wait_for_deliveries(event);
    return OMP_ERRCODE_OK;
}

namespace {

// What the thread was doing when the event came. The callback may use OpenMP itself, its locks at
// least, and the runtime reports that like anything else; afterwards the thread is where it was.
class Interlude {
  public:
    explicit Interlude(ThreadRecord &record)
        : record_(record), wait_id_(record.wait_id.get()), activity_(record.activity.get()),
          mutex_(record.mutex.get()), mutex_is_taken_(record.mutex_is_taken.get()),
          mutex_event_is_open_(record.mutex_event_is_open), saved_errno_(errno) {
        record.mutex.set(MutexKind::kNone);
        record.mutex_event_is_open = false;
        record.activity.set(Activity::kUser);
    }

    void end() {
        record_.wait_id.set(wait_id_);
        record_.activity.set(activity_);
        record_.mutex_is_taken.set(mutex_is_taken_);
        order_for_handler();
        record_.mutex.set(mutex_);
        record_.mutex_event_is_open = mutex_event_is_open_;
        errno = saved_errno_;
    }

  private:
    ThreadRecord &record_;
    std::uint64_t wait_id_;
    Activity activity_;
    MutexKind mutex_;
    bool mutex_is_taken_;
    bool mutex_event_is_open_;
    int saved_errno_;
};

} // namespace

void deliver(ThreadRecord &record, int event, const EventAnswers &answers) {
    if (record.is_in_callback())
        return;
    record.answers = answers;
    deliver_prepared(record, event);
}

void deliver_prepared(ThreadRecord &record, int event) {
    order_for_handler();
    const auto announced = static_cast<std::uint32_t>(event);
    const bool orders = deliverer_orders.load(std::memory_order_relaxed);
    record.delivering.store(announced,
                            orders ? std::memory_order_seq_cst : std::memory_order_relaxed);
    order_for_handler();
    Interlude interlude(record);
    const OMP_COLLECTORAPI_CALLBACK callback = callbacks[event].load(std::memory_order_acquire);
    const std::uint64_t mask =
        event_mask.load(orders ? std::memory_order_seq_cst : std::memory_order_relaxed);
    if (callback != nullptr && (mask & (1ULL << event)) != 0)
        callback(static_cast<OMP_COLLECTORAPI_EVENT>(event));
    interlude.end();
    record.delivering.store(0, std::memory_order_release);
}

} // namespace ocb::session
