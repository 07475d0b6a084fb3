// SPDX-License-Identifier: Apache-2.0
//
// How time off the processor is attributed. What a thread did not run since the last tick is
// pending. A thread that has not run at all in the tick has not changed its state either: it is
// charged in full. Of one that has run, the state in which it is found gets what it waited for a
// processor, by the kernel's count. It gets the time asleep where it is found asleep, so that by
// chance each state has its share. Where the kernel does not separate the two kinds, all pending
// time is charged so.
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

// False: the kernel does not count.
bool read_waited(ThreadSlot &slot, uint64_t &waited) {
    if (!wait_for_processor(slot.tid, waited)) {
        return false;
    }
    record_waited(slot, waited);
    return true;
}

// Whether a thread that waits, or is in a call, executes a task there. Asleep, its stack shows it.
// One that wants a processor does if its last sample was in such a task, but for one that has ended
// it since: it hardly runs, so that its next sample comes late.
bool is_in_task(ThreadSlot &slot, const Found &found) {
    if (rest_of_unmoved(slot, found.ran) == Rest::kAsleep) {
        return resting_code(slot) == CodeKind::kUser;
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

// Files of the kernel are read for a look at a thread that runs now and then. A busy one owes a
// little at each tick, what we take from it: it gets a look when that has become a tenth of a
// period. More would leave states of short waits with few samples. One that rests costs little.
bool owes_a_look(const ThreadSlot &slot, uint64_t ran) {
    return slot.pending_ns >=
           (ran == 0 ? kSmallPending : slot.looked_pending_ns + sampling_period() / 10);
}

// `looks`: so many would have found it so.
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

// Asleep, or it is not known how it rests.
void charge_part(ThreadSlot &slot, const Found &found, uint64_t ns, Off off, uint64_t looks = 1) {
    const uint32_t node = node_of_resting(slot, found.ran, found.region, found.state);
    const bool is_named = off == Off::kAsleep && is_own_code(found.state);
    const uint32_t word = is_named ? state_word(found.state, off, slot.sleep_call)
                                   : state_word(found.state, Off::kUntold);
    const FoundAsleep as = {found.ran, node, word, found.state, found.wait_id};
    if (off == Off::kAsleep) {
        slot.slept = as;
    }
    charge_as(slot, as, ns, looks);
}

void charge_pending(ThreadSlot &slot, const Found &found) {
    slot.pending_wait_ns = 0;
    charge_part(slot, found, slot.pending_ns, Off::kUntold);
}

// Ready to run.
void charge_ready(ThreadSlot &slot, const Found &found, uint64_t most) {
    slot.pending_wait_ns = std::min(slot.pending_wait_ns, slot.pending_ns);
    const uint64_t ns = std::min(slot.pending_wait_ns, most);
    const uint32_t node = node_of_resting(slot, found.ran, found.region, found.state);
    slot.pending_wait_ns -= ns;
    charge(slot, node, state_word(found.state, Off::kReady), ns);
    if (is_mutex_wait(found.state)) {
        charge_lock(found.state, found.wait_id, 0, ns);
    }
}

// Nothing has changed while we asked the kernel.
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
    // What it owes from before belongs elsewhere.
    const uint64_t now_owed = std::min(passed.ns, slot.pending_ns);
    const Rest rest = rest_of_unmoved(slot, passed.cpu);
    slot.known_off_ns += now_owed;
    if (rest != Rest::kRunnable) {
        charge_part(slot, found, now_owed, rest == Rest::kAsleep ? Off::kAsleep : Off::kUntold,
                    looks_in(now_owed));
        return;
    }
    slot.pending_wait_ns += now_owed;
    charge_ready(slot, found, now_owed);
}

// The kernel counts a wait at its end: what of it has been noted is not owed again. False: it does
// not count.
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

// Of a thread that has no timer.
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

// Its record shows nothing from outside: after a while, its own handler must sample.
void bear_silence(ThreadSlot &slot) {
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
    // One that runs may have gone on: its stack is of now.
    const uint64_t ran = passed.ran_ns == 0 ? passed.cpu : clock_ns(slot.clock);
    const Found found = settled(slot, look_at(slot, ran));
    if (!found.is_known) {
        bear_silence(slot);
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
    const Off off = is_own_code(at_end.state) ? Off::kAsleep : Off::kUntold;
    charge_off(slot.number, at_end.node, state_word(at_end.state, off), {slot.pending_ns, 0});
    slot.pending_ns = 0;
}

} // namespace ompcollect
