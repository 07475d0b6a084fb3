// SPDX-License-Identifier: Apache-2.0
#include "own_processor.h"

#include "process_facts.h"

namespace ompcollect {
namespace {

constexpr int kNone = -1;
constinit int shunned = kNone;
constinit bool has_moved = false;

} // namespace

void shun_processor(int processor) {
    shunned = processor;
}

bool move_if_shunned() {
    if (shunned == kNone) {
        return true;
    }
    const bool moves = set_own_affinity_without(shunned);
    has_moved = has_moved || moves;
    shunned = kNone;
    return moves;
}

void return_to_all_processors() {
    if (has_moved) {
        set_own_affinity_without(kNone);
        has_moved = false;
    }
}

} // namespace ompcollect
