// SPDX-License-Identifier: Apache-2.0
//
// Which line of which file an instruction of Python is. A line is found by the code object's table
// when the instruction is met first, so that the profile keeps names and numbers alone. A code
// object may be freed, and another one with other names be made at its address: so what has been
// found out holds for a code object with the same signature, which is made of its texts.
// Async-signal-safe but for grow_python_code().
#pragma once

#include "python_layout.h"
#include "python_state.h"

#include <cstddef>
#include <cstdint>

namespace ompcollect {

// An instruction that a frame is at. `code` may be tagged.
struct PythonInstruction {
    uintptr_t code;
    uintptr_t instruction;
    uint64_t signature;
};

inline uintptr_t untagged(uintptr_t object) {
    return object & ~uintptr_t{7};
}

// Room for what is read of a code object. A handler's stack may have none.
struct PythonScratch {
    char text[1024];     // as Python has it
    char file[1024 + 4]; // UTF-8
    char name[512 + 4];
    bool lacks_room; // of names: there is more once the profile has grown
};

// By what an instruction of a frame that stands still is known again, a few loads away: where its
// code's texts are, how long they are, and their last words.
struct PythonMark {
    static constexpr unsigned kObjects = 3; // file, name, lines
    struct Object {
        uintptr_t address;
        size_t length;
        uintptr_t end; // address of its last word
        uint64_t word;
    };
    uintptr_t code;
    uintptr_t instruction;
    uint64_t first_line;
    Object objects[kObjects];
};
// Both read without asking the kernel: only of frames of the calling thread that stand in a call.
PythonMark mark_of(const PythonInstruction &at);
bool is_still(const PythonMark &mark); // where a frame has this code

// The instruction's place in the profile (python_place), with its signature. False: the memory is
// not what it should be, or there is no room. `place` is kNoPlace for code without a place.
inline constexpr uint64_t kNoPlace = ~uint64_t{0};
bool find_python_place(const InterpreterFile &file, PythonInstruction &at, PythonScratch &scratch,
                       uint64_t &place);

// The same of an instruction with its signature, where it has been found out before.
bool recall_python_place(const PythonInstruction &at, uint64_t &place);

// Sees to room ahead.
void grow_python_code();
// In the child after fork().
void restart_python_code();

} // namespace ompcollect
