// SPDX-License-Identifier: Apache-2.0
#include "cells.h"

#include "row_index.h"
#include "store.h"

namespace ompcollect {
namespace {

struct CellTraits {
    struct Key {
        uint32_t thread;
        uint32_t node;
        uint32_t state;
        bool operator==(const Key &) const = default;
    };
    using Row = CellFileRow;

    static uint32_t hash(const Key &key) {
        return hash_of(uint64_t{key.thread} << 32 | key.node, key.state);
    }
    static Key key_at(uint32_t number) {
        const auto *cell = row_as<CellFileRow>(RowKind::kCell, number);
        return {cell->thread, cell->node, cell->state};
    }
};

constinit RowIndex<CellTraits> index;

CellFileRow *find_or_add(const CellTraits::Key &key) {
    uint32_t number = index.find(key);
    if (number == kNoRow && index.has_room(key)) {
        number = add_row(RowKind::kCell);
        if (number != kNoRow) {
            auto *cell = row_as<CellFileRow>(RowKind::kCell, number);
            cell->thread = key.thread;
            cell->node = key.node;
            cell->state = key.state;
            cell->ready.store(1, std::memory_order_release);
            number = index.insert(key, number);
        }
    }
    return number != kNoRow ? row_as<CellFileRow>(RowKind::kCell, number) : nullptr;
}

} // namespace

void charge_on(uint32_t thread, uint32_t node, unsigned state, Charge charge) {
    if (CellFileRow *cell = find_or_add({thread, node, state})) {
        add_to(cell->on_ns, charge.ns);
        add_to(cell->on_samples, charge.samples);
    } else {
        header().unplaced_on_ns[state].fetch_add(charge.ns, std::memory_order_relaxed);
    }
}

void charge_off(uint32_t thread, uint32_t node, unsigned state, Charge charge) {
    if (CellFileRow *cell = find_or_add({thread, node, state})) {
        add_to(cell->off_ns, charge.ns);
        add_to(cell->off_samples, charge.samples);
    } else {
        header().unplaced_off_ns[state].fetch_add(charge.ns, std::memory_order_relaxed);
    }
}

CellFileRow *entries_cell(uint32_t thread, uint32_t node) {
    grow_cells();
    return find_or_add({thread, node, kEntriesState});
}

void grow_cells() {
    index.grow();
    grow_store();
}

void restart_cells() {
    index.clear();
}

} // namespace ompcollect
