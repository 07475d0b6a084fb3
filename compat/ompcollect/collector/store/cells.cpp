// SPDX-License-Identifier: Apache-2.0
#include "cells.h"

#include "row_index.h"
#include "store.h"

namespace ompcollect {
namespace {

using CellTraits = WordsTraits<CellFileRow, RowKind::kCell, &CellFileRow::thread,
                               &CellFileRow::node, &CellFileRow::state>;

constinit RowIndex<CellTraits> index;

} // namespace

void charge_on(uint32_t thread, uint32_t node, unsigned state, Charge charge) {
    if (CellFileRow *cell = index.row_of({thread, node, state})) {
        add_to(cell->on_ns, charge.ns);
        add_to(cell->on_samples, charge.samples);
    } else {
        header().unplaced_on_ns[state].fetch_add(charge.ns, std::memory_order_relaxed);
    }
}

void charge_off(uint32_t thread, uint32_t node, uint32_t word, Charge charge) {
    if (CellFileRow *cell = index.row_of({thread, node, word})) {
        add_to(cell->off_ns, charge.ns);
        add_to(cell->off_samples, charge.samples);
    } else {
        header().unplaced_off_ns[state_of_word(word)].fetch_add(charge.ns,
                                                                std::memory_order_relaxed);
    }
}

CellFileRow *pseudo_cell(uint32_t thread, uint32_t node, uint32_t state) {
    grow_cells();
    return index.row_of({thread, node, state});
}

void grow_cells() {
    index.grow();
    grow_store();
}

void restart_cells() {
    index.clear();
}

} // namespace ompcollect
