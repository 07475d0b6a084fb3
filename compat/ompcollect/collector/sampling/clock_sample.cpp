// SPDX-License-Identifier: Apache-2.0
#include "clock_sample.h"

#include "cells.h"
#include "clocks.h"
#include "contract_names.h"
#include "run_clock.h"
#include "sample_log.h"
#include "scheduler.h"
#include "store.h"

#include <algorithm>
#include <sys/resource.h>
#include <utility>

namespace ompcollect {
namespace {

constexpr uint64_t kHandlerAlone = 100000; // ns; with a walk of its stack

// True if the thread has slept since its last sample, until this one woke it, and was off its
// processor for nothing else. Then the time that it waited for a processor is due to this sample.
bool has_slept_alone(ThreadSlot &slot, uint64_t ran) {
    struct rusage own = {};
    getrusage(RUSAGE_THREAD, &own);
    const bool has_slept = own.ru_nvcsw != slot.voluntary_switches;
    const bool was_put_off = own.ru_nivcsw != slot.involuntary_switches;
    slot.voluntary_switches = own.ru_nvcsw;
    slot.involuntary_switches = own.ru_nivcsw;
    return has_slept && !was_put_off && ran < kHandlerAlone;
}

struct OffParts {
    uint64_t ready_ns;
    uint64_t asleep_ns;
    Off off; // the latter's kind
};

// The pending time by kind. Nothing if it is too little for a charge.
OffParts parts_since_last(ThreadSlot &slot, uint64_t ran, unsigned state) {
    const bool has_only_slept = has_slept_alone(slot, ran);
    if (slot.pending_ns < kSmallPending) {
        return {0, 0, Off::kUnclassified};
    }
    const uint64_t pending = std::exchange(slot.pending_ns, 0);
    const uint64_t waited = own_wait_for_processor();
    if (waited == 0) {
        return {0, pending, Off::kUnclassified};
    }
    record_waited(slot, waited);
    const uint64_t more = waited - std::min(waited, slot.wait_seen_ns);
    slot.wait_seen_ns = waited;
    const uint64_t ready = has_only_slept ? 0 : std::min(pending, more);
    return {ready, pending - ready, is_own_code(state) ? Off::kAsleep : Off::kUnclassified};
}

} // namespace

uint64_t clock_since_sample(const ThreadSlot &slot) {
    return passed_between(slot.seen_ns, run_ns());
}

void take_clock(ThreadSlot &slot, uint64_t cpu) {
    const uint64_t now = run_ns();
    const uint64_t passed = passed_between(slot.seen_ns, now);
    const uint64_t ran = cpu - std::min(cpu, slot.seen_cpu_ns);
    slot.pending_ns += passed > ran ? passed - ran : 0;
    slot.seen_ns = now;
    slot.seen_cpu_ns = cpu;
}

uint64_t charge_by_clock(ThreadSlot &slot, uint32_t node, unsigned state, uint64_t ran) {
    const OffParts parts = parts_since_last(slot, ran, state);
    const uint32_t ready = state_word(state, Off::kReady);
    const uint32_t asleep = state_word(state, parts.off);
    // The sample stands for the largest part.
    const uint64_t most = std::max({ran, parts.ready_ns, parts.asleep_ns});
    const bool is_ready = parts.ready_ns == most;
    const bool is_asleep = !is_ready && parts.asleep_ns == most;
    const bool ran_most = !is_ready && !is_asleep;
    charge_on(slot.number, node, state, {ran, ran_most ? 1U : 0U});
    if (parts.ready_ns != 0) {
        charge_off(slot.number, node, ready, {parts.ready_ns, is_ready ? 1U : 0U});
    }
    if (parts.asleep_ns != 0) {
        charge_off(slot.number, node, asleep, {parts.asleep_ns, is_asleep ? 1U : 0U});
    }
    log_sample(slot.number, node, shown_state(is_ready ? ready : is_asleep ? asleep : state));
    return parts.ready_ns + parts.asleep_ns;
}

} // namespace ompcollect
