// SPDX-License-Identifier: Apache-2.0
//
// Runs the program as a child that behaves, seen from outside, as if it had been started directly.
#ifndef OMPCOLLECT_CHILD_PROCESS_H
#define OMPCOLLECT_CHILD_PROCESS_H

#include "environment.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace ompcollect {

struct ChildResult {
    pid_t pid;
    int status; // as of waitpid(2); exited or killed by a signal
};

// Signals sent to the launcher are passed on. Those that come from the terminal reach the child
// without us. Throws Failure with 126 or 127 if the program cannot be started.
ChildResult run_child(const std::string &path, const std::vector<std::string> &command,
                      const Variables &variables);

// Ends the launcher as the child ended: returns its exit code, or does not return if a signal
// killed it.
int end_like(const ChildResult &result);

} // namespace ompcollect

#endif
