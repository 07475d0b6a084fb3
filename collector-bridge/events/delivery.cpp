// SPDX-License-Identifier: Apache-2.0
#include "events/delivery.h"

#include "base/log.h"
#include "records/tables.h"

#include <cerrno>
#include <ctime>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ocb::events {

constinit std::atomic<std::uint64_t> event_mask{0};
constinit std::atomic<std::uint32_t> session_number{0};

namespace {

// How long STOP and UNREGISTER wait for callbacks that other threads are in.
constexpr long kInFlightBoundNs = 1'000'000'000;
constexpr long kInFlightStepNs = 50'000;

constinit std::atomic<OMP_COLLECTORAPI_CALLBACK> callbacks[kLastEvent + 1] = {};

// Whether a deliverer must order its own store and load (false: the stopper does it for all
// threads, by membarrier).
constinit std::atomic<bool> deliverer_orders{true};

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

void use_membarrier() {
    if (deliverer_orders.load(std::memory_order_relaxed) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0)
        deliverer_orders.store(false, std::memory_order_relaxed);
}

void reset_delivery_after_fork() {
    // The registration for membarrier does not reach the child.
    deliverer_orders.store(true, std::memory_order_relaxed);
    use_membarrier();
}

void set_callback(int event, OMP_COLLECTORAPI_CALLBACK callback) {
    callbacks[event].store(callback, std::memory_order_release);
}

void forget_callbacks() {
    for (std::atomic<OMP_COLLECTORAPI_CALLBACK> &callback : callbacks)
        callback.store(nullptr, std::memory_order_relaxed);
}

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

void call_callback(ThreadRecord &record, int event) {
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

} // namespace ocb::events
