// SPDX-License-Identifier: Apache-2.0
//
// Where CPython keeps what a reader of its frames needs: offsets in its structures, by version.
// From 3.13 on the interpreter has a table of them for debuggers at the begin of `_PyRuntime`. For
// 3.11 and 3.12 they are here, and a test compares them with those versions' headers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ompcollect {

struct PythonLayout {
    // Of the runtime, an interpreter and a thread state.
    size_t interpreters;
    size_t next_interpreter;
    size_t threads;
    size_t next_thread;
    size_t interpreter_of_thread;
    size_t native_thread_id;
    // Before 3.13 a thread state has its innermost C frame, which has the Python frame; else the
    // first is 0 and the second is of the thread state.
    size_t c_frame;
    size_t current_frame;
    size_t previous_c_frame;
    // Of a Python frame. `is_entry`: 3.11's mark of the first frame of a C frame; 0: it has none,
    // and a frame of no function stands below.
    size_t code;
    size_t previous;
    size_t instruction;
    size_t owner;
    size_t is_entry;
    // Of a code object.
    size_t first_line;
    size_t file;
    size_t name;
    size_t lines;
    size_t instructions;
    // Of a text: the size of its head where all characters are ASCII, and where they are not. The
    // bits of its state begin with this one.
    size_t ascii_head;
    size_t other_head;
    unsigned kind_bit;
};

// The parts of objects that are the same in all versions that are known.
inline constexpr size_t kTypeOfObject = 8;
inline constexpr size_t kLengthOfObject = 16;
inline constexpr size_t kStateOfText = 32;
inline constexpr size_t kBytesOfBytes = 32;
// A code object's head up to its instructions, and a frame's, have at most so many bytes.
inline constexpr size_t kMostCodeHead = 256;
inline constexpr size_t kMostFrameHead = 96;
// From this owner on a frame belongs to no function.
inline constexpr unsigned kOwnedByNoFunction = 3;

// As in Py_Version, without what follows the minor version.
inline constexpr unsigned kPython311 = 0x030b;
inline constexpr unsigned kPython312 = 0x030c;
inline constexpr unsigned kPython313 = 0x030d;
inline constexpr unsigned kPython314 = 0x030e;

extern const PythonLayout kLayout311;
extern const PythonLayout kLayout312;

// How many words of the table for debuggers are looked at.
inline constexpr size_t kDebugWords = 50;
using DebugTable = uint64_t[kDebugWords];

enum class LayoutFound { kYes, kUnknownVersion, kFreeThreaded, kImplausible };

// `table` is looked at from 3.13 on.
LayoutFound find_layout(unsigned version, const DebugTable &table, PythonLayout &layout);

} // namespace ompcollect
