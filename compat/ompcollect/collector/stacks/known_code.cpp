// SPDX-License-Identifier: Apache-2.0
#include "known_code.h"

#include "call_tree.h"
#include "frame_rules.h"
#include "profile_file.h"
#include "stack_memory.h"

namespace ompcollect {

constinit CodeSet known_code[kSets] = {};

namespace {

void remember(uintptr_t address, uint64_t rule, uint32_t location) {
    CodeSet &set = set_of(address);
    CodeEntry *place = &set[(address >> 3) % kWays];
    for (CodeEntry &entry : set) {
        if (entry.key.load(std::memory_order_relaxed) == 0) {
            place = &entry;
            break;
        }
    }
    uint64_t before = place->key.load(std::memory_order_relaxed);
    if (before == kFilling ||
        !place->key.compare_exchange_strong(before, kFilling, std::memory_order_acquire)) {
        return;
    }
    // Who reads something new of the old key finds the key gone when he looks again.
    std::atomic_thread_fence(std::memory_order_release);
    place->rule.store(rule, std::memory_order_relaxed);
    place->location.store(location, std::memory_order_relaxed);
    place->key.store(key_of(address), std::memory_order_release);
}

// Where StackWalk::next() looks for the return address.
bool returns_as_most(const FrameRules &rules) {
    constexpr auto kWordBehind = static_cast<int64_t>(kWord);
    return rules.pc.kind == RuleKind::kOffset &&
           (kReturnsByLink ? rules.bp.kind == RuleKind::kOffset &&
                                 rules.pc.value == rules.bp.value + kWordBehind
                           : rules.pc.value == -kWordBehind);
}

uint64_t rule_from(const FrameRules &rules, CodeKind kind) {
    if (rules.pc.kind == RuleKind::kUndefined) {
        return packed(Way::kFirst, kind);
    }
    const bool by_sp = !rules.cfa.by_expression && rules.cfa.base == kRegisterSp;
    const bool by_bp = !rules.cfa.by_expression && rules.cfa.base == kRegisterBp;
    const bool saves_bp = rules.bp.kind == RuleKind::kOffset;
    const auto offset = static_cast<uint64_t>(rules.cfa.offset);
    const auto depth = static_cast<uint64_t>(-rules.bp.value);
    const bool is_plain = (by_sp || by_bp) && fits(offset) && !rules.is_signal_frame &&
                          rules.sp.kind == RuleKind::kSame && returns_as_most(rules) &&
                          (rules.bp.kind == RuleKind::kSame || (saves_bp && fits(depth)));
    if (!is_plain) {
        return packed(Way::kSlowly, kind);
    }
    return packed(by_sp ? Way::kFromSp : Way::kFromBp, kind) | offset << kCfaShift |
           (saves_bp ? kSavesBp | depth << kBpShift : 0);
}

} // namespace

void find_out(uintptr_t address, uint64_t &rule, uint32_t &location) {
    const CodeKind kind = kind_of_code(address);
    FrameRules rules;
    if (frame_rules_at(address, rules)) {
        rule = rule_from(rules, kind);
    } else {
        // Nobody has called what returns to a function's beginning: a coroutine starts there.
        rule = packed(frame_rules_at(address + 1, rules) ? Way::kFirst : Way::kNone, kind);
    }
    location = kind == CodeKind::kUser || kind == CodeKind::kBase ? location_met(address) : kNoRow;
    if (location != kNoRow || kind == CodeKind::kRuntime || kind == CodeKind::kOwn) {
        remember(address, rule, location);
    }
}

} // namespace ompcollect
