// SPDX-License-Identifier: Apache-2.0
//
// Runs a program on the runtime under test, in a process of its own, and reads what it has left.
#pragma once

#include "shared.h"
#include "tool.h"
#include "workload.h"

#include <functional>
#include <string>
#include <vector>

namespace compliance {

struct Setup {
    std::string runtime;  // path of the library
    std::string workload; // path of the module
};

struct Ending {
    bool by_signal;
    int code;     // exit code or signal
    bool message; // has written something to stderr
};

// What happens in the process: the runtime and the workload are loaded, its hooks are set, `body`
// runs, and exit(3) is called with what it returns. Records of earlier programs are forgotten, the
// verdict is not.
using Body = std::function<int(const Workload &workload)>;
Ending run_program(const Setup &setup, const ToolPlan &plan, const Body &body);

// The same for programs that must end with 0: where one does not, the check ends here, in the same
// way if that was a signal. Then false if the tool was not started: that has been said.
bool run_with_tool(const Setup &setup, const Body &body, const ToolPlan &plan = {});

// Hooks that only write records of points.
WorkloadHooks recording_hooks();

// Of the calling process: the library under test.
void *runtime_handle();

// After a program: all records in order, those of one event, and what else checks ask often.
std::vector<const Record *> records();
std::vector<const Record *> records(Event event);
bool is_point(const Record &record, WorkloadPoint where);
// The event is registered; else it has been said that it is not implemented.
bool must_tell(Event event, const char *name);

} // namespace compliance
