// SPDX-License-Identifier: Apache-2.0
//
// What is preloaded into a job, decided in one place for a run, --dry-run and --capabilities.
#pragma once

#include "environment.h"
#include "options.h"

#include <string>
#include <vector>

namespace ompcollect {

struct PreloadPlan {
    std::vector<std::string> libraries; // for LD_PRELOAD, in this order
    Variables variables;                // that go with them
    std::string runtime;                // the OpenMP runtime among the libraries; empty: none
    bool serves_libgomp = false;        // the front gives OMPT to libgomp
    bool marks_calls = false;           // the front marks calls of runtimes
    std::string runtime_of_program;     // what the program finds by itself; empty: not known
    bool built_by_gcc = false;          // the program needs libgomp
    bool needs_no_runtime = false;      // none by itself, and what it runs is known
    std::vector<std::string> reasons;   // one line each, for --verbose
    std::vector<std::string> losses;    // libraries of ours that are missing: a line each, always
};

// `program`: the file of the command's first word; empty without a command (--capabilities).
// Throws Failure where a library is missing that the user named, or where the program would compute
// something else on the runtime.
PreloadPlan plan_preload(const Options &options, const std::string &program);

} // namespace ompcollect
