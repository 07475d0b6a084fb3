// SPDX-License-Identifier: Apache-2.0
//
// How time off the processor is attributed to states. The time that a thread did not run since the
// last tick is pending. A thread that has not run at all in the tick has kept its state, which is
// charged with all of it. For a thread that has run, two rules hold. The time that it waited for a
// processor, by the kernel's count, goes to the state in which it is found. The time asleep goes to
// a state in which it is found asleep; over many looks each state gets its share. Where the kernel
// does not separate the two kinds, all pending time is charged by the second rule.
#include "off_processor.h"

#include "cells.h"
#include "clocks.h"
#include "contract_names.h"
#include "kinds.h"
#include "lock_table.h"
#include "producer.h"
#include "region_table.h"
#include "run_clock.h"
#include "sample_log.h"
#include "sampler.h"
#include "scheduler.h"
#include "settings.h"
#include "sleeping_stacks.h"
#include "store.h"

#include <algorithm>
#include <unistd.h>

namespace ompcollect {
namespace {

constexpr unsigned kMostUnproductiveTicks = 20;
constexpr uint64_t kLongWait = kSecond / 10; // it may never be met while it waits

struct Found {
    bool is_known;
    bool may_be_in_task;
    uint64_t ran; // the thread's clock, read before
    unsigned state;
    uint32_t node; // of the region
    uint64_t wait_id;
    uint64_t region;
};

Found look_at(const ThreadSlot &slot, uint64_t ran) {
    omp_collector_bridge_thread_answer answer;
    if (is_before_first_event(slot)) {
        return {true, false, ran, THR_SERIAL_STATE, kNodeOutside, 0, 0};
    }
    const void *handle = slot.handle.load(std::memory_order_acquire);
    const int result = handle ? extensions().ask_thread(handle, &answer) : 0;
    if (result == 0) {
        return {false, false, ran, 0, kNodeUnknown, 0, 0};
    }
    const unsigned state = answer.state > 0 && answer.state < static_cast<int>(kContractStates)
                               ? static_cast<unsigned>(answer.state)
                               : 0;
    const uint32_t node = node_of_thread(slot, answer.region_id, state);
    return {true, result == kMayBeInTask, ran, state, node, answer.wait_id, answer.region_id};
}

// False: the kernel does not count waits.
bool read_waited(ThreadSlot &slot, uint64_t &waited) {
    if (!wait_for_processor(slot.tid, waited)) {
        return false;
    }
    record_waited(slot, waited);
    return true;
}

// Whether a thread that waits, or is in a call, executes a task there. If it sleeps, its stack
// shows that. If it is ready to run, its last sample decides. That is wrong where the task has
// ended since: the thread hardly runs, so its next sample comes late.
bool is_in_task(ThreadSlot &slot, const Found &found) {
    if (rest_of_unmoved(slot, found.ran) == Rest::kAsleep) {
        return cached_sleeping_code(slot) == CodeKind::kUser;
    }
    return slot.last_state.load(std::memory_order_acquire) == THR_WORK_STATE &&
           slot.last_region.load(std::memory_order_relaxed) == found.region &&
           slot.last_in_task.load(std::memory_order_relaxed);
}

Found settled(ThreadSlot &slot, const Found &found) {
    if (!found.may_be_in_task || !is_in_task(slot, found)) {
        return found;
    }
    const uint32_t node = node_of_thread(slot, found.region, THR_WORK_STATE);
    return {true, true, found.ran, THR_WORK_STATE, node, 0, found.region};
}

// A look at a thread that runs now and then reads files of the kernel. A busy thread has a little
// pending time at each tick, which the sampling thread itself has caused. It gets a look when that
// is a tenth of a period. A higher limit would leave states of short waits with few samples. A look
// at a thread that does not run is cheap.
bool owes_a_look(const ThreadSlot &slot, uint64_t ran) {
    return slot.pending_ns >=
           (ran == 0 ? kSmallPending : slot.looked_pending_ns + sampling_period() / 10);
}

// `looks`: how many looks this charge stands for.
void charge(ThreadSlot &slot, uint32_t node, uint32_t word, uint64_t ns, uint64_t looks = 1) {
    slot.pending_ns -= ns;
    charge_off(slot.number, node, word, {ns, looks});
    for (uint64_t later = looks; later > 0; --later) {
        log_sample(slot.number, node, shown_state(word), (later - 1) * ns / looks);
    }
}

uint64_t looks_in(uint64_t ns) {
    constexpr uint64_t kMost = 100; // at high rates
    const uint64_t period = sampling_period();
    return std::clamp<uint64_t>((ns + period / 2) / period, 1, kMost);
}

void charge_as(ThreadSlot &slot, const FoundAsleep &as, uint64_t ns, uint64_t looks) {
    charge(slot, as.node, as.word, ns, looks);
    if (is_mutex_wait(as.state)) {
        charge_lock(as.state, as.wait_id, 0, ns);
    }
}

// Charges time asleep, or time off the processor whose kind is not known.
void charge_part(ThreadSlot &slot, const Found &found, uint64_t ns, Off off, uint64_t looks = 1) {
    const uint32_t node = node_of_sleeper(slot, found.ran, found.region, found.state);
    const bool is_named = off == Off::kAsleep && is_own_code(found.state);
    const uint32_t word = is_named ? state_word(found.state, off, slot.sleep_call)
                                   : state_word(found.state, Off::kUnclassified);
    const FoundAsleep as = {found.ran, node, word, found.state, found.wait_id};
    if (off == Off::kAsleep) {
        slot.slept = as;
    }
    charge_as(slot, as, ns, looks);
}

void charge_pending(ThreadSlot &slot, const Found &found) {
    slot.pending_wait_ns = 0;
    charge_part(slot, found, slot.pending_ns, Off::kUnclassified);
}

// Charges time in which the thread was ready to run, without a processor.
void charge_ready(ThreadSlot &slot, const Found &found, uint64_t most) {
    slot.pending_wait_ns = std::min(slot.pending_wait_ns, slot.pending_ns);
    const uint64_t ns = std::min(slot.pending_wait_ns, most);
    const uint32_t node = node_of_sleeper(slot, found.ran, found.region, found.state);
    slot.pending_wait_ns -= ns;
    charge(slot, node, state_word(found.state, Off::kReady), ns);
    if (is_mutex_wait(found.state)) {
        charge_lock(found.state, found.wait_id, 0, ns);
    }
}

// True if the thread's state has not changed while the kernel was asked.
bool is_still(ThreadSlot &slot, const Found &found) {
    Found again = look_at(slot, found.ran);
    if (again.may_be_in_task) {
        again.ran = clock_ns(slot.clock);
        again = settled(slot, again);
    }
    return again.is_known && again.state == found.state && again.node == found.node;
}

// A thread that has not run since the last tick.
void charge_unmoved(ThreadSlot &slot, const Passed &passed, const Found &found) {
    // Pending time from before the last tick belongs to another state.
    const uint64_t now_owed = std::min(passed.ns, slot.pending_ns);
    const Rest rest = rest_of_unmoved(slot, passed.cpu);
    slot.known_off_ns += now_owed;
    if (rest != Rest::kRunnable) {
        charge_part(slot, found, now_owed,
                    rest == Rest::kAsleep ? Off::kAsleep : Off::kUnclassified, looks_in(now_owed));
        return;
    }
    slot.pending_wait_ns += now_owed;
    charge_ready(slot, found, now_owed);
}

// The kernel counts a wait when it ends. Time that was charged before is subtracted. False: the
// kernel does not count waits.
bool record_waits(ThreadSlot &slot) {
    uint64_t waited = 0;
    if (!read_waited(slot, waited)) {
        return false;
    }
    const uint64_t before = slot.wait_seen_ns + slot.known_off_ns;
    const uint64_t more = waited > before ? waited - before : 0;
    slot.wait_seen_ns = waited;
    slot.known_off_ns = 0;
    slot.pending_wait_ns = std::min(slot.pending_wait_ns + more, slot.pending_ns);
    return true;
}

// A thread that has run some of the time since the last tick.
void charge_moved(ThreadSlot &slot, const Found &found) {
    const bool is_counted = record_waits(slot);
    const bool has_much = slot.pending_ns >= kSmallPending;
    const Rest rest = is_counted && has_much ? rest_of(slot, found.ran) : Rest::kNotKnown;
    const bool is_off = rest != Rest::kNotKnown || clock_ns(slot.clock) == slot.seen_cpu_ns;
    if (!has_much || !is_off || !is_still(slot, found)) {
        return;
    }
    const uint64_t asleep = slot.pending_ns - slot.pending_wait_ns;
    if (rest == Rest::kNotKnown) {
        charge_pending(slot, found);
    } else if (rest == Rest::kRunnable && slot.pending_wait_ns >= kSmallPending &&
               (clock_ns(slot.clock) == slot.seen_cpu_ns || slot.pending_wait_ns >= kLongWait)) {
        charge_ready(slot, found, slot.pending_wait_ns);
    } else if (rest == Rest::kAsleep && asleep >= kSmallPending) {
        charge_part(slot, found, asleep, Off::kAsleep);
    }
}

// Charges processor time of a thread that has no timer.
void charge_running(ThreadSlot &slot, uint64_t cpu, const Found &found) {
    const uint64_t before = slot.charged_on_ns.load(std::memory_order_relaxed);
    if (cpu <= before) {
        return;
    }
    slot.charged_on_ns.store(cpu, std::memory_order_relaxed);
    charge_on(slot.number, found.node, found.state, {cpu - before, 1});
    log_sample(slot.number, found.node, found.state);
    if (is_mutex_wait(found.state)) {
        charge_lock(found.state, found.wait_id, cpu - before, 0);
    }
}

// The thread's state cannot be read from outside. After some such ticks its own handler must
// sample.
void tolerate_silence(ThreadSlot &slot) {
    if (++slot.unproductive_ticks >= kMostUnproductiveTicks && samples_itself(slot)) {
        switch_to_wall_timer(slot);
    }
}

} // namespace

uint64_t sampling_period() {
    return kSecond / current_settings.rate;
}

void charge_quiet(ThreadSlot &slot, const Passed &passed) {
    const uint64_t ns = std::min(passed.quiet_ns, slot.pending_ns);
    if (passed.ran_ns != 0 && ns != 0 && slot.slept.word != 0 &&
        slot.slept.ran == passed.cpu - passed.ran_ns) {
        slot.known_off_ns += ns;
        charge_as(slot, slot.slept, ns, looks_in(ns));
    }
}

void look_after(ThreadSlot &slot, const Passed &passed) {
    const bool has_timer = samples_itself(slot);
    // In a FORK callback the region has no node yet: pending time can wait.
    const bool owes = owes_a_look(slot, passed.ran_ns);
    if ((!owes && has_timer) || slot.in_fork.load(std::memory_order_relaxed)) {
        return;
    }
    charge_quiet(slot, passed);
    // A running thread may have moved on since, so its clock is read again.
    const uint64_t ran = passed.ran_ns == 0 ? passed.cpu : clock_ns(slot.clock);
    const Found found = settled(slot, look_at(slot, ran));
    if (!found.is_known) {
        tolerate_silence(slot);
        return;
    }
    slot.unproductive_ticks = 0;
    if (!has_timer) {
        charge_running(slot, passed.cpu, found);
    }
    if (!owes) {
        return;
    }
    if (passed.ran_ns == 0) {
        charge_unmoved(slot, passed, found);
    } else {
        charge_moved(slot, found);
    }
    slot.looked_pending_ns = slot.pending_ns;
}

void look_at_run_queue(ThreadSlot &slot) {
    uint64_t waited = 0;
    read_waited(slot, waited);
}

Place representative_place(const ThreadSlot &slot, const Place &at_end) {
    const unsigned state = slot.sampled_state.load(std::memory_order_relaxed);
    return state != 0 ? Place{slot.sampled_node.load(std::memory_order_relaxed), state} : at_end;
}

void charge_unmet_waits(ThreadSlot &slot, const Place &place) {
    const uint64_t ready = std::min(slot.pending_wait_ns, slot.pending_ns);
    charge_off(slot.number, place.node, state_word(place.state, Off::kReady), {ready, 0});
    slot.pending_ns -= ready;
    slot.pending_wait_ns = 0;
}

void charge_rest(ThreadSlot &slot, const Place &at_end) {
    charge_unmet_waits(slot, representative_place(slot, at_end));
    const Off off = is_own_code(at_end.state) ? Off::kAsleep : Off::kUnclassified;
    charge_off(slot.number, at_end.node, state_word(at_end.state, off), {slot.pending_ns, 0});
    slot.pending_ns = 0;
}

} // namespace ompcollect
