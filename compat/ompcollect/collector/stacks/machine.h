// SPDX-License-Identifier: Apache-2.0
//
// What a walk must know of the processor: its registers by DWARF's numbers, where a call keeps its
// return address, and what a signal's handler is shown. A port begins here (x86-64, aarch64).
#pragma once

#include "stack_memory.h"

#include <ucontext.h>

namespace ompcollect {

#if defined(__x86_64__)

inline constexpr unsigned kRegisterExtra = 3; // bx: the dynamic linker finds its frame by it
inline constexpr unsigned kRegisterBp = 6;
inline constexpr unsigned kRegisterSp = 7;
inline constexpr unsigned kRegisterPc = 16;
inline constexpr unsigned kAddressBits = 47;
// A call pushes its return address.
inline constexpr bool kReturnsByLink = false;

inline Registers interrupted_registers(const void *context) {
    const auto &all = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
    return {static_cast<uintptr_t>(all[REG_RIP]), static_cast<uintptr_t>(all[REG_RSP]),
            static_cast<uintptr_t>(all[REG_RBP]), true, all};
}

// False: the context has no register of this number.
inline bool context_register(const Registers &registers, uint64_t number, uintptr_t &value) {
    constexpr int kIndex[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                              REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
    if (!registers.all || number >= sizeof kIndex / sizeof kIndex[0]) {
        return false;
    }
    value = static_cast<uintptr_t>(registers.all[kIndex[number]]);
    return true;
}

inline uintptr_t without_signature(uintptr_t return_address) {
    return return_address;
}

// The calling function's registers.
#define OMPCOLLECT_REGISTERS_HERE(registers)                                                       \
    __asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"                          \
                     : "=&r"((registers).pc), "=&r"((registers).sp), "=&r"((registers).bp));       \
    (registers).knows_bp = true;                                                                   \
    (registers).all = nullptr

#elif defined(__aarch64__)

inline constexpr unsigned kRegisterExtra = 32; // no rule names it: the link register (below)
inline constexpr unsigned kRegisterBp = 29;
inline constexpr unsigned kRegisterSp = 31;
inline constexpr unsigned kRegisterPc = 30; // a rule for the link register is the return address's
inline constexpr unsigned kAddressBits = 48;
// A call leaves its return address in x30. Functions that call others save it behind x29.
inline constexpr bool kReturnsByLink = true;

inline Registers interrupted_registers(const void *context) {
    const auto &machine = static_cast<const ucontext_t *>(context)->uc_mcontext;
    return {machine.pc, machine.sp, machine.regs[29], true, machine.regs, machine.regs[30], true};
}

inline bool context_register(const Registers &registers, uint64_t number, uintptr_t &value) {
    constexpr uint64_t kCount = 31;
    if (!registers.all || number >= kCount) {
        return false;
    }
    value = registers.all[number];
    return true;
}

// With pointer authentication a return address is signed in its upper bits. Without, and on
// processors that do not know the instruction, nothing changes: so it need not be known which
// addresses are signed (DW_CFA_AARCH64_negate_ra_state).
inline uintptr_t without_signature(uintptr_t return_address) {
    register uintptr_t x30 __asm__("x30") = return_address;
    __asm__("hint #7" : "+r"(x30)); // xpaclri
    return x30;
}

// The link register is of no more use where the function has called another one.
#define OMPCOLLECT_REGISTERS_HERE(registers)                                                       \
    __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29"                                      \
                     : "=&r"((registers).pc), "=&r"((registers).sp), "=&r"((registers).bp));       \
    (registers).knows_bp = true;                                                                   \
    (registers).all = nullptr

#else
#error "a walk of stacks is written for x86-64 and aarch64"
#endif

} // namespace ompcollect
