// SPDX-License-Identifier: Apache-2.0
// The form of 2014, as LLVM's first runtime with OMPT has it (there is no other record of it): the
// tool is a global ompt_initialize, which returns 1 to stay. Version 1, no invoker. What that
// runtime does not tell of in these terms (OMP_TOOL) is as TR2 of 2015 has it.
#include "defects.h"
#include "tool_ids.h"

using namespace ocb::ompt_tr2;

extern "C" [[gnu::weak]] int ompt_initialize(ompt_function_lookup_t, const char *, unsigned) {
    return 0;
}

namespace mini::tool {
const unsigned kHaving = kWithIds | kWithIdleFrame;

namespace generation {

const bool kRegistersAtAnyTime = true;
const bool kIs2014 = true;
const int kUndefinedState = ompt_state_undefined_libomp;

bool find_tool() {
    return tool_is_enabled_or_end();
}

bool initialize(ompt_function_lookup_t lookup) {
    constexpr unsigned kVersion = 1;
    return ompt_initialize(lookup, told_runtime("mini-omp with OMPT of 2014"),
                           told_version(kVersion)) != 0;
}

ompt_interface_fn_t lookup(const char *name) {
    static const Named kFunctions[] = {named("ompt_enumerate_state", enumerate_state),
                                       named("ompt_get_parallel_id", get_parallel_id),
                                       named("ompt_get_parallel_team_size", get_parallel_team_size),
                                       named("ompt_get_task_id", get_task_id),
                                       named("ompt_get_task_frame", get_task_frame),
                                       named("ompt_get_idle_frame", get_idle_frame),
                                       {}};
    return find_in(kFunctions, name);
}

} // namespace generation

bool begins_anew_in_child() {
    return false;
}

} // namespace mini::tool
