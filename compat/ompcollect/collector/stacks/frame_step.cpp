// SPDX-License-Identifier: Apache-2.0
#include "frame_step.h"

#include "frame_expression.h"

namespace ompcollect {
namespace {

// What the register has in the caller; false: that is lost.
bool value_in_caller(const RegisterRule &rule, unsigned number, uintptr_t cfa,
                     const Registers &registers, const StackMemory &memory, uintptr_t &value) {
    Evaluation evaluation(registers, memory);
    evaluation.push(cfa);
    uintptr_t slot = 0;
    switch (rule.kind) {
    case RuleKind::kSame:
        return register_value(registers, number, value);
    case RuleKind::kRegister:
        return use_register(registers, memory, static_cast<uint64_t>(rule.value), value);
    case RuleKind::kOffset:
        return read_word(memory, cfa + static_cast<uintptr_t>(rule.value), value);
    case RuleKind::kValueOf:
        value = cfa + static_cast<uintptr_t>(rule.value);
        return true;
    case RuleKind::kExpression:
        return evaluation.run(rule.expression, slot) && read_word(memory, slot, value);
    case RuleKind::kValueExpression:
        return evaluation.run(rule.expression, value);
    case RuleKind::kUndefined:
        break;
    }
    return false;
}

bool find_cfa(const CfaRule &rule, const Registers &registers, const StackMemory &memory,
              uintptr_t &cfa) {
    if (rule.by_expression) {
        return Evaluation(registers, memory).run(rule.expression, cfa);
    }
    const bool is_known = use_register(registers, memory, rule.base, cfa);
    cfa += static_cast<uintptr_t>(rule.offset);
    return is_known;
}

} // namespace

bool step_to_caller(const FrameRules &rules, const Registers &registers, StackMemory memory,
                    Caller &caller) {
    caller = {};
    if (!find_cfa(rules.cfa, registers, memory, caller.cfa)) {
        return false;
    }
    const auto take = [&](const RegisterRule &rule, unsigned number, uintptr_t &value) {
        return value_in_caller(rule, number, caller.cfa, registers, memory, value);
    };
    Registers &to = caller.registers;
    to.sp = caller.cfa;
    // Nothing depends on what the caller has in these, unless it is used there.
    SlotsRead *const slots = memory.slots;
    SlotsRead of_bp;
    memory.slots = &of_bp;
    to.knows_bp = take(rules.bp, kRegisterBp, to.bp);
    memory.slots = nullptr;
    to.knows_extra = take(rules.extra, kRegisterExtra, to.extra);
    memory.slots = slots;
    caller.bp_slots = of_bp;
    caller.is_interrupted = rules.is_signal_frame;
    const bool returns = take(rules.pc, kRegisterPc, to.pc);
    to.pc = without_signature(to.pc);
    return returns && (rules.sp.kind == RuleKind::kSame || take(rules.sp, kRegisterSp, to.sp));
}

} // namespace ompcollect
