// SPDX-License-Identifier: Apache-2.0
//
// DWARF's stack machine, with what compilers and the C library use of it (DWARF 4, section 2.5).
// Async-signal-safe.
#pragma once

#include "frame_bytes.h"
#include "stack_memory.h"

#include <cstdint>

namespace ompcollect {

// The register's value; false: it is not known.
bool register_value(const Registers &registers, uint64_t number, uintptr_t &value);
// The same, noted where a walk keeps what it depends on.
bool use_register(const Registers &registers, const StackMemory &memory, uint64_t number,
                  uintptr_t &value);

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
    bool constant(uint8_t operation);
    void two(uint8_t operation);

    static constexpr unsigned kDeepest = 8;
    const Registers &registers_;
    const StackMemory &memory_;
    uintptr_t stack_[kDeepest] = {};
    unsigned depth_ = 0;
    bool good_ = true;
    Bytes code_ = {nullptr, nullptr};
};

} // namespace ompcollect
