// SPDX-License-Identifier: Apache-2.0
#include "events/delivery.h"

#include "base/compiler.h"
#include "base/log.h"
#include "omp_collector_bridge.h"

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

void do_nothing(OMP_COLLECTORAPI_EVENT) {}

void let_deliverers_order(bool deliverer_orders) {
    delivery_state.deliverer_orders.store(deliverer_orders, std::memory_order_relaxed);
    delivery_state.fast_path.store(
        StateWord::word_of(deliverer_orders ? kNoSession : session_number()),
        std::memory_order_relaxed);
}

// Afterwards every deliverer has either been seen in `delivering` or sees the new mask.
void order_with_deliverers() {
    if (!delivery_state.deliverer_orders.load(std::memory_order_relaxed) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {
        let_deliverers_order(true);
    }
}

// True while another thread is in a callback of `event` (kNone: of any) and not itself waiting
// here.
bool another_delivers(Event event) {
    for (ThreadRecord *record = known_records(); record != nullptr; record = record->next_known) {
        const Event delivering{record->delivering.load(std::memory_order_seq_cst)};
        if (record == own_record || delivering == Event::kNone ||
            (event != Event::kNone && delivering != event) ||
            record->is_in_control.load(std::memory_order_acquire)) {
            continue;
        }
        return true;
    }
    return false;
}

} // namespace

void set_session_number(std::uint32_t number) {
    delivery_state.session_number.store(number, std::memory_order_relaxed);
    let_deliverers_order(delivery_state.deliverer_orders.load(std::memory_order_relaxed));
}

void use_membarrier() {
    if (delivery_state.deliverer_orders.load(std::memory_order_relaxed) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0) {
        let_deliverers_order(false);
    }
}

void reset_delivery_after_fork() {
    // The registration for membarrier does not reach the child.
    let_deliverers_order(true);
    use_membarrier();
}

void set_callback(Event event, OMP_COLLECTORAPI_CALLBACK callback) {
    delivery_state.callbacks[static_cast<std::uint32_t>(event)].store(
        callback != nullptr ? callback : do_nothing, std::memory_order_seq_cst);
}

OMP_COLLECTORAPI_CALLBACK callback_of(Event event) {
    const OMP_COLLECTORAPI_CALLBACK callback =
        delivery_state.callbacks[static_cast<std::uint32_t>(event)].load(std::memory_order_relaxed);
    return callback != do_nothing ? callback : nullptr;
}

void forget_callbacks() {
    for (std::atomic<OMP_COLLECTORAPI_CALLBACK> &callback : delivery_state.callbacks) {
        callback.store(do_nothing, std::memory_order_seq_cst);
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

} // namespace ocb::events

OCB_EXPORT void omp_collector_bridge_count_events(uint64_t events) {
    ocb::events::delivery_state.counted_events.store(events, std::memory_order_relaxed);
}

OCB_EXPORT void omp_collector_bridge_own_counts(uint64_t *counts) {
    if (ocb::ThreadRecord *record = ocb::own_record) {
        record->counts = counts;
    }
}
