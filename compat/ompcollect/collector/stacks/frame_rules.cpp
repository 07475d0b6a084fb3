// SPDX-License-Identifier: Apache-2.0
//
// The layout is that of the Linux Standard Base, "Exception Frames"; the
// instructions are those of DWARF 4, section 6.4.2.
#include "frame_rules.h"

#include "module_map.h"

#include <cstring>
#include <dlfcn.h>

namespace ompcollect {
namespace {

// Encodings of pointers: the lower half is the form, the upper what it counts from.
constexpr uint8_t kAbsolute = 0x00;
constexpr uint8_t kUnsigned2 = 0x02;
constexpr uint8_t kUnsigned4 = 0x03;
constexpr uint8_t kUnsigned8 = 0x04;
constexpr uint8_t kSigned2 = 0x0a;
constexpr uint8_t kSigned4 = 0x0b;
constexpr uint8_t kSigned8 = 0x0c;
constexpr uint8_t kFromHere = 0x10;
constexpr uint8_t kFromTable = 0x30;
constexpr uint8_t kOmitted = 0xff;

// A mapped file's table, and where the file ends.
struct Tables {
    const uint8_t *index; // PT_GNU_EH_FRAME
    const uint8_t *begin;
    const uint8_t *end;
};

// glibc 2.35 and later; the structure has room to grow.
struct FoundObject {
    unsigned long long flags;
    void *begin;
    void *end;
    void *link_map;
    void *index;
    unsigned long long reserved[7];
};
using FindObject = int (*)(void *, FoundObject *);
constinit FindObject find_object = nullptr;

bool tables_of(uintptr_t address, Tables &tables) {
    if (find_object) {
        FoundObject found;
        if (find_object(reinterpret_cast<void *>(address), &found) != 0 || !found.index) {
            return false;
        }
        tables = {static_cast<const uint8_t *>(found.index),
                  static_cast<const uint8_t *>(found.begin),
                  static_cast<const uint8_t *>(found.end)};
        // Of a file whose segments do not touch, glibc returns the one segment that has the
        // address.
        if (tables.index >= tables.begin && tables.index < tables.end) {
            return true;
        }
    }
    const Module *module = find_module(address);
    if (!module || module->frame_index == 0 || !modules_are_fresh()) {
        return false;
    }
    tables = {reinterpret_cast<const uint8_t *>(module->frame_index),
              reinterpret_cast<const uint8_t *>(module->begin),
              reinterpret_cast<const uint8_t *>(module->end)};
    return true;
}

// Reads on until `end`; past it everything is 0 and good() false.
class Bytes {
  public:
    Bytes(const uint8_t *begin, const uint8_t *end) : at_(begin), end_(end) {}

    [[nodiscard]] bool good() const { return good_; }
    [[nodiscard]] bool more() const { return good_ && at_ < end_; }
    [[nodiscard]] const uint8_t *at() const { return at_; }
    [[nodiscard]] const uint8_t *end() const { return end_; }

    template <class T> T take() {
        T value = {};
        if (!has(sizeof value)) {
            return value;
        }
        memcpy(&value, at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    uint64_t take_uleb() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const auto byte = take<uint8_t>();
            value |= uint64_t{byte & 0x7fu} << shift;
            if ((byte & 0x80u) == 0) {
                break;
            }
        }
        return value;
    }
    int64_t take_sleb() {
        uint64_t value = 0;
        unsigned shift = 0;
        uint8_t byte = 0x80;
        while ((byte & 0x80u) != 0 && shift < 64) {
            byte = take<uint8_t>();
            value |= uint64_t{byte & 0x7fu} << shift;
            shift += 7;
        }
        if ((byte & 0x40u) != 0 && shift < 64) {
            value |= ~uint64_t{0} << shift;
        }
        return static_cast<int64_t>(value);
    }
    void skip(uint64_t count) {
        if (has(count)) {
            at_ += count;
        }
    }
    Expression take_block() {
        const uint64_t length = take_uleb();
        const uint8_t *begin = at_;
        skip(length);
        return good_ ? Expression{begin, at_} : Expression{begin, begin};
    }
    // The number as it stands, not yet counted from anywhere.
    int64_t take_form(uint8_t encoding) {
        switch (encoding & 0x0fu) {
        case kAbsolute:
        case kUnsigned8:
        case kSigned8:
            return take<int64_t>();
        case kUnsigned2:
            return take<uint16_t>();
        case kUnsigned4:
            return take<uint32_t>();
        case kSigned2:
            return take<int16_t>();
        case kSigned4:
            return take<int32_t>();
        default:
            good_ = false;
            return 0;
        }
    }
    uintptr_t take_pointer(uint8_t encoding) {
        const auto here = reinterpret_cast<uintptr_t>(at_);
        const auto number = static_cast<uintptr_t>(take_form(encoding));
        switch (encoding & 0xf0u) {
        case 0:
            return number;
        case kFromHere:
            return here + number;
        default:
            good_ = false;
            return 0;
        }
    }

