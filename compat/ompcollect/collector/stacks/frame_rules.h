// SPDX-License-Identifier: Apache-2.0
//
// How to find a function's caller: the rules of .eh_frame for one address. Tables are
// found by PT_GNU_EH_FRAME of the loaded file. All async-signal-safe: nothing allocates, locks or
// writes to shared memory. Tables are taken as they are mapped, but for being cut at their file's
// end; who applies the rules checks what they read of the stack (stack_walk.h).
#pragma once

#include "frame_bytes.h"
#include "machine.h"

#include <cstdint>

namespace ompcollect {

enum class RuleKind : uint8_t {
    kSame,       // the register is the caller's still
    kUndefined,  // it is lost; of the return address: this is the first frame of its thread
    kOffset,     // at CFA + value
    kValueOf,    // is CFA + value
    kRegister,   // is in another register, whose number is the value
    kExpression, // at what the expression gives
    kValueExpression,
};

struct RegisterRule {
    RuleKind kind;
    int64_t value;
    Expression expression;
};

// The canonical frame address: a register plus an offset, or an expression.
struct CfaRule {
    bool by_expression;
    unsigned base;
    int64_t offset;
    Expression expression;
};

struct FrameRules {
    CfaRule cfa;
    RegisterRule extra;
    RegisterRule bp;
    RegisterRule sp;
    RegisterRule pc; // the return address
    bool is_signal_frame;
};

// The rules in force at this address of code. False: nothing is known of it.
bool frame_rules_at(uintptr_t address, FrameRules &rules);

} // namespace ompcollect
