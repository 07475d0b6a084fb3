// SPDX-License-Identifier: Apache-2.0
#include "stack_walk.h"

#include "frame_rules.h"
#include "frame_step.h"
#include "frame_tables.h"
#include "known_code.h"

namespace ompcollect {
namespace {

uintptr_t address_of_code(const Registers &registers, bool is_exact) {
    // A return address may lie behind the end of the function that called.
    return registers.pc - (is_exact ? 0 : 1);
}

} // namespace

void warm_up_stack_walk() {
    find_frame_tables();
}

StackWalk::StackWalk(const Registers &registers, const StackMemory &memory, bool is_exact)
    : now_(registers), memory_(memory), is_exact_(is_exact), first_(registers),
      first_is_exact_(is_exact) {
    look();
}

bool StackWalk::read(uintptr_t address, uintptr_t &value) const {
    return read_word(memory_, address, value);
}

// A stack does not grow backwards. Just before a jump that ends its function, the stack pointer is
// the caller's already.
bool StackWalk::is_above(uintptr_t sp) const {
    return sp > now_.sp || (sp == now_.sp && is_exact_);
}

// Finds what is known of the frame at pc, and its CFA.
void StackWalk::look() {
    cfa_ = 0;
    base_slot_ = 0;
    used_first_base_ = false;
    next_is_exact_ = false;
    has_frame_ = now_.pc > 1;
    if (!has_frame_) {
        is_whole_ = now_.pc == 0;
        return;
    }
    const uintptr_t address = address_of_code(now_, is_exact_);
    if (!recall(address, rule_, location_)) {
        find_out(address, rule_, location_);
    }
    kind_ = kind_of(rule_);
    const Way way = way_of(rule_);
    is_first_ = way == Way::kFirst;
    slow_slots_ = {};
    if (way == Way::kSlowly) {
        base_slot_ = saved_bp_slot_;
        used_first_base_ = saved_bp_slot_ == 0;
        if (!find_cfa_slowly()) {
            cfa_ = 0;
        }
        is_repeatable_ = is_repeatable_ && slow_slots_.is_all;
        return;
    }
    if (way == Way::kFromBp) {
        if (!now_.knows_bp) {
            return;
        }
        base_slot_ = saved_bp_slot_;
        used_first_base_ = saved_bp_slot_ == 0;
    } else if (way != Way::kFromSp) {
        return;
    }
    const uintptr_t cfa = (way == Way::kFromSp ? now_.sp : now_.bp) + cfa_offset(rule_);
    if (!is_above(cfa) || cfa % kWord != 0) {
        return;
    }
    cfa_ = cfa;
}

// By the rules of every frame so far. That of the dynamic linker, which a call is under that it
// finds the function for, is the one that needs it.
void StackWalk::find_extra() {
    Registers at = first_;
    bool is_exact = first_is_exact_;
    FrameRules rules;
    Caller caller;
    for (unsigned frame = frames_before_; frame > 0; --frame) {
        if (!frame_rules_at(address_of_code(at, is_exact), rules) ||
            !step_to_caller(rules, at, memory_, caller)) {
            return;
        }
        at = caller.registers;
        is_exact = caller.is_interrupted;
    }
    now_.knows_extra = at.knows_extra && at.pc == now_.pc && at.sp == now_.sp;
    now_.extra = at.extra;
}

bool StackWalk::find_cfa_slowly() {
    FrameRules rules;
    Caller caller;
    if (!frame_rules_at(address_of_code(now_, is_exact_), rules)) {
        return false;
    }
    if (!now_.all && !rules.cfa.by_expression && rules.cfa.base == kRegisterExtra) {
        find_extra();
    }
    StackMemory memory = memory_;
    memory.slots = &slow_slots_;
    if (!step_to_caller(rules, now_, memory, caller) || caller.cfa % kWord != 0 ||
        (!caller.is_interrupted && !is_above(caller.registers.sp))) {
        return false;
    }
    // Of a handler's frame it may be where the kernel has saved the registers.
    cfa_ = caller.is_interrupted ? caller.registers.sp : caller.cfa;
    slow_caller_ = caller.registers;
    slow_bp_slot_ = saved_bp_slot_;
    if (caller.bp_slots.count != 0) {
        slow_bp_slot_ = caller.bp_slots.list[0];
        is_repeatable_ = is_repeatable_ && caller.bp_slots.is_all && caller.bp_slots.count == 1;
    }
    next_is_exact_ = caller.is_interrupted;
    return true;
}

void StackWalk::next() {
    has_frame_ = false;
    is_whole_ = is_first_;
    if (is_first_ || cfa_ == 0) {
        return;
    }
    ++frames_before_;
    if (way_of(rule_) == Way::kSlowly) {
        saved_bp_slot_ = slow_bp_slot_;
        return_slot_ = 0;
        now_ = slow_caller_;
    } else {
        uintptr_t pc = 0;
        uintptr_t bp = now_.bp;
        bool knows_bp = now_.knows_bp;
        if ((rule_ & kSavesBp) != 0) {
            saved_bp_slot_ = cfa_ - bp_depth(rule_);
            knows_bp = read(saved_bp_slot_, bp);
        }
        return_slot_ = kReturnsByLink ? saved_bp_slot_ + kWord : cfa_ - kWord;
        if (!read(return_slot_, pc)) {
            return;
        }
        now_ = {without_signature(pc), cfa_, bp, knows_bp, nullptr};
    }
    is_exact_ = next_is_exact_;
    look();
}

} // namespace ompcollect
