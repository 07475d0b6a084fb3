// SPDX-License-Identifier: Apache-2.0
#include "single_time.h"

#include "cells.h"
#include "producer.h"
#include "region_table.h"
#include "run_clock.h"

namespace ompcollect {

void single_begins(ThreadSlot &slot) {
    if (slot.single.began_ns == 0) {
        slot.single.began_ns = run_ns();
    }
}

void single_ends(ThreadSlot &slot) {
    SingleOfThread &single = slot.single;
    if (single.began_ns == 0) {
        return;
    }
    const uint64_t passed = passed_between(single.began_ns, run_ns());
    single.began_ns = 0;
    if (const uint64_t region = ask_current_region(); region != single.region || !single.cell) {
        const uint32_t node = node_for(region, THR_WORK_STATE);
        const bool has_cell = node != kNodeUnknown && node != kNodeOutside;
        single.region = region;
        single.cell = has_cell ? pseudo_cell(slot.number, node, kSingleState) : nullptr;
    }
    if (single.cell) {
        add_to(single.cell->on_ns, passed);
    }
}

} // namespace ompcollect
