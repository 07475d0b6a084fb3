// SPDX-License-Identifier: Apache-2.0
//
// The module of the checks, as the driver sees it. It is loaded with its symbols global, before
// the runtime: so the runtime finds the tool's entry points in it.
#include "check_list.h"
#include "checks.h"
#include "verdict.h"

#include <cstdio>
#include <cstring>

namespace compliance {
namespace {

struct CheckRow {
    const char *name;
    void (*run)(const Setup &setup);
};

constexpr CheckRow kChecks[] = {
    {"init-registration", check_init_registration},
    {"init-lookup", check_init_lookup},
    {"init-set-callback", check_init_set_callback},
    {"init-omp-tool-enabled", check_init_omp_tool_enabled},
    {"init-omp-tool-disabled", check_init_omp_tool_disabled},
    {"init-omp-tool-other", check_init_omp_tool_other},
    {"control", check_control},
    {"runtime-shutdown", check_runtime_shutdown},
    {"parallel-begin", check_parallel_begin},
    {"parallel-end", check_parallel_end},
    {"task-begin", check_task_begin},
    {"task-end", check_task_end},
    {"thread-begin", check_thread_begin},
    {"thread-end", check_thread_end},
    {"implicit-task", check_implicit_task},
    {"idle-frame", check_idle_frame},
    {"parallel-id", check_parallel_id},
    {"task-id", check_task_id},
    {"team-size", check_team_size},
    {"task-frame", check_task_frame},
};

} // namespace
} // namespace compliance

extern "C" __attribute__((visibility("default"))) int
ompt_compliance_run_check(const char *name, const char *runtime, const char *workload) {
    using namespace compliance;
    const Setup setup = {runtime, workload};
    if (strncmp(name, "state-", 6) == 0) {
        check_state(setup, name);
        return print_verdict();
    }
    for (const CheckRow &row : kChecks) {
        if (strcmp(row.name, name) == 0) {
            row.run(setup);
            return print_verdict();
        }
    }
    fprintf(stderr, "ompt-compliance: there is no check %s\n", name);
    return kSuiteFailed;
}
