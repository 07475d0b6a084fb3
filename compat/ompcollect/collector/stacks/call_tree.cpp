// SPDX-License-Identifier: Apache-2.0
#include "call_tree.h"

#include "module_map.h"
#include "python_code.h"
#include "row_index.h"
#include "store.h"

namespace ompcollect {
namespace {

struct LocationTraits {
    struct Key {
        uint32_t module;
        uint64_t offset;
        bool operator==(const Key &) const = default;
    };
    using Row = LocationRow;
    static constexpr RowKind kKind = RowKind::kLocation;
    static uint32_t hash(const Key &key) { return hash_of(key.offset, key.module); }
    static Key key_of(const Row &row) { return {row.module, row.offset}; }
    static void fill(Row &row, const Key &key) {
        row.module = key.module;
        row.offset = key.offset;
    }
};

using NodeTraits =
    WordsTraits<NodeRow, RowKind::kNode, &NodeRow::kind, &NodeRow::location, &NodeRow::parent>;

constinit RowIndex<LocationTraits> locations;
constinit RowIndex<NodeTraits> nodes;

// Not in a signal handler: makes room first.
template <class Traits>
uint32_t add_with_growth(RowIndex<Traits> &index, const typename Traits::Key &key) {
    index.grow();
    const uint32_t number = index.find_or_add(key);
    if (number != kNoRow) {
        return number;
    }
    grow_store();
    return index.find_or_add(key);
}

} // namespace

uint32_t location_of(uintptr_t address, bool return_address) {
    if (address == 0) {
        return kNoRow;
    }
    address -= return_address ? 1 : 0;
    const Module *module = find_or_meet_module(address);
    const LocationTraits::Key key = {module ? module_row(*module) : kNoRow,
                                     module ? address - module->base : address};
    return add_with_growth(locations, key);
}

uint32_t location_met(uintptr_t address) {
    const Module *module = find_module(address);
    const uint32_t row = module ? module->row.load(std::memory_order_acquire) : kNoRow;
    const LocationTraits::Key key = {row, row != kNoRow ? address - module->base : address};
    return locations.find_or_add(key);
}

uint32_t location_of_python(uint64_t place) {
    return locations.find_or_add({kPythonModule, place});
}

uint32_t node_of(uintptr_t address, uint32_t parent) {
    const NodeTraits::Key key = {static_cast<uint32_t>(NodeKind::kRegion),
                                 location_of(address, true), parent};
    const uint32_t number = add_with_growth(nodes, key);
    return number != kNoRow ? number : kNodeUnknown;
}

uint32_t child_node(uint32_t location, uint32_t parent, NodeKind kind) {
    return nodes.find_or_add({static_cast<uint32_t>(kind), location, parent});
}

void grow_call_tree() {
    locations.grow();
    nodes.grow();
    grow_python_code();
}

void restart_call_tree() {
    locations.clear();
    nodes.clear();
    restart_python_code();
}

} // namespace ompcollect
