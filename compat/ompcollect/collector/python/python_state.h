// SPDX-License-Identifier: Apache-2.0
//
// The Python interpreter of this process, and what it keeps of a thread. An interpreter whose
// version is not known, that has several interpreters in it, or none of whose frames could be read
// has none for us. Nothing of its library is called. Async-signal-safe but for learn_interpreter().
#pragma once

#include "module_map.h"
#include "python_layout.h"

#include <atomic>
#include <cstdint>

namespace ompcollect {

struct PythonInterpreter {
    std::atomic<const InterpreterFile *> file; // stored last; null: there is none
    PythonLayout layout = {};
    // The interpreter's own thread-local key of a thread's state, in its static memory: a word that
    // is 1 and the key. 0: not found yet.
    std::atomic<uintptr_t> key_place;
    std::atomic<uintptr_t> only; // the one interpreter, as of the last look; 0: not known
    std::atomic<bool> is_proven; // a stack has been read with all checks
};
extern constinit PythonInterpreter the_python;

// Looks whether there is an interpreter, and for the key where the calling thread has a state of
// it. Not in a signal handler.
void learn_interpreter();

inline const InterpreterFile *loaded_interpreter() {
    const InterpreterFile *const file = the_python.file.load(std::memory_order_acquire);
    return file && file->module->is_loaded.load(std::memory_order_relaxed) && modules_are_fresh()
               ? file
               : nullptr;
}

inline bool is_in(const InterpreterFile &file, uintptr_t address) {
    return address >= file.module->begin && address < file.module->end;
}

// The state of the calling thread; 0: it has none. `remembered` is the thread's own: what has been
// found to be one.
uintptr_t own_python_state(const InterpreterFile &file, std::atomic<uintptr_t> &remembered);
// That of another thread, which may end meanwhile.
uintptr_t python_state_of(const InterpreterFile &file, int tid, std::atomic<uintptr_t> &remembered);

} // namespace ompcollect
