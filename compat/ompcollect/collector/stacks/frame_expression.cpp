// SPDX-License-Identifier: Apache-2.0
#include "frame_expression.h"

#include "machine.h"

namespace ompcollect {
bool register_value(const Registers &registers, uint64_t number, uintptr_t &value) {
    switch (number) {
    case kRegisterSp:
        value = registers.sp;
        return true;
    case kRegisterPc: // on aarch64 the link register
        value = kReturnsByLink ? registers.extra : registers.pc;
        return !kReturnsByLink || registers.knows_extra;
    case kRegisterBp:
        value = registers.bp;
        return registers.knows_bp;
    default:
        if (number == kRegisterExtra && registers.knows_extra) {
            value = registers.extra;
            return true;
        }
        return context_register(registers, number, value);
    }
}

// Where other registers than these three have their values from is not noted.
bool use_register(const Registers &registers, const StackMemory &memory, uint64_t number,
                  uintptr_t &value) {
    if (memory.slots && number != kRegisterSp && number != kRegisterBp && number != kRegisterPc) {
        memory.slots->is_all = false;
    }
    return register_value(registers, number, value);
}

bool Evaluation::run(const Expression &expression, uintptr_t &result) {
    code_ = Bytes(expression.begin, expression.end);
    while (good_ && code_.more()) {
        step(code_.take<uint8_t>());
    }
    result = pop();
    return good_ && code_.good();
}

// A number that stands in the expression. False: not that.
bool Evaluation::constant(uint8_t operation) {
    constexpr uint8_t kLiteral = 0x30;
    constexpr uint8_t kRegister = 0x50;
    if (operation >= kLiteral && operation < kRegister) {
        push(operation - kLiteral);
        return true;
    }
    switch (operation) {
    case 0x08: // DW_OP_const1u, 1s, 2u, 2s, 4u, 4s, 8u, 8s
        push(code_.take<uint8_t>());
        return true;
    case 0x09:
        push(static_cast<uintptr_t>(code_.take<int8_t>()));
        return true;
    case 0x0a:
        push(code_.take<uint16_t>());
        return true;
    case 0x0b:
        push(static_cast<uintptr_t>(code_.take<int16_t>()));
        return true;
    case 0x0c:
        push(code_.take<uint32_t>());
        return true;
    case 0x0d:
        push(static_cast<uintptr_t>(code_.take<int32_t>()));
        return true;
    case 0x0e:
    case 0x0f:
        push(code_.take<uint64_t>());
        return true;
    case 0x10: // DW_OP_constu, consts
        push(code_.take_uleb());
        return true;
    case 0x11:
        push(static_cast<uintptr_t>(code_.take_sleb()));
        return true;
    default:
        return false;
    }
}

void Evaluation::step(uint8_t operation) {
    constexpr uint8_t kBase = 0x70;
    constexpr uint8_t kAfterBase = 0x90;
    uintptr_t value = 0;
    if (operation >= kBase && operation < kAfterBase) {
        good_ = good_ && use_register(registers_, memory_, operation - kBase, value);
        push(value + static_cast<uintptr_t>(code_.take_sleb()));
        return;
    }
    if (constant(operation)) {
        return;
    }
    switch (operation) {
    case 0x06: // DW_OP_deref
        good_ = read_word(memory_, pop(), value) && good_;
        push(value);
        break;
    case 0x12: // DW_OP_dup
        value = pop();
        push(value);
        push(value);
        break;
    case 0x13: // DW_OP_drop
        pop();
        break;
    case 0x23: // DW_OP_plus_uconst
        value = pop();
        push(value + code_.take_uleb());
        break;
    case 0x96: // DW_OP_nop
        break;
    default:
        two(operation);
        break;
    }
}

void Evaluation::two(uint8_t operation) {
    const uintptr_t right = pop();
    const uintptr_t left = pop();
    switch (operation) {
    case 0x1a: // DW_OP_and
        return push(left & right);
    case 0x1c: // DW_OP_minus
        return push(left - right);
    case 0x21: // DW_OP_or
        return push(left | right);
    case 0x22: // DW_OP_plus
        return push(left + right);
    case 0x24: // DW_OP_shl
        return push(right < 64 ? left << right : 0);
    case 0x25: // DW_OP_shr
        return push(right < 64 ? left >> right : 0);
    case 0x29: // DW_OP_eq
        return push(left == right);
    case 0x2a: // DW_OP_ge, on signed numbers as all of these
        return push(static_cast<intptr_t>(left) >= static_cast<intptr_t>(right));
    case 0x2b: // DW_OP_gt
        return push(static_cast<intptr_t>(left) > static_cast<intptr_t>(right));
    case 0x2c: // DW_OP_le
        return push(static_cast<intptr_t>(left) <= static_cast<intptr_t>(right));
    case 0x2d: // DW_OP_lt
        return push(static_cast<intptr_t>(left) < static_cast<intptr_t>(right));
    case 0x2e: // DW_OP_ne
        return push(left != right);
    default:
        good_ = false;
    }
}

} // namespace ompcollect
