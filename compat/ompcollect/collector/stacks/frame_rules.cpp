// SPDX-License-Identifier: Apache-2.0
//
// The layout is that of the Linux Standard Base, "Exception Frames"; the instructions are those of
// DWARF 4, section 6.4.2.
#include "frame_rules.h"

#include "frame_bytes.h"
#include "frame_tables.h"

#ifdef __aarch64__
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <link.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#endif

namespace ompcollect {
namespace {

// Null: of no concern.
RegisterRule *rule_in(FrameRules &rules, uint64_t number) {
    switch (number) {
    case kRegisterExtra:
        return &rules.extra;
    case kRegisterBp:
        return &rules.bp;
    case kRegisterSp:
        return &rules.sp;
    case kRegisterPc:
        return &rules.pc;
    default:
        return nullptr;
    }
}

// Executes the instructions of one function up to the wanted address.
class Machine {
  public:
    Machine(const Common &common, FrameRules &rules) : common_(common), rules_(rules) {}

    // False: not understood.
    bool run(const uint8_t *begin, const uint8_t *end, uintptr_t from, uintptr_t wanted);
    // What the common part has set, to which instructions may go back.
    void begin_own_part() { initial_ = rules_; }

  private:
    bool step(Bytes &code, uint8_t instruction);
    bool extended(Bytes &code, uint8_t instruction);
    bool set_cfa(Bytes &code, uint8_t instruction);
    bool set_register(Bytes &code, uint8_t instruction);
    void restore(uint64_t number);
    void set(uint64_t number, RuleKind kind, int64_t value, Expression expression = {});
    void advance(uint64_t units) { location_ += units * common_.code_unit; }

