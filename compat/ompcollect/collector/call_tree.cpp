// SPDX-License-Identifier: Apache-2.0
#include "call_tree.h"

#include "module_map.h"
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
    static uint32_t hash(const Key &key) { return hash_of(key.offset, key.module); }
    static Key key_at(uint32_t number) {
        const auto *location = row_as<LocationRow>(RowKind::kLocation, number);
        return {location->module, location->offset};
    }
};

struct NodeTraits {
    struct Key {
        uint32_t location;
        uint32_t parent;
        uint32_t kind;
        bool operator==(const Key &) const = default;
    };
    using Row = NodeRow;
    static uint32_t hash(const Key &key) {
        return hash_of(uint64_t{key.kind} << 32 | key.location, key.parent);
    }
    static Key key_at(uint32_t number) {
        const auto *node = row_as<NodeRow>(RowKind::kNode, number);
        return {node->location, node->parent, node->kind};
    }
};

constinit RowIndex<LocationTraits> locations;
constinit RowIndex<NodeTraits> nodes;

void fill(LocationRow &row, const LocationTraits::Key &key) {
    row.module = key.module;
    row.offset = key.offset;
}

void fill(NodeRow &row, const NodeTraits::Key &key) {
    row.location = key.location;
    row.parent = key.parent;
    row.kind = key.kind;
}

// Async-signal-safe; kNoRow without room.
template <class Traits>
uint32_t find_or_take(RowIndex<Traits> &index, RowKind kind, const typename Traits::Key &key) {
    uint32_t number = index.find(key);
    if (number != kNoRow || !index.has_room(key)) {
        return number;
    }
    number = add_row(kind);
    if (number == kNoRow) {
        return kNoRow;
    }
    auto *added = row_as<typename Traits::Row>(kind, number);
    fill(*added, key);
    added->ready.store(1, std::memory_order_release);
    return index.insert(key, number);
}

// The same with growth.
template <class Traits>
uint32_t find_or_add(RowIndex<Traits> &index, RowKind kind, const typename Traits::Key &key) {
    index.grow();
    const uint32_t number = find_or_take(index, kind, key);
    if (number != kNoRow) {
        return number;
    }
    grow_store();
    return find_or_take(index, kind, key);
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
    return find_or_add(locations, RowKind::kLocation, key);
}

uint32_t location_met(uintptr_t address) {
    const Module *module = find_module(address);
    const uint32_t row = module ? module->row.load(std::memory_order_acquire) : kNoRow;
    const LocationTraits::Key key = {row, row != kNoRow ? address - module->base : address};
    return find_or_take(locations, RowKind::kLocation, key);
}

uint32_t node_of(uintptr_t address, uint32_t parent) {
    const NodeTraits::Key key = {location_of(address, true), parent,
                                 static_cast<uint32_t>(NodeKind::kRegion)};
    const uint32_t number = find_or_add(nodes, RowKind::kNode, key);
    return number != kNoRow ? number : kNodeUnknown;
}

uint32_t child_node(uint32_t location, uint32_t parent, NodeKind kind) {
    return find_or_take(nodes, RowKind::kNode, {location, parent, static_cast<uint32_t>(kind)});
}

void grow_call_tree() {
    locations.grow();
    nodes.grow();
}

void restart_call_tree() {
    locations.clear();
    nodes.clear();
}

} // namespace ompcollect
