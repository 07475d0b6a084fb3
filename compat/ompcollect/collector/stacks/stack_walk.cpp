// SPDX-License-Identifier: Apache-2.0
//
// A remembered rule is one word; what does not fit is worked out anew each time.
#include "stack_walk.h"

#include "call_tree.h"
#include "frame_rules.h"
#include "module_map.h"
#include "profile_file.h"
#include "row_index.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

namespace ompcollect {
namespace {

#ifdef __x86_64__
constexpr bool kIsKnownMachine = true;
#else
constexpr bool kIsKnownMachine = false;
#endif

constexpr uintptr_t kWord = sizeof(uintptr_t);

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
constexpr unsigned kOffsetBits = 28;
constexpr unsigned kCfaShift = 8;
constexpr unsigned kBpShift = 36;
constexpr uint64_t kSavesBp = uint64_t{1} << 6;

uint64_t packed(Way way, CodeKind kind) {
    return static_cast<uint64_t>(way) | static_cast<uint64_t>(kind) << 3;
}
Way way_of(uint64_t rule) {
    return static_cast<Way>(rule & 7u);
}
CodeKind kind_of(uint64_t rule) {
    return static_cast<CodeKind>(rule >> 3 & 7u);
}
uint64_t cfa_offset(uint64_t rule) {
    return rule >> kCfaShift & ((uint64_t{1} << kOffsetBits) - 1);
}
uint64_t bp_depth(uint64_t rule) {
    return rule >> kBpShift;
}
bool fits(uint64_t offset) {
    return offset < (uint64_t{1} << kOffsetBits);
}

struct CodeEntry {
    std::atomic<uint64_t> key; // 0: free
    std::atomic<uint64_t> rule;
    std::atomic<uint32_t> location;
};
constexpr unsigned kWays = 4;
constexpr unsigned kSets = 4096;
constexpr uint64_t kFilling = 1;
using CodeSet = CodeEntry[kWays];
constinit CodeSet known_code[kSets] = {};

// Addresses have 47 bits; what lies there may change with the modules.
uint64_t key_of(uintptr_t address) {
    return address | code_generation() << 47;
}

CodeSet &set_of(uintptr_t address) {
    return known_code[hash_of(address, 0) % kSets];
}

bool recall(uintptr_t address, uint64_t &rule, uint32_t &location) {
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
    place->rule.store(rule, std::memory_order_relaxed);
    place->location.store(location, std::memory_order_relaxed);
    place->key.store(key_of(address), std::memory_order_release);
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
                          rules.sp.kind == RuleKind::kSame && rules.pc.kind == RuleKind::kOffset &&
                          rules.pc.value == -static_cast<int64_t>(kWord) &&
                          (rules.bp.kind == RuleKind::kSame || (saves_bp && fits(depth)));
    if (!is_plain) {
        return packed(Way::kSlowly, kind);
    }
    return packed(by_sp ? Way::kFromSp : Way::kFromBp, kind) | offset << kCfaShift |
           (saves_bp ? kSavesBp | depth << kBpShift : 0);
}

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

bool ask_kernel(uintptr_t address, uintptr_t &value) {
    const iovec to = {&value, sizeof value};
    const iovec from = {reinterpret_cast<void *>(address), sizeof value};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(sizeof value);
}

bool read_word(const StackMemory &memory, uintptr_t address, uintptr_t &value) {
    if (memory.slots) {
        memory.slots->add(address);
    }
    if (address >= memory.low && address < memory.high && memory.high - address >= kWord) {
        memcpy(&value, memory.bytes + (address - memory.low), sizeof value);
        return true;
    }
    return memory.asks_kernel && ask_kernel(address, value);
}

// The registers of a signal's context by DWARF's numbers.
constexpr int kContextIndex[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                 REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                 REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
constexpr unsigned kContextRegisters = sizeof kContextIndex / sizeof kContextIndex[0];

bool register_value(const Registers &registers, uint64_t number, uintptr_t &value) {
    switch (number) {
    case kRegisterSp:
        value = registers.sp;
        return true;
    case kRegisterPc:
        value = registers.pc;
        return true;
    case kRegisterBp:
        value = registers.bp;
        return registers.knows_bp;
    default:
        if (number == kRegisterBx && registers.knows_bx) {
            value = registers.bx;
            return true;
        }
        if (!registers.all || number >= kContextRegisters) {
            return false;
        }
        value = static_cast<uintptr_t>(registers.all[kContextIndex[number]]);
        return true;
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

// DWARF's stack machine, with what compilers and the C library use of it.
class Evaluation {
  public:
    Evaluation(const Registers &registers, const StackMemory &memory)
        : registers_(registers), memory_(memory) {}

    void push(uintptr_t value) {
        if (depth_ == kDeepest) {
            good_ = false;
            return;
        }
        stack_[depth_++] = value;
    }
    bool run(const Expression &expression, uintptr_t &result);

  private:
    uintptr_t pop() {
        if (depth_ == 0) {
            good_ = false;
            return 0;
        }
        return stack_[--depth_];
    }
    void step(uint8_t operation);
    void two(uint8_t operation);
    template <class T> T take() {
        T value = {};
        if (static_cast<uintptr_t>(end_ - at_) < sizeof value) {
            good_ = false;
            return value;
        }
        memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    uint64_t take_leb(bool is_signed) {
        uint64_t value = 0;
        unsigned shift = 0;
        uint8_t byte = 0x80;
        while ((byte & 0x80u) != 0 && shift < 64 && good_) {
            byte = take<uint8_t>();
            value |= uint64_t{byte & 0x7fu} << shift;
            shift += 7;
        }
        if (is_signed && (byte & 0x40u) != 0 && shift < 64) {
            value |= ~uint64_t{0} << shift;
        }
        return value;
    }

    static constexpr unsigned kDeepest = 8;
    const Registers &registers_;
    const StackMemory &memory_;
    uintptr_t stack_[kDeepest] = {};
    unsigned depth_ = 0;
    bool good_ = true;
    const uint8_t *at_ = nullptr;
    const uint8_t *end_ = nullptr;
};

bool Evaluation::run(const Expression &expression, uintptr_t &result) {
    at_ = expression.begin;
    end_ = expression.end;
    while (good_ && at_ < end_) {
        step(take<uint8_t>());
    }
    result = pop();
    return good_;
}

void Evaluation::step(uint8_t operation) {
    constexpr uint8_t kLiteral = 0x30;
    constexpr uint8_t kRegister = 0x50;
    constexpr uint8_t kBase = 0x70;
    constexpr uint8_t kAfterBase = 0x90;
    uintptr_t value = 0;
    if (operation >= kBase && operation < kAfterBase) {
        good_ = good_ && use_register(registers_, memory_, operation - kBase, value);
        push(value + take_leb(true));
        return;
    }
    if (operation >= kLiteral && operation < kRegister) {
        push(operation - kLiteral);
        return;
    }
    switch (operation) {
    case 0x06: // DW_OP_deref
        good_ = read_word(memory_, pop(), value) && good_;
        push(value);
        break;
    case 0x08: // DW_OP_const1u, 1s, 2u, 2s, 4u, 4s, 8u, 8s
        push(take<uint8_t>());
        break;
    case 0x09:
        push(static_cast<uintptr_t>(take<int8_t>()));
        break;
    case 0x0a:
        push(take<uint16_t>());
        break;
    case 0x0b:
        push(static_cast<uintptr_t>(take<int16_t>()));
        break;
    case 0x0c:
        push(take<uint32_t>());
        break;
    case 0x0d:
        push(static_cast<uintptr_t>(take<int32_t>()));
        break;
    case 0x0e:
    case 0x0f:
        push(take<uint64_t>());
        break;
    case 0x10: // DW_OP_constu, consts
        push(take_leb(false));
        break;
    case 0x11:
        push(take_leb(true));
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
        push(value + take_leb(false));
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

// Rules applied to the registers of a frame, for what a word cannot hold.
struct Caller {
    uintptr_t cfa;
    Registers registers;
    bool is_interrupted; // by a signal: its pc is exact
    SlotsRead bp_slots;  // where bp was read
};

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

bool apply(const FrameRules &rules, const Registers &registers, StackMemory memory,
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
    to.knows_bx = take(rules.bx, kRegisterBx, to.bx);
    memory.slots = slots;
    caller.bp_slots = of_bp;
    caller.is_interrupted = rules.is_signal_frame;
    return take(rules.pc, kRegisterPc, to.pc) &&
           (rules.sp.kind == RuleKind::kSame || take(rules.sp, kRegisterSp, to.sp));
}

uintptr_t address_of_code(const Registers &registers, bool is_exact) {
    // A return address may lie behind the end of the function that called.
    return registers.pc - (is_exact ? 0 : 1);
}

} // namespace

// Page by page, as the kernel reads a part whole or not at all.
size_t copy_memory(uintptr_t address, void *to, size_t size) {
    constexpr uintptr_t kPage = 4096;
    constexpr size_t kMostParts = 8;
    iovec parts[kMostParts];
    size_t count = 0;
    size_t listed = 0;
    for (; listed < size && count < kMostParts; ++count) {
        const uintptr_t begin = address + listed;
        const size_t length = std::min(size - listed, kPage - begin % kPage);
        parts[count] = {reinterpret_cast<void *>(begin), length};
        listed += length;
    }
    const iovec whole = {to, listed};
    const ssize_t copied = process_vm_readv(getpid(), &whole, 1, parts, count, 0);
    return copied > 0 ? static_cast<size_t>(copied) : 0;
}

bool warm_up_stack_walk() {
    find_frame_tables();
    return kIsKnownMachine;
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
void StackWalk::find_bx() {
    Registers at = first_;
    bool is_exact = first_is_exact_;
    FrameRules rules;
    Caller caller;
    for (unsigned frame = frames_before_; frame > 0; --frame) {
        if (!frame_rules_at(address_of_code(at, is_exact), rules) ||
            !apply(rules, at, memory_, caller)) {
            return;
        }
        at = caller.registers;
        is_exact = caller.is_interrupted;
    }
    now_.knows_bx = at.knows_bx && at.pc == now_.pc && at.sp == now_.sp;
    now_.bx = at.bx;
}

bool StackWalk::find_cfa_slowly() {
    FrameRules rules;
    Caller caller;
    if (!frame_rules_at(address_of_code(now_, is_exact_), rules)) {
        return false;
    }
    if (!now_.all && !rules.cfa.by_expression && rules.cfa.base == kRegisterBx) {
        find_bx();
    }
    StackMemory memory = memory_;
    memory.slots = &slow_slots_;
    if (!apply(rules, now_, memory, caller) || caller.cfa % kWord != 0 ||
        (!caller.is_interrupted && !is_above(caller.registers.sp))) {
        return false;
    }
    cfa_ = caller.cfa;
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
        return_slot_ = cfa_ - kWord;
        if (!read(return_slot_, pc)) {
            return;
        }
        now_ = {pc, cfa_, bp, knows_bp, nullptr};
    }
    is_exact_ = next_is_exact_;
    look();
}

} // namespace ompcollect
