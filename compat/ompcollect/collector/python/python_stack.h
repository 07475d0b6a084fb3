// SPDX-License-Identifier: Apache-2.0
//
// The Python frames of a thread, and where they belong among its native ones. The interpreter's
// function that executes Python may execute many Python functions that call each other: they are
// one run. It keeps a record of its own in its native frame, whose address is the run's anchor: so
// the run stands where the native frame is that has the anchor.
//
// A thread that is in a call of Python's stands still, and its frames can be read as they are. A
// thread that a signal has stopped anywhere may be between two of them: all memory is read through
// the kernel then, and what is not as it should be ends the reading, with no frames.
// Async-signal-safe.
#pragma once

#include "python_code.h"
#include "python_state.h"

#include <atomic>
#include <cstdint>

namespace ompcollect {

struct PythonRun {
    uintptr_t anchor; // 0: not known, of the last one of a stack that is cut
    unsigned end;     // number of frames of this run and those before
};

struct PythonStack {
    static constexpr unsigned kMost = 192;
    static constexpr unsigned kMostRuns = 64;
    PythonRun runs[kMostRuns]; // innermost first, as are the frames
    unsigned run_count;
    PythonInstruction frames[kMost];
    uint64_t places[kMost]; // kNoPlace: of a frame that is not shown
    unsigned frame_count;
    bool is_cut; // there are more frames
    PythonScratch scratch;
    char window[2048]; // memory in which frames lie one above the other
};

// With all checks, as far as anchors lie below `end`. False: there are none, or something was not
// as it should be.
bool read_python_stack(const InterpreterFile &file, uintptr_t state, uintptr_t end,
                       PythonStack &to);

// The innermost Python frame of the calling thread in a call of Python's, and the instruction that
// it is at. 0: there is none, or nothing has been read with all checks yet.
struct PythonTop {
    uintptr_t frame;
    uintptr_t instruction;
};
PythonTop top_of_python(std::atomic<uintptr_t> &remembered);

// The same: whether its innermost frames are at the same instructions of the same code.
bool stands_as_before(const PythonTop &top, const PythonMark *marks, unsigned count);

} // namespace ompcollect