  private:
    bool has(uint64_t count) {
        if (static_cast<uint64_t>(end_ - at_) < count) {
            good_ = false;
            at_ = end_;
        }
        return good_;
    }

    const uint8_t *at_;
    const uint8_t *end_;
    bool good_ = true;
};

// The description of the function that the address would be in; null: the index has none.
const uint8_t *find_description(const Tables &tables, uintptr_t address) {
    Bytes head(tables.index, tables.end);
    const auto version = head.take<uint8_t>();
    const auto pointer_encoding = head.take<uint8_t>();
    const auto count_encoding = head.take<uint8_t>();
    const auto table_encoding = head.take<uint8_t>();
    if (version != 1 || table_encoding != (kFromTable | kSigned4) || count_encoding == kOmitted ||
        pointer_encoding == kOmitted) {
        return nullptr;
    }
    head.take_form(pointer_encoding);
    const auto count = static_cast<uint64_t>(head.take_form(count_encoding));
    struct Entry {
        int32_t begin; // both from the index's own address
        int32_t description;
    };
    if (!head.good() || count == 0 ||
        count > static_cast<uint64_t>(tables.end - head.at()) / sizeof(Entry)) {
        return nullptr;
    }
    const auto entry = [&](uint64_t i) {
        Entry found;
        memcpy(&found, head.at() + i * sizeof found, sizeof found);
        return found;
    };
    const auto wanted = static_cast<int64_t>(address - reinterpret_cast<uintptr_t>(tables.index));
    uint64_t low = 0;
    uint64_t high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (entry(middle).begin <= wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const uint8_t *found = low != 0 ? tables.index + entry(low - 1).description : nullptr;
    return found >= tables.begin && found < tables.end ? found : nullptr;
}

// What several functions have in common.
struct Common {
    uint64_t code_unit;
    int64_t data_unit;
    uint8_t encoding;
    bool has_extra;
    bool is_signal_frame;
    const uint8_t *begin; // of the instructions
    const uint8_t *end;
};

// One entry of .eh_frame without its length.
bool open_entry(const uint8_t *at, const Tables &tables, Bytes &entry) {
    if (at < tables.begin || at >= tables.end) {
        return false;
    }
    Bytes head(at, tables.end);
    const auto length = head.take<uint32_t>();
    if (!head.good() || length == 0xffffffff ||
        length > static_cast<uint64_t>(tables.end - head.at())) {
        return false;
    }
    entry = Bytes(head.at(), head.at() + length);
    return true;
}

bool read_extra(Bytes &entry, const char *letters, Common &common) {
    const uint64_t length = entry.take_uleb();
    const uint8_t *begin = entry.at();
    for (const char *letter = letters; *letter; ++letter) {
        switch (*letter) {
        case 'R':
            common.encoding = entry.take<uint8_t>();
            break;
        case 'P':
            entry.take_form(entry.take<uint8_t>());
            break;
        case 'L':
            entry.take<uint8_t>();
            break;
        case 'S':
            common.is_signal_frame = true;
            break;
        default:
            break;
        }
    }
    const auto read = static_cast<uint64_t>(entry.at() - begin);
    entry.skip(length > read ? length - read : 0);
    return entry.good();
}

bool read_common(const uint8_t *at, const Tables &tables, Common &common) {
    Bytes entry(nullptr, nullptr);
    if (!open_entry(at, tables, entry) || entry.take<uint32_t>() != 0) {
        return false;
    }
    const auto version = entry.take<uint8_t>();
    const auto *letters = reinterpret_cast<const char *>(entry.at());
    while (entry.more() && entry.take<char>() != 0) {
    }
    common.code_unit = entry.take_uleb();
    common.data_unit = entry.take_sleb();
    const uint64_t return_column = version == 1 ? entry.take<uint8_t>() : entry.take_uleb();
    if (!entry.good() || (version != 1 && version != 3) || return_column != kRegisterPc) {
        return false;
    }
    common.has_extra = *letters == 'z';
    if (common.has_extra ? !read_extra(entry, letters + 1, common) : *letters != 0) {
        return false;
    }
    common.begin = entry.at();
    common.end = entry.end();
    return true;
}

// Null: of no concern.
RegisterRule *rule_in(FrameRules &rules, uint64_t number) {
    switch (number) {
    case kRegisterBx:
        return &rules.bx;
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
    CfaRule &cfa = rules_.cfa;
    uint64_t number = 0;
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
    case 0x05: // DW_CFA_offset_extended
        number = code.take_uleb();
        set(number, RuleKind::kOffset, static_cast<int64_t>(code.take_uleb()) * common_.data_unit);
        return true;
    case 0x06: // DW_CFA_restore_extended
        restore(code.take_uleb());
        return true;
    case 0x07: // DW_CFA_undefined
        set(code.take_uleb(), RuleKind::kUndefined, 0);
        return true;
    case 0x08: // DW_CFA_same_value
        set(code.take_uleb(), RuleKind::kSame, 0);
        return true;
    case 0x09: // DW_CFA_register
        number = code.take_uleb();
        set(number, RuleKind::kRegister, static_cast<int64_t>(code.take_uleb()));
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
    case 0x0c: // DW_CFA_def_cfa
        number = code.take_uleb();
        cfa = {false, static_cast<unsigned>(number), static_cast<int64_t>(code.take_uleb()), {}};
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
    case 0x10: // DW_CFA_expression
        number = code.take_uleb();
        set(number, RuleKind::kExpression, 0, code.take_block());
        return true;
    case 0x11: // DW_CFA_offset_extended_sf
        number = code.take_uleb();
        set(number, RuleKind::kOffset, code.take_sleb() * common_.data_unit);
        return true;
    case 0x12: // DW_CFA_def_cfa_sf
        number = code.take_uleb();
        cfa = {false, static_cast<unsigned>(number), code.take_sleb() * common_.data_unit, {}};
        return true;
    case 0x13: // DW_CFA_def_cfa_offset_sf
        cfa.offset = code.take_sleb() * common_.data_unit;
        return true;
    case 0x14: // DW_CFA_val_offset
        number = code.take_uleb();
        set(number, RuleKind::kValueOf, static_cast<int64_t>(code.take_uleb()) * common_.data_unit);
        return true;
    case 0x15: // DW_CFA_val_offset_sf
        number = code.take_uleb();
        set(number, RuleKind::kValueOf, code.take_sleb() * common_.data_unit);
        return true;
    case 0x16: // DW_CFA_val_expression
        number = code.take_uleb();
        set(number, RuleKind::kValueExpression, 0, code.take_block());
        return true;
    case 0x2e: // DW_CFA_GNU_args_size: of no concern to where the caller is
        code.take_uleb();
        return true;
    default:
        return false;
    }
}

} // namespace

void find_frame_tables() {
    find_object = reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
}

bool frame_rules_at(uintptr_t address, FrameRules &rules) {
    Tables tables;
    if (!tables_of(address, tables)) {
        return false;
    }
    const uint8_t *at = find_description(tables, address);
    Bytes entry(nullptr, nullptr);
    if (!at || !open_entry(at, tables, entry)) {
        return false;
    }
    const uint8_t *here = entry.at();
    const auto back = entry.take<uint32_t>();
    Common common = {};
    if (back == 0 || !read_common(here - back, tables, common)) {
        return false;
    }
    const uintptr_t begin = entry.take_pointer(common.encoding);
    const auto length = static_cast<uintptr_t>(entry.take_form(common.encoding));
    if (common.has_extra) {
        entry.skip(entry.take_uleb());
    }
    if (!entry.good() || address < begin || address - begin >= length) {
        return false;
    }
    rules = {};
    rules.is_signal_frame = common.is_signal_frame;
    Machine machine(common, rules);
    if (!machine.run(common.begin, common.end, begin, address)) {
        return false;
    }
    machine.begin_own_part();
    return machine.run(entry.at(), entry.end(), begin, address);
}

} // namespace ompcollect
