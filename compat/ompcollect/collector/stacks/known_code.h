// SPDX-License-Identifier: Apache-2.0
//
// What is known of each address of code, in one table of the process: the rule that finds the
// caller, whose code it is, and its place in the profile. A remembered rule is one word; what does
// not fit is worked out anew each time. Any thread writes; async-signal-safe, without locks.
#pragma once

#include "machine.h"
#include "module_map.h"
#include "row_index.h"

#include <atomic>
#include <cstdint>

namespace ompcollect {

// How the caller is found.
enum class Way : uint64_t {
    kNone, // nothing is known of the code
    kFromSp,
    kFromBp,
    kSlowly, // by the rules themselves
    kFirst,  // it has no caller
};

// Bits 0-2 way, 3-5 kind of code, 6 bp is saved, 8-35 offset of the CFA, 36-63 place of bp below
// it.
inline constexpr unsigned kOffsetBits = 28;
inline constexpr unsigned kCfaShift = 8;
inline constexpr unsigned kBpShift = 36;
inline constexpr uint64_t kSavesBp = uint64_t{1} << 6;

inline uint64_t packed(Way way, CodeKind kind) {
    return static_cast<uint64_t>(way) | static_cast<uint64_t>(kind) << 3;
}
inline Way way_of(uint64_t rule) {
    return static_cast<Way>(rule & 7u);
}
inline CodeKind kind_of(uint64_t rule) {
    return static_cast<CodeKind>(rule >> 3 & 7u);
}
inline uint64_t cfa_offset(uint64_t rule) {
    return rule >> kCfaShift & ((uint64_t{1} << kOffsetBits) - 1);
}
inline uint64_t bp_depth(uint64_t rule) {
    return rule >> kBpShift;
}
inline bool fits(uint64_t offset) {
    return offset < (uint64_t{1} << kOffsetBits);
}

struct CodeEntry {
    std::atomic<uint64_t> key; // 0: free
    std::atomic<uint64_t> rule;
    std::atomic<uint32_t> location;
};
inline constexpr unsigned kWays = 4;
inline constexpr unsigned kSets = 4096;
inline constexpr uint64_t kFilling = 1;
using CodeSet = CodeEntry[kWays];
extern constinit CodeSet known_code[kSets];

// What lies at an address may change with the modules.
inline uint64_t key_of(uintptr_t address) {
    return address | code_generation() << kAddressBits;
}

inline CodeSet &set_of(uintptr_t address) {
    return known_code[hash_of(address, 0) % kSets];
}

inline bool recall(uintptr_t address, uint64_t &rule, uint32_t &location) {
    const uint64_t key = key_of(address);
    for (CodeEntry &entry : set_of(address)) {
        if (entry.key.load(std::memory_order_acquire) == key) {
            rule = entry.rule.load(std::memory_order_relaxed);
            location = entry.location.load(std::memory_order_relaxed);
            std::atomic_thread_fence(std::memory_order_acquire);
            return entry.key.load(std::memory_order_relaxed) == key;
        }
    }
    return false;
}

// For what recall() does not have: from the rules of .eh_frame, and kept for the next.
void find_out(uintptr_t address, uint64_t &rule, uint32_t &location);

} // namespace ompcollect
