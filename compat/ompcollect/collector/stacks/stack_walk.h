// SPDX-License-Identifier: Apache-2.0
//
// Walks the frames of a thread from the leaf to the root (machine.h: where). Everything is
// async-signal-safe. Memory is read inside the thread's stack alone, or through the kernel, which
// refuses where there is none: wrong unwind information ends a walk, and never the program.
//
// What is known of an address of code is remembered (known_code.h). So a walk over code that has
// been walked before costs a few nanoseconds a frame.
#pragma once

#include "module_map.h"
#include "stack_memory.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace ompcollect {

// Not in a signal handler, once.
void warm_up_stack_walk();

class StackWalk {
  public:
    // is_exact: pc is an instruction's own address and no return address.
    StackWalk(const Registers &registers, const StackMemory &memory, bool is_exact);

    // False at the end of the stack; then is_whole() tells whether it is the thread's first frame.
    [[nodiscard]] bool has_frame() const { return has_frame_; }
    [[nodiscard]] bool is_whole() const { return is_whole_; }

    [[nodiscard]] CodeKind kind() const { return kind_; }
    [[nodiscard]] uint32_t location() const { return location_; } // row in the profile
    [[nodiscard]] uintptr_t pc() const { return now_.pc; }
    [[nodiscard]] uintptr_t sp() const { return now_.sp; }
    [[nodiscard]] bool is_first_frame() const { return is_first_; } // nobody has called it
    // Mostly the stack pointer before this frame's call; 0 where the caller cannot be found.
    [[nodiscard]] uintptr_t cfa() const { return cfa_; }

    // To the caller.
    void next();

    // Where next() has read its way: a walk that finds the same values there goes the same way.
    [[nodiscard]] uintptr_t return_slot() const { return return_slot_; }
    // The slot that the base of this frame's CFA came from; 0: none but the stack pointer.
    [[nodiscard]] uintptr_t base_slot() const { return base_slot_; }
    // This frame's CFA came from the register that the walk began with.
    [[nodiscard]] bool used_first_base() const { return used_first_base_; }
    // What else has been read for this frame, whose rule is no simple one.
    [[nodiscard]] std::span<const uintptr_t> other_slots() const {
        return {slow_slots_.list, slow_slots_.count};
    }
    // No step so far has read anything but those slots.
    [[nodiscard]] bool is_repeatable() const { return is_repeatable_; }

  private:
    void look();
    bool find_cfa_slowly();
    void find_extra();
    [[nodiscard]] bool is_above(uintptr_t sp) const;
    bool read(uintptr_t address, uintptr_t &value) const;

    Registers now_;
    StackMemory memory_;
    uintptr_t cfa_ = 0;
    uintptr_t return_slot_ = 0;
    uintptr_t saved_bp_slot_ = 0; // where the current bp was read
    uintptr_t base_slot_ = 0;
    uint64_t rule_ = 0;
    Registers slow_caller_ = {}; // of a frame whose rule is no word
    uintptr_t slow_bp_slot_ = 0; // where slow_caller_.bp was read; 0: it was not
    SlotsRead slow_slots_;
    uint32_t location_ = 0;
    CodeKind kind_ = CodeKind::kUser;
    bool has_frame_ = false;
    bool is_whole_ = false;
    bool is_first_ = false;
    bool is_exact_;
    Registers first_; // that the walk began with
    bool first_is_exact_;
    unsigned frames_before_ = 0; // between them and now_
    bool next_is_exact_ = false;
    bool used_first_base_ = false;
    bool is_repeatable_ = true;
};
} // namespace ompcollect
