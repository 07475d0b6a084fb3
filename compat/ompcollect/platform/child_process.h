// SPDX-License-Identifier: Apache-2.0
//
// Runs the program as a child that behaves, seen from outside, as if it had been started directly.
#pragma once

#include "environment.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ompcollect {

struct ChildResult {
    pid_t pid;
    int status; // as of waitpid(2); exited or killed by a signal
};

// What else the launcher does while the child runs.
struct Meanwhile {
    std::function<void()> begun;  // the child has become the program
    std::function<void()> report; // at SIGUSR2 and at each interval; must not take long
    double interval = 0;          // seconds; 0: none
};

// Signals sent to the launcher are passed on, but for SIGUSR2 where there is a report. Those that
// come from the terminal reach the child without us. Throws Failure with 126 or 127 if the program
// cannot be started. On return the signals that end a process are blocked.
ChildResult run_child(const std::string &path, const std::vector<std::string> &command,
                      const Variables &variables, const Meanwhile &meanwhile = {});

// The end of a process in words: "exit code 3", "killed by SIGTERM".
std::string end_in_words(int status);

// Descriptors 0 to 2 that are closed are opened to nowhere, so that no file of ours gets such a
// number. The child gets them closed, as they were. To be called first of all.
void fill_standard_descriptors();

// From now on a signal that asks the launcher to end calls `last_act`, which must be
// async-signal-safe, and ends it.
void end_on_signals(void (*last_act)());

// Ends the launcher as the child ended: returns its exit code, or does not return if a signal
// killed it.
int end_like(const ChildResult &result);

} // namespace ompcollect
