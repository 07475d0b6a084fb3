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
        bool operator==(const Key &) const = default;
    };
    using Row = NodeRow;
    static uint32_t hash(const Key &key) { return hash_of(key.location, key.parent); }
    static Key key_at(uint32_t number) {
        const auto *node = row_as<NodeRow>(RowKind::kNode, number);
        return {node->location, node->parent};
    }
};

constinit RowIndex<LocationTraits> locations;
constinit RowIndex<NodeTraits> nodes;

// `fill` writes the key into the new row.
template <class Traits, class Fill>
uint32_t find_or_add(RowIndex<Traits> &index, RowKind kind, const typename Traits::Key &key,
                     Fill fill) {
    uint32_t number = index.find(key);
    if (number != kNoRow) {
        return number;
    }
    index.grow();
    if (!index.has_room(key)) {
        return kNoRow;
    }
    number = add_row_growing(kind);
    if (number == kNoRow) {
        return kNoRow;
    }
    auto *added = row_as<typename Traits::Row>(kind, number);
    fill(*added);
    added->ready.store(1, std::memory_order_release);
    return index.insert(key, number);
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
    return find_or_add(locations, RowKind::kLocation, key, [&](LocationRow &location) {
        location.module = key.module;
        location.offset = key.offset;
    });
}

uint32_t node_of(uintptr_t address, uint32_t parent) {
    const NodeTraits::Key key = {location_of(address, true), parent};
    const uint32_t number = find_or_add(nodes, RowKind::kNode, key, [&](NodeRow &node) {
        node.location = key.location;
        node.parent = key.parent;
    });
    return number != kNoRow ? number : kNodeUnknown;
}

void restart_call_tree() {
    locations.clear();
    nodes.clear();
}

} // namespace ompcollect
