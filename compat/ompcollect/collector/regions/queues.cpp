// SPDX-License-Identifier: Apache-2.0
#include "queues.h"

#include "cells.h"
#include "contract_names.h"
#include "region_table.h"
#include "run_clock.h"
#include "store.h"

#include <atomic>

namespace ompcollect {
namespace {

constexpr OMP_COLLECTORAPI_EVENT kEnds[] = {
    OMP_EVENT_THR_END_LKWT,
    OMP_EVENT_THR_END_CTWT,
    OMP_EVENT_THR_END_ODWT,
    OMP_EVENT_THR_END_ATWT,
};
constexpr size_t kEndCount = sizeof kEnds / sizeof kEnds[0];

constinit std::atomic<bool> queues_are_measured{false};

void queue_ends(OMP_COLLECTORAPI_EVENT) {
    ThreadSlot *slot = current_slot();
    if (!slot || slot->queue.began_ns == 0) {
        return;
    }
    QueueOfThread &queue = slot->queue;
    if (CellFileRow *cell = queue.cell) {
        add_to(cell->on_samples, 1);
        add_to(cell->on_ns, passed_between(queue.began_ns, run_ns()));
    }
    queue.began_ns = 0;
}

CellFileRow *cell_of(const ThreadSlot &slot, uint32_t node, unsigned state) {
    const bool is_in_region = node != kNodeUnknown && node != kNodeOutside;
    return is_in_region ? pseudo_cell(slot.number, node, queue_state(state)) : nullptr;
}

// What samples have of each queue so far.
void keep_what_is_charged() {
    const uint32_t count = row_count(RowKind::kCell);
    for (uint32_t number = 0; number < count; ++number) {
        const auto *cell = row_as<CellFileRow>(RowKind::kCell, number);
        if (cell->ready.load(std::memory_order_acquire) == 0 ||
            !is_mutex_wait(state_of_word(cell->state))) {
            continue;
        }
        const uint64_t ns = cell->on_ns.load(std::memory_order_relaxed) +
                            cell->off_ns.load(std::memory_order_relaxed);
        charge_off(cell->thread, cell->node, unmeasured_queue_state(state_of_word(cell->state)),
                   {ns, 0});
    }
}

// The runtime may report that a thread wants a free mutex, which another is quicker to take. That
// is no event.
bool is_unmeasured(const ThreadSlot &slot) {
    return queues_are_measured.load(std::memory_order_relaxed) && slot.queue.began_ns == 0;
}

} // namespace

void queue_is_sampled(const ThreadSlot &slot, uint32_t node, unsigned state, uint64_t ns) {
    if (is_unmeasured(slot)) {
        charge_on(slot.number, node, unmeasured_queue_state(state), {ns, 0});
    }
}

void queue_is_seen(const ThreadSlot &slot, uint32_t node, unsigned state, uint64_t off_ns) {
    if (is_unmeasured(slot)) {
        charge_off(slot.number, node, unmeasured_queue_state(state), {off_ns, 0});
    }
}

void measure_queues() {
    if (queues_are_measured.load(std::memory_order_relaxed)) {
        return;
    }
    keep_what_is_charged();
    queues_are_measured.store(true, std::memory_order_relaxed);
    int codes[kEndCount] = {};
    register_events(kEnds, kEndCount, queue_ends, codes);
}

void restart_queues() {
    queues_are_measured.store(false, std::memory_order_relaxed);
}

void queue_begins(ThreadSlot &slot, const ThreadAnswer &answer) {
    if (!queues_are_measured.load(std::memory_order_relaxed)) [[likely]] {
        return;
    }
    QueueOfThread &queue = slot.queue;
    const uint32_t node = node_for(answer.region, answer.state);
    if (!queue.cell || node != queue.node || answer.state != queue.state) {
        queue.node = node;
        queue.state = answer.state;
        queue.cell = cell_of(slot, node, answer.state);
    }
    queue.began_ns = run_ns();
}

} // namespace ompcollect
