// SPDX-License-Identifier: Apache-2.0
//
// Keys of call paths that need no agreement between processes: a node's key is a hash of its
// parent's, its kind, the file that the code is in, and the offset there. Where the file is not
// known the names stand for it. Keys are written to files, so the functions never change.
#pragma once

#include "run.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ompcollect::report {

inline constexpr uint64_t kRootKey = 0;

// FNV-1a of 64 bits.
constexpr uint64_t hash_of(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return hash;
}

// The finaliser of splitmix64 over both.
constexpr uint64_t mixed(uint64_t key, uint64_t with) {
    uint64_t hash = (key ^ with) + 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31U);
}

// By node. Parents stand first.
inline std::vector<uint64_t> node_keys(const std::vector<Node> &nodes) {
    std::vector<uint64_t> keys;
    keys.reserve(nodes.size());
    for (const Node &node : nodes) {
        uint64_t key = node.parent < 0 ? kRootKey : keys[static_cast<size_t>(node.parent)];
        key = mixed(key, static_cast<uint64_t>(node.kind));
        if (node.module.empty()) {
            key = mixed(mixed(key, hash_of(node.function.str())), hash_of(node.source.str()));
        } else {
            key = mixed(key, hash_of(node.module.str()));
        }
        keys.push_back(mixed(key, node.offset));
    }
    return keys;
}

} // namespace ompcollect::report
