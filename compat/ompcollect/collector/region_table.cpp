// SPDX-License-Identifier: Apache-2.0
//
// See region_table.h.
#include "region_table.h"

#include "module_map.h"
#include "producer.h"
#include "region_ids.h"

#include "omp_collector_api.h"

#include <atomic>

namespace ompcollect {
namespace {

struct Region {
    std::atomic<uintptr_t> address; // the user's return address; 0: row not in use
    std::atomic<int> parent;
    std::atomic<uint64_t> entries;
    std::atomic<uint64_t> samples[kStateColumns];
};

constinit Region g_regions[kMostRegions] = {};
constinit std::atomic<unsigned> g_rows_in_use{0};
constinit std::atomic<uint64_t> g_serial[kStateColumns] = {};
constinit std::atomic<uint64_t> g_several[kStateColumns] = {};
constinit std::atomic<uint64_t> g_unknown[kStateColumns] = {};

// Rows are found by hashing (address, parent) and probing. Which of both came first into a row
// does not matter: address is published last.
constexpr unsigned kRowProbes = 64;
constexpr uintptr_t kBeingFilled = 1;

// A user frame that could not be found still is a place; it gets this address.
constexpr uintptr_t kUnknownAddress = 2;

int find_or_add_region(uintptr_t address, int parent) {
    const uint64_t hash =
        (address * 0x9e3779b97f4a7c15u) ^ (static_cast<uint64_t>(parent + 1) * 0xc2b2ae3d27d4eb4fu);
    for (unsigned probe = 0; probe < kRowProbes; ++probe) {
        const unsigned index = static_cast<unsigned>((hash >> 32) + probe) % kMostRegions;
        Region &row = g_regions[index];
        uintptr_t seen = row.address.load(std::memory_order_acquire);
        if (seen == 0 && row.address.compare_exchange_strong(seen, kBeingFilled)) {
            row.parent.store(parent, std::memory_order_relaxed);
            row.address.store(address, std::memory_order_release);
            g_rows_in_use.fetch_add(1, std::memory_order_relaxed);
            refresh_modules(); // its name must be found later, even if the file is closed
            return static_cast<int>(index);
        }
        while (seen == kBeingFilled) {
            seen = row.address.load(std::memory_order_acquire);
        }
        if (seen == address && row.parent.load(std::memory_order_relaxed) == parent) {
            return static_cast<int>(index);
        }
    }
    return kNoRegion;
}

// The outermost regions that run: their number in the upper half, the sum of their (row + 1) in
// the lower. With one of them running, the lower half names it.
constinit std::atomic<uint64_t> g_outermost{0};

uint64_t outermost_part(int location) {
    return (uint64_t{1} << 32) | static_cast<uint64_t>(location + 1);
}

void forget_top(ThreadSlot &slot) {
    const RunningRegion &region = slot.running[--slot.running_count];
    if (region.outermost) {
        g_outermost.fetch_sub(outermost_part(region.location), std::memory_order_relaxed);
    }
    release_region_id(region.id);
}

// Regions of this thread whose JOIN never came (events were paused): all above the one with this
// id, all if the thread has none with it.
void forget_above(ThreadSlot &slot, uint64_t id) {
    while (slot.running_count != 0 && slot.running[slot.running_count - 1].id != id) {
        forget_top(slot);
    }
}

std::atomic<uint64_t> &idle_cell(unsigned state) {
    const uint64_t outermost = g_outermost.load(std::memory_order_relaxed);
    const uint64_t running = outermost >> 32;
    if (running == 0) {
        return g_serial[state];
    }
    const auto location = static_cast<uint32_t>(outermost) - 1;
    return running == 1 && location < kMostRegions ? g_regions[location].samples[state]
                                                   : g_several[state];
}

std::atomic<uint64_t> &cell_for(uint64_t id, unsigned state) {
    if (id == 0) {
        return state == THR_IDLE_STATE ? idle_cell(state) : g_serial[state];
    }
    const int location = location_of_region_id(id);
    return location == kNoRegion ? g_unknown[state] : g_regions[location].samples[state];
}

void copy(const std::atomic<uint64_t> (&from)[kStateColumns], StateCounts &to) {
    for (unsigned state = 0; state < kStateColumns; ++state) {
        to[state] = from[state].load(std::memory_order_relaxed);
    }
}

uint64_t total(const RawRegion &row) {
    uint64_t sum = 0;
    for (const uint64_t count : row.samples) {
        sum += count;
    }
    return sum;
}

bool before(const RawRegion &left, const RawRegion &right) {
    const uint64_t left_total = total(left);
    const uint64_t right_total = total(right);
    return left_total != right_total ? left_total > right_total : left.entries > right.entries;
}

int enter_region(ThreadSlot &slot) {
    const RegionAnswer answer = ask_region();
    const bool own_stack = !is_shared(&slot);
    if (own_stack && answer.has_parent) {
        forget_above(slot, answer.parent);
    }
    int parent = kNoRegion;
    if (answer.has_parent) {
        parent = answer.parent != 0 ? location_of_region_id(answer.parent) : kNoRegion;
    } else if (own_stack && slot.running_count != 0) {
        parent = slot.running[slot.running_count - 1].location;
    }
    const bool outermost = answer.has_parent ? answer.parent == 0 : slot.running_count == 0;

    uintptr_t address = find_user_frame(slot.unwind_depth);
    if (address == 0) {
        address = kUnknownAddress;
    }
    const int location = find_or_add_region(address, parent);
    if (location == kNoRegion) {
        return kNoRegion; // the table is full: its samples will count as "fork not seen"
    }
    g_regions[location].entries.fetch_add(1, std::memory_order_relaxed);
    if (answer.current != 0) {
        remember_region_id(answer.current, location);
    }
    if (own_stack && slot.running_count < kDeepestNesting) {
        slot.running[slot.running_count++] = {answer.current, location, outermost};
        if (outermost) {
            g_outermost.fetch_add(outermost_part(location), std::memory_order_relaxed);
        }
    }
    return location;
}

void settle_fork_samples(ThreadSlot &slot, int location) {
    slot.has_fork_samples.store(false, std::memory_order_relaxed);
    for (unsigned state = 0; state < kStateColumns; ++state) {
        const uint64_t count = slot.fork_samples[state].exchange(0, std::memory_order_relaxed);
        if (count != 0) {
            (location == kNoRegion ? g_unknown[state] : g_regions[location].samples[state])
                .fetch_add(count, std::memory_order_relaxed);
        }
    }
}

} // namespace

void region_begins(ThreadSlot &slot) {
    const bool own_slot = !is_shared(&slot);
    if (own_slot) {
        slot.in_fork.store(true, std::memory_order_relaxed);
    }
    const int location = enter_region(slot);
    slot.in_fork.store(false, std::memory_order_relaxed);
    if (slot.has_fork_samples.load(std::memory_order_relaxed) && own_slot) {
        settle_fork_samples(slot, location);
    }
}
void region_ends(ThreadSlot &slot) {
    if (is_shared(&slot)) {
        return;
    }
    const uint64_t id = ask_region().current;
    for (unsigned i = slot.running_count; i > 0; --i) {
        if (slot.running[i - 1].id == id) {
            forget_above(slot, id);
            forget_top(slot);
            return;
        }
    }
}

void sample_region(ThreadSlot &slot, uint64_t id, unsigned state, uint64_t weight) {
    if (slot.in_fork.load(std::memory_order_relaxed)) {
        slot.fork_samples[state].fetch_add(weight, std::memory_order_relaxed);
        slot.has_fork_samples.store(true, std::memory_order_relaxed);
        return;
    }
    cell_for(id, state).fetch_add(weight, std::memory_order_relaxed);
}

size_t collect_regions(RawRegion *rows) {
    static int row_of[kMostRegions];
    static int region_of[kMostRegions];
    size_t count = 0;
    for (unsigned i = 0; i < kMostRegions; ++i) {
        const uintptr_t address = g_regions[i].address.load(std::memory_order_acquire);
        if (address == 0 || address == kBeingFilled) {
            continue;
        }
        RawRegion row;
        row.entries = g_regions[i].entries.load(std::memory_order_relaxed);
        row.parent = g_regions[i].parent.load(std::memory_order_relaxed);
        copy(g_regions[i].samples, row.samples);
        if (address != kUnknownAddress) {
            row.place = place_of(address, true);
        }
        if (row.entries == 0 && total(row) == 0) {
            continue; // of before a fork()
        }
        // Insertion keeps the order; tables of programs have few rows.
        size_t place = count++;
        for (; place > 0 && before(row, rows[place - 1]); --place) {
            rows[place] = rows[place - 1];
            region_of[place] = region_of[place - 1];
        }
        rows[place] = row;
        region_of[place] = static_cast<int>(i);
    }
    for (int &row : row_of) {
        row = kNoRegion;
    }
    for (size_t i = 0; i < count; ++i) {
        row_of[region_of[i]] = static_cast<int>(i);
    }
    for (size_t i = 0; i < count; ++i) {
        rows[i].parent = rows[i].parent == kNoRegion ? kNoRegion : row_of[rows[i].parent];
    }
    return count;
}

void collect_unlocated(StateCounts &serial, StateCounts &several, StateCounts &unknown_region) {
    copy(g_serial, serial);
    copy(g_several, several);
    copy(g_unknown, unknown_region);
}

void restart_regions(const ThreadSlot *slot) {
    const bool any = g_rows_in_use.load(std::memory_order_relaxed) != 0;
    for (unsigned i = 0; any && i < kMostRegions; ++i) {
        Region &region = g_regions[i];
        uintptr_t half_filled = kBeingFilled; // by a thread that the child does not have
        region.address.compare_exchange_strong(half_filled, 0);
        region.entries.store(0, std::memory_order_relaxed);
        for (auto &count : region.samples) {
            count.store(0, std::memory_order_relaxed);
        }
    }
    for (unsigned state = 0; state < kStateColumns; ++state) {
        g_serial[state].store(0, std::memory_order_relaxed);
        g_several[state].store(0, std::memory_order_relaxed);
        g_unknown[state].store(0, std::memory_order_relaxed);
    }
    g_outermost.store(0, std::memory_order_relaxed);
    for (unsigned i = 0; slot && !is_shared(slot) && i < slot->running_count; ++i) {
        if (slot->running[i].outermost) {
            g_outermost.fetch_add(outermost_part(slot->running[i].location),
                                  std::memory_order_relaxed);
        }
    }
}

} // namespace ompcollect