    static constexpr unsigned kDeepest = 3;
    const Common &common_;
    FrameRules &rules_;
    FrameRules initial_ = {};
    FrameRules remembered_[kDeepest];
    unsigned depth_ = 0;
    uintptr_t location_ = 0;
};

void Machine::restore(uint64_t number) {
    if (RegisterRule *rule = rule_in(rules_, number)) {
        *rule = *rule_in(initial_, number);
    }
}

void Machine::set(uint64_t number, RuleKind kind, int64_t value, Expression expression) {
    if (RegisterRule *rule = rule_in(rules_, number)) {
        *rule = {kind, value, expression};
    }
}

bool Machine::run(const uint8_t *begin, const uint8_t *end, uintptr_t from, uintptr_t wanted) {
    location_ = from;
    Bytes code(begin, end);
    while (code.more() && location_ <= wanted) {
        if (!step(code, code.take<uint8_t>())) {
            return false;
        }
    }
    return code.good();
}

bool Machine::step(Bytes &code, uint8_t instruction) {
    const uint8_t operand = instruction & 0x3fu;
    switch (instruction & 0xc0u) {
    case 0x40: // DW_CFA_advance_loc
        advance(operand);
        return true;
    case 0x80: // DW_CFA_offset
        set(operand, RuleKind::kOffset, static_cast<int64_t>(code.take_uleb()) * common_.data_unit);
        return true;
    case 0xc0: // DW_CFA_restore
        restore(operand);
        return true;
    default:
        return extended(code, instruction);
    }
}

bool Machine::extended(Bytes &code, uint8_t instruction) {
    switch (instruction) {
    case 0x00: // DW_CFA_nop
        return true;
    case 0x01: // DW_CFA_set_loc
        location_ = code.take_pointer(common_.encoding);
        return true;
    case 0x02: // DW_CFA_advance_loc1, 2, 4
        advance(code.take<uint8_t>());
        return true;
    case 0x03:
        advance(code.take<uint16_t>());
        return true;
    case 0x04:
        advance(code.take<uint32_t>());
        return true;
    case 0x0a: // DW_CFA_remember_state
        if (depth_ == kDeepest) {
            return false;
        }
        remembered_[depth_++] = rules_;
        return true;
    case 0x0b: // DW_CFA_restore_state
        if (depth_ == 0) {
            return false;
        }
        rules_ = remembered_[--depth_];
        return true;
    case 0x2e: // DW_CFA_GNU_args_size: of no concern to where the caller is
        code.take_uleb();
        return true;
    case 0x2d: // DW_CFA_AARCH64_negate_ra_state: without_signature() asks nobody
        return kReturnsByLink;
    default:
        return set_cfa(code, instruction) || set_register(code, instruction);
    }
}

// False: the instruction is not about the CFA.
bool Machine::set_cfa(Bytes &code, uint8_t instruction) {
    CfaRule &cfa = rules_.cfa;
    unsigned number = 0;
    switch (instruction) {
    case 0x0c: // DW_CFA_def_cfa
        number = static_cast<unsigned>(code.take_uleb());
        cfa = {false, number, static_cast<int64_t>(code.take_uleb()), {}};
        return true;
    case 0x0d: // DW_CFA_def_cfa_register
        cfa = {false, static_cast<unsigned>(code.take_uleb()), cfa.offset, {}};
        return true;
    case 0x0e: // DW_CFA_def_cfa_offset
        cfa.offset = static_cast<int64_t>(code.take_uleb());
        return true;
    case 0x0f: // DW_CFA_def_cfa_expression
        cfa = {true, 0, 0, code.take_block()};
        return true;
    case 0x12: // DW_CFA_def_cfa_sf
        number = static_cast<unsigned>(code.take_uleb());
        cfa = {false, number, code.take_sleb() * common_.data_unit, {}};
        return true;
    case 0x13: // DW_CFA_def_cfa_offset_sf
        cfa.offset = code.take_sleb() * common_.data_unit;
        return true;
    default:
        return false;
    }
}

// False: the instruction is not known.
bool Machine::set_register(Bytes &code, uint8_t instruction) {
    const bool is_known = (instruction >= 0x05 && instruction <= 0x09) || instruction == 0x10 ||
                          instruction == 0x11 || (instruction >= 0x14 && instruction <= 0x16);
    if (!is_known) {
        return false;
    }
    const uint64_t number = code.take_uleb();
    const auto factored = [&] {
        return static_cast<int64_t>(code.take_uleb()) * common_.data_unit;
    };
    switch (instruction) {
    case 0x05: // DW_CFA_offset_extended
        set(number, RuleKind::kOffset, factored());
        break;
    case 0x06: // DW_CFA_restore_extended
        restore(number);
        break;
    case 0x07: // DW_CFA_undefined
        set(number, RuleKind::kUndefined, 0);
        break;
    case 0x08: // DW_CFA_same_value
        set(number, RuleKind::kSame, 0);
        break;
    case 0x09: // DW_CFA_register
        set(number, RuleKind::kRegister, static_cast<int64_t>(code.take_uleb()));
        break;
    case 0x10: // DW_CFA_expression
        set(number, RuleKind::kExpression, 0, code.take_block());
        break;
    case 0x11: // DW_CFA_offset_extended_sf
        set(number, RuleKind::kOffset, code.take_sleb() * common_.data_unit);
        break;
    case 0x14: // DW_CFA_val_offset
        set(number, RuleKind::kValueOf, factored());
        break;
    case 0x15: // DW_CFA_val_offset_sf
        set(number, RuleKind::kValueOf, code.take_sleb() * common_.data_unit);
        break;
    default: // DW_CFA_val_expression
        set(number, RuleKind::kValueExpression, 0, code.take_block());
        break;
    }
    return true;
}

#ifdef __aarch64__

constexpr size_t kInstruction = sizeof(uint32_t);

// The kernel looks at the signal set before it refuses what is to be done with it.
bool is_readable(uintptr_t address) {
    constexpr long kNothing = -1;
    const int saved = errno;
    const long result = syscall(SYS_rt_sigprocmask, kNothing, address, nullptr, 8);
    const bool is_read = result == -1 && errno == EINVAL;
    errno = saved;
    return is_read;
}

// From the address on; false where nothing is mapped. An instruction lies in one page.
bool read_code(uintptr_t address, uint32_t &code) {
    if (!is_readable(address & ~uintptr_t{7})) {
        return false;
    }
    memcpy(&code, reinterpret_cast<const void *>(address), sizeof code);
    return true;
}

RegisterRule saved_at(size_t offset) {
    return {RuleKind::kOffset, static_cast<int64_t>(offset), {}};
}

// Where a handler returns to, the kernel's code has no rules, or those of the frame that it makes
// up and not of the one that was interrupted. What the kernel saves begins at the stack pointer.
bool handlers_return_at(uintptr_t address, FrameRules &rules) {
    constexpr uint32_t kReturnFromHandler[] = {0xd2801168, 0xd4000001}; // mov x8, 139; svc 0
    const uintptr_t begin = (address + 1) & ~uintptr_t{3}; // from a return address less one, too
    for (size_t i = 0; i < 2; ++i) {
        uint32_t code = 0;
        if (!read_code(begin + i * kInstruction, code) || code != kReturnFromHandler[i]) {
            return false;
        }
    }
    constexpr size_t kInfo = 128;
    constexpr size_t kContext = kInfo + offsetof(ucontext_t, uc_mcontext);
    rules = {};
    rules.cfa = {false, kRegisterSp, 0, {}};
    rules.pc = saved_at(kContext + offsetof(mcontext_t, pc));
    rules.sp = saved_at(kContext + offsetof(mcontext_t, sp));
    rules.bp = saved_at(kContext + offsetof(mcontext_t, regs) + kRegisterBp * kWord);
    rules.extra = saved_at(kContext + offsetof(mcontext_t, regs) + kRegisterPc * kWord);
    rules.is_signal_frame = true;
    return true;
}

// The caller has just made its call: the link register has its address still.
FrameRules returns_to_link() {
    FrameRules rules = {};
    rules.cfa = {false, kRegisterSp, 0, {}};
    rules.extra.kind = RuleKind::kUndefined;
    return rules;
}

// Of a linkage table: adrp x16; ldr x17, [x16, n]; add x16, x16, n; br x17; and what lies between.
bool is_of_linkage(uint32_t code) {
    constexpr uint32_t kNop = 0xd503201f;
    constexpr uint32_t kLandingPad = 0xd503245f;
    return (code & 0x9f00001f) == 0x90000010 || (code & 0xffc003ff) == 0xf9400211 ||
           (code & 0xffc003ff) == 0x91000210 || code == kNop || code == kLandingPad;
}

bool linkage_at(uintptr_t address, FrameRules &rules) {
    constexpr uint32_t kJump = 0xd61f0220; // br x17
    constexpr unsigned kLongest = 6;
    uint32_t code = 0;
    for (unsigned i = 0; i < kLongest; ++i) {
        if (address % kInstruction != 0 || !read_code(address + i * kInstruction, code)) {
            return false;
        }
        if (code == kJump) {
            rules = returns_to_link();
            return true;
        }
        if (!is_of_linkage(code)) {
            return false;
        }
    }
    return false;
}

// Whether an instruction calls, or moves the stack pointer.
bool may_change_frame(uint32_t code) {
    constexpr uint32_t kSp = 31;
    const bool calls = (code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000;
    const bool adds = (code & 0x3f800000) == 0x11000000 || (code & 0x3fe00000) == 0x0b200000;
    const bool combines =
        (code & 0x1f800000) == 0x12000000 && (code & 0x60000000) != 0x60000000; // and, or, eor
    const bool computes_sp = (code & 31) == kSp && (adds || combines);
    const bool pushes = (code >> 5 & 31) == kSp && ((code & 0x3a800000) == 0x28800000 || // a pair
                                                    (code & 0x3b200400) == 0x38000400);
    return calls || computes_sp || pushes;
}

struct KernelsPage {
    uintptr_t begin, end;
    const ElfW(Sym) * symbols;
    uint32_t symbol_count;
};

// What the kernel maps into each process (vdso(7)).
KernelsPage kernels_page() {
    KernelsPage page = {getauxval(AT_SYSINFO_EHDR), 0, nullptr, 0};
    if (page.begin == 0) {
        return page;
    }
    const auto *head = reinterpret_cast<const ElfW(Ehdr) *>(page.begin);
    const auto *parts = reinterpret_cast<const ElfW(Phdr) *>(page.begin + head->e_phoff);
    const ElfW(Dyn) *entry = nullptr;
    for (unsigned i = 0; i < head->e_phnum; ++i) {
        if (parts[i].p_type == PT_LOAD) {
            page.end = page.begin + parts[i].p_memsz;
        } else if (parts[i].p_type == PT_DYNAMIC) {
            entry = reinterpret_cast<const ElfW(Dyn) *>(page.begin + parts[i].p_vaddr);
        }
    }
    for (; entry && entry->d_tag != DT_NULL; ++entry) {
        const uintptr_t at = page.begin + entry->d_un.d_ptr;
        if (entry->d_tag == DT_SYMTAB) {
            page.symbols = reinterpret_cast<const ElfW(Sym) *>(at);
        } else if (entry->d_tag == DT_HASH) {
            page.symbol_count = reinterpret_cast<const uint32_t *>(at)[1];
        }
    }
    return page;
}

// The kernel's own functions: Linux 6.1 has no rules for them. One that calls nobody and leaves the
// stack pointer alone has its caller in the link register all the time.
bool kernels_function_at(uintptr_t address, FrameRules &rules) {
    const KernelsPage page = kernels_page();
    if (address < page.begin || address >= page.end || !page.symbols) {
        return false;
    }
    for (uint32_t i = 0; i < page.symbol_count; ++i) {
        const uintptr_t begin = page.begin + page.symbols[i].st_value;
        const uintptr_t end = begin + page.symbols[i].st_size;
        if (address < begin || address >= end || end > page.end) {
            continue;
        }
        for (uintptr_t at = begin; at + kInstruction <= end; at += kInstruction) {
            if (may_change_frame(*reinterpret_cast<const uint32_t *>(at))) {
                return false;
            }
        }
        rules = returns_to_link();
        return true;
    }
    return false;
}

// Code without rules in .eh_frame that is known by its instructions.
bool unlisted_rules_at(uintptr_t address, FrameRules &rules) {
    return handlers_return_at(address, rules) || linkage_at(address, rules) ||
           kernels_function_at(address, rules);
}
#else
bool unlisted_rules_at(uintptr_t, FrameRules &) {
    return false; // the linker, the C library and the kernel write rules
}
#endif

// Those of the file's tables.
bool listed_rules_at(uintptr_t address, FrameRules &rules) {
    Described found;
    if (!find_described(address, found)) {
        return false;
    }
    const Common &common = found.common;
    Bytes &entry = found.entry;
    rules = {};
    if (kReturnsByLink) {
        rules.extra.kind = RuleKind::kUndefined; // the callee's own return address is there
    }
    rules.is_signal_frame = common.is_signal_frame;
    Machine machine(common, rules);
    if (!machine.run(common.begin, common.end, found.begin, address)) {
        return false;
    }
    machine.begin_own_part();
    const bool is_known = machine.run(entry.at(), entry.end(), found.begin, address);
    // What a linkage table pushes on its way to the dynamic linker is not in the linker's rules.
    if (kReturnsByLink && rules.pc.kind == RuleKind::kOffset && rules.pc.value == int64_t{kWord}) {
        rules.sp = {RuleKind::kValueOf, int64_t{2 * kWord}, {}};
    }
    return is_known;
}

} // namespace

bool frame_rules_at(uintptr_t address, FrameRules &rules) {
    const bool is_listed = listed_rules_at(address, rules);
    return (is_listed && !(kReturnsByLink && rules.is_signal_frame)) ||
           unlisted_rules_at(address, rules);
}

} // namespace ompcollect
