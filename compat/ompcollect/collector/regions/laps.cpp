// SPDX-License-Identifier: Apache-2.0
//
// Ends of barriers are not asked for: their events would need those of each task. A barrier ends
// when its last thread comes, and each one leaves its time for the others. So a lap's processor
// time has what its thread ran in the barrier, too, and beside it stands how long that was. A
// thread's clock is read where its lap was not short: a short one it ran all the time.
//
// Nor is the end of a worker's idleness, for the same reason. So the first lap of a region that
// lies in no other begins at its FORK: there the forking thread looks at the clocks of all workers.
// Such looks have a limit, which leaves out the first laps of short regions.
#include "laps.h"

#include "cells.h"
#include "clocks.h"
#include "producer.h"
#include "region_table.h"
#include "run_clock.h"

#include <algorithm>
#include <atomic>

namespace ompcollect {
namespace {

constexpr uint64_t kShort = 100000; // ns

// Events of which, where no lap is measured, nothing but their number is wanted.
constexpr uint64_t bit_of(OMP_COLLECTORAPI_EVENT event) {
    return uint64_t{1} << event;
}
constexpr uint64_t kOfLaps = bit_of(OMP_EVENT_THR_BEGIN_IDLE) | bit_of(OMP_EVENT_THR_BEGIN_IBAR) |
                             bit_of(OMP_EVENT_THR_BEGIN_EBAR);
constexpr uint64_t kAlwaysCounted = bit_of(OMP_EVENT_THR_BEGIN_MASTER) |
                                    bit_of(OMP_EVENT_THR_BEGIN_SINGLE) |
                                    bit_of(OMP_EVENT_THR_BEGIN_ORDERED);

// Odd while they are: the number of the period.
constinit std::atomic<uint32_t> period{0};
bool are_measured() {
    return period.load(std::memory_order_relaxed) % 2 != 0;
}

// Who has come last to a barrier, and when: by the barrier's wait id, which is the same on all
// threads of a team. Barriers at the same time may share a place: then some laps have the wrong
// last one.
constexpr unsigned kPlaceBits = 9;
struct alignas(64) LastArrival {
    std::atomic<uint64_t> word;
};
constinit LastArrival arrivals[1U << kPlaceBits] = {};

std::atomic<uint64_t> &last_arrival(uint64_t barrier) {
    constexpr uint64_t kSpread = 0x9e3779b97f4a7c15u;
    return arrivals[barrier * kSpread >> (64 - kPlaceBits)].word;
}

// The begin of a region, where its FORK was looked at, stands for a barrier.
constexpr uint64_t begin_of(uint64_t region) {
    return ~region;
}

// One word, so that both are of the same thread.
class Arrival {
  public:
    Arrival(uint32_t thread, uint64_t ns) : word_(ns / kUnit << kThreadBits | low_bits(thread)) {}
    explicit Arrival(uint64_t word) : word_(word) {}
    [[nodiscard]] uint64_t word() const { return word_; }
    [[nodiscard]] uint64_t ns() const { return (word_ >> kThreadBits) * kUnit; }
    [[nodiscard]] bool is_of(uint32_t thread) const {
        return (word_ & kThreads) == low_bits(thread);
    }

  private:
    static constexpr unsigned kThreadBits = 16;
    static constexpr uint64_t kThreads = (1U << kThreadBits) - 1;
    static constexpr uint64_t kUnit = 64; // ns: for 200 days since the machine began
    static constexpr uint64_t low_bits(uint32_t thread) { return thread & kThreads; }

