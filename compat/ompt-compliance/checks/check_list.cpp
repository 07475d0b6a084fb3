// SPDX-License-Identifier: Apache-2.0
#include "check_list.h"

namespace compliance {
namespace {

// clang-format off
constexpr CheckName kChecks[] = {
    {"init-registration", "-", "the tool is found and initialised, once", false},
    {"init-lookup", "-", "lookup finds what there must be, and nothing else", false},
    {"init-set-callback", "-", "answers of ompt_set_callback and ompt_get_callback", false},
    {"init-omp-tool-enabled", "-", "OMP_TOOL=enabled, in any case and with spaces", false},
    {"init-omp-tool-disabled", "-", "OMP_TOOL=disabled, likewise", false},
    {"init-omp-tool-other", "-", "other values of OMP_TOOL", false},
    {"control", "2.1.1", "what the program says to the tool", false},
    {"runtime-shutdown", "2.1.2", "the runtime tells of its end", false},
    {"parallel-begin", "2.1.3", "regions begin", false},
    {"parallel-end", "2.1.4", "regions end", false},
    {"task-begin", "2.1.5", "explicit tasks are created", false},
    {"task-end", "2.1.6", "explicit tasks end", false},
    {"thread-begin", "2.1.7", "threads begin", false},
    {"thread-end", "2.1.8", "threads end", false},
    {"implicit-task", "-", "implicit and initial tasks begin and end", false},
    {"idle-frame", "2.2.1", "where an idle thread waits on its stack", false},
    {"parallel-id", "2.2.2", "ids of regions at all levels", false},
    {"task-id", "2.2.3", "ids of tasks at all levels", false},
    {"team-size", "2.2.4", "sizes of teams at all levels", false},
    {"task-frame", "2.2.5", "frames of tasks at all levels, on two threads", false},
    {"state-serial", "2.2.6", "outside a region", true},
    {"state-parallel", "2.2.6", "in a region", true},
    {"state-reduction", "2.2.6", "in a reduction", true},
    {"state-barrier-explicit", "2.2.6", "in an explicit barrier", true},
    {"state-barrier-implicit", "2.2.6", "in an implicit barrier", true},
    {"state-taskwait", "2.2.6", "in a taskwait", true},
    {"state-taskgroup", "2.2.6", "in a taskwait, then at the end of a taskgroup", true},
    {"state-lock", "2.2.6", "waiting for a lock", true},
    {"state-nest-lock", "2.2.6", "waiting for a nestable lock", true},
    {"state-critical", "2.2.6", "waiting for a critical region", true},
    {"state-atomic", "2.2.6", "waiting for an atomic region", true},
    {"state-ordered", "2.2.6", "waiting in an ordered loop, and at its end", true},
};
// clang-format on

} // namespace

std::span<const CheckName> check_names() {
    return kChecks;
}

} // namespace compliance
