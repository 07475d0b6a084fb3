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

constinit DeliveryState delivery_state;

namespace {

// How long STOP and UNREGISTER wait for callbacks that other threads are in.
constexpr std::int64_t kInFlightBoundNs = 1'000'000'000;
constexpr long kInFlightStepNs = 50'000;

std::int64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

alignas(64) constinit std::atomic<OMP_COLLECTORAPI_CALLBACK> callbacks[kLastEvent + 1] = {};

// Afterwards every deliverer has either been seen in `delivering` or sees the new mask.
void order_with_deliverers() {
    if (!delivery_state.deliverer_orders.load(std::memory_order_relaxed) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        delivery_state.deliverer_orders.store(true, std::memory_order_relaxed);
    }
}

// True while another thread is in a callback of `event` (kNone: of any) and not itself waiting
// here.
bool another_delivers(Event event) {
    for (ThreadRecord *record = known_records(); record != nullptr; record = record->next_known) {
        const std::uint32_t delivering = record->delivering.load(std::memory_order_seq_cst);
        if (record == own_record || delivering == 0 ||
            (event != Event::kNone && delivering != static_cast<std::uint32_t>(event)) ||
            record->is_in_control.load(std::memory_order_acquire)) {
            continue;
        }
        return true;
    }
    return false;
}

// What the thread was doing when the event came. The callback may use OpenMP itself, its locks at
// least, and the runtime reports that like anything else; afterwards the thread is where it was.
class SavedThreadState {
  public:
    explicit SavedThreadState(ThreadRecord &record)
        : record_(record), wait_id_(record.wait_id.get()), activity_(record.activity.get()),
          mutex_(record.mutex.get()), mutex_is_taken_(record.mutex_is_taken.get()),
          mutex_event_is_open_(record.mutex_event_is_open), saved_errno_(errno) {
        record.mutex.set(MutexKind::kNone);
        record.mutex_event_is_open = false;
        record.activity.set(Activity::kUser);
    }

    ~SavedThreadState() {
        record_.wait_id.set(wait_id_);
        record_.activity.set(activity_);
        record_.mutex_is_taken.set(mutex_is_taken_);
        order_for_handler();
        record_.mutex.set(mutex_);
        record_.mutex_event_is_open = mutex_event_is_open_;
        errno = saved_errno_;
    }

    SavedThreadState(const SavedThreadState &) = delete;
    SavedThreadState &operator=(const SavedThreadState &) = delete;

  private:
    ThreadRecord &record_;
    WaitId wait_id_;
    Activity activity_;
    MutexKind mutex_;
    bool mutex_is_taken_;
    bool mutex_event_is_open_;
    int saved_errno_;
};

} // namespace

void use_membarrier() {
    if (delivery_state.deliverer_orders.load(std::memory_order_relaxed) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) {
        delivery_state.deliverer_orders.store(false, std::memory_order_relaxed);
    }
}

void reset_delivery_after_fork() {
    // The registration for membarrier does not reach the child.
    delivery_state.deliverer_orders.store(true, std::memory_order_relaxed);
    use_membarrier();
}

void set_callback(Event event, OMP_COLLECTORAPI_CALLBACK callback) {
    callbacks[static_cast<std::uint32_t>(event)].store(callback, std::memory_order_release);
}

void forget_callbacks() {
    for (std::atomic<OMP_COLLECTORAPI_CALLBACK> &callback : callbacks) {
        callback.store(nullptr, std::memory_order_relaxed);
    }
}

void wait_for_deliveries(Event event) {
    order_with_deliverers();
    ThreadRecord *self = own_record;
    if (self != nullptr) {
        self->is_in_control.store(true, std::memory_order_release);
    }
    const std::int64_t end = now_ns() + kInFlightBoundNs;
    bool is_over = !another_delivers(event);
    while (!is_over && now_ns() < end) {
        const timespec step{0, kInFlightStepNs};
        nanosleep(&step, nullptr);
        is_over = !another_delivers(event);
    }
    if (self != nullptr) {
        self->is_in_control.store(false, std::memory_order_release);
    }
    if (!is_over) {
        log_once(LogCause::kStopTimedOut);
    }
}

void call_callback(ThreadRecord &record, Event event) {
    order_for_handler();
    // Either this thread orders announcement and look at the mask, or the stopper does it for all.
    const bool orders = delivery_state.deliverer_orders.load(std::memory_order_relaxed);
    if (orders) {
        record.delivering.store(static_cast<std::uint32_t>(event), std::memory_order_seq_cst);
    } else {
        record.delivering.store(static_cast<std::uint32_t>(event), std::memory_order_relaxed);
    }
    order_for_handler();
    {
        const SavedThreadState saved(record);
        const OMP_COLLECTORAPI_CALLBACK callback =
            callbacks[static_cast<std::uint32_t>(event)].load(std::memory_order_acquire);
        const std::uint64_t mask = delivery_state.event_mask.load(std::memory_order_seq_cst);
        if (callback != nullptr && (mask & bit_of(event)) != 0) {
            callback(static_cast<OMP_COLLECTORAPI_EVENT>(event));
        }
    }
    record.delivering.store(0, std::memory_order_release);
}

} // namespace ocb::events