    uint64_t word_;
};

void add_lap(CellFileRow *row, uint64_t ran, uint64_t waited) {
    if (row) {
        add_to(row->on_samples, 1);
        add_to(row->on_ns, ran);
        add_to(row->off_ns, waited);
    }
}

void find_cells(ThreadSlot &slot, Lap &lap) {
    const uint32_t node = node_for(lap.region, THR_WORK_STATE);
    if (node == lap.node && lap.all) {
        return;
    }
    const bool has_cells = node != kNodeUnknown && node != kNodeOutside;
    lap.node = node;
    lap.all = has_cells ? pseudo_cell(slot.number, node, kLapState) : nullptr;
    lap.late = has_cells ? pseudo_cell(slot.number, node, kLateLapState) : nullptr;
}

// The thread's clock, exact after a long lap.
uint64_t clock_at(LapsOfThread &laps, uint64_t now) {
    if (const uint64_t passed = passed_between(laps.looked_ns, now); passed < kShort) {
        return laps.cpu_ns + passed;
    }
    laps.cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    laps.looked_ns = now;
    return laps.cpu_ns;
}

// Of the lap behind the last barrier, as the thread comes to the next.
void end_lap(ThreadSlot &slot, Lap &lap, const Arrival &last, uint64_t now, uint64_t cpu) {
    const uint64_t began = std::max(lap.arrived_ns, std::min(last.ns(), now));
    const uint64_t passed = passed_between(began, now);
    const bool is_short = passed < kShort;
    lap.open_ran_ns = is_short ? passed : cpu - std::min(cpu, lap.arrived_cpu_ns);
    lap.open_waited_ns = is_short ? 0 : began - lap.arrived_ns;
    lap.is_open = true;
    find_cells(slot, lap);
}

// It counts when its last thread is known: for all threads the same laps.
void count_lap(const ThreadSlot &slot, Lap &lap) {
    if (!lap.is_open) {
        return;
    }
    const Arrival last(last_arrival(lap.barrier).load(std::memory_order_relaxed));
    lap.is_open = false;
    add_lap(lap.all, lap.open_ran_ns, lap.open_waited_ns);
    if (last.is_of(slot.number)) {
        add_lap(lap.late, lap.open_ran_ns, lap.open_waited_ns);
    }
}

void begin_region(Lap &lap, uint64_t region, uint64_t now, uint64_t cpu) {
    lap.region = region;
    lap.barrier = begin_of(region);
    lap.arrived_ns = now;
    lap.arrived_cpu_ns = cpu;
}

// What was begun in another period is no lap of this one.
void enter_period(LapsOfThread &laps) {
    const uint32_t now = period.load(std::memory_order_relaxed);
    if (laps.period == now) {
        return;
    }
    laps.period = now;
    for (Lap *lap : {&laps.outer, &laps.inner}) {
        lap->region = 0;
        lap->is_open = false;
    }
}

__attribute__((noinline)) void measure_lap(ThreadSlot &slot) {
    const ThreadAnswer here = ask_thread();
    if (!here.has_wait_id) {
        return;
    }
    const RegionAnswer answer = ask_region();
    const uint64_t region = answer.id;
    LapsOfThread &laps = slot.laps;
    enter_period(laps);
    Lap &lap = answer.has_parent != 0 && answer.parent_id != 0 ? laps.inner : laps.outer;
    const uint64_t now = run_ns();
    const uint64_t cpu = clock_at(laps, now);
    count_lap(slot, lap);
    if (&lap == &laps.outer && lap.region != region && laps.forked_region == region) {
        begin_region(lap, region, laps.forked_ns, laps.forked_cpu_ns);
    }
    if (lap.region == region) {
        const Arrival last(last_arrival(lap.barrier).load(std::memory_order_relaxed));
        end_lap(slot, lap, last, now, cpu);
    }
    lap.region = region; // of regions inside others what came before is not known
    lap.barrier = here.wait_id;
    lap.arrived_ns = now;
    lap.arrived_cpu_ns = cpu;
    last_arrival(lap.barrier).store(Arrival(slot.number, now).word(), std::memory_order_relaxed);
}

// Takes a hundredth of the time between two looks at most, but for what others took meanwhile.
void limit_looks(LapsOfThread &laps, uint64_t now, unsigned workers) {
    constexpr uint64_t kPart = 100;
    constexpr uint64_t kMostOfOne = 2000; // ns
    const uint64_t took = std::min(passed_between(now, run_ns()), (workers + 1) * kMostOfOne);
    laps.next_look_ns = now + kPart * took;
}

__attribute__((noinline)) void look_at_workers(ThreadSlot &master) {
    const uint64_t now = run_ns();
    const bool is_outermost = master.running_count == 1 && master.running[0].outermost;
    if (!is_outermost || now < master.laps.next_look_ns) {
        return;
    }
    const uint64_t region = master.running[0].id;
    Lap &lap = master.laps.outer;
    enter_period(master.laps);
    count_lap(master, lap);
    // A worker's lap begins at the same moment, and nobody waited before.
    begin_region(lap, region, now, clock_at(master.laps, now));
    last_arrival(lap.barrier).store(Arrival(master.number, now).word(), std::memory_order_relaxed);
    unsigned workers = 0;
    for (ThreadSlot *slot = first_slot(); slot; slot = slot->next) {
        if (slot != &master && slot->runs.load(std::memory_order_acquire) && slot->laps.is_worker) {
            slot->laps.forked_cpu_ns = clock_ns(slot->clock);
            slot->laps.forked_ns = now;
            slot->laps.forked_region = region;
            ++workers;
        }
    }
    limit_looks(master.laps, now, workers);
}

} // namespace

void measure_laps(bool wanted) {
    if (wanted != are_measured()) {
        period.fetch_add(1, std::memory_order_relaxed);
    }
    choose_counted_events();
}

void choose_counted_events() {
    if (const auto count_events = extensions().count_events) {
        count_events(are_measured() ? kAlwaysCounted : kAlwaysCounted | kOfLaps);
    }
}

void fork_is_known(ThreadSlot &slot) {
    if (are_measured()) [[unlikely]] {
        look_at_workers(slot);
    }
}

void arrive_at_barrier(ThreadSlot &slot) {
    if (are_measured()) [[unlikely]] {
        measure_lap(slot);
    }
}

} // namespace ompcollect
