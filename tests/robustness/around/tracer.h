// SPDX-License-Identifier: Apache-2.0
//
// tracer.h - runs a program under ptrace. trace(): at each system call of it and of all that it
// starts, a test may kill the process or have the call fail. trace_and_hold(): a thread is held at
// the very instruction by which it has taken a lock.
#pragma once

#include "process.h"

#include <cstdint>
#include <functional>
#include <string>
#include <sys/types.h>

namespace ocb_test {

// A system call that is about to be made.
struct Call {
    pid_t process;
    pid_t thread;
    bool is_first; // of the process that was started itself, and of none that it has started
    long number;
    uint64_t arguments[6];

    // The path that it names, by its text or by a descriptor; empty: none.
    [[nodiscard]] std::string path() const;
};

struct Fate {
    enum class Kind { kGoesOn, kFails, kDies };
    Kind kind = Kind::kGoesOn;
    int error = 0;         // kFails: what errno becomes
    unsigned after_us = 0; // kDies: so long the process still runs
};

// Until the program and all that it has started have ended.
Outcome trace(const Command &command, const std::function<Fate(const Call &)> &fate_of);

// A word of memory that is not 0 while a lock is held.
struct LockWord {
    std::string file;   // part of its library's name
    std::string source; // of several local symbols of one name the one of this source file
    std::string symbol; // mangled
    unsigned offset = 0;
    unsigned size = 4;
    bool is_behind_pointer = false; // the symbol is a pointer to it
};

// The program gives the mark of hold_mark.h. From there on the first other thread that makes the
// word something else than 0 is held. Once the thread of the mark has written something and then
// waits, the other one goes on: what is not reached before that is reached by nobody.
Outcome trace_and_hold(const Command &command, const LockWord &word);

} // namespace ocb_test
